import Crypto
import Encoding
import HTTP
import Identity
import JOSE
import JSON
import Synchronization

/// The simulator of ``IdentityProvider/invented``.
final class InventedProvider: Sendable {
    static let clientID = "invented-client"
    private static let issuer = "https://login.invented.example"

    private struct Code {
        let subject: String
        let nonce: String
        let challenge: String
    }

    // Generated when a test first uses it, because generating an RSA key is slow.
    private static let key = Result { try PrivateKey.generate(.rs256) }

    private let clock: TestClock
    private let codes = Mutex<[String: Code]>([:])

    init(clock: TestClock) {
        self.clock = clock
    }

    /// The keys; `nil` for any other URL.
    func document(at url: String) throws -> [UInt8]? {
        guard url == Self.issuer + "/keys" else { return nil }
        return try StrictJSON.encode(JWKSet(keys: [JWK(Self.key.get().publicKey, keyID: "1")]))
    }

    /// Lets a person sign in on the provider's page, and returns the authorization code.
    func authorize(_ subject: String, nonce: String, challenge: String) -> String {
        let code = Random.text(length: 32)
        codes.withLock { $0[code] = Code(subject: subject, nonce: nonce, challenge: challenge) }
        return code
    }

    /// The response to a token request; `nil` for any other URL.
    func tokenResponse(to request: ClientRequest) throws -> (status: Int, body: [UInt8])? {
        guard request.url == Self.issuer + "/token" else { return nil }
        let form = Dictionary(uniqueKeysWithValues: FormDecoder.decode(request.body) ?? [])
        let challenge = Base64URL.encode(Digest.sha256(Array((form["code_verifier"] ?? "").utf8)))
        guard let code = codes.withLock({ $0.removeValue(forKey: form["code"] ?? "") }), code.challenge == challenge
        else { return (400, Array(#"{"error":"invalid_grant"}"#.utf8)) }
        let idToken = try idToken(code.subject, nonce: code.nonce)
        return (200, try JSON.object(["id_token": .string(idToken), "access_token": "invented-access"]).bytes)
    }

    func idToken(_ subject: String, nonce: String? = nil) throws -> String {
        let now = Double(clock.now.seconds)
        var claims: [String: JSON] = [
            "iss": .string(Self.issuer), "sub": .string(subject), "aud": .string(Self.clientID), "iat": .number(now),
            "exp": .number(now + 600), "email": .string("\(subject)@invented.example"), "email_verified": true,
        ]
        claims["nonce"] = nonce.map { .string($0) }
        return try JWS.sign(payload: try JSON.object(claims).bytes, keyID: "1", with: Self.key.get())
    }
}
