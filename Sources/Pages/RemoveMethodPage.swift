public import Identity

extension Page {
    /// Asks whether a sign-in method that was added to an account is to go.
    ///
    /// - Parameters:
    ///   - device: that added it, if it is still linked and that is known.
    ///   - setsPassword: the page that follows asks for a new password.
    public static func removeSignInMethod(
        _ method: AddedSignInMethod, named name: SignInMethodName, device: String?, of email: Email, setsPassword: Bool,
        _ form: CodeForm, _ frame: Frame
    ) -> Page {
        let app = frame.app(in: frame.language)
        var consequences = [
            Phrase(
                "It is removed, and so is every way to sign in that was added after it.",
                "このログイン方法と、その後に追加されたログイン方法がすべて削除されます。"),
            Phrase("A password that was set since then no longer works.", "その後に設定されたパスワードは使えなくなります。"),
            Phrase(
                "If the address of the account was changed since then, it goes back to \(email.rawValue).",
                "その後にメールアドレスが変更されている場合は、\(email.rawValue)に戻ります。"),
            Phrase("Every device is signed out.", "すべての端末からログアウトします。"),
        ]
        if setsPassword { consequences.append(Phrase("You set a new password next.", "続けて新しいパスワードを設定します。")) }
        return Page(
            frame, Phrase("Remove a way to sign in", "ログイン方法の削除"),
            [
                frame.paragraph(
                    Phrase(
                        "This way to sign in was added to your account for \(app). If that was not you, remove it.",
                        "\(app)のアカウントに次のログイン方法が追加されました。お心当たりがない場合は、削除してください。")),
                frame.facts(of: method, name, device: device),
                frame.paragraph(Phrase("If you remove it:", "削除すると、次のようになります。")),
                HTML(.ul, consequences.map { HTML(.li, text: $0.in(frame.language)) }),
                form.form(in: frame, [frame.button(Phrase("Remove it", "削除する"))]),
                frame.hint(
                    Phrase("If you added it yourself, close this page.", "ご自身で追加された場合は、このページを閉じてください。")),
            ])
    }

    /// Where no password follows.
    ///
    /// - Parameter takenEmail: the address that the account would have got back, if it is another account's by now.
    public static func signInMethodRemoved(_ name: SignInMethodName, takenEmail: Email?, _ frame: Frame) -> Page {
        let app = frame.app(in: frame.language)
        let taken = takenEmail.map { email in
            [
                frame.facts([(.address, .text(email.rawValue))]),
                frame.paragraph(
                    Phrase(
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
            frame, Phrase("Removed", "削除しました"),
            [frame.paragraph(.removed(name))] + (taken ?? frame.wayBackOrAdvice(to: nil)))
    }
}

extension Phrase {
    static func removed(_ name: SignInMethodName) -> Phrase {
        Phrase(
            """
            Removed: \(name.phrase.english), and every way to sign in that was added after it. Every device was signed out.
            """,
            "\(name.phrase.japanese)と、その後に追加されたログイン方法をすべて削除し、すべての端末からログアウトさせました。")
    }
}
