public import Identity

extension Page {
    /// Out of the account that another one went into.
    ///
    /// - Parameters:
    ///   - email: of the account that comes back.
    ///   - setsPassword: the next page asks for a new password.
    public static func undoMerge(of email: EmailAddress, setsPassword: Bool, _ form: CodeForm, _ frame: Frame) -> Page {
        let app = frame.app(in: frame.language)
        let password = LocalizedString("On the next page you set a new password.", "次のページで新しいパスワードを設定します。")
        let consequences = [
            LocalizedString(
                """
                You get your own account back, with your address and your ways to sign in, as far as no other account \
                uses them by now.
                """,
                """
                あなたのアカウントが、メールアドレスとログイン方法とともに元に戻ります。\
                ただし、現在ほかのアカウントで使われているものは戻りません。
                """),
            LocalizedString(
                """
                The other account keeps only its own things. If it had anything of yours, everyone using it is signed out.
                """,
                """
                統合先のアカウントには、そのアカウント自身のものだけが残ります。\
                あなたのものがあった場合は、そのアカウントの利用者は全員ログアウトされます。
                """),
        ]
        return Page(
            frame, LocalizedString("Get your account back", "アカウントを元に戻す"),
            [
                frame.paragraph(
                    LocalizedString(
                        "Your account of \(app) was merged into another account. If that was not you, undo it.",
                        "\(app)のあなたのアカウントが、別のアカウントに統合されました。お心当たりがない場合は、取り消してください。")),
                frame.facts([(.address, .text(email.rawValue))]),
                frame.paragraph(LocalizedString("If you undo it:", "取り消すと、次のようになります。")),
                HTML(
                    .ul,
                    (consequences + (setsPassword ? [password] : [])).map { HTML(.li, text: $0.in(frame.language)) }),
                form.form(in: frame, [frame.button(LocalizedString("Undo the merge", "統合を取り消す"))]),
                frame.hint(
                    LocalizedString(
                        "If you merged the accounts yourself, close this page.", "ご自身で統合された場合は、このページを閉じてください。")),
            ])
    }

    /// - Parameter email: `nil` if another account has the address by now.
    public static func mergeUndone(_ email: EmailAddress?, continuing url: ContinueURL?, _ frame: Frame) -> Page {
        let app = frame.app(in: frame.language)
        let lost = LocalizedString(
            "Another account now uses this address. If you cannot sign in, contact the people who run \(app).",
            "このメールアドレスは現在、別のアカウントで使われています。ログインできない場合は、\(app)の運営者にお問い合わせください。")
        return Page(
            frame, LocalizedString("You have your account back", "アカウントを元に戻しました"),
            (email.map { [frame.facts([(.address, .text($0.rawValue))])] } ?? [frame.paragraph(lost)])
                + frame.wayBackOrAdvice(to: url))
    }
}
