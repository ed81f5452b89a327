internal import HTML
public import Identity

/// A form that redeems a code. It contains the code and the URL to open afterwards in hidden fields.
public struct CodeForm: Sendable {
    public let code: String
    public let continueURL: ContinueURL?

    public init(code: String, continueURL: ContinueURL?) {
        self.code = code
        self.continueURL = continueURL
    }

    /// An action other than the one that the code is for.
    public enum AlternativeAction: String, Sendable {
        /// The user states that the account is not theirs.
        case disavow
    }

    /// The names of the fields in the forms of these pages.
    public enum Field: String, Sendable {
        case code = "oobCode"
        case continueURL = "continueUrl"
        case language = "lang"
        case newPassword
        /// An ``AlternativeAction``.
        case step
        /// For password managers; the gateway ignores it.
        case username
        /// The address of an account, in the form that requests a password reset.
        case email
    }

    func form(_ action: AlternativeAction? = nil, in context: Page.Context, _ content: [Markup]) -> Markup {
        let hidden: [(Field, String?)] = [
            (.code, code), (.continueURL, continueURL?.text), (.language, context.language.rawValue),
            (.step, action?.rawValue),
        ]
        return Markup(.form, [.post, .action(.actionPage)], hidden.compactMap(Markup.hidden) + content)
    }
}

extension Markup {
    static func hidden(_ field: CodeForm.Field, _ value: String?) -> Markup? {
        value.map { .void(.input, [.type("hidden"), .name(field.rawValue), .value($0)]) }
    }
}
