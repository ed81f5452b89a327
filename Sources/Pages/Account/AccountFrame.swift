internal import HTML
public import Identity

/// What all pages of the account page share.
public struct AccountFrame: Sendable {
    public let context: Page.Context
    public let path: AccountPath
    /// The token of the forms of the page.
    let formToken: String
    let now: Instant
    /// The time zone of the account.
    let zone: TimeZoneOffsets
    /// What the previous form has done.
    var notice: AccountNotice?
    /// `AllAcceptedCredentialsOptions` in JSON, after a passkey was removed: browsers then stop offering it. `nil` for
    /// other notices.
    let acceptedPasskeys: String?

    public init(
        _ context: Page.Context, _ path: AccountPath, formToken: String, now: Instant, zone: TimeZoneOffsets = .utc,
        notice: AccountNotice? = nil, acceptedPasskeys: String? = nil
    ) {
        self.acceptedPasskeys = acceptedPasskeys
        self.context = context
        self.path = path
        self.formToken = formToken
        self.now = now
        self.zone = zone
        self.notice = notice
    }
}

/// What a form has done, which the page after it states. The raw value is in the query of that page.
public enum AccountNotice: String, Sendable, CaseIterable {
    case removed, profile, preferences, password, session, others, factor, phone, linked, secured, verification
    case linkSent, passkey, renamed

    var text: AccountPageText {
        switch self {
        case .removed: .doneRemoved
        case .profile: .doneProfile
        case .preferences: .donePreferences
        case .password: .donePassword
        case .session: .doneSession
        case .others: .doneOthers
        case .factor: .doneFactor
        case .phone: .donePhone
        case .linked: .doneLinked
        case .secured: .doneSecured
        case .verification: .doneVerification
        case .linkSent: .doneLinkSent
        case .passkey: .donePasskey
        case .renamed: .doneRenamed
        }
    }
}

/// The names of the fields in the forms of the account page.
public enum AccountField: String, Sendable {
    /// What the form does, on a page that has several forms.
    case step
    /// A sign-in method; see ``AccountMethod/Reference``.
    case method
    case session
    case email
    case newPassword
    case displayName
    /// The language of the account, while ``language`` is that of the page.
    case accountLanguage
    case timeZone
    case phone
    case code
    /// The sealed state of the enrolment of a one-time password or a telephone number, and the secret of a one-time
    /// password that the page shows.
    case enrolment, secret
    case confirmed
    /// The response of an authenticator, which the script of the page fills.
    case credential
    case language = "lang"
    /// For password managers; the gateway ignores it.
    case username
}

/// The values of ``AccountField/step``.
public enum AccountStep: String, Sendable {
    case end, endOthers
    case sendVerification
    case sendCode, confirm
}

extension AccountFrame {
    var language: Language { context.language }

    func markup(_ key: AccountPageText, _ values: [Placeholder: TextValue] = [:]) -> [Markup] {
        text(key, values).markup(in: language)
    }

    func string(_ key: AccountPageText, _ values: [Placeholder: TextValue] = [:]) -> String {
        text(key, values).string(in: language)
    }

    /// The text with the name of the app and the given values.
    func text(_ key: AccountPageText, _ values: [Placeholder: TextValue] = [:]) -> Text {
        Text(key, values.merging([.app: context.app]) { given, _ in given })
    }

    func paragraph(_ key: AccountPageText, _ values: [Placeholder: TextValue] = [:]) -> Markup {
        Markup(.p, [], markup(key, values))
    }

    func note(_ key: AccountPageText, _ values: [Placeholder: TextValue] = [:]) -> Markup {
        Markup(.p, [.classes(.note)], markup(key, values))
    }

    func list(_ keys: [AccountPageText]) -> Markup { Markup(.ul, keys.map { Markup(.li, markup($0)) }) }

    func section(_ heading: [Markup], _ content: [Markup]) -> Markup {
        Markup(.section, [Markup(.h2, heading)] + content)
    }

    /// A link to another page of the account page.
    func link(
        _ key: AccountPageText, _ values: [Placeholder: TextValue] = [:], to path: AccountPath, query: String = "",
        isSecondary: Bool = true
    ) -> Markup {
        let classes = isSecondary ? Attribute.classes(.button, .quiet) : .classes(.button)
        return Markup(.a, [classes, .href(.account(path, from: self.path, query: query))], markup(key, values))
    }

    /// - Parameters:
    ///   - step: `nil` if the page has one form only.
    ///   - values: hidden fields.
    func form(
        _ step: AccountStep? = nil, _ values: [(AccountField, String)] = [], _ content: [Markup],
        _ attributes: [Attribute] = []
    ) -> Markup {
        let hidden: [(AccountField, String?)] = [(.step, step?.rawValue), (.language, language.rawValue)] + values
        let inputs = hidden.compactMap { name, value in
            value.map { Markup.hidden(name: name.rawValue, value: $0) }
        }
        return Markup(
            .form, [.post, .action(.account(path, from: path))] + attributes,
            [.formToken(formToken)] + inputs + content)
    }

    func button(
        _ key: AccountPageText, _ values: [Placeholder: TextValue] = [:], isSecondary: Bool = false,
        _ attributes: [Attribute] = []
    ) -> Markup {
        let classes: [Attribute] = isSecondary ? [.classes(.quiet)] : []
        return Markup(.button, classes + attributes, markup(key, values))
    }

    /// A label with its input.
    func field(
        _ key: AccountPageText, _ id: ElementID, _ name: AccountField, _ attributes: [Attribute],
        describedBy hints: [ElementID] = [], isInvalid: Bool = false
    ) -> [Markup] {
        let described = isInvalid ? [.problem] + hints : hints
        let state: [Attribute] =
            (described.isEmpty ? [] : [.describedBy(described)]) + (isInvalid ? [.invalid, .autofocus] : [])
        return [
            Markup(.label, [.for(id)], markup(key)),
            .void(.input, [.id(id), .name(name.rawValue)] + attributes + state),
        ]
    }

    /// The field for a code of six digits, its hint, and the button of the form.
    func codeField(_ key: AccountPageText, isInvalid: Bool, button: AccountPageText) -> [Markup] {
        let attributes: [Attribute] = [
            .type("text"), .inputMode("numeric"), .autocomplete("one-time-code"), .required, .maxlength(16),
            .minlength(6),
        ]
        return field(key, .code, .code, attributes, describedBy: [.hint], isInvalid: isInvalid) + [
            Markup(.p, [.id(.hint), .classes(.note)], markup(.codeHint)), self.button(button),
        ]
    }

    /// The summary of what is wrong in the submitted form.
    func problem(_ content: [Markup]) -> Markup {
        Markup(.div, [.id(.problem), .role("alert"), .classes(.problem)], content)
    }

    func problem(_ key: AccountPageText) -> Markup { problem([paragraph(key)]) }

    /// A page with the notice of the previous form, and a link back to the overview.
    func page(_ title: Text, _ content: [Markup]) -> Page {
        let accepted = acceptedPasskeys.map { [Attribute.acceptedPasskeys($0)] } ?? []
        let status = notice.map { [Markup(.p, [.role("status"), .classes(.done)] + accepted, markup($0.text))] } ?? []
        var page = Page(context, title, status + content + (path == .overview ? [] : [navigation]))
        page.usesPasskeys = !accepted.isEmpty
        return page
    }

    /// Links to the main parts, below the content of every part. The overview lists all parts itself.
    private var navigation: Markup {
        let parts: [(AccountPath, AccountPageText)] = [
            (.overview, .overview), (.methods, .waysToSignIn), (.devices, .devices), (.activity, .activity),
            (.data, .data), (.delete, .deleteAccount),
        ]
        let items = parts.map { part, title in
            let current: [Attribute] = part == path ? [.currentPage] : []
            return Markup(.li, [Markup(.a, [.href(.account(part, from: path))] + current, markup(title))])
        }
        return Markup(.nav, [.label(string(.account))], [Markup(.ul, items)])
    }

    func page(_ title: AccountPageText, _ content: [Markup]) -> Page {
        page(text(title), content)
    }

    func time(_ instant: Instant) -> Markup { .time(instant, now: now, in: language, zone) }
}

extension Destination {
    static func account(_ path: AccountPath, from current: AccountPath, query: String = "") -> Destination {
        accountPage(current.relativePath(to: path) + (query.isEmpty ? "" : "?" + query))
    }

    /// The page that asks whether to sign out.
    static func signOutPage(from current: AccountPath) -> Destination {
        accountPage(current == .overview ? "signOut" : "../signOut")
    }
}

extension ElementID {
    static let confirmed = ElementID("confirmed")
    static let code = ElementID("code")
    static let hint = ElementID("hint")
    static let nameField = ElementID("name")
}
