internal import Crypto
internal import JOSE
internal import JSON

/// The JWT that authenticates a client to Apple.
struct AppleClientSecret {
    /// The maximum lifetime in seconds: six months.
    static let longestLifetime: Int64 = 15_777_000

    private struct Claims: Decodable {
        let iss: String
        let aud: String
        let sub: String
        let iat: Int64?
        let exp: Int64
    }

    /// Checks the client secret of a client.
    ///
    /// - Parameter acceptsUnverified: if `true`, the signature is checked only if the client has registered keys. The
    ///   claims are always checked.
    /// - Throws: ``AppleRefusal/Code/invalidClient`` for every problem, like Apple.
    static func check(
        _ text: String, of client: AppleClient, audience: String, now: Int64, acceptsUnverified: Bool = false
    ) throws(AppleRefusal) {
        do {
            let secret = try UnverifiedJWS(parsing: text)
            guard secret.algorithm == .es256 else { throw AppleRefusal(.invalidClient) }
            let claims = try claims(of: secret, client, verifying: !acceptsUnverified || !client.keys.isEmpty)
            guard
                claims.iss == client.team, claims.sub == client.id, claims.aud == audience, claims.exp > now,
                claims.exp - (claims.iat ?? now) <= longestLifetime, claims.exp - now <= longestLifetime
            else { throw AppleRefusal(.invalidClient) }
        } catch {
            throw AppleRefusal(.invalidClient)
        }
    }

    private static func claims(
        of secret: UnverifiedJWS, _ client: AppleClient, verifying verifiesSignature: Bool
    ) throws -> Claims {
        if !verifiesSignature, let claims = secret.unverified(Claims.self) { return claims }
        guard let key = secret.keyID.flatMap({ client.keys[$0] }) else { throw AppleRefusal(.invalidClient) }
        return try StrictJSON.decode(Claims.self, from: secret.payload(verifiedWith: key))
    }

    /// Returns the team that the secret names, without verifying the secret.
    static func team(in text: String) -> String? {
        do {
            return try UnverifiedJWS(parsing: text).unverifiedIssuer
        } catch {
            return nil
        }
    }
}
