import Crypto
import Encoding
import HTTP
import JOSE
import JSON
import Simulators
import Synchronization
import Testing

/// Keys that all tests of this process share, because generating an RSA key is slow.
enum Keys {
    /// The RSA keys of the simulators of Apple, and those of the simulators of Google.
    static let apple = RSAKeySupply()
    static let google = RSAKeySupply()
    /// The P-256 key with which the team signs client secrets.
    static let team = Result { try PrivateKey.generate(.es256) }
}

/// Seconds since 1970, which change only when a test advances them.
final class TestClock: Sendable {
    static let start: Int64 = 1_800_000_000

    private let seconds = Mutex(TestClock.start)

    var now: Int64 { seconds.withLock { $0 } }

    func advance(by duration: Int64) { seconds.withLock { $0 += duration } }
}

typealias Claims = JSONObject

/// Returns the claims of a token, after verifying its signature with a key of `set`.
func claims(of token: String, verifiedWith set: JWKSet) throws -> Claims {
    let jws = try UnverifiedJWS(parsing: token)
    let jwk = try #require(set.keys.first { $0.kid == jws.keyID }, "unknown key")
    return try StrictJSON.decode(Claims.self, from: jws.payload(verifiedWith: jwk.publicKey()))
}

/// Returns the header of a token, as text.
func header(of token: String) throws -> String {
    let part = try #require(token.split(separator: ".").first)
    return String(decoding: try #require(Base64URL.decode(String(part))), as: UTF8.self)
}

/// Returns the `at_hash` of an access token, or the `c_hash` of a code: the first half of its SHA-256 hash (OpenID
/// Connect Core 1.0 §3.1.3.6 and §3.3.2.11).
func halfHash(_ text: String) -> JSONValue {
    .string(Base64URL.encode(Array(Digest.sha256(Array(text.utf8))[..<16])))
}

extension SimulatedProvider {
    func get(_ path: String) throws -> Response {
        try #require(response(to: Request(id: "1", method: .get, path: path, peer: "127.0.0.1")))
    }

    /// - Parameter query: `nil` omits a parameter.
    func get(_ path: String, _ query: [String: String?], headers: Headers = Headers()) throws -> Response {
        let pairs = query.compactMap { name, value in value.map { (name: ByteText(name), value: $0) } }
        return try #require(
            response(
                to: Request(
                    id: "1", method: .get, path: path, query: pairs, headers: headers, peer: "127.0.0.1")))
    }

    /// - Parameter form: `nil` omits a field.
    func post(_ path: String, _ form: [String: String?], headers: Headers = Headers()) throws -> Response {
        let body = form.compactMap { name, value in value.map { "\(name)=\(PercentEncoding.encode($0))" } }
        var headers = headers
        headers.add("Content-Type", "application/x-www-form-urlencoded")
        let request = Request(
            id: "1", method: .post, path: path, headers: headers, body: Array(body.joined(separator: "&").utf8),
            peer: "127.0.0.1")
        return try #require(response(to: request))
    }

    /// Requests the key set, and returns it.
    func servedKeys(at path: String) throws -> JWKSet {
        try StrictJSON.decode(JWKSet.self, from: get(path).body)
    }
}

extension Response {
    var json: Claims {
        get throws { try StrictJSON.decode(Claims.self, from: body) }
    }

    var text: String { String(decoding: body, as: UTF8.self) }

    /// The hidden fields of the page's forms. Their values remain HTML-escaped.
    var hiddenFields: [String: String] {
        let inputs = text.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/)
        return Dictionary(inputs.map { (String($0.output.1), String($0.output.2)) }) { $1 }
    }

    /// The decoded parameters in the query or the fragment of `Location`, which must begin with `uri`.
    func locationParameters(at uri: String, separator: Character = "?") throws -> [String: String] {
        let location = try #require(headers["Location"])
        #expect(location.hasPrefix(uri))
        let fields = try #require(location.split(separator: separator, maxSplits: 1).last).split(separator: "&")
        return Dictionary(
            uniqueKeysWithValues: fields.map { field in
                let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (String(parts[0]), PercentEncoding.decode(parts[1].utf8) ?? "")
            })
    }

    /// `200`, or the status and the error code, such as `400 invalid_grant`.
    var outcome: String {
        get throws {
            guard status != 200 else { return "200" }
            return try "\(status) \(json["error"]?.text ?? "")"
        }
    }
}

extension JSONValue {
    var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }
}

/// Apple's simulator with one registered app and one registered website of the same team.
struct AppleFixture {
    /// The client ID of the app, and that of the website.
    static let app = "com.example.app"
    static let site = "com.example.site"
    static let callback = "https://auth.example.com/callback"
    static let team = "TEAM123456"
    static let keyID = "TEAMKEY001"

    let clock = TestClock()
    let apple: SimulatedApple
    let teamKey: PrivateKey

    init() throws {
        teamKey = try Keys.team.get()
        apple = try SimulatedApple(clock: { [clock] in clock.now }, keys: Keys.apple)
        let keys = [Self.keyID: teamKey.publicKey]
        apple.register(AppleClient(id: Self.app, team: Self.team, keys: keys))
        var site = AppleClient(id: Self.site, team: Self.team, kind: .web, keys: keys)
        site.redirectURIs = [Self.callback]
        apple.register(site)
    }

    /// Returns the claims of an identity token, after verifying its signature.
    func claims(of token: String) throws -> Claims {
        try SimulatorsTests.claims(of: token, verifiedWith: apple.servedKeys(at: SimulatedApple.keysPath))
    }

    /// Returns a client secret, which Apple requires as a signed JWT. It is valid for a minute.
    ///
    /// - Parameter change: changes the claims of a valid secret.
    func secret(
        for client: String = app, keyID: String = keyID, key: PrivateKey? = nil,
        changing change: (inout Claims) -> Void = { _ in }
    ) throws -> String {
        var claims: Claims = [
            "iss": .string(Self.team), "sub": .string(client), "aud": .string("https://appleid.apple.com"),
            "iat": .integer(clock.now), "exp": .integer(clock.now + 60),
        ]
        change(&claims)
        return try JWS.sign(
            payload: StrictJSON.encode(claims), keyID: keyID, type: nil, with: key ?? teamKey)
    }

    /// Redeems a code as the app.
    ///
    /// - Parameter changes: fields that differ from a valid request. `nil` omits a field.
    func redeem(_ code: String, _ changes: [String: String?] = [:]) throws -> Response {
        var form: [String: String?] = [
            "grant_type": "authorization_code", "code": code, "client_id": Self.app, "client_secret": try secret(),
        ]
        form.merge(changes) { $1 }
        return try apple.post(SimulatedApple.tokenPath, form)
    }

    func refresh(_ token: String, _ changes: [String: String?] = [:]) throws -> Response {
        var form: [String: String?] = [
            "grant_type": "refresh_token", "refresh_token": token, "client_id": Self.app,
            "client_secret": try secret(),
        ]
        form.merge(changes) { $1 }
        return try apple.post(SimulatedApple.tokenPath, form)
    }

    func revoke(_ token: String, _ changes: [String: String?] = [:]) throws -> Response {
        var form: [String: String?] = ["token": token, "client_id": Self.app, "client_secret": try secret()]
        form.merge(changes) { $1 }
        return try apple.post(SimulatedApple.revocationPath, form)
    }
}
