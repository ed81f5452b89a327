internal import HTML
public import Identity

extension Page {
    /// Asks the owner of a mailbox to confirm that the account is theirs.
    ///
    /// - Parameters:
    ///   - account: the account with the address. While the address is unverified, the page offers to disavow the
    ///     account, because another user may have created it.
    ///   - methods: the ways to sign in to the account.
    ///   - removable: sign-in methods that the owner may remove.
    ///   - choice: whether the owner may have a new account instead.
    public static func verifyEmail(
        _ email: EmailAddress, of account: Account?, methods: [SignInMethodName],
        removable: [ListedMethod], _ choice: NewAccountChoice, _ form: CodeForm, _ context: Context
    ) -> Page {
        let language = context.language
        let app = context.app(in: language)
        let created = account.map {
            [(name: LocalizedString("Account created", "アカウントの作成日時"), value: Markup.time($0.createdAt, in: language))]
        }
        let disavowal = Markup(
            .section, [.labelledBy(.notYou)],
            [
                Markup(.h2, [.id(.notYou)], text: LocalizedString("Not you?", "お心当たりがない場合").in(language)),
                context.paragraph(
                    LocalizedString(
                        """
                        If you did not create this account, someone else entered your address. Tell us, and we will remove \
                        the address and the password from the account and sign it out on every device.
                        """,
                        """
                        このアカウントを作成していない場合は、ほかの人があなたのアドレスを入力した可能性があります。\
                        下のボタンでお知らせいただくと、アカウントからこのアドレスとパスワードを削除し、すべての端末からログアウトさせます。
                        """)),
                form.markup(
                    .disavow, in: context,
                    [context.button(LocalizedString("This was not me", "心当たりがありません"), [.classes(.quiet)])]),
            ])
        return Page(
            context, LocalizedString("Confirm your email address", "メールアドレスの確認"),
            [
                context.paragraph(
                    LocalizedString(
                        "Confirm only if you created an account for \(app) with this address.",
                        "\(app)のアカウントをこのアドレスで作成された場合のみ、確認してください。")),
                context.details([(.address, .text(email.rawValue))] + (created ?? []) + context.detail(of: methods)),
                form.markup(
                    in: context,
                    context.checkboxes(disowning: removable)
                        + [context.button(LocalizedString("Confirm this address", "このアドレスを確認する"))]),
            ] + context.newAccountSection(choice, form) + (account?.emailIsVerified == false ? [disavowal] : []))
    }

    public static func emailVerified(_ email: EmailAddress, continuing url: ContinueURL?, _ context: Context) -> Page {
        Page(
            context, LocalizedString("Your email address is confirmed", "メールアドレスを確認しました"),
            [context.details([(.address, .text(email.rawValue))])] + context.continueLinkOrAdvice(to: url))
    }

    public static func emailDisavowed(_ context: Context) -> Page {
        Page(
            context, LocalizedString("Thank you for telling us", "お知らせいただきありがとうございます"),
            [
                context.paragraph(
                    LocalizedString(
                        """
                        The account no longer has your address. It was signed out on every device. You do not need to do \
                        anything else.
                        """,
                        "アカウントからあなたのアドレスを削除し、すべての端末からログアウトさせました。ほかに必要なお手続きはありません。"))
            ])
    }
}
