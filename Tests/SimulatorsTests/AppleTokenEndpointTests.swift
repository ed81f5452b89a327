import Crypto
import Encoding
import HTTP
import JSON
import Simulators
import Testing

@Suite("Token endpoint of Apple's simulator")
struct AppleTokenEndpointTests {
    let fixture: AppleFixture

    init() throws { fixture = try AppleFixture() }

    /// Signs in to the app, and returns the authorization code.
    private func code() throws -> String {
        try fixture.apple.authorize(.ada, client: AppleFixture.app, nonce: "n").authorizationCode
    }

    @Test("A code is redeemed once, and the responses to its first and second use are those of Apple")
    func redeem() throws {
        let code = try code()
        let answer = try fixture.redeem(code)
        #expect(try answer.outcome == "200")
        #expect(answer.headers["Content-Type"] == "application/json;charset=ISO-8859-1")
        #expect(answer.headers["Cache-Control"] == "no-store")
        let json = try answer.json
        #expect(Set(json.keys) == ["access_token", "token_type", "expires_in", "refresh_token", "id_token"])
        #expect(json["token_type"] == .string("Bearer"))
        #expect(json["expires_in"] == .integer(3600))
        let access = try #require(json["access_token"]?.text)
        #expect(access.hasPrefix("a"))
        #expect(try #require(json["refresh_token"]?.text).hasPrefix("r"))
        let claims = try fixture.claims(of: try #require(json["id_token"]?.text))
        #expect(claims["at_hash"] == halfHash(access))
        #expect(claims["c_hash"] == nil)
        #expect(claims["nonce"] == .string("n"))
        let again = try fixture.redeem(code)
        #expect(try again.outcome == "400 invalid_grant")
        #expect(try again.json["error_description"] == .string("The code has already been used."))
    }

    @Test("A code is redeemed once even if many requests have it at the same time")
    func race() async throws {
        let (code, fixture) = (try code(), fixture)
        let outcomes = try await withThrowingTaskGroup { group in
            for _ in 0..<16 { group.addTask { try fixture.redeem(code).outcome } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == "200" } == 1)
        #expect(Set(outcomes) == ["200", "400 invalid_grant"])
    }

    @Test("A refresh token can be used repeatedly, even after 400 days, and the response has no new refresh token")
    func refresh() throws {
        let signedInAt = fixture.clock.now
        let token = try #require(try fixture.redeem(code()).json["refresh_token"]?.text)
        fixture.clock.advance(by: 400 * 86_400)
        let json = try fixture.refresh(token).json
        #expect(Set(json.keys) == ["access_token", "token_type", "expires_in", "id_token"])
        let claims = try fixture.claims(of: try #require(json["id_token"]?.text))
        #expect(claims["auth_time"] == .integer(signedInAt))
        #expect(claims["iat"] == .integer(fixture.clock.now))
        #expect(claims["nonce"] == nil)
        #expect(try fixture.refresh(token).outcome == "200")
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var changes: [String: String?] = [:]
        var delay: Int64 = 0
        let outcome: String
    }

    @Test(
        "A code is redeemed only within five minutes and by a complete and valid request",
        arguments: [
            Row(testDescription: "valid, a second before five minutes have passed", delay: 299, outcome: "200"),
            Row(testDescription: "after five minutes", delay: 300, outcome: "400 invalid_grant"),
            Row(testDescription: "after a day", delay: 86_400, outcome: "400 invalid_grant"),
            Row(testDescription: "an unknown code", changes: ["code": "c0"], outcome: "400 invalid_grant"),
            Row(testDescription: "no code", changes: ["code": nil], outcome: "400 invalid_request"),
            Row(
                testDescription: "a redirect URI, although the sign-in had none",
                changes: ["redirect_uri": AppleFixture.callback],
                outcome: "400 invalid_grant"),
            Row(testDescription: "no grant type", changes: ["grant_type": nil], outcome: "400 invalid_request"),
            Row(
                testDescription: "another grant type", changes: ["grant_type": "password"],
                outcome: "400 unsupported_grant_type"),
            Row(testDescription: "no client", changes: ["client_id": nil], outcome: "400 invalid_request"),
            Row(
                testDescription: "unknown client", changes: ["client_id": "com.example.stranger"],
                outcome: "400 invalid_client"),
            Row(testDescription: "no secret", changes: ["client_secret": nil], outcome: "400 invalid_client"),
        ])
    func codes(row: Row) throws {
        let code = try code()
        fixture.clock.advance(by: row.delay)
        #expect(try fixture.redeem(code, row.changes).outcome == row.outcome)
    }

    @Test("A code is rejected for another client, and without the redirect URI of its request")
    func otherClient() throws {
        let secret = try fixture.secret(for: AppleFixture.site)
        let site: [String: String?] = ["client_id": AppleFixture.site, "client_secret": secret]
        #expect(try fixture.redeem(code(), site).outcome == "400 invalid_grant")
        let code = try fixture.apple.authorize(
            .ada, client: AppleFixture.site, redirectURI: AppleFixture.callback
        ).authorizationCode
        #expect(try fixture.redeem(code, site).outcome == "400 invalid_grant")
        let complete = site.merging(["redirect_uri": AppleFixture.callback]) { $1 }
        #expect(try fixture.redeem(code, complete).outcome == "200")
    }

    struct SecretRow: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var keyID = AppleFixture.keyID
        var change: @Sendable (inout Claims) -> Void = { _ in }
        var outcome = "400 invalid_client"
    }

    @Test(
        "A client secret is accepted only with valid claims and a known key ID",
        arguments: [
            SecretRow(testDescription: "valid", outcome: "200"),
            SecretRow(
                testDescription: "valid for six months", change: { $0["exp"] = .integer(TestClock.start + 15_777_000) },
                outcome: "200"),
            SecretRow(
                testDescription: "valid for a second more than six months",
                change: { $0["exp"] = .integer(TestClock.start + 15_777_001) }),
            SecretRow(testDescription: "expired", change: { $0["exp"] = .integer(TestClock.start) }),
            SecretRow(testDescription: "without expiry", change: { $0["exp"] = nil }),
            SecretRow(testDescription: "another team", change: { $0["iss"] = .string("TEAM654321") }),
            SecretRow(testDescription: "another client", change: { $0["sub"] = .string(AppleFixture.site) }),
            SecretRow(testDescription: "another audience", change: { $0["aud"] = .string("https://example.com") }),
            SecretRow(testDescription: "unknown key", keyID: "TEAMKEY002"),
        ])
    func secrets(row: SecretRow) throws {
        let secret = try fixture.secret(keyID: row.keyID, changing: row.change)
        #expect(try fixture.redeem(code(), ["client_secret": secret]).outcome == row.outcome)
    }

    @Test("A client secret without a valid signature of the team's key is rejected")
    func signature() throws {
        let byOtherKey = try fixture.secret(key: PrivateKey.generate(.es256))
        #expect(try fixture.redeem(code(), ["client_secret": byOtherKey]).outcome == "400 invalid_client")
        let byApplesKey = try fixture.secret(key: Keys.apple.key(0))
        #expect(try fixture.redeem(code(), ["client_secret": byApplesKey]).outcome == "400 invalid_client")
        #expect(try fixture.redeem(code(), ["client_secret": "x"]).outcome == "400 invalid_client")
    }

    @Test("A request that is not a form is rejected")
    func form() throws {
        let answer = try #require(
            fixture.apple.response(
                to: .init(
                    id: "1", method: .post, path: SimulatedApple.tokenPath,
                    headers: ["Content-Type": "application/json"], body: Array("{}".utf8), peer: "127.0.0.1")))
        #expect(try answer.outcome == "400 invalid_request")
    }
}

@Suite("Revocation at Apple's simulator")
struct AppleRevocationTests {
    let fixture: AppleFixture

    init() throws { fixture = try AppleFixture() }

    private func tokens() throws -> (refresh: String, access: String) {
        let code = try fixture.apple.authorize(.ada, client: AppleFixture.app).authorizationCode
        let json = try fixture.redeem(code).json
        return (try #require(json["refresh_token"]?.text), try #require(json["access_token"]?.text))
    }

    @Test(
        "Revoking a refresh or access token ends the consent: a refresh fails, and the next sign-in is the first again",
        arguments: [true, false])
    func revoke(byRefreshToken: Bool) throws {
        let tokens = try tokens()
        let answer = try fixture.revoke(byRefreshToken ? tokens.refresh : tokens.access)
        #expect(answer.status == 200)
        #expect(answer.body.isEmpty)
        #expect(try fixture.refresh(tokens.refresh).outcome == "400 invalid_grant")
        #expect(try fixture.revoke(tokens.refresh).status == 200)
        #expect(try fixture.apple.authorize(.ada, client: AppleFixture.app).user != nil)
    }

    @Test("Revoking an unknown token, or the token of another client, gets status 200 and revokes nothing")
    func unknown() throws {
        let tokens = try tokens()
        #expect(try fixture.revoke("r0").status == 200)
        let secret = try fixture.secret(for: AppleFixture.site)
        let site: [String: String?] = ["client_id": AppleFixture.site, "client_secret": secret]
        #expect(try fixture.revoke(tokens.refresh, site).status == 200)
        #expect(try fixture.refresh(tokens.refresh).outcome == "200")
    }

    @Test("A revocation requires a valid client secret and a token")
    func refused() throws {
        let token = try tokens().refresh
        #expect(try fixture.revoke(token, ["client_secret": "x"]).outcome == "400 invalid_client")
        #expect(try fixture.revoke(token, ["token": nil]).outcome == "400 invalid_request")
        #expect(try fixture.refresh(token).outcome == "200")
    }

    @Test(
        "After the person has disconnected the app, its refresh token is rejected with the configured error",
        arguments: [AppleRefusal.Code.invalidGrant, .invalidRequest])
    func disconnected(code: AppleRefusal.Code) throws {
        fixture.apple.quirks.refusalAfterDisconnecting = code
        let token = try tokens().refresh
        fixture.apple.disconnect(.ada, from: AppleFixture.app)
        #expect(try fixture.refresh(token).outcome == "400 \(code.rawValue)")
        #expect(try fixture.refresh("r0").outcome == "400 invalid_grant")
    }
}
