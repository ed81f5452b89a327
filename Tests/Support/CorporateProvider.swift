import Crypto
import Identity
import JOSE
import JSON

/// Generic OpenID providers, one for each host below `corp.example`. All of them sign with one key.
struct CorporateProvider: Sendable {
    static let client = "corp-client"

    private let clock: TestClock
    private let key: PrivateKey

    init(clock: TestClock) throws {
        self.clock = clock
        key = try PrivateKey.generate(.es256)
    }

    /// - Returns: `nil` for a URL of another provider.
    func document(at url: String) throws -> [UInt8]? {
        guard let match = url.wholeMatch(of: #/(https://\w+\.corp\.example)/(.*)/#) else { return nil }
        let issuer = String(match.output.1)
        guard match.output.2 == "keys" else {
            return try JSON.object(["issuer": .string(issuer), "jwks_uri": .string(issuer + "/keys")]).bytes
        }
        return try StrictJSON.encode(JWKSet(keys: [JWK(key.publicKey, keyID: "1")]))
    }

    func idToken(_ subject: String, of issuer: String, email: String? = nil) throws -> String {
        let now = Double(clock.now.seconds)
        var claims: [String: JSON] = [
            "iss": .string(issuer), "sub": .string(subject), "aud": .string(Self.client), "iat": .number(now),
            "exp": .number(now + 600),
        ]
        if let email {
            claims["email"] = .string(email)
            claims["email_verified"] = true
        }
        return try JWS.sign(payload: try JSON.object(claims).bytes, keyID: "1", with: key)
    }
}

extension TestGateway {
    func corporate(_ subject: String, of issuer: String, email: String? = nil) throws -> Proof {
        Proof(
            provider: "oidc.corp", idToken: try simulators.corporate.idToken(subject, of: issuer, email: email))
    }
}
