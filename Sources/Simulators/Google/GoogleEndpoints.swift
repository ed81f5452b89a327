internal import Encoding
public import HTTP
internal import JSON

extension SimulatedGoogle {
    static let tokenHeaders: Headers = [
        "Content-Type": "application/json; charset=utf-8",
        "Cache-Control": "no-cache, no-store, max-age=0, must-revalidate",
    ]

    /// Returns the response to a request; `nil` for an unknown method or path.
    public func response(to request: Request) -> Response? {
        do {
            switch (request.method, request.path) {
            case (.get, Self.keysPath): return .json(jwks, cachedHeaders)
            case (.get, "/.well-known/openid-configuration"):
                return .json(configuration(at: origin(of: request)), cachedHeaders)
            case (.get, Self.authorizationPath), (.post, Self.authorizationPath): return try consent(to: request)
            case (.post, Self.tokenPath): return try redeem(request)
            case (.post, Self.revocationPath): return try revoke(request)
            default: return try streamResponse(to: request)
            }
        } catch let refusal as GoogleRefusal {
            let body = ["error": refusal.code.rawValue, "error_description": refusal.explanation]
            return .json(body, status: refusal.status, Self.tokenHeaders)
        } catch {
            return .text(status: 500, "\(error)")
        }
    }

    private var cachedHeaders: Headers {
        [
            "Content-Type": "application/json; charset=UTF-8",
            "Cache-Control": "public, max-age=\(keysMaxAge), must-revalidate, no-transform",
        ]
    }

    /// Google's discovery document, with the host of the simulator.
    private func configuration(at origin: String) -> JSONObject {
        [
            "issuer": .string(issuer),
            "authorization_endpoint": .string(origin + Self.authorizationPath),
            "token_endpoint": .string(origin + Self.tokenPath),
            "revocation_endpoint": .string(origin + Self.revocationPath),
            "jwks_uri": .string(origin + Self.keysPath),
            "response_types_supported": .texts("code", "token", "id_token"),
            "subject_types_supported": .texts("public"),
            "id_token_signing_alg_values_supported": .texts("RS256"),
            "scopes_supported": .texts("openid", "email", "profile"),
            "token_endpoint_auth_methods_supported": .texts("client_secret_post", "client_secret_basic"),
            "code_challenge_methods_supported": .texts("plain", "S256"),
            "authorization_response_iss_parameter_supported": .bool(true),
        ]
    }
}
