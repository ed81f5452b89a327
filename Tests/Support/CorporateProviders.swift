import Crypto
import Encoding
import HTTP
import Identity
import JOSE
import JSON
import Synchronization

/// Generic OpenID providers, one for each host below `corp.example`. All of them sign with one key.
///
/// A provider announces that its responses have the parameter `iss` (RFC 9207), unless its host name contains `silent`.
final class CorporateProviders: Sendable {
    static let clientID = "corp-client"

    private let clock: TestClock
    private let key: PrivateKey
    private let state = State()

    init(clock: TestClock) throws {
        self.clock = clock
        key = try PrivateKey.generate(.es256)
    }

    /// The keys of a provider, or its discovery document for any other path; `nil` for a URL of another host.
    func document(at url: String) throws -> [UInt8]? {
        guard let match = url.wholeMatch(of: #/(https://\w+\.corp\.example)/(.*)/#) else { return nil }
        let issuer = String(match.output.1)
        guard match.output.2 == "keys" else {
            return try JSON.object([
                "issuer": .string(issuer), "jwks_uri": .string(issuer + "/keys"),
                "authorization_endpoint": .string(issuer + "/authorize"), "token_endpoint": .string(issuer + "/token"),
                "authorization_response_iss_parameter_supported": .bool(!issuer.contains("silent")),
            ]).bytes
        }
        return try StrictJSON.encode(JWKSet(keys: [JWK(key.publicKey, keyID: "1")]))
    }

    /// Lets a person sign in, and returns the authorization code.
    ///
    /// - Parameter challenge: the `code_challenge` of PKCE.
    func authorize(_ subject: String, of issuer: String, nonce: String, challenge: String) -> String {
        let code = Random.text(length: 32)
        state.issuedCodes.withLock {
            $0[code] = State.Code(subject: subject, issuer: issuer, nonce: nonce, challenge: challenge)
        }
        return code
    }

    /// The response to a token request; `nil` for any other URL.
    func tokenResponse(to request: ClientRequest) throws -> (status: Int, body: [UInt8])? {
        guard let match = request.url.wholeMatch(of: #/(https://\w+\.corp\.example)/token/#) else { return nil }
        let form = Dictionary(uniqueKeysWithValues: FormDecoder.decode(request.body) ?? [])
        state.tokenRequests.withLock { $0 += 1 }
        let code = state.issuedCodes.withLock { $0.removeValue(forKey: form["code"] ?? "") }
        let challenge = Base64URL.encode(Digest.sha256(Array((form["code_verifier"] ?? "").utf8)))
        guard let code, code.issuer == String(match.output.1), code.challenge == challenge else {
            return (400, Array(#"{"error":"invalid_grant"}"#.utf8))
        }
        let email = state.addresses.withLock { $0[code.subject] }
        let idToken = try idToken(code.subject, of: code.issuer, email: email, nonce: code.nonce)
        return (200, try JSON.object(["id_token": .string(idToken), "access_token": "corp-access"]).bytes)
    }

    /// The codes that were not redeemed yet, and the number of token requests.
    private final class State: Sendable {
        struct Code {
            let subject: String
            let issuer: String
            let nonce: String
            let challenge: String
        }

        let issuedCodes = Mutex<[String: Code]>([:])
        let addresses = Mutex<[String: String]>([:])
        let tokenRequests = Mutex(0)
    }

    /// From now on, the providers tell the address of a person who signs in. Of others, they tell none.
    func tellAddress(_ email: String, of subject: String) { state.addresses.withLock { $0[subject] = email } }

    /// The number of token requests.
    var tokenRequestCount: Int { state.tokenRequests.withLock { $0 } }

    /// An ID token whose address, if it has one, is verified.
    func idToken(_ subject: String, of issuer: String, email: String? = nil, nonce: String? = nil) throws -> String {
        let now = Double(clock.now.seconds)
        var claims: [String: JSON] = [
            "iss": .string(issuer), "sub": .string(subject), "aud": .string(Self.clientID), "iat": .number(now),
            "exp": .number(now + 600),
        ]
        claims["nonce"] = nonce.map { .string($0) }
        if let email {
            claims["email"] = .string(email)
            claims["email_verified"] = true
        }
        return try JWS.sign(payload: try JSON.object(claims).bytes, keyID: "1", with: key)
    }
}

extension TestGateway {
    /// A credential for the provider `oidc.corp`, with an ID token of `issuer`.
    func corporateCredential(_ subject: String, of issuer: String, email: String? = nil) throws -> ProviderCredential {
        ProviderCredential(
            provider: "oidc.corp", idToken: try simulators.corporate.idToken(subject, of: issuer, email: email))
    }
}
