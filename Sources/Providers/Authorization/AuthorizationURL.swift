internal import Encoding
internal import Identity

extension AuthorizationRequest {
    /// Returns the URL of a provider's authorization endpoint, with the request in its query.
    func url(at endpoint: String) -> String {
        let gatewayParameters = parameters
        // Drops custom parameters with names that the gateway uses, in this request or in others of the flow. Also
        // drops parameters that would replace the whole request (RFC 9101).
        let custom = customParameters.filter { name, _ in
            // Some servers read other characters in names as underscores.
            guard name.wholeMatch(of: /[A-Za-z0-9_-]{1,64}/) != nil else { return false }
            let name = name.lowercased()
            return !Self.reservedNames.contains(name) && !gatewayParameters.contains { $0.0 == name }
        }.sorted { $0.key < $1.key }
        let query = PercentEncoding.encode(form: gatewayParameters + custom.map { ($0.key, $0.value) })
        return endpoint + (endpoint.contains("?") ? "&" : "?") + query
    }

    private var parameters: [(String, String)] {
        let common = [
            ("client_id", clientID), ("redirect_uri", redirectURI), ("scope", scopes.joined(separator: " ")),
            ("state", state), ("nonce", nonce),
        ]
        guard settings.provider != .apple else {
            return common + [("response_type", "code id_token"), ("response_mode", "form_post")]
        }
        let challenge = codeChallenge.map { [("code_challenge", $0), ("code_challenge_method", "S256")] } ?? []
        return common + [("response_type", "code")] + challenge
    }

    /// The lower-case names that a custom parameter cannot have.
    private static let reservedNames: Set<String> = [
        "client_id", "redirect_uri", "scope", "state", "nonce", "response_type", "response_mode", "code_challenge",
        "code_challenge_method", "request", "request_uri", "registration", "client_secret", "client_assertion",
        "client_assertion_type", "code", "code_verifier", "iss",
    ]
}
