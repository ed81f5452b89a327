internal import HTML
public import Identity

extension Page {
    /// The page of a sign-in link that was opened in a browser instead of the app.
    ///
    /// - Parameter link: the link that opens the app, which redeems the code; `nil` if the URL of the page has no
    ///   continue URL at an authorized domain.
    public static func signIn(_ email: EmailAddress, _ link: ActionLink?, _ context: Context) -> Page {
        let app = context.app(in: context.language)
        return Page(
            context, LocalizedString("Sign in", "ログイン"),
            [
                context.paragraph(
                    LocalizedString(
                        "This link signs you in to \(app).", "このリンクで\(app)にログインできます。")),
                context.details([(.address, .text(email.rawValue))]),
                link.map { context.link(LocalizedString("Continue in the app", "アプリで続ける"), to: .app($0)) }
                    ?? context.paragraph(
                        LocalizedString(
                            "Open the link in your email on the device that has the app.",
                            "アプリが入っている端末で、メールのリンクを開いてください。")),
                context.note(
                    LocalizedString(
                        "If you did not ask to sign in, close this page. Nothing has been changed.",
                        "ログインのお心当たりがない場合は、このページを閉じてください。何も変更されていません。")),
            ])
    }
}
