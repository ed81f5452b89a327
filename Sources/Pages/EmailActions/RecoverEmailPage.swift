internal import HTML
public import Identity

extension Page {
    /// Asks whether to restore an address that was replaced.
    ///
    /// - Parameters:
    ///   - newEmail: the address that replaced `email`, if it is known.
    ///   - removable: sign-in methods that the owner may remove as well.
    public static func recoverEmail(
        to email: EmailAddress, from newEmail: EmailAddress?, removable: [ListedMethod],
        _ form: CodeForm, _ context: Context
    ) -> Page {
        let app = context.app(in: context.language)
        let replacement =
            newEmail.map { [(name: LocalizedString("New address", "変更後のアドレス"), value: Markup.text($0.rawValue))] }
            ?? []
        let consequences = [
            LocalizedString.signsOutEverywhere,
            LocalizedString(
                "If the password was set after the change, it stops working.", "変更後に設定されたパスワードは使えなくなります。"),
            LocalizedString(
                "Other ways to sign in that were added after the change are removed.",
                "変更後に追加されたほかのログイン方法は削除されます。"),
        ]
        return Page(
            context, LocalizedString("Restore your earlier email address", "以前のメールアドレスに戻す"),
            [
                context.paragraph(
                    LocalizedString(
                        """
                        The email address of your account for \(app) was changed. If you did not make this change, restore \
                        your earlier address.
                        """,
                        "\(app)のアカウントのメールアドレスが変更されました。お心当たりがない場合は、元に戻してください。")),
                context.details(
                    [(LocalizedString("Your earlier address", "以前のアドレス"), .text(email.rawValue))] + replacement),
                context.paragraph(LocalizedString("If you restore it:", "元に戻すと、次のようになります。")),
                context.list(consequences),
                form.markup(
                    in: context,
                    context.checkboxes(
                        for: removable,
                        LocalizedString("Ways to sign in from before the change", "変更前からのログイン方法"),
                        LocalizedString(
                            "Select those that you did not add yourself. They are removed as well.",
                            "ご自身で追加していないものを選んでください。あわせて削除します。"))
                        + [context.button(LocalizedString("Restore this address", "このアドレスに戻す"))]),
                context.note(
                    LocalizedString("If you made the change yourself, close this page.", "ご自身で変更された場合は、このページを閉じてください。")),
            ])
    }

    /// Announces that the address was restored. Shown if the user cannot set a new password next.
    public static func emailRecovered(to email: EmailAddress, continuing url: ContinueURL?, _ context: Context) -> Page
    {
        Page(
            context, LocalizedString("Your earlier email address is restored", "以前のメールアドレスに戻しました"),
            [context.details([(.address, .text(email.rawValue))])] + context.continueLinkOrAdvice(to: url))
    }
}
