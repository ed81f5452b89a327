public import Identity

/// What a form sends back beside what people fill in: the code that it is about, and where they go on.
public struct CodeForm: Sendable {
    public let code: String
    public let continueURL: ContinueURL?

    public init(code: String, continueURL: ContinueURL?) {
        self.code = code
        self.continueURL = continueURL
    }

    /// What a form asks for instead of what its code is for.
    public enum Step: String, Sendable {
        case disavow
    }

    public enum Field: String, Sendable {
        case code = "oobCode"
        case continueURL = "continueUrl"
        case language = "lang"
        case newPassword
        case step
        /// For password managers; nobody reads it.
        case username
        case email
    }

    func form(_ step: Step? = nil, in frame: Page.Frame, _ content: [HTML]) -> HTML {
        let hidden: [(Field, String?)] = [
            (.code, code), (.continueURL, continueURL?.text), (.language, frame.language.rawValue),
            (.step, step?.rawValue),
        ]
        return HTML(.form, [.post, .action(.actionPage)], hidden.compactMap(HTML.hidden) + content)
    }
}

extension HTML {
    static func hidden(_ field: CodeForm.Field, _ value: String?) -> HTML? {
        value.map { .void(.input, [.type("hidden"), .name(field.rawValue), .value($0)]) }
    }
}
