public import Identity

extension Page {
    public static func changeEmail(from old: EmailAddress, to new: EmailAddress, _ form: CodeForm, _ frame: Frame)
        -> Page
    {
        let app = frame.app(in: frame.language)
        return Page(
            frame, LocalizedString("Confirm your new email address", "新しいメールアドレスの確認"),
            [
                frame.paragraph(
                    LocalizedString(
                        "Confirm only if you asked \(app) for this change.",
                        "\(app)でこの変更を依頼した場合のみ、確認してください。")),
                frame.facts([
                    (LocalizedString("New address", "新しいアドレス"), .text(new.rawValue)),
                    (LocalizedString("Address until now", "現在のアドレス"), .text(old.rawValue)),
                ]),
                form.form(in: frame, [frame.button(LocalizedString("Use the new address", "新しいアドレスを使う"))]),
                frame.hint(
                    LocalizedString("Every device will have to sign in again.", "すべての端末で再ログインが必要になります。")),
            ])
    }

    public static func emailChanged(to new: EmailAddress, continuing url: ContinueURL?, _ frame: Frame) -> Page {
        Page(
            frame, LocalizedString("Your address is changed", "アドレスを変更しました"),
            [
                frame.facts([(.address, .text(new.rawValue))]),
                frame.paragraph(LocalizedString("You can sign in with it now.", "新しいアドレスでログインできます。")),
            ] + frame.wayBackOrAdvice(to: url))
    }
}
