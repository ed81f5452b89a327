import Crypto
import Encoding
import HTTP
import JOSE
import JSON
import Simulators
import Testing

@Suite("Google's simulator")
struct GoogleTests {
    static let client = "1234-abc.apps.googleusercontent.com"
    static let callback = "https://auth.example.com/callback"

    let clock = TestClock()
    let google: SimulatedGoogle

    init() throws {
        google = try SimulatedGoogle(clock: { [clock] in clock.now }, keys: Keys.google)
        google.register(GoogleClient(id: Self.client, secret: "s", redirectURIs: [Self.callback]))
    }

    private func claims(of token: String) throws -> Claims {
        try SimulatorsTests.claims(of: token, verifiedWith: google.servedKeys(at: SimulatedGoogle.keysPath))
    }

    @Test("An ID token has Google's header and claims")
    func plain() throws {
        let token = try google.idToken(for: .emmy, audience: Self.client, nonce: "raw nonce")
        let keyID = try #require(UnverifiedJWS(parsing: token).keyID)
        #expect(keyID.wholeMatch(of: #/[0-9a-f]{40}/#) != nil)
        #expect(try header(of: token) == #"{"alg":"RS256","kid":"\#(keyID)","typ":"JWT"}"#)
        let expected: Claims = [
            "iss": .string("https://accounts.google.com"), "azp": .string(Self.client), "aud": .string(Self.client),
            "sub": .string(SimulatedGoogle.subject(of: .emmy)), "email": .string("emmy.noether@university.example"),
            "email_verified": .bool(true), "hd": .string("university.example"), "name": .string("Emmy Noether"),
            "given_name": .string("Emmy"), "family_name": .string("Noether"), "nonce": .string("raw nonce"),
            "iat": .integer(clock.now), "exp": .integer(clock.now + 3600),
        ]
        #expect(try claims(of: token) == expected)
        #expect(SimulatedGoogle.subject(of: .emmy).wholeMatch(of: #/\d{21}/#) != nil)
    }

    @Test("An ID token can have the issuer without https:// and another azp, and has no hd for a Gmail address")
    func variants() throws {
        google.issuer = GoogleIssuer.host.rawValue
        let token = try google.idToken(for: .mary, audience: Self.client, authorizedParty: "ios-client")
        let claims = try claims(of: token)
        #expect(claims["iss"] == .string("accounts.google.com"))
        #expect(claims["azp"] == .string("ios-client"))
        #expect(claims["hd"] == nil)
        #expect(claims["email"] == .string("mary.somerville@gmail.com"))
        #expect(claims["nonce"] == nil)
    }

    @Test("One Tap's tokens have nbf and jti, and no at_hash")
    func oneTap() throws {
        let claims = try claims(of: google.idToken(for: .mary, audience: Self.client, flow: .oneTap))
        #expect(claims["nbf"] == .integer(clock.now - 300))
        #expect(try #require(claims["jti"]?.text).wholeMatch(of: #/[0-9a-f]{40}/#) != nil)
        #expect(claims["at_hash"] == nil)
    }

    @Test("The simulator publishes two keys of its own with a cache lifetime, and a rotation can replace both with one")
    func keys() throws {
        google.keysMaxAge = 120
        let response = try google.get(SimulatedGoogle.keysPath)
        #expect(response.headers["Cache-Control"]?.contains("max-age=120") == true)
        #expect(google.jwks.keys.count == 2)
        let applesKeys = try SimulatedApple(clock: { 0 }, keys: Keys.apple).jwks.keys
        #expect(Set(google.jwks.keys.map(\.n)).isDisjoint(with: applesKeys.map(\.n)))
        let old = try google.idToken(for: .ada, audience: Self.client)
        try google.rotateKeys(keepingOld: false)
        #expect(google.jwks.keys.count == 1)
        #expect(!google.jwks.keys.contains { $0.kid == (try? UnverifiedJWS(parsing: old).keyID) })
    }

    /// The code verifier of RFC 7636, appendix B.
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    /// The code challenge of ``verifier``.
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    /// Signs in, and returns the authorization code.
    private func code(isOffline: Bool = true, forcesConsent: Bool = false) throws -> String {
        try google.authorize(
            .ada, client: Self.client, redirectURI: Self.callback, nonce: "n", codeChallenge: Self.challenge,
            isOffline: isOffline, forcesConsent: forcesConsent)
    }

    /// Requests tokens for a code, unless `changes` contain another grant type.
    private func requestTokens(_ changes: [String: String?]) throws -> (outcome: String, json: Claims) {
        var form: [String: String?] = [
            "grant_type": "authorization_code", "client_id": Self.client, "client_secret": "s",
            "redirect_uri": Self.callback, "code_verifier": Self.verifier,
        ]
        form.merge(changes) { $1 }
        let answer = try google.post(SimulatedGoogle.tokenPath, form)
        return (try answer.outcome, try answer.json)
    }

    @Test("A code is redeemed once, and its response has a refresh token only after a new consent")
    func redeem() throws {
        let code = try code()
        let (outcome, json) = try requestTokens(["code": code])
        #expect(outcome == "200")
        let access = try #require(json["access_token"]?.text)
        let claims = try claims(of: try #require(json["id_token"]?.text))
        #expect(claims["at_hash"] == halfHash(access))
        #expect(claims["nonce"] == .string("n"))
        #expect(json["refresh_token"]?.text != nil)
        #expect(try requestTokens(["code": code]).outcome == "400 invalid_grant")
        #expect(try requestTokens(["code": self.code()]).json["refresh_token"] == nil)
        #expect(try requestTokens(["code": self.code(forcesConsent: true)]).json["refresh_token"] != nil)
    }

    @Test(
        "A token request that is late, incomplete or wrong is rejected",
        arguments: [
            (["code": "4/0x"], 0, "400 invalid_grant"), ([:], 600, "400 invalid_grant"),
            (["code": nil], 0, "400 invalid_request"), (["client_secret": "x"], 0, "401 invalid_client"),
            (["client_secret": nil], 0, "401 invalid_client"), (["client_id": "x"], 0, "401 invalid_client"),
            (["redirect_uri": "https://example.com"], 0, "400 redirect_uri_mismatch"),
            (["code_verifier": "x"], 0, "400 invalid_grant"), (["code_verifier": nil], 0, "400 invalid_grant"),
            (["grant_type": "password"], 0, "400 unsupported_grant_type"),
        ] as [([String: String?], Int64, String)])
    func refused(changes: [String: String?], delay: Int64, outcome: String) throws {
        let code = try code()
        clock.advance(by: delay)
        #expect(try requestTokens(["code": code].merging(changes) { $1 }).outcome == outcome)
    }

    @Test("A refresh token can be used until it is revoked, and can be revoked only once")
    func revoke() throws {
        let refresh = try #require(try requestTokens(["code": code()]).json["refresh_token"]?.text)
        let renewal: [String: String?] = ["grant_type": "refresh_token", "refresh_token": refresh]
        let (outcome, json) = try requestTokens(renewal)
        #expect(outcome == "200")
        #expect(json["refresh_token"] == nil)
        #expect(try google.post(SimulatedGoogle.revocationPath, ["token": refresh]).outcome == "200")
        #expect(try google.post(SimulatedGoogle.revocationPath, ["token": refresh]).outcome == "400 invalid_token")
        #expect(try requestTokens(renewal).outcome == "400 invalid_grant")
    }
}
