import Identity
import Postgres
import Synchronization
import Testing

@testable import Storage

/// A grant is a token or an authorization code of Apple in the database. Tests read each grant as a line: state, token
/// type, subject (`-` if it has none), and the encrypted token or code in hexadecimal, which has one byte here.
@Suite("Attempts to redeem and revoke Apple grants")
struct AppleGrantAttemptTests {
    /// Apple's responses, and the fault of the private key, if any.
    private struct Apple {
        var exchange = AppleExchange.tokens(
            AppleTokens(refreshToken: Secret("r"), subject: AppleGrantFixture.subject))
        var revocation = AppleResponse.accepted
        var keyFault: AppleKeyFault?
        let requests = Requests()
    }

    /// Counts the requests to Apple.
    private final class Requests: Sendable {
        private let counter = Mutex(0)

        var count: Int { counter.withLock { $0 } }

        func record() { counter.withLock { $0 += 1 } }
    }

    /// The attempts of a worker whose clock is `delay` ahead of the fixture.
    ///
    /// - Parameter pause: called before the gateway tries again to store a token (default: ends the attempt).
    private func attempts(
        _ fixture: AppleGrantFixture, _ apple: Apple, after delay: Duration = .zero,
        pause: @escaping @Sendable () async throws -> Void = { throw CancellationError() }
    ) -> AppleGrantAttempts {
        AppleGrantAttempts(
            store: fixture.store,
            endpoint: AppleTokenEndpoint(
                exchange: { _, _ in
                    apple.requests.record()
                    return apple.exchange
                }, check: { _, _ in .accepted },
                revoke: { _, _, _ in
                    apple.requests.record()
                    return apple.revocation
                }),
            credentials: AppleCredentialsLookup { client in
                if let fault = apple.keyFault { throw fault }
                return AppleClientCredentials(
                    clientID: client.clientID, key: AppleGrantFixture.key, privateKey: Secret("PEM"))
            },
            sealing: AppleGrantSealing(
                newID: { ID("") }, seal: { _, _ in [7] }, open: { _, _ in Secret("token") }),
            backoff: { _, _ in .seconds(60) }, pause: pause, chance: { 0 },
            clock: WallClock { fixture.now + delay })
    }

    @Test("An expired code is given up without a request to Apple")
    func expired() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertCode(byte: 1)
        let code = try #require(try await fixture.claimAttempts().first)
        let apple = Apple()
        let outcome = await attempts(fixture, apple, after: AuthorizationCode.lifetime).attempt(code)
        #expect(outcome == .givenUp(reason: "the time for attempts has expired"))
        #expect(apple.requests.count == 0)
        #expect(try await fixture.grantLines().isEmpty)
    }

    @Test("Storing a token is retried while the database fails")
    func storeFails() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertCode(byte: 1)
        let code = try #require(try await fixture.claimAttempts().first)
        try await failUpdates(in: fixture, condition: "'query_canceled'")
        let outcome = await attempts(
            fixture, Apple(), pause: { try await fixture.pool.execute("DROP TRIGGER fail ON apple_grant") }
        ).attempt(code)
        #expect(outcome == .redeemed)
        #expect(try await fixture.grantLines() == ["AUTHORIZED REFRESH_TOKEN \(AppleGrantFixture.subject) 07"])
    }

    @Test("The outcome of an attempt that a database error interrupts contains the error")
    func interrupted() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertCode(byte: 1)
        let code = try #require(try await fixture.claimAttempts().first)
        try await failUpdates(in: fixture, condition: "'insufficient_privilege'")
        let outcome = await attempts(fixture, Apple()).attempt(code)
        #expect(outcome == .interrupted(cause: "the database rejected the statement: 42501 failed"))
    }

    /// Makes every update of a grant fail.
    ///
    /// - Parameter condition: the name of PostgreSQL's error code, as a literal in SQL.
    private func failUpdates(in fixture: AppleGrantFixture, condition: SQL) async throws {
        try await fixture.pool.execute(
            """
            CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION 'failed' USING ERRCODE = \(condition); END $$
            """)
        try await fixture.pool.execute(
            "CREATE TRIGGER fail BEFORE UPDATE ON apple_grant FOR EACH ROW EXECUTE FUNCTION fail()")
    }

    @Test("A code that Apple rejects is kept until it expires, because an earlier worker may have redeemed it")
    func anotherWorker() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertCode(byte: 1)
        let earlierClaim = try #require(try await fixture.claimAttempts().first)
        // The lease of the earlier claim (its exclusive use of the code) ends after 30 seconds.
        let laterClaim = try #require(try await fixture.claimAttempts(after: .seconds(30)).first)
        let apple = Apple(exchange: .rejected(.invalidGrant))
        let outcome = await attempts(fixture, apple).attempt(laterClaim)
        #expect(
            outcome == .postponed(until: fixture.now + AuthorizationCode.lifetime, reason: "invalid_grant"))
        #expect(await attempts(fixture, Apple()).attempt(earlierClaim) == .redeemed)
        #expect(try await fixture.grantLines() == ["AUTHORIZED REFRESH_TOKEN \(AppleGrantFixture.subject) 07"])
    }

    @Test("A worker changes nothing after another one has claimed the code")
    func tooSlow() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertCode(byte: 1)
        let earlierClaim = try #require(try await fixture.claimAttempts().first)
        _ = try await fixture.claimAttempts(after: .seconds(30))
        try await fixture.store.remove(earlierClaim)
        try await fixture.store.postpone(earlierClaim, until: fixture.now, failure: "slow")
        #expect(try await fixture.grantLines().count == 1)
        #expect(try await fixture.claimAttempts(after: .seconds(59)).isEmpty)
    }

    /// - Parameter fault: the fault of the private key; `nil` if Apple rejects the client.
    @Test(
        "All revocations of a client ID are postponed if Apple rejects the client or its private key cannot be used",
        arguments: [nil, AppleKeyFault.missing, .unreadable])
    func clientFails(fault: AppleKeyFault?) async throws {
        let fixture = try await AppleGrantFixture()
        for client in ["one", "one.web"] { try await fixture.insertGrant(byte: 2, client: client) }
        try await fixture.pool.execute("DELETE FROM account")
        try await fixture.pool.execute(
            """
            INSERT INTO apple_grant (id, realm_id, client_id, state, token_type, token, created_at, due_at)
            SELECT gen_random_uuid(), 'demo', 'one', 'REVOKING', 'REFRESH_TOKEN', 'sealed', now(), '-infinity'
            FROM generate_series(1, 20)
            """)
        let claimed = try await fixture.store.claimDueAttempts(
            for: .revoke, limit: 1, lease: .seconds(30), at: fixture.now)
        let apple = Apple(revocation: .rejected(.invalidClient), keyFault: fault)
        let grant = try #require(claimed.first)
        let outcome = await attempts(fixture, apple).attempt(grant)
        #expect(
            outcome == .postponed(until: fixture.now + .seconds(60), reason: fault?.reason ?? "invalid_client"))
        // Only the other client ID is still due: `one.web` has 1 grant; `one` has 21, of which one call claims 10.
        let clients = try await fixture.claimAttempts(after: .seconds(59)).map(\.clientID)
        #expect(clients == (grant.clientID == "one" ? ["one.web"] : Array(repeating: "one", count: 10)))
    }

    @Test("A code is claimed even if many revocations wait")
    func codesFirst() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.pool.execute(
            """
            INSERT INTO apple_grant (id, realm_id, client_id, state, token_type, token, created_at, due_at)
            SELECT gen_random_uuid(), 'demo', 'one', 'REVOKING', 'REFRESH_TOKEN', 'sealed', now(), '-infinity'
            FROM generate_series(1, 20)
            """)
        try await fixture.insertCode(byte: 1)
        let claimed = try await fixture.store.claimDueAttempts(
            for: .redeem, limit: 1, lease: .seconds(30), at: fixture.now)
        #expect(claimed.map(\.tokenType) == [.code])
    }

    @Test("A code that expired while the sign-in was pending is not inserted")
    func expiredBefore() throws {
        let code = SealedAppleToken(
            id: ID("00000000-0000-4000-8000-000000000001"), subject: "ada", clientID: "one", ciphertext: [1],
            redirectURI: nil, expiresAt: Instant(seconds: 5))
        #expect(
            try SQL.insertAppleGrant(
                for: code, at: Instant(seconds: 4), in: ID("demo"), forEachRowOf: .singleRow) != nil)
        #expect(
            try SQL.insertAppleGrant(
                for: code, at: Instant(seconds: 5), in: ID("demo"), forEachRowOf: .singleRow) == nil)
    }
}
