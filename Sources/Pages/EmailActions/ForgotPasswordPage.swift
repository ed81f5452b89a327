public import Identity

extension Page {
    /// - Parameter isInvalid: what was sent before is no address.
    public static func forgotPassword(isInvalid: Bool = false, _ frame: Frame) -> Page {
        let language = frame.language
        let alert = HTML(
            .p, [.id(.problem), .role("alert"), .classed(.problem)],
            text: LocalizedString("This is not an email address.", "メールアドレスの形式が正しくありません。").in(language))
        let address: [Attribute] = [
            .id(.address), .name(CodeForm.Field.email.rawValue), .type("email"), .autocomplete("username"), .required,
            .maxlength(254),
        ]
        return Page(
            frame, LocalizedString("Reset your password", "パスワードの再設定"),
            [
                frame.paragraph(
                    LocalizedString(
                        "We send you a mail with a link by which you set a new password.",
                        "新しいパスワードを設定するためのリンクをメールでお送りします。"))
            ] + (isInvalid ? [alert] : []) + [
                HTML(
                    .form, [.post, .action(.forgotPasswordPage)],
                    [HTML.hidden(.language, language.rawValue)].compactMap(\.self) + [
                        HTML(.label, [.for(.address)], text: LocalizedString.address.in(language)),
                        .void(
                            .input,
                            address + (isInvalid ? [.invalid, .describedBy([.problem]), .autofocus] : [])),
                        frame.button(LocalizedString("Send the mail", "メールを送る")),
                    ])
            ])
    }

    /// The same for an address that nobody has.
    public static func resetSent(to email: EmailAddress, _ frame: Frame) -> Page {
        Page(
            frame, LocalizedString("Look into your mailbox", "メールをご確認ください"),
            [
                frame.facts([(.address, .text(email.rawValue))]),
                frame.paragraph(
                    LocalizedString(
                        "If there is an account with this address, a mail with a link is on its way to it.",
                        "このアドレスのアカウントがある場合は、リンクを記載したメールが届きます。")),
                frame.paragraph(
                    LocalizedString(
                        "It may take some minutes. Look into the folder for spam as well.",
                        "届くまで数分かかることがあります。迷惑メールのフォルダーもご確認ください。")),
            ])
    }
}
