import HTTP
import Postgres
import Simulators
import Testing

@testable import Identity
@testable import Support

@Suite("The limit on the sessions of an account")
struct SessionLimitTests {
    struct Method: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Signs in to Ada's account.
        let signIn: @Sendable (TestGateway) async throws -> Exchange
    }

    /// The ways to open another session of an account that has an Apple identity and a password.
    static let methods = [
        Method(testDescription: "a password") { try await $0.signIn() },
        Method(testDescription: "Apple") { try await $0.signIn($0.appleCredential(ada)) },
        Method(testDescription: "a custom token") {
            let backend = try await ServiceKey(in: $0)
            let localId = try #require(try await $0.signIn().json["localId"]?.string)
            return try await $0.signIn(customToken: backend.customToken(uid: localId, at: $0.clock.now))
        },
        Method(testDescription: "an email link") {
            let code = try await $0.requestedCode("EMAIL_SIGNIN", ["email": "ada@example.com"])
            return try await $0.signInWithEmailLink("ada@example.com", code)
        },
        Method(testDescription: "a link of another identity") { gateway in
            let tokens = try TestGateway.Tokens(await gateway.signIn())
            return try await gateway.link(gateway.googleCredential(), to: tokens.idToken)
        },
        Method(testDescription: "a merge into the account") {
            try await $0.merge($0.signUpAnonymously(), intoAccountOf: $0.appleCredential(ada))
        },
    ]

    private static let ada = SimulatedPerson.named("ada", "Town").with { $0.email = "ada@example.com" }

    /// A gateway with Ada's account, which has a verified address, a password, an Apple identity and one session.
    private func gatewayWithAda(limit: Int) async throws -> (TestGateway, TestGateway.Tokens) {
        let gateway = try await TestGateway { $0.sessionLimit = limit }
        let ada = try await gateway.signUpVerified()
        let linked = try TestGateway.Tokens(await gateway.link(gateway.appleCredential(Self.ada), to: ada.idToken))
        let ended = try await gateway.post(
            "/v1/accounts:revokeSession", ["idToken": .string(ada.idToken), "sessionId": "current"])
        #expect(ended.outcome == "204")
        return (gateway, linked)
    }

    /// The number of the account's active sessions, from the database.
    private func activeSessions(in gateway: TestGateway) async throws -> Int {
        let rows = try await gateway.database.pool.query(
            """
            SELECT count(*) AS count FROM session s JOIN account a ON a.id = s.account_id AND a.generation = s.generation
            WHERE s.ended_at IS NULL AND a.email = 'ada@example.com'
            """)
        return try #require(try rows.first?.decode("count", as: Int.self))
    }

    @Test("Every way to open a session ends the sessions that exceed the limit", arguments: methods)
    func everyMethod(method: Method) async throws {
        let (gateway, first) = try await gatewayWithAda(limit: 2)
        for _ in 1...3 {
            gateway.clock.advance(by: .seconds(1))
            _ = try await gateway.signIn()
        }
        gateway.clock.advance(by: .seconds(1))
        let opened = try await method.signIn(gateway)
        #expect(try await activeSessions(in: gateway) == 2)
        #expect(try await gateway.lookup(try #require(opened.json["idToken"]?.string)).outcome == "200")
        #expect(try await gateway.refresh(try #require(opened.json["refreshToken"]?.string)).outcome == "200")
        #expect(try await gateway.refresh(first.refreshToken).outcome == "400 TOKEN_EXPIRED")
    }

    @Test("The session that was unused for the longest time ends, not the one that was opened first")
    func longestUnused() async throws {
        let (gateway, first) = try await gatewayWithAda(limit: 2)
        gateway.clock.advance(by: .seconds(1))
        let second = try TestGateway.Tokens(await gateway.signIn())
        gateway.clock.advance(by: .seconds(1))
        let refreshed = try await gateway.refresh(first.refreshToken)
        #expect(refreshed.outcome == "200")
        gateway.clock.advance(by: .seconds(1))
        let third = try TestGateway.Tokens(await gateway.signIn())
        #expect(try await gateway.lookup(second.idToken).outcome == "400 TOKEN_EXPIRED")
        for tokens in [first, third] { #expect(try await gateway.lookup(tokens.idToken).outcome == "200") }
        let backend = try await ServiceKey(in: gateway)
        let status = try await gateway.lookUpSession(of: second.idToken, by: backend)
        #expect(status.json["endReason"] == "LIMIT")
    }

    @Test("Without a limit, no session ends; after the limit is lowered, the next sign-in ends all that exceed it")
    func loweredLimit() async throws {
        let (gateway, _) = try await gatewayWithAda(limit: 0)
        for _ in 1...5 { _ = try await gateway.signIn() }
        #expect(try await activeSessions(in: gateway) == 6)
        _ = try await gateway.database.pool.execute(
            "UPDATE realm SET policy = policy || '{\"sessionLimit\": \"3\"}' WHERE id = 'demo'")
        let restarted = try gateway.withFreshCaches()
        _ = try await restarted.signIn()
        #expect(try await activeSessions(in: gateway) == 3)
    }

    @Test("Concurrent sign-ins exceed the limit only until the next sign-in, and other accounts keep their sessions")
    func concurrency() async throws {
        let (gateway, _) = try await gatewayWithAda(limit: 3)
        let eve = try await gateway.signUp(email: "eve@example.com")
        let outcomes = try await concurrently(12) { number in
            try await
                (number.isMultiple(of: 2)
                ? gateway.signIn() : gateway.signIn(gateway.appleCredential(Self.ada))).outcome
        }
        #expect(Set(outcomes) == ["200"])
        gateway.clock.advance(by: .seconds(1))
        _ = try await gateway.signIn()
        #expect(try await activeSessions(in: gateway) == 3)
        #expect(try await gateway.lookup(eve.idToken).outcome == "200")
    }

    @Test("Every sign-in enforces a limit below 100, and one of sixteen enforces a higher one")
    func enforcement() {
        func limit(_ id: String, _ limit: Int) -> Int {
            let start = Instant(seconds: 0)
            let session = Session(
                id: ID(id), account: ID("ada"), generation: 1, method: .password, authenticatedAt: start, device: nil)
            return NewSession(
                toOpen: session, at: start, networkHash: nil, credentialIssuedAt: nil, sessionLimit: limit
            ).limitToEnforce
        }
        let ids = "0123456789abcdef".map { "\($0)d1f0f9e-1111-4222-8333-444455556666" }
        #expect(ids.map { limit($0, 99) } == Array(repeating: 99, count: 16))
        #expect(ids.map { limit($0, 500) } == [500] + Array(repeating: 0, count: 15))
        #expect(ids.map { limit($0, 0) } == Array(repeating: 0, count: 16))
    }

    @Test("The limit is 500 in the profile sekisho, and there is none in the profile firebase")
    func defaults() {
        #expect(Policy(.sekisho).sessionLimit == 500)
        #expect(Policy(.firebase).sessionLimit == 0)
    }
}
