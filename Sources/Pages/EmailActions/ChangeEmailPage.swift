internal import HTML
public import Identity

extension Page {
    /// Asks the owner of a new address to confirm that an account uses it.
    ///
    /// - Parameters:
    ///   - old: `nil` if the account has no address.
    ///   - methods: the ways to sign in to the account.
    ///   - removable: sign-in methods that the owner may remove.
    ///   - choice: whether the owner may have a new account instead.
    public static func changeEmail(
        from old: EmailAddress?, to new: EmailAddress, methods: [SignInMethodName],
        removable: [ListedMethod], _ choice: NewAccountChoice, _ form: CodeForm, _ context: Context
    ) -> Page {
        let app = context.app(in: context.language)
        return Page(
            context, LocalizedString("Confirm your new email address", "新しいメールアドレスの確認"),
            [
                context.paragraph(
                    LocalizedString(
                        "Confirm only if you asked for this change in \(app).",
                        "\(app)でこの変更を申し込まれた場合のみ、確認してください。")),
                context.details(
                    [(LocalizedString("New address", "新しいアドレス"), .text(new.rawValue))]
                        + [old].compactMap { old in
                            old.map { (LocalizedString("Current address", "現在のアドレス"), .text($0.rawValue)) }
                        } + context.detail(of: methods)),
                form.markup(
                    in: context,
                    context.checkboxes(disowning: removable)
                        + [context.button(LocalizedString("Use the new address", "新しいアドレスを使う"))]),
                context.note(
                    LocalizedString(
                        "You will be signed out on every device. Then sign in again.",
                        "すべての端末からログアウトします。その後、もう一度ログインしてください。")),
            ] + context.newAccountSection(choice, form))
    }

    public static func emailChanged(to new: EmailAddress, continuing url: ContinueURL?, _ context: Context) -> Page {
        Page(
            context, LocalizedString("Your email address has been changed", "メールアドレスを変更しました"),
            [
                context.details([(.address, .text(new.rawValue))]),
                context.paragraph(
                    LocalizedString(
                        "You were signed out on every device. Please sign in again.",
                        "すべての端末からログアウトしました。もう一度ログインしてください。")),
            ] + context.continueLinkOrAdvice(to: url))
    }
}
