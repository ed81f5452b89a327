/// An error response of Apple's endpoints. Its HTTP status is 400.
public struct AppleRefusal: Error, Hashable, Sendable {
    public enum Code: String, Sendable, CaseIterable {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case unauthorizedClient = "unauthorized_client"
        case unsupportedGrantType = "unsupported_grant_type"
        case invalidScope = "invalid_scope"
    }

    public let code: Code
    /// The `error_description`.
    public let explanation: String?

    init(_ code: Code, _ explanation: String? = nil) {
        self.code = code
        self.explanation = explanation
    }
}
