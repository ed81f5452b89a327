internal import HTML
public import Identity

extension Page {
    /// Asks for the email address of an account whose password is to be reset.
    ///
    /// - Parameter isInvalid: whether the submitted text is not an email address.
    public static func forgotPassword(isInvalid: Bool = false, _ context: Context) -> Page {
        let language = context.language
        let alert = Markup(
            .p, [.id(.problem), .role("alert"), .classes(.problem)],
            text: LocalizedString(
                "This is not a valid email address. Please check it.", "メールアドレスの形式が正しくありません。入力内容をご確認ください。"
            ).in(language))
        let address: [Attribute] = [
            .id(.address), .name(CodeForm.Field.email.rawValue), .type("email"), .autocomplete("username"), .required,
            .maxlength(254),
        ]
        return Page(
            context, LocalizedString("Reset your password", "パスワードの再設定"),
            [
                context.paragraph(
                    LocalizedString(
                        "Enter the email address of your account. We will email you a link to reset your password.",
                        "ご登録のメールアドレスを入力してください。パスワードを再設定するためのリンクをメールでお送りします。"))
            ] + (isInvalid ? [alert] : []) + [
                Markup(
                    .form, [.post, .action(.forgotPasswordPage)],
                    [Markup.hidden(.language, language.rawValue)].compactMap(\.self) + [
                        Markup(.label, [.for(.address)], text: LocalizedString.address.in(language)),
                        .void(
                            .input,
                            address + (isInvalid ? [.invalid, .describedBy([.problem]), .autofocus] : [])),
                        context.button(LocalizedString("Send the email", "メールを送る")),
                    ])
            ])
    }

    /// Announces an email with a link for a password reset. The page is the same whether or not an account has the
    /// address.
    public static func resetRequested(to email: EmailAddress, _ context: Context) -> Page {
        Page(
            context, LocalizedString("Check your email", "メールをご確認ください"),
            [
                context.details([(.address, .text(email.rawValue))]),
                context.paragraph(
                    LocalizedString(
                        "If an account has this address, we will email you a link to reset your password.",
                        "このアドレスのアカウントがある場合は、パスワードを再設定するためのリンクをメールでお送りします。")),
                context.paragraph(
                    LocalizedString(
                        "The email may take a few minutes to arrive. If you do not see it, check your spam folder.",
                        "メールが届くまで数分かかることがあります。見つからない場合は、迷惑メールフォルダーもご確認ください。")),
            ])
    }
}
