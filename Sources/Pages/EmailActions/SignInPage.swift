public import Identity

extension Page {
    /// - Parameter link: into the app, which uses the code up; `nil` if it did not say where it is.
    public static func signIn(_ email: EmailAddress, _ link: ActionLink?, _ frame: Frame) -> Page {
        let app = frame.app(in: frame.language)
        return Page(
            frame, LocalizedString("Sign in", "ログイン"),
            [
                frame.paragraph(
                    LocalizedString(
                        "This link signs you in to \(app).", "このリンクで\(app)にログインできます。")),
                frame.facts([(.address, .text(email.rawValue))]),
                link.map { frame.link(LocalizedString("Continue in the app", "アプリで続ける"), to: .app($0)) }
                    ?? frame.paragraph(
                        LocalizedString(
                            "Open the link from your mail on the device where the app is.",
                            "メールのリンクを、アプリの入っている端末で開いてください。")),
                frame.hint(
                    LocalizedString(
                        "If you did not ask to sign in, close this page. Nothing has happened.",
                        "ログインのお心当たりがない場合は、このページを閉じてください。何も変更されていません。")),
            ])
    }
}
