package import HTML

/// A field of a ``Form``.
package struct FormField: Sendable {
    package enum Kind: Sendable {
        case text, email, number
        /// Sent back unchanged, and not shown. In a form that edits stored values, it states what the form replaces or
        /// removes as a whole.
        case hidden
        /// Its value is never sent back to the browser.
        case password
        /// As ``password``, for the password of the person who uses the page.
        case ownPassword
        /// The email address with which the person signs in. While the field has the focus, a browser offers the
        /// passkeys for a script on the page that waits for one.
        case username
        /// A code of an authenticator app.
        case oneTimeCode
        /// Its value is `true` or absent.
        case checkbox
        case lines(Int)
        case choice([Choice])
        /// A file of these media types. Its value is never sent back to the browser.
        case file(StaticString)
    }

    package struct Choice: Sendable {
        let value: String
        let label: String

        package init(_ value: String, _ label: String) {
            self.value = value
            self.label = label
        }
    }

    let name: String
    let label: String
    let kind: Kind
    var value: String
    /// The value with which the screen was made, also after a rejected submission.
    let stored: String
    var isRequired = false
    /// The names of the fields to which the value refers. A box that vouches for an address refers to the address.
    let relatedFields: [String]
    /// An explanation below the field.
    var hint: String?

    package init(
        _ name: String, _ label: String, _ kind: Kind = .text, value: String = "", isRequired: Bool = false,
        relatedFields: [String] = [], hint: String? = nil
    ) {
        self.name = name
        self.label = label
        self.kind = kind
        self.value = value
        stored = value
        self.relatedFields = relatedFields
        self.isRequired = isRequired
        self.hint = hint
    }

    /// Whether the page contains the value.
    var showsValue: Bool {
        switch kind {
        case .text, .email, .number, .hidden, .username, .checkbox, .lines, .choice: true
        case .password, .ownPassword, .oneTimeCode, .file: false
        }
    }

    var isHidden: Bool { if case .hidden = kind { true } else { false } }

    /// The field in the search form of a list.
    ///
    /// - Parameter form: the ID of the form.
    package func searchMarkup(in form: String = "search") -> Markup { markup(in: form, isInvalid: false) }

    /// - Parameter form: the ID of the form, because a page can have several forms with equal fields.
    func markup(in form: String, isInvalid: Bool) -> Markup {
        let id = ElementID("\(form)-\(name)")
        let hintID = ElementID("\(form)-\(name)-hint")
        let described: [Attribute] = hint == nil ? [] : [.describedBy([hintID])]
        let common: [Attribute] = [.id(id), .name(name)] + described + (isInvalid ? [.invalid] : [])
        let hints = hint.map { [Markup(.p, [.id(hintID), .classes(["hint"])], text: $0)] } ?? []
        let label = Markup(.label, [.for(id)], text: label)
        let requirement: [Attribute] = isRequired ? [.required] : []
        switch kind {
        case .text:
            return Self.group([label, .void(.input, common + requirement + [.type("text"), .value(value)])] + hints)
        case .email:
            return Self.group(
                [label, .void(.input, common + requirement + [.type("text"), .noSpellcheck, .value(value)])] + hints)
        case .hidden: return .void(.input, [.type("hidden"), .name(name), .value(value)])
        case .number:
            return Self.group([label, .void(.input, common + requirement + [.type("number"), .value(value)])] + hints)
        case .password:
            return Self.group(
                [
                    label,
                    .void(.input, common + requirement + [.type("password"), .autocomplete("new-password")]),
                ] + hints)
        case .ownPassword:
            return Self.group(
                [label, .void(.input, common + requirement + [.type("password"), .autocomplete("current-password")])]
                    + hints)
        case .username:
            return Self.group(
                [
                    label,
                    .void(
                        .input,
                        common + requirement
                            + [.type("text"), .autocomplete("username webauthn"), .noSpellcheck, .value(value)]),
                ] + hints)
        case .oneTimeCode:
            return Self.group(
                [
                    label,
                    .void(
                        .input, common + requirement + [.type("text"), .autocomplete("one-time-code"), .noSpellcheck]),
                ] + hints)
        case .checkbox:
            let checked: [Attribute] = value == "true" ? [.checked] : []
            let input = Markup.void(.input, common + requirement + checked + [.type("checkbox"), .value("true")])
            return Markup(.div, [.classes(["check"])], [input, label] + hints)
        case .lines(let count):
            return Self.group(
                [label, .textarea(common + requirement + [.rows(count), .noSpellcheck], text: value)] + hints)
        case .file(let types):
            return Self.group(
                [label, .void(.input, common + requirement + [.type("file"), .accept(types)])] + hints)
        case .choice(let choices):
            let options = choices.map { choice in
                Markup(
                    .option, [.value(choice.value)] + (choice.value == value ? [.selected] : []), text: choice.label)
            }
            return Self.group([label, Markup(.select, common, options)] + hints)
        }
    }

    private static func group(_ content: [Markup]) -> Markup { Markup(.div, [.classes(["field"])], content) }
}
