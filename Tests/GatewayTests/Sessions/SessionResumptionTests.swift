import HTTP
import Identity
import Postgres
import Testing

@testable import Support

extension TestGateway {
    fileprivate static let resumptionKey = "Yk3pQ9vT1sWn5ZcXbR7dLg"

    fileprivate func refresh(_ token: String, resumptionKey key: String?) async throws -> Exchange {
        try await post(
            "/v1/token", ["grant_type": "refresh_token", "refresh_token": .string(token)], headers: Self.headers(key))
    }

    fileprivate func changePassword(
        _ tokens: Tokens, resumptionKey key: String? = resumptionKey
    ) async throws -> Exchange {
        try await post(
            "/v1/accounts:update", ["idToken": .string(tokens.idToken), "password": "secret2"],
            headers: Self.headers(key))
    }

    private static func headers(_ key: String?) -> Headers {
        var headers = Headers()
        if let key { headers.add("Sekisho-Resumption-Key", key) }
        return headers
    }
}

/// A change of credentials replaces the client's session. The client may send a resumption key (a random secret) with
/// the change. If the response is lost, the client exchanges the key and its former refresh token for tokens of the new
/// session.
@Suite("Resuming a session that was replaced")
struct SessionResumptionTests {
    /// A request that replaces the session of a client.
    struct Change: CustomTestStringConvertible {
        let testDescription: String
        let path: String
        /// The members of the request, without the ID token.
        let body: [String: JSON]
        var isAnonymous = false

        static let all = [
            Change(
                testDescription: "a new password", path: "/v1/accounts:update", body: ["password": "secret2"]),
            Change(
                testDescription: "a new address", path: "/v1/accounts:update", body: ["email": "new@example.com"]),
            Change(
                testDescription: "the end of all other sessions", path: "/v1/accounts:update",
                body: ["validSince": "1"]),
            Change(
                testDescription: "a first password", path: "/v1/accounts:signUp",
                body: ["email": "ada@example.com", "password": "secret1"], isAnonymous: true),
        ]
    }

    @Test(
        "After a lost response, the former refresh token and the key are exchanged for tokens of the new session",
        arguments: Change.all)
    func lostResponse(change: Change) async throws {
        let gateway = try await TestGateway()
        let former = try await change.isAnonymous ? gateway.signUpAnonymously() : gateway.signUp()
        var body = change.body
        body["idToken"] = .string(former.idToken)
        var headers = Headers()
        headers.add("Sekisho-Resumption-Key", TestGateway.resumptionKey)
        let lost = try TestGateway.Tokens(await gateway.post(change.path, .object(body), headers: headers))
        let resumed = try await gateway.refresh(former.refreshToken, resumptionKey: TestGateway.resumptionKey)
        let idToken = try #require(resumed.json["id_token"]?.string, "\(resumed.text)")
        #expect(try claims(of: idToken)["sid"] == claims(of: lost.idToken)["sid"])
        #expect(try await gateway.lookup(idToken).outcome == "200")
    }

    @Test("The exchange can be repeated if its response is lost too, and the session continues")
    func continues() async throws {
        let gateway = try await TestGateway { $0.rotatesRefreshTokens = true }
        let former = try await gateway.signUp()
        _ = try await gateway.changePassword(former)
        let first = try await gateway.refresh(former.refreshToken, resumptionKey: TestGateway.resumptionKey)
        // Much longer than the grace period of refresh tokens, which does not limit resumption.
        gateway.clock.advance(by: .seconds(100_000))
        let second = try await gateway.refresh(former.refreshToken, resumptionKey: TestGateway.resumptionKey)
        #expect(second.json["refresh_token"] == first.json["refresh_token"])
        let token = try #require(second.json["refresh_token"]?.string)
        let next = try await gateway.refresh(token, resumptionKey: TestGateway.resumptionKey)
        #expect(next.outcome == "200")
    }

    /// A refresh that does not resume the session.
    struct Attempt: CustomTestStringConvertible {
        let testDescription: String
        var key: String? = TestGateway.resumptionKey
        /// The key of the request that replaced the session.
        var keyOfChange: String? = TestGateway.resumptionKey
        var outcome = "400 TOKEN_EXPIRED"

        private static let malformed =
            "400 INVALID_ARGUMENT : The header Sekisho-Resumption-Key must have 22 to 128 characters of base64url."

        static let all = [
            Attempt(testDescription: "no key", key: nil),
            Attempt(testDescription: "another key", key: "AAAAAAAAAAAAAAAAAAAAAA"),
            Attempt(testDescription: "a key that the change did not have", keyOfChange: nil),
            Attempt(testDescription: "a short key", key: "AAAAAAAAAAAAAAAAAAAAA", outcome: malformed),
            Attempt(
                testDescription: "a long key", key: String(repeating: "A", count: 129),
                outcome: malformed),
            Attempt(
                testDescription: "other characters", key: "Yk3pQ9vT1sWn5ZcXbR7d+/", outcome: malformed),
        ]
    }

    @Test("A session is resumed only with the key of the request that replaced it", arguments: Attempt.all)
    func rejected(attempt: Attempt) async throws {
        let gateway = try await TestGateway()
        let former = try await gateway.signUp()
        #expect(try await gateway.changePassword(former, resumptionKey: attempt.keyOfChange).outcome == "200")
        #expect(try await gateway.refresh(former.refreshToken, resumptionKey: attempt.key).outcome == attempt.outcome)
    }

    @Test("After the client has used its second refresh token, resumption is rejected, and the session continues")
    func endOfResumption() async throws {
        let gateway = try await TestGateway { $0.rotatesRefreshTokens = true }
        let former = try await gateway.signUp()
        let changed = try TestGateway.Tokens(await gateway.changePassword(former))
        let second = try #require(await gateway.refresh(changed.refreshToken).json["refresh_token"]?.string)
        let third = try #require(await gateway.refresh(second).json["refresh_token"]?.string)
        gateway.clock.advance(by: .seconds(100_000))
        let late = try await gateway.refresh(former.refreshToken, resumptionKey: TestGateway.resumptionKey)
        #expect(late.outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.refresh(third).outcome == "200")
    }

    @Test("Resumption gives no tokens if the new session has ended or the account is disabled")
    func ended() async throws {
        let gateway = try await TestGateway()
        let former = try await gateway.signUp()
        _ = try await gateway.changePassword(former)
        _ = try await gateway.database.pool.execute("UPDATE account SET disabled_at = now()")
        #expect(
            try await gateway.refresh(former.refreshToken, resumptionKey: TestGateway.resumptionKey).outcome
                == "400 USER_DISABLED")
        _ = try await gateway.database.pool.execute("UPDATE account SET disabled_at = NULL")
        // A new generation ends all sessions of the account.
        _ = try await gateway.database.pool.execute("UPDATE account SET generation = generation + 1")
        #expect(
            try await gateway.refresh(former.refreshToken, resumptionKey: TestGateway.resumptionKey).outcome
                == "400 TOKEN_EXPIRED")
    }

    @Test("A refresh token of a session that has not ended gives tokens of that session, even with a resumption key")
    func alive() async throws {
        let gateway = try await TestGateway()
        let tokens = try await gateway.signUp()
        let refreshed = try await gateway.refresh(tokens.refreshToken, resumptionKey: TestGateway.resumptionKey)
        let idToken = try #require(refreshed.json["id_token"]?.string)
        #expect(try claims(of: idToken)["sid"] == claims(of: tokens.idToken)["sid"])
    }
}
