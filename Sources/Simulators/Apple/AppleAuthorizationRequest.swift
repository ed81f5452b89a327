/// The parameters of `/auth/authorize`.
struct AppleAuthorizationRequest {
    static let parameterNames = [
        "client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce",
    ]

    let clientID: String
    let redirectURI: String
    let requestsIDToken: Bool
    let responseMode: AuthorizationResponse.Mode
    let scopes: Set<AppleScope>
    let state: String?
    let nonce: String?

    init(_ form: Form) throws(AppleRefusal) {
        guard let clientID = form["client_id"] else { throw AppleRefusal(.invalidRequest, "Missing client_id") }
        guard let redirectURI = form["redirect_uri"] else {
            throw AppleRefusal(.invalidRequest, "Missing redirect_uri")
        }
        guard WebURL(redirectURI) != nil else { throw AppleRefusal(.invalidRequest, "Invalid redirect_uri") }
        (self.clientID, self.redirectURI) = (clientID, redirectURI)
        (state, nonce) = (form["state"], form["nonce"])
        requestsIDToken =
            switch form["response_type"].map({ Set($0.split(separator: " ")) }) {
            case ["code"]: false
            case ["code", "id_token"]: true
            default: throw AppleRefusal(.invalidRequest, "response_type must be code or code id_token")
            }
        scopes = try Self.scopes(form["scope"])
        responseMode = try Self.responseMode(form["response_mode"])
        guard scopes.isEmpty || responseMode == .formPost else {
            throw AppleRefusal(.invalidRequest, "response_mode must be form_post when a scope is requested")
        }
        guard !requestsIDToken || responseMode != .query else {
            throw AppleRefusal(.invalidRequest, "response_mode must be form_post or fragment for an id_token")
        }
    }

    private static func scopes(_ text: String?) throws(AppleRefusal) -> Set<AppleScope> {
        var scopes: Set<AppleScope> = []
        for name in (text ?? "").split(separator: " ") where name != "openid" {
            guard let scope = AppleScope(rawValue: String(name)) else { throw AppleRefusal(.invalidScope) }
            scopes.insert(scope)
        }
        return scopes
    }

    private static func responseMode(_ text: String?) throws(AppleRefusal) -> AuthorizationResponse.Mode {
        guard let mode = AuthorizationResponse.Mode(rawValue: text ?? "query") else {
            throw AppleRefusal(.invalidRequest, "Invalid response_mode")
        }
        return mode
    }
}
