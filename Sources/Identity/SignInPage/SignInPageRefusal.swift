/// Why the sign-in page does not continue.
public enum SignInPageRefusal: Refusal, Hashable {
    /// The flow is forged, has expired, or belongs to another project.
    case flowInvalid
    /// Another browser started the flow, or the browser does not store cookies.
    case otherBrowser
    /// The form does not come from a page of the gateway.
    case foreignForm
    /// The flow is complete.
    case finished
    /// The email has expired or was replaced, its code was entered too often, or the account has changed.
    case emailExpired
    case wrongEmailCode
    /// Too many wrong codes were entered for the address.
    case onlyLink
    /// What the user has confirmed is no longer what would happen.
    case previewOutdated
    /// The proof of an earlier step has expired.
    case stepExpired
    /// A parameter is missing, repeated or not valid.
    case parameter(Parameter)

    /// The raw values are the wire's. `createSignInUri` has its own for some.
    public enum Parameter: String, Sendable {
        case app, continueUri, tenantId, account, state, screen, prompt
        case challenge = "code_challenge"
        case challengeMethod = "code_challenge_method"
        case maxAge = "max_age"
        /// A repeated parameter that the page does not have, or that is always valid.
        case other
    }

    public var code: ErrorCode { .invalidArgument }

    public var loggedCode: String {
        switch self {
        case .flowInvalid: "SIGN_IN_PAGE_FLOW_INVALID"
        case .otherBrowser: "SIGN_IN_PAGE_OTHER_BROWSER"
        case .foreignForm: "SIGN_IN_PAGE_FOREIGN_FORM"
        case .finished: "SIGN_IN_PAGE_FINISHED"
        case .emailExpired: "SIGN_IN_PAGE_EMAIL_EXPIRED"
        case .wrongEmailCode: "SIGN_IN_PAGE_WRONG_EMAIL_CODE"
        case .onlyLink: "SIGN_IN_PAGE_ONLY_LINK"
        case .previewOutdated: "SIGN_IN_PAGE_PREVIEW_OUTDATED"
        case .stepExpired: "SIGN_IN_PAGE_STEP_EXPIRED"
        case .parameter(let parameter): "SIGN_IN_PAGE_PARAMETER_" + parameter.rawValue.uppercased()
        }
    }

    public var detail: String? {
        switch self {
        case .flowInvalid: "The sign-in has expired."
        case .otherBrowser: "The sign-in was started in another browser."
        case .foreignForm: "The form does not come from this page."
        case .finished: "The sign-in is already finished."
        case .emailExpired: "The link or the code of the email is no longer valid."
        case .wrongEmailCode: "The code is wrong."
        case .onlyLink: "Too many wrong codes were entered for the address. Only the link works."
        case .previewOutdated: "What the page has shown is no longer what would happen."
        case .stepExpired: "The step has expired."
        case .parameter(let parameter): "The parameter \(parameter.rawValue) is missing, repeated or not valid."
        }
    }
}
