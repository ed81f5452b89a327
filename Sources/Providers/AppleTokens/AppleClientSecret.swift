internal import Crypto
internal import Identity
internal import JOSE
internal import JSON

/// The JWT that authenticates a client ID to Apple ("Creating a client secret"). Each request gets a new JWT.
enum AppleClientSecret {
    /// The lifetime of a client secret. It is short, because each secret is used once, but long enough for clocks that
    /// differ.
    static let lifetime: Duration = .seconds(300)

    private struct Claims: Encodable {
        let iss: String
        let iat: Int64
        let exp: Int64
        let aud: String
        let sub: String
    }

    /// - Throws: an error if the private key is not a P-256 key in PEM.
    static func mint(for client: AppleClientCredentials, audience: String, at now: Instant) throws -> String {
        let claims = Claims(
            iss: client.key.teamID, iat: now.seconds, exp: (now + lifetime).seconds, aud: audience,
            sub: client.clientID)
        let key = try PrivateKey(pem: client.privateKey.expose())
        guard key.algorithm == .es256 else { throw UnusableKey(algorithm: key.algorithm.rawValue) }
        return try JWS.sign(payload: StrictJSON.encode(claims), keyID: client.key.keyID, type: nil, with: key)
    }

    struct UnusableKey: Error, CustomStringConvertible {
        let algorithm: String

        var description: String { "expected a P-256 private key (ES256), got a key for \(algorithm)" }
    }
}
