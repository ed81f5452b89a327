internal import Foundation

/// The claims of an ID token. The signature is not verified, because the gateway itself sent the token.
struct IDTokenClaims: Sendable {
    let values: [String: JSONValue]
    let subject: String

    /// Decodes the payload of an ID token.
    ///
    /// - Throws: ``AuthErrorCode/malformedJWT`` if the token is not a JWT with a subject.
    init(of token: String) throws {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Self.decode(parts[1]),
            // The guard throws for a payload that is not JSON.
            let values = try? JSONDecoder().decode([String: JSONValue].self, from: payload),
            let subject = values["sub"]?.string
        else { throw AuthErrorCode.malformedJWT }
        self.values = values
        self.subject = subject
    }

    /// Returns a member of the claim `firebase`; `nil` if the member is missing or is not a string.
    func firebase(_ name: String) -> String? { values["firebase"]?.object?[name]?.string }

    /// Whether `firebase.identities` contains a provider.
    func hasIdentity(of provider: String) -> Bool {
        values["firebase"]?.object?["identities"]?.object?[provider] != nil
    }

    /// Returns the time in a claim such as `exp`.
    ///
    /// - Throws: ``AuthErrorCode/malformedJWT`` if the claim is missing or is not a number.
    func date(_ name: String) throws -> Date {
        guard let seconds = values[name]?.seconds else { throw AuthErrorCode.malformedJWT }
        return Date(timeIntervalSince1970: seconds)
    }

    private static func decode(_ part: Substring) -> Data? {
        let base64 = part.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return Data(base64Encoded: String(base64) + String(repeating: "=", count: (4 - base64.count % 4) % 4))
    }
}
