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
            guard Self.isPortable(name) else { return false }
            let name = ByteText(name.rawValue.lowercased())
            return !Self.reservedNames.contains(name) && !gatewayParameters.contains { name.rawValue.isExactly($0.0) }
        }.sorted { $0.key < $1.key }
        let query = PercentEncoding.encode(form: gatewayParameters + custom.map { ($0.key.rawValue, $0.value) })
        return endpoint + (endpoint.contains("?") ? "&" : "?") + query
    }

    private static func isPortable(_ name: ByteText) -> Bool {
        let bytes = name.rawValue.utf8
        return (1...64).contains(bytes.count)
            && bytes.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private var parameters: [(String, String)] {
        let common = [
            ("client_id", clientID), ("redirect_uri", redirectURI), ("scope", scopes.joined(separator: " ")),
            ("state", state), ("nonce", nonce),
        ]
        guard provider.responseMode == .query else {
            return common + [("response_type", "code id_token"), ("response_mode", "form_post")]
        }
        let challenge = codeChallenge.map { [("code_challenge", $0), ("code_challenge_method", "S256")] } ?? []
        return common + [("response_type", "code")] + challenge
    }

    /// The lower-case names that a custom parameter cannot have.
    private static let reservedNames: Set<ByteText> = [
        "client_id", "redirect_uri", "scope", "state", "nonce", "response_type", "response_mode", "code_challenge",
        "code_challenge_method", "request", "request_uri", "registration", "client_secret", "client_assertion",
        "client_assertion_type", "code", "code_verifier", "iss",
    ]
}
