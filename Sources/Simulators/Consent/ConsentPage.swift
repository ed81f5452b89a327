internal import HTML
internal import HTTP

/// The page on which a person of a simulated provider consents to a client.
struct ConsentPage {
    /// A person whom the page offers to choose.
    struct ListedPerson {
        let person: SimulatedPerson
        /// Whether the client gets a relay address; `nil` until the person has consented. After that, the page cannot
        /// change the choice.
        var hidesEmail: Bool?
    }

    let language: ConsentLanguage
    let title: String
    let provider: String
    let clientID: String
    let redirectURI: String
    /// The path of this page. Its forms are sent to the same path.
    let action: String
    /// The parameters of the request, which the forms repeat.
    let parameters: [(name: String, value: String)]
    let people: [ListedPerson]
    /// Whether people can choose to hide their email address behind a relay address.
    let offersRelay: Bool
    let faults: [ConsentFault]
    /// A difference from the real provider that affects this request.
    var warning: String?
    /// The person who was entered with an invalid email address; `nil` if nothing was invalid.
    var rejectedPerson: SimulatedPerson?

    func response() -> Response {
        SimulatorPage(language: language, title: title).response(
            introduction + knownPeople + newPerson + [cancellation, faultChoice],
            status: rejectedPerson == nil ? 200 : 400)
    }

    private var introduction: [Markup] {
        let notice = language.text(
            "This is a simulator in dev mode. It uses no real \(provider) account and sends nothing to \(provider).",
            "開発モードのシミュレーターです。実際の\(provider)のアカウントは使われず、\(provider)には何も送信されません。")
        let details = [
            (language.text("Client ID", "クライアントID"), clientID), (language.text("Returns to", "戻り先"), redirectURI),
        ]
        return [
            Markup(.p, [.classes(.notice)], text: notice),
            Markup(.dl, [.classes(.details)], details.flatMap { [Markup(.dt, text: $0), Markup(.dd, text: $1)] }),
        ] + (warning.map { [Markup(.p, [.classes(.warning)], text: $0)] } ?? [])
    }

    private var knownPeople: [Markup] {
        let rows = people.map { listed in
            Markup(
                .li,
                [
                    Markup(
                        .button,
                        [
                            .type("submit"), .classes(.person), .name(ConsentDecision.Field.person.rawValue),
                            .value(listed.person.id),
                        ], [.text(listed.name)] + listed.notes(in: language).map { Markup(.span, text: $0) })
                ])
        }
        return [
            heading(language.text("Choose a person", "ユーザーを選ぶ")),
            form(relayChoice(.hidesEmailOfChosen) + [Markup(.ul, [.classes(.people)], rows)]),
        ]
    }

    private var newPerson: [Markup] {
        let given = field(.givenName, .givenName, language.text("Given name", "名"), rejectedPerson?.givenName)
        let family = field(.familyName, .familyName, language.text("Family name", "姓"), rejectedPerson?.familyName)
        let names = language == .japanese ? [family, given] : [given, family]
        let address: [Attribute] = [.type("email"), .required, .maxlength(ConsentDecision.emailLimit)]
        let invalid: [Attribute] = rejectedPerson == nil ? [] : [.invalid, .describedBy([.problem]), .autofocus]
        return [
            heading(language.text("Use another person", "別のユーザーを使う"))
        ] + problem + [
            form(
                [Markup(.div, [.classes(.row)], names.map { Markup(.div, $0) })]
                    + field(
                        .email, .email, language.text("Email address", "メールアドレス"), rejectedPerson?.email,
                        address + invalid)
                    + relayChoice(.hidesEmailOfNew, isChecked: rejectedPerson?.hidesEmail == true)
                    + [button(language.text("Continue as this person", "このユーザーで続ける"))])
        ]
    }

    private var problem: [Markup] {
        guard rejectedPerson != nil else { return [] }
        return [
            Markup(
                .p, [.id(.problem), .role("alert"), .classes(.problem)],
                text: language.text("This is not a valid email address.", "メールアドレスの形式が正しくありません。"))
        ]
    }

    private var cancellation: Markup {
        form([
            button(
                language.text("Cancel", "キャンセル"),
                [.classes(.cancel), .name(ConsentDecision.Field.outcome.rawValue), .value(ConsentDecision.cancelled)])
        ])
    }

    private var faultChoice: Markup {
        let buttons = faults.map { fault in
            button(
                fault.label(in: language),
                [.classes(.fault), .name(ConsentDecision.Field.outcome.rawValue), .value(fault.rawValue)])
        }
        let explanation = language.text(
            "Sends the app a response that it must reject.", "アプリが拒否しなければならない応答を送ります。")
        return Markup(
            .details,
            [
                Markup(.summary, text: language.text("Test an error", "エラーを試す")), Markup(.p, text: explanation),
                form(buttons),
            ])
    }
}

extension ConsentPage {
    private func heading(_ text: String) -> Markup { Markup(.h2, text: text) }

    /// A form with the parameters of the request. The page has several forms, so that the Enter key in a field submits
    /// only the form of that field.
    private func form(_ content: [Markup]) -> Markup {
        let hidden = parameters.map { Markup.void(.input, [.type("hidden"), .name($0), .value($1)]) }
        return Markup(.form, [.post, .action(URLReference(action))], hidden + content)
    }

    private func button(_ label: String, _ attributes: [Attribute] = []) -> Markup {
        Markup(.button, [.type("submit")] + attributes, text: label)
    }

    private func field(
        _ field: ConsentDecision.Field, _ id: ElementID, _ label: String, _ value: String?,
        _ attributes: [Attribute] = [.type("text"), .maxlength(ConsentDecision.nameLimit)]
    ) -> [Markup] {
        [
            Markup(.label, [.for(id)], text: label),
            .void(
                .input,
                [.id(id), .name(field.rawValue), .autocomplete("off")] + attributes + (value.map { [.value($0)] } ?? [])
            ),
        ]
    }

    private func relayChoice(_ id: ElementID, isChecked: Bool = false) -> [Markup] {
        guard offersRelay else { return [] }
        let checkbox: [Attribute] = [
            .type("checkbox"), .id(id), .name(ConsentDecision.Field.hidesEmail.rawValue), .value("true"),
        ]
        let label = language.text("Hide my email address", "メールを非公開にする")
        return [
            Markup(
                .div,
                [.void(.input, checkbox + (isChecked ? [.checked] : [])), Markup(.label, [.for(id)], text: label)])
        ]
    }
}

extension ConsentPage.ListedPerson {
    fileprivate var name: String {
        let name = [person.givenName, person.familyName].compactMap(\.self).joined(separator: " ")
        return name.isEmpty ? person.email ?? person.id : name
    }

    fileprivate func notes(in language: ConsentLanguage) -> [String] {
        let address = person.email ?? language.text("No email address", "メールアドレスなし")
        let used: String? =
            switch hidesEmail {
            case nil: nil
            case true?: language.text("Has used this app; hides the address", "利用中（メールは非公開）")
            case false?: language.text("Has used this app", "利用中")
            }
        return [address, used].compactMap(\.self)
    }
}

extension Attribute {
    static func classes(_ names: ConsentStylesheet.Class...) -> Attribute { classes(names.map(\.rawValue)) }
}

extension ElementID {
    fileprivate static let problem = ElementID("problem")
    fileprivate static let givenName = ElementID("givenName")
    fileprivate static let familyName = ElementID("familyName")
    fileprivate static let email = ElementID("email")
    fileprivate static let hidesEmailOfChosen = ElementID("hidesEmailOfChosen")
    fileprivate static let hidesEmailOfNew = ElementID("hidesEmailOfNew")
}
