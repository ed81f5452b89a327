public import Identity

extension Page {
    /// Back to an address that somebody replaced.
    ///
    /// - Parameter left: the address to be left, where that is known.
    public static func recoverEmail(to email: Email, leaving left: Email?, _ form: CodeForm, _ frame: Frame) -> Page {
        let app = frame.app(in: frame.language)
        let leaving = left.map { [(name: Phrase("Replaced by", "変更後のアドレス"), value: HTML.text($0.rawValue))] } ?? []
        let consequences = [
            Phrase("Every device is signed out.", "すべての端末からログアウトします。"),
            Phrase(
                "A password that was set since then no longer works.", "変更後に設定されたパスワードは使えなくなります。"),
            Phrase(
                "Other ways to sign in that were added since then are removed.",
                "変更後に追加されたほかのログイン方法は削除されます。"),
        ]
        return Page(
            frame, Phrase("Go back to your earlier address", "以前のメールアドレスに戻す"),
            [
                frame.paragraph(
                    Phrase(
                        "The address of your account for \(app) was changed. If that was not you, go back.",
                        "\(app)のアカウントのメールアドレスが変更されました。お心当たりがない場合は、元に戻してください。")),
                frame.facts([(Phrase("Your earlier address", "以前のアドレス"), .text(email.rawValue))] + leaving),
                frame.paragraph(Phrase("If you go back:", "元に戻すと、次のようになります。")),
                HTML(.ul, consequences.map { HTML(.li, text: $0.in(frame.language)) }),
                form.form(in: frame, [frame.button(Phrase("Go back to this address", "このアドレスに戻す"))]),
                frame.hint(
                    Phrase("If you made the change yourself, close this page.", "ご自身で変更された場合は、このページを閉じてください。")),
            ])
    }

    /// - Parameter project: whose page asks for a new password; `nil` where there are none.
    public static func emailRecovered(
        to email: Email, resettingIn project: ID<Project>?, continuing url: ContinueURL?, _ frame: Frame
    ) -> Page {
        let reset = project.map { project in
            [
                frame.paragraph(
                    Phrase(
                        "Whoever changed it may know your password. Set a new one.",
                        "変更した人がパスワードを知っている可能性があります。新しいパスワードを設定してください。")),
                HTML(
                    .form, [.post, .action(.forgotPasswordPage(of: project))],
                    [HTML.hidden(.email, email.rawValue), HTML.hidden(.language, frame.language.rawValue)]
                        .compactMap(\.self) + [
                            frame.button(Phrase("Send me a mail to set a new password", "パスワード再設定のメールを送る"))
                        ]),
            ]
        }
        return Page(
            frame, Phrase("You have your earlier address back", "以前のアドレスに戻しました"),
            [frame.facts([(.address, .text(email.rawValue))])] + (reset ?? [])
                + (reset == nil ? frame.wayBackOrAdvice(to: url) : frame.wayBack(to: url, isSecond: true)))
    }
}
