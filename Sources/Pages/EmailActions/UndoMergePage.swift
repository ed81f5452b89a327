internal import HTML
public import Identity

extension Page {
    /// Asks the owner of an account that was merged into another one whether to undo the merge.
    ///
    /// - Parameters:
    ///   - email: the address of the account to restore.
    ///   - setsPassword: whether the page announces that the next page sets a new password.
    public static func undoMerge(of email: EmailAddress, setsPassword: Bool, _ form: CodeForm, _ context: Context)
        -> Page
    {
        let app = context.app(in: context.language)
        var consequences = [
            LocalizedString(
                """
                You get your own account back, with your email address and your ways to sign in. Anything that another \
                account now uses is not restored.
                """,
                """
                あなたのアカウントが、メールアドレスとログイン方法とともに元に戻ります。\
                ただし、現在ほかのアカウントで使われているものは戻りません。
                """),
            LocalizedString(
                """
                The other account keeps only its own data. If it had anything of yours, everyone who uses it is signed \
                out.
                """,
                """
                統合先のアカウントには、そのアカウント自身のものだけが残ります。\
                あなたのものが含まれていた場合、そのアカウントの利用者は全員ログアウトされます。
                """),
        ]
        if setsPassword { consequences.append(.setsPasswordNext) }
        return Page(
            context, LocalizedString("Get your account back", "アカウントを元に戻す"),
            [
                context.paragraph(
                    LocalizedString(
                        "Your account for \(app) was merged into another account. If you did not do this, undo the merge.",
                        "\(app)のあなたのアカウントが、別のアカウントに統合されました。お心当たりがない場合は、取り消してください。")),
                context.details([(.address, .text(email.rawValue))]),
                context.paragraph(LocalizedString("If you undo the merge:", "取り消すと、次のようになります。")),
                context.list(consequences),
                form.markup(in: context, [context.button(LocalizedString("Undo the merge", "統合を取り消す"))]),
                context.note(
                    LocalizedString(
                        "If you merged the accounts yourself, close this page.", "ご自身で統合された場合は、このページを閉じてください。")),
            ])
    }

    /// Announces that a merge was undone. Shown if the user cannot set a new password next.
    ///
    /// - Parameter email: the address of the restored account; `nil` if the account has none, because another account
    ///   now uses the address.
    public static func mergeUndone(_ email: EmailAddress?, continuing url: ContinueURL?, _ context: Context) -> Page {
        let app = context.app(in: context.language)
        let addressTaken = LocalizedString(
            "Another account now uses your email address. If you cannot sign in, contact the people who run \(app).",
            "あなたのメールアドレスは現在、別のアカウントで使われています。ログインできない場合は、\(app)の運営者にお問い合わせください。")
        return Page(
            context, LocalizedString("You have your account back", "アカウントを元に戻しました"),
            (email.map { [context.details([(.address, .text($0.rawValue))])] } ?? [context.paragraph(addressTaken)])
                + context.continueLinkOrAdvice(to: url))
    }
}

extension LocalizedString {
    static let setsPasswordNext = LocalizedString(
        "On the next page, you set a new password.", "次のページで、新しいパスワードを設定します。")
}
