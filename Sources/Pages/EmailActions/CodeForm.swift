internal import HTML
public import Identity

/// A form that redeems an email action code. It contains the code and the URL to open afterwards in hidden fields.
public struct CodeForm: Sendable {
    public let code: String
    public let continueURL: ContinueURL?
    /// What the link has of the project, for the page about a code that was used meanwhile.
    public let apiKey: String?
    public let signInPage: SignInPageReturn?

    public init(
        code: String, continueURL: ContinueURL?, apiKey: String? = nil, signInPage: SignInPageReturn? = nil
    ) {
        self.code = code
        self.continueURL = continueURL
        self.apiKey = apiKey
        self.signInPage = signInPage
    }

    /// An action that a form can request instead of the one that the code is for.
    public enum AlternativeAction: String, Sendable {
        /// The user states that the account is not theirs.
        case disavow
        /// The user wants a new account with the address; see ``NewAccountChoice``.
        case createAccount
    }

    /// The names of the fields in the forms of these pages.
    public enum Field: String, Sendable {
        case code = "oobCode"
        case continueURL = "continueUrl"
        /// The API key or the project of the link.
        case apiKey
        /// The sealed content of a ``SignInPageReturn``.
        case signInPage
        case language = "lang"
        case newPassword
        /// An ``AlternativeAction``; absent for the action that the code is for.
        case step
        /// Checked if the user of a password reset wants a new account; see ``NewAccountChoice``.
        case newAccount
        /// For password managers; the gateway ignores it.
        case username
        /// The address of an account, in the form that requests a password reset.
        case email
    }

    /// - Parameter action: the action to request; `nil` for the one that the code is for.
    func markup(_ action: AlternativeAction? = nil, in context: Page.Context, _ content: [Markup]) -> Markup {
        let hidden: [(Field, String?)] = [
            (.code, code), (.continueURL, continueURL?.text), (.language, context.language.rawValue),
            (.step, action?.rawValue), (.signInPage, signInPage?.sealed), (.apiKey, apiKey),
        ]
        return Markup(.form, [.post, .action(.actionPage)], hidden.compactMap(Markup.hidden) + content)
    }
}

/// The visit of the sign-in page to which the user returns. The gateway has opened the sealed content.
public struct SignInPageReturn: Sendable {
    let sealed: String
    let project: ID<Project>

    public init(opened sealed: String, in project: ID<Project>) {
        self.sealed = sealed
        self.project = project
    }
}

extension Markup {
    /// A hidden field; `nil` without a value.
    static func hidden(_ field: CodeForm.Field, _ value: String?) -> Markup? {
        value.map { .hidden(name: field.rawValue, value: $0) }
    }
}
