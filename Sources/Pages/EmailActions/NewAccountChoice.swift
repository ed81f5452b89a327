internal import HTML
internal import Identity

extension Page.Context {
    /// Tells the user that the owner of an earlier address can take the account back; empty if there is none.
    private func explanation(of choice: NewAccountChoice) -> [Markup] {
        switch choice {
        case .none: return []
        case .required:
            return [
                paragraph(
                    LocalizedString(
                        """
                        The account with your address belongs to someone who used another address before, and who can \
                        still take it back. So you get a new account with your address. If the other account is yours \
                        too, open the link in the email that we sent to its earlier address instead.
                        """,
                        """
                        このアドレスが登録されているアカウントは、以前に別のアドレスを使っていた方のもので、その方が今も取り戻せる状態にあります。\
                        そのため、あなたのアドレスで新しいアカウントを作成します。そのアカウントもご自身のものである場合は、\
                        以前のアドレスに届いたメールのリンクを開いてください。
                        """))
            ]
        case .optional(let end):
            let lead = paragraph(
                LocalizedString(
                    """
                    This account had another email address before. The owner of that address can take the account back. \
                    If the account is not yours, use your address for a new account instead.
                    """,
                    """
                    このアカウントには以前、別のメールアドレスが登録されていました。そのアドレスの持ち主は、アカウントを取り戻せます。\
                    ご自身のアカウントではない場合は、あなたのアドレスで新しいアカウントを作成してください。
                    """))
            guard let end else { return [lead] }
            return [
                lead,
                details([(LocalizedString("Can be taken back until", "取り戻せる期限"), Markup.time(end, in: language))]),
            ]
        }
    }

    /// The choice on the page that sets a password. Part of its form.
    func newAccountCheckbox(_ choice: NewAccountChoice) -> [Markup] {
        guard case .optional = choice else { return explanation(of: choice) }
        let box: [Attribute] = [
            .id(.newAccount), .name(CodeForm.Field.newAccount.rawValue), .type("checkbox"), .value("true"),
        ]
        return [
            Markup(
                .fieldset,
                [Markup(.legend, text: LocalizedString("Is this account yours?", "ご自身のアカウントですか").in(language))]
                    + explanation(of: choice) + [
                        Markup(
                            .div, [.classes(.choice)],
                            [
                                .void(.input, box),
                                Markup(
                                    .label, [.for(.newAccount)],
                                    text: LocalizedString(
                                        "No, make a new account with my address",
                                        "いいえ、自分のアドレスで新しいアカウントを作成します"
                                    ).in(language)),
                            ])
                    ])
        ]
    }

    /// The choice on a page that confirms an address. Has a form of its own.
    func newAccountSection(_ choice: NewAccountChoice, _ form: CodeForm) -> [Markup] {
        guard choice != .none else { return [] }
        return [
            Markup(
                .section, [.labelledBy(.newAccount)],
                [
                    Markup(
                        .h2, [.id(.newAccount)],
                        text: LocalizedString("Not your account?", "ご自身のアカウントではない場合").in(language))
                ] + explanation(of: choice) + [
                    form.markup(
                        .createAccount, in: self,
                        [button(LocalizedString("Make a new account", "新しいアカウントを作成する"), [.classes(.quiet)])])
                ])
        ]
    }
}
