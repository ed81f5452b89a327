public import Identity

extension Page {
    /// Somebody got a mail that asks whether the address is theirs.
    ///
    /// - Parameter account: was made before its owner ever heard of it, if somebody else did. Who has proven the address before
    ///   cannot say that it is not theirs.
    public static func verifyEmail(
        _ email: EmailAddress, of account: Account?, _ form: CodeForm, _ frame: Frame
    ) -> Page {
        let language = frame.language
        let app = frame.app(in: language)
        let made = account.map {
            [(name: LocalizedString("Account made", "アカウントの作成日時"), value: HTML.time($0.createdAt, in: language))]
        }
        let stranger = HTML(
            .section, [.labelledBy(.stranger)],
            [
                HTML(.h2, [.id(.stranger)], text: LocalizedString("Not you?", "お心当たりがない場合").in(language)),
                frame.paragraph(
                    LocalizedString(
                        """
                        If you did not make this account, somebody typed your address. Say so, and the account loses the \
                        address and its password, and is signed out everywhere.
                        """,
                        """
                        このアカウントを作成していない場合は、ほかの人があなたのアドレスを入力した可能性があります。お知らせいただくと、\
                        アカウントからこのアドレスとパスワードを削除し、すべての端末でログアウトさせます。
                        """)),
                form.form(
                    .disavow, in: frame,
                    [frame.button(LocalizedString("This was not me", "心当たりがありません"), [.classed(.quiet)])]),
            ])
        return Page(
            frame, LocalizedString("Confirm your email address", "メールアドレスの確認"),
            [
                frame.paragraph(
                    LocalizedString(
                        "Confirm only if you made an account for \(app) with this address.",
                        "\(app)のアカウントをこのアドレスで作成した場合のみ、確認してください。")),
                frame.facts([(.address, .text(email.rawValue))] + (made ?? [])),
                form.form(in: frame, [frame.button(LocalizedString("Confirm this address", "このアドレスを確認する"))]),
            ] + (account?.emailIsVerified == false ? [stranger] : []))
    }

    public static func emailVerified(_ email: EmailAddress, continuing url: ContinueURL?, _ frame: Frame) -> Page {
        Page(
            frame, LocalizedString("Your address is confirmed", "アドレスを確認しました"),
            [frame.facts([(.address, .text(email.rawValue))])] + frame.wayBackOrAdvice(to: url))
    }

    public static func emailDisavowed(_ frame: Frame) -> Page {
        Page(
            frame, LocalizedString("Thank you for telling us", "お知らせいただきありがとうございます"),
            [
                frame.paragraph(
                    LocalizedString(
                        """
                        The account no longer has your address, and is signed out everywhere. There is nothing else that \
                        you need to do.
                        """,
                        "アカウントからあなたのアドレスを削除し、すべての端末でログアウトさせました。ほかに必要な手続きはありません。"))
            ])
    }
}

extension Page.Frame {
    /// What somebody does next who has done what they came for.
    func wayBackOrAdvice(to url: ContinueURL?) -> [HTML] {
        url == nil
            ? [
                paragraph(
                    LocalizedString("You can close this page and go back to the app.", "このページを閉じて、アプリに戻ってください。"))
            ] : wayBack(to: url)
    }
}
