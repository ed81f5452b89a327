import FoundationEssentials
import Identity
import Postgres
import Support
import Synchronization
import Testing

@testable import Storage

@Suite("Daily checks of ten thousand grants")
struct AppleDailyCheckTests {
    private static let count = 10_000

    /// Ten thousand grants whose check is due.
    private struct Fixture: Sendable {
        let grants: AppleGrantFixture
        let checked = CheckedTokens()
        let clock = Clock()

        init() async throws {
            grants = try await AppleGrantFixture()
            let now = Timestamp(grants.now)
            let count = AppleDailyCheckTests.count
            try await grants.pool.execute(
                """
                WITH people AS (SELECT 'p' || n AS id FROM generate_series(1, \(count)) n),
                accounts AS (
                    INSERT INTO account (realm_id, id, created_at, valid_since)
                    SELECT 'demo', id, \(now), \(now) FROM people)
                INSERT INTO apple_grant (id, realm_id, subject, client_id, state, token_type, token, team_id, key_id,
                    created_at, due_at)
                SELECT gen_random_uuid(), 'demo', id, \(AppleGrantFixture.client), 'AUTHORIZED', 'REFRESH_TOKEN',
                    convert_to(id, 'UTF8'), \(AppleGrantFixture.key.teamID), \(AppleGrantFixture.key.keyID), \(now), \(now)
                FROM people
                """)
            try await grants.pool.execute(
                """
                WITH sessions AS (
                    INSERT INTO session (realm_id, id, account_id, generation, method, authenticated_at, rotated_at,
                        refreshed_at)
                    SELECT 'demo', gen_random_uuid(), id, 1, 'apple.com', \(now), \(now), \(now) FROM account
                    WHERE id LIKE 'p%')
                INSERT INTO linked_identity (realm_id, provider, subject, account_id, created_at)
                SELECT 'demo', 'apple.com', id, id, \(now) FROM account WHERE id LIKE 'p%'
                """)
            try await grants.pool.execute("ANALYZE apple_grant, linked_identity, session")
        }

        /// The worker of one replica. Apple responds to every check with `response`.
        func replica(receiving response: AppleResponse) -> AppleGrantChecks {
            let credentials = AppleClientCredentials(
                clientID: AppleGrantFixture.client, key: AppleGrantFixture.key, privateKey: Secret("PEM"))
            return AppleGrantChecks(
                store: grants.store,
                endpoint: AppleTokenEndpoint(
                    exchange: { _, _ in .unavailable(reason: "not used by checks") },
                    check: { [checked] token, _ in
                        checked.record(token.expose())
                        return response
                    }, revoke: { _, _, _ in response }),
                credentials: AppleCredentialsLookup { _ in credentials },
                sealing: AppleGrantSealing(
                    newID: { ID("") }, seal: { token, _ in Array(token.expose().utf8) },
                    open: { sealed, _ in Secret(String(decoding: sealed, as: UTF8.self)) }),
                clock: WallClock { [clock, grants] in grants.now + clock.elapsed })
        }

        func grantCount(where condition: SQL) async throws -> Int {
            let statement: SQL = "SELECT count(*) AS n FROM apple_grant WHERE \(condition)"
            return try await grants.pool.query(statement).first?.decode("n") ?? 0
        }
    }

    /// How often each token was checked.
    private final class CheckedTokens: Sendable {
        private let tokens = Mutex<[String: Int]>([:])

        func record(_ token: String) { tokens.withLock { $0[token, default: 0] += 1 } }

        var counts: [String: Int] { tokens.withLock { $0 } }
    }

    /// The time since the creation of the fixture.
    private final class Clock: Sendable {
        private let time = Mutex(Duration.zero)

        var elapsed: Duration { time.withLock { $0 } }

        func advanceOneMinute() { time.withLock { $0 += .seconds(60) } }
    }

    @Test("Each grant is checked once a day, a few in each minute, even if another replica continues")
    func spread() async throws {
        let fixture = try await Fixture()
        let perMinute = AppleGrant.checksPerMinute(of: Self.count)
        var replica = fixture.replica(receiving: .accepted)
        for minute in 0..<(Self.count / perMinute) {
            // Another replica continues where the previous one stopped.
            if minute % 100 == 0 { replica = fixture.replica(receiving: .accepted) }
            let report = try await replica.run()
            #expect(report.authorized == perMinute)
            fixture.clock.advanceOneMinute()
        }
        let checked = fixture.checked.counts
        #expect(checked.count == Self.count)
        #expect(checked.values.allSatisfy { $0 == 1 })
        #expect(try await replica.run().authorized == 0, "the day is not over")
    }

    @Test("No statement reads the whole table of grants or of identities")
    func plans() async throws {
        let fixture = try await Fixture()
        let (now, realm) = (fixture.grants.now, fixture.grants.realm)
        let client = AppleClientReference(realm: realm, clientID: AppleGrantFixture.client)
        let key = AppleGrantFixture.key
        let statements: [(statement: SQL, index: String)] = [
            (
                .claimChecks(
                    of: client, limit: 10, leaseEnd: now, postponingInactiveSince: now, until: now, at: now),
                "apple_grant_unchecked"
            ),
            (.formerTeamsAndKeys, "apple_grant_obtained_with"),
            (
                .markGrantsAsUnknown(of: realm.rawValue, team: key.teamID, key: key.keyID, limit: 500),
                "apple_grant_obtained_with"
            ),
            (.counts(after: nil, limit: 100), "apple_grant_pkey"),
            (.deleteUnusedProviders(of: realm), "apple_grant_key"),
            (.revokeUnused(UUID(), at: now), "linked_identity_transfer_sub"),
            (.deleteUnused(UUID()), "linked_identity_pkey"),
            (.deleteOutdated(UUID()), "apple_grant_subject"),
        ]
        for (statement, index) in statements {
            let plan = try await fixture.grants.accounts.database.plan(of: statement)
            #expect(plan.contains(index), "\(plan)")
            #expect(!plan.contains("Seq Scan on apple_grant"), "\(plan)")
            #expect(!plan.contains("Seq Scan on linked_identity"), "\(plan)")
        }
    }

    @Test("If more than 5 % of checks fail, no grant becomes REVOKED, and only a few grants are checked each hour")
    func failureRate() async throws {
        let fixture = try await Fixture()
        let replica = fixture.replica(receiving: .rejected(.invalidGrant))
        let client = AppleClientReference(realm: fixture.grants.realm, clientID: AppleGrantFixture.client)
        for hour in 1...2 {
            for _ in 0..<61 {
                let report = try await replica.run()
                #expect(report.revoked == 0)
                #expect(report.stopped == [client])
                fixture.clock.advanceOneMinute()
            }
            // At most two groups of 8 concurrent requests in 61 minutes: one at the beginning, and one an hour later.
            #expect(fixture.checked.counts.count <= hour * 16)
        }
        #expect(try await fixture.grantCount(where: "state = 'AUTHORIZED'") == Self.count)
        #expect(try await fixture.grantCount(where: "failure = 'invalid_grant'") == fixture.checked.counts.count)
    }
}
