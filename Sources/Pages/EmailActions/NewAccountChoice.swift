internal import HTML
internal import Identity

extension Page.Context {
    /// Tells the user that the owner of an earlier address can take the account back; empty if there is none.
    private func explanation(of choice: NewAccountChoice, isAboutChange: Bool = false) -> [Markup] {
        switch choice {
        case .none: return []
        case .required: return [paragraph(.action(.newAccountRequired))]
        case .optional(let end):
            let lead = paragraph(.action(isAboutChange ? .newAccountOnChange : .newAccountOptional))
            return [lead] + (end.map { [details([(.action(.takeBackEnd), [.time($0, in: language)])])] } ?? [])
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
                [Markup(.legend, words(.action(.isAccountYours)))] + explanation(of: choice) + [
                    Markup(
                        .div, [.classes(.choice)],
                        [.void(.input, box), label(.action(.newAccountInstead), for: .newAccount)])
                ])
        ]
    }

    /// The choice on a page that confirms an address. Has a form of its own.
    ///
    /// - Parameter isAboutChange: whether the account still has another address.
    func newAccountSection(_ choice: NewAccountChoice, _ form: CodeForm, isAboutChange: Bool = false) -> [Markup] {
        guard choice != .none else { return [] }
        return [
            Markup(
                .section, [.labelledBy(.newAccount)],
                [Markup(.h2, [.id(.newAccount)], words(.action(.notYourAccount)))]
                    + explanation(of: choice, isAboutChange: isAboutChange) + [
                        form.markup(
                            .createAccount, in: self, [button(.action(.makeNewAccount), [.classes(.quiet)])])
                    ])
        ]
    }
}
