public import Identity

extension Page {
    /// Back to an address that somebody replaced.
    ///
    /// - Parameters:
    ///   - left: the address to be left, where that is known.
    ///   - identities: what the owner may remove besides.
    public static func recoverEmail(
        to email: EmailAddress, leaving left: EmailAddress?, removing identities: [ListedIdentity], _ form: CodeForm,
        _ frame: Frame
    ) -> Page {
        let app = frame.app(in: frame.language)
        let leaving =
            left.map { [(name: LocalizedString("Replaced by", "変更後のアドレス"), value: HTML.text($0.rawValue))] } ?? []
        let consequences = [
            LocalizedString("Every device is signed out.", "すべての端末からログアウトします。"),
            LocalizedString(
                "A password that was set since then no longer works.", "変更後に設定されたパスワードは使えなくなります。"),
            LocalizedString(
                "Other ways to sign in that were added since then are removed.",
                "変更後に追加されたほかのログイン方法は削除されます。"),
        ]
        return Page(
            frame, LocalizedString("Go back to your earlier address", "以前のメールアドレスに戻す"),
            [
                frame.paragraph(
                    LocalizedString(
                        "The address of your account for \(app) was changed. If that was not you, go back.",
                        "\(app)のアカウントのメールアドレスが変更されました。お心当たりがない場合は、元に戻してください。")),
                frame.facts([(LocalizedString("Your earlier address", "以前のアドレス"), .text(email.rawValue))] + leaving),
                frame.paragraph(LocalizedString("If you go back:", "元に戻すと、次のようになります。")),
                HTML(.ul, consequences.map { HTML(.li, text: $0.in(frame.language)) }),
                form.form(
                    in: frame,
                    frame.choice(
                        of: identities,
                        LocalizedString("Ways to sign in from before the change", "変更前からのログイン方法"),
                        LocalizedString(
                            "Tick those that you did not add yourself. They are removed as well.",
                            "追加にお心当たりがないものを選んでください。あわせて削除されます。"))
                        + [frame.button(LocalizedString("Go back to this address", "このアドレスに戻す"))]),
                frame.hint(
                    LocalizedString("If you made the change yourself, close this page.", "ご自身で変更された場合は、このページを閉じてください。")),
            ])
    }

    /// Where no password follows.
    public static func emailRecovered(to email: EmailAddress, continuing url: ContinueURL?, _ frame: Frame) -> Page {
        Page(
            frame, LocalizedString("You have your earlier address back", "以前のアドレスに戻しました"),
            [frame.facts([(.address, .text(email.rawValue))])] + frame.wayBackOrAdvice(to: url))
    }
}
