public import Identity

extension Page {
    /// Asks whether a sign-in method that was added to an account is to go.
    ///
    /// - Parameters:
    ///   - device: that added it, if it is still linked and that is known.
    ///   - setsPassword: the page that follows asks for a new password.
    public static func removeSignInMethod(
        _ method: AddedSignInMethod, named name: SignInMethodName, device: String?, of email: EmailAddress,
        setsPassword: Bool,
        _ form: CodeForm, _ frame: Frame
    ) -> Page {
        let app = frame.app(in: frame.language)
        var consequences = [
            LocalizedString(
                "It is removed, and so is every way to sign in that was added after it.",
                "このログイン方法と、その後に追加されたログイン方法がすべて削除されます。"),
            LocalizedString("A password that was set since then no longer works.", "その後に設定されたパスワードは使えなくなります。"),
            LocalizedString(
                "If the address of the account was changed since then, it goes back to \(email.rawValue).",
                "その後にメールアドレスが変更されている場合は、\(email.rawValue)に戻ります。"),
            LocalizedString("Every device is signed out.", "すべての端末からログアウトします。"),
        ]
        if setsPassword { consequences.append(LocalizedString("You set a new password next.", "続けて新しいパスワードを設定します。")) }
        return Page(
            frame, LocalizedString("Remove a way to sign in", "ログイン方法の削除"),
            [
                frame.paragraph(
                    LocalizedString(
                        "This way to sign in was added to your account for \(app). If that was not you, remove it.",
                        "\(app)のアカウントに次のログイン方法が追加されました。お心当たりがない場合は、削除してください。")),
                frame.facts(of: method, name, device: device),
                frame.paragraph(LocalizedString("If you remove it:", "削除すると、次のようになります。")),
                HTML(.ul, consequences.map { HTML(.li, text: $0.in(frame.language)) }),
                form.form(in: frame, [frame.button(LocalizedString("Remove it", "削除する"))]),
                frame.hint(
                    LocalizedString("If you added it yourself, close this page.", "ご自身で追加された場合は、このページを閉じてください。")),
            ])
    }

    /// Where no password follows.
    ///
    /// - Parameter takenEmail: the address that the account would have got back, if it is another account's by now.
    public static func signInMethodRemoved(_ name: SignInMethodName, takenEmail: EmailAddress?, _ frame: Frame) -> Page
    {
        let app = frame.app(in: frame.language)
        let taken = takenEmail.map { email in
            [
                frame.facts([(.address, .text(email.rawValue))]),
                frame.paragraph(
                    LocalizedString(
                        """
                        Another account now uses this address, so your account has no address. If you cannot sign in, \
                        contact the people who run \(app).
                        """,
                        """
                        このアドレスは現在別のアカウントで使われているため、あなたのアカウントにはメールアドレスがありません。\
                        ログインできない場合は、\(app)の運営者にお問い合わせください。
                        """)),
            ]
        }
        return Page(
            frame, LocalizedString("Removed", "削除しました"),
            [frame.paragraph(.removed(name))] + (taken ?? frame.wayBackOrAdvice(to: nil)))
    }
}

extension LocalizedString {
    static func removed(_ name: SignInMethodName) -> LocalizedString {
        LocalizedString(
            """
            Removed: \(name.phrase.english), and every way to sign in that was added after it. Every device was signed out.
            """,
            "\(name.phrase.japanese)と、その後に追加されたログイン方法をすべて削除し、すべての端末からログアウトさせました。")
    }
}
