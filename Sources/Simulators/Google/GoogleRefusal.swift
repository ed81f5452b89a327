/// An error response of Google's endpoints.
public struct GoogleRefusal: Error, Hashable, Sendable {
    public enum Code: String, Sendable, CaseIterable {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case invalidToken = "invalid_token"
        case redirectURIMismatch = "redirect_uri_mismatch"
        case unsupportedGrantType = "unsupported_grant_type"
        case unsupportedResponseType = "unsupported_response_type"
    }

    public let code: Code
    /// The `error_description`.
    public let explanation: String

    init(_ code: Code, _ explanation: String = "Bad Request") {
        self.code = code
        self.explanation = explanation
    }

    var status: Int { code == .invalidClient ? 401 : 400 }
}
