internal import Encoding
public import HTTP
internal import JSON

extension SimulatedApple {
    public static let authorizationPath = "/auth/authorize"
    public static let tokenPath = "/auth/token"
    public static let revocationPath = "/auth/revoke"
    public static let migrationPath = "/auth/usermigrationinfo"
    /// The same headers as Apple's. They name the charset ISO-8859-1, although the body is UTF-8.
    static let tokenHeaders: Headers = [
        "Content-Type": "application/json;charset=ISO-8859-1", "Cache-Control": "no-store", "Pragma": "no-cache",
    ]

    /// Returns the response to a request; `nil` for an unknown method or path.
    public func response(to request: Request) -> Response? {
        do {
            switch (request.method, request.path) {
            case (.get, Self.keysPath): return .json(jwks, ["Content-Type": "application/json"])
            case (.get, "/.well-known/openid-configuration"):
                return .json(configuration(at: origin(of: request)), ["Content-Type": "application/json"])
            case (.get, Self.authorizationPath), (.post, Self.authorizationPath): return try consent(to: request)
            case (.post, Self.tokenPath): return try redeem(request)
            case (.post, Self.revocationPath): return try revoke(request)
            case (.post, Self.migrationPath): return try migrate(request)
            default: return nil
            }
        } catch let refusal as AppleRefusal {
            return .json(refusal.body, status: 400, Self.tokenHeaders)
        } catch {
            return .text(status: 500, "\(error)")
        }
    }
}

extension AppleRefusal {
    fileprivate var body: JSONObject {
        var body: JSONObject = ["error": JSONValue.string(code.rawValue)]
        body["error_description"] = explanation.map(JSONValue.string)
        return body
    }
}

extension SimulatedApple {
    /// Apple's discovery document, with the host of the simulator.
    fileprivate func configuration(at origin: String) -> JSONObject {
        [
            "issuer": .string(issuer),
            "authorization_endpoint": .string(origin + Self.authorizationPath),
            "token_endpoint": .string(origin + Self.tokenPath),
            "revocation_endpoint": .string(origin + Self.revocationPath),
            "jwks_uri": .string(origin + Self.keysPath),
            "response_types_supported": .texts("code"),
            "response_modes_supported": .texts("query", "fragment", "form_post"),
            "subject_types_supported": .texts("pairwise"),
            "id_token_signing_alg_values_supported": .texts("RS256"),
            "scopes_supported": .texts("openid", "email", "name"),
            "token_endpoint_auth_methods_supported": .texts("client_secret_post"),
            "claims_supported": .texts(
                "aud", "email", "email_verified", "exp", "iat", "is_private_email", "iss", "nonce", "nonce_supported",
                "real_user_status", "sub", "transfer_sub"),
        ]
    }
}
