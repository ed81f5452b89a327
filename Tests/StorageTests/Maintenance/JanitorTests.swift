import Encoding
import Identity
import Postgres
import Storage
import Support
import Testing

/// The janitor is the job that deletes rows that have expired or are no longer needed.
@Suite("The janitor")
struct JanitorTests {
    private static let day: Duration = .seconds(86_400)

    struct Row: CustomTestStringConvertible {
        let kind: Janitor.Kind
        /// Inserts a row with a name, `old` or `young`, and the time from which its retention period is counted.
        let insert: @Sendable (_ name: String, _ time: Timestamp) -> SQL
        /// Selects the names of the rows.
        let names: SQL
        /// A row is deleted when more than this duration has passed since the `time` of `insert`.
        let retention: Duration

        var testDescription: String { kind.rawValue }
    }

    private static let epoch = Timestamp(microsecondsSinceEpoch: 0)

    private static let rows: [Row] = [
        Row(
            kind: .replayKey,
            insert: {
                "INSERT INTO replay_guard VALUES (\($0), decode(repeat('ab', 32), 'hex'), \($1))"
            }, names: "SELECT realm_id AS name FROM replay_guard", retention: .seconds(300)),
        Row(
            kind: .revokedSubject,
            insert: {
                "INSERT INTO revoked_subject VALUES (\($0), decode(repeat('ab', 32), 'hex'), \(epoch), \($1))"
            }, names: "SELECT realm_id AS name FROM revoked_subject", retention: .seconds(300)),
        Row(
            kind: .authorizationFlow,
            insert: {
                """
                INSERT INTO authorization_flow (state_hash, realm_id, expires_at)
                VALUES (sha256(\($0)::text::bytea), \($0), \($1))
                """
            }, names: "SELECT realm_id AS name FROM authorization_flow", retention: .seconds(300)),
        Row(
            kind: .signInFlow,
            insert: {
                """
                INSERT INTO sign_in_flow (realm_id, flow_hash, content, attempts, expires_at)
                VALUES (\($0), sha256(\($0)::text::bytea), '', 0, \($1))
                """
            },
            names: "SELECT realm_id AS name FROM sign_in_flow", retention: .seconds(300)),
        Row(
            kind: .browserSession,
            insert: {
                """
                INSERT INTO browser_session
                VALUES (\($0), sha256(\($0)::text::bytea), gen_random_uuid(), 60, \($1), \($1))
                """
            }, names: "SELECT realm_id AS name FROM browser_session", retention: .seconds(300)),
        Row(
            kind: .signInCode,
            insert: {
                """
                WITH inserted AS (INSERT INTO account (realm_id, id, created_at, valid_since)
                    VALUES ('demo', \($0), \(epoch), \(epoch)))
                INSERT INTO sign_in_code (realm_id, code_hash, flow_hash, app_id, target, challenge, account_id,
                    generation, source_session_id, ends_session, is_new_account, is_continued, expires_at, kept_until)
                VALUES ('demo', sha256(\($0)::text::bytea), sha256(\($0)::text::bytea), 'web', '', sha256('c'), \($0), 1,
                    gen_random_uuid(), false, false, false, \(epoch), \($1))
                """
            }, names: "SELECT account_id AS name FROM sign_in_code", retention: .seconds(300)),
        Row(
            kind: .oobCode,
            insert: {
                """
                INSERT INTO oob_code (hash, realm_id, purpose, email, created_at, expires_at)
                VALUES (sha256(\($0)::text::bytea), \($0), 'EMAIL_SIGNIN', 'ada@example.com', \(epoch), \($1))
                """
            }, names: "SELECT realm_id AS name FROM oob_code", retention: .seconds(86_400)),
        // The counter has no column for a name. Its count is the length of the name: 3 for `old`.
        Row(
            kind: .rateLimitCounter,
            insert: {
                "INSERT INTO rate_limit_counter VALUES (sha256(\($0)::text::bytea), \(epoch), length(\($0)), \($1))"
            }, names: "SELECT CASE count WHEN 3 THEN 'old' ELSE 'young' END AS name FROM rate_limit_counter",
            retention: .seconds(300)),
        Row(
            kind: .outgoingEmail,
            insert: {
                """
                INSERT INTO outgoing_email
                    (id, realm_id, kind, recipient, content, created_at, due_at, expires_at, failed_at)
                VALUES (gen_random_uuid(), \($0), 'k', 'a@example.com', '', \(epoch), \(epoch), \(epoch), \($1))
                """
            }, names: "SELECT realm_id AS name FROM outgoing_email", retention: .seconds(7 * 86_400)),
        Row(
            kind: .phoneCode,
            insert: {
                """
                INSERT INTO phone_code (realm_id, hash, project_id, purpose, phone_number, calling_code, code_hash,
                    is_sent, created_at, expires_at)
                VALUES (\($0), sha256(\($0)::text::bytea), \($0), 'SIGN_IN_OR_SIGN_UP', '+15555550100', '1',
                    sha256('code'), true, \(epoch), \($1))
                """
            }, names: "SELECT realm_id AS name FROM phone_code", retention: .seconds(86_400)),
        Row(
            kind: .outgoingSMS,
            insert: {
                """
                INSERT INTO outgoing_sms (realm_id, id, is_idempotent, created_at, due_at, expires_at, failed_at)
                VALUES (\($0), gen_random_uuid(), true, \(epoch), \(epoch), \(epoch), \($1))
                """
            }, names: "SELECT realm_id AS name FROM outgoing_sms", retention: .seconds(7 * 86_400)),
        Row(
            kind: .outbox,
            insert: {
                "INSERT INTO outbox VALUES (gen_random_uuid(), \($0), 'account.deleted', 'ada', 'system', '{}', \($1))"
            }, names: "SELECT realm_id AS name FROM outbox", retention: .seconds(30 * 86_400)),
        Row(
            kind: .accountEvent,
            insert: {
                """
                WITH project AS (INSERT INTO realm (id, number, name, profile, created_at)
                    VALUES ('demo', 1, 'Demo', 'sekisho', \(epoch)) ON CONFLICT DO NOTHING)
                INSERT INTO account_event
                SELECT 'demo', count(*) + 1, gen_random_uuid(), 'demo', 'account.deleted', \($0), 'system', '{}', \($1)
                FROM account_event
                """
            }, names: "SELECT account_id AS name FROM account_event", retention: .seconds(30 * 86_400)),
        Row(
            kind: .eventDelivery,
            insert: {
                """
                WITH project AS (INSERT INTO realm (id, number, name, profile, created_at)
                    VALUES ('demo', 1, 'Demo', 'sekisho', \(epoch)) ON CONFLICT DO NOTHING),
                endpoint AS (INSERT INTO event_endpoint (project_id, id, secret, last_sequence, created_at)
                    VALUES ('demo', \($0), '', 0, \(epoch)) RETURNING project_id, id)
                INSERT INTO event_delivery (project_id, endpoint_id, sequence, state, attempts, attempted_at)
                SELECT project_id, id, 1, 'delivered', 1, \($1) FROM endpoint
                """
            }, names: "SELECT endpoint_id AS name FROM event_delivery", retention: .seconds(7 * 86_400)),
        Row(
            kind: .hourlyCount,
            insert: {
                """
                WITH project AS (INSERT INTO realm (id, number, name, profile, created_at)
                    VALUES ('demo', 1, 'Demo', 'sekisho', \(epoch)) ON CONFLICT DO NOTHING)
                INSERT INTO hourly_count VALUES ('demo', date_trunc('hour', \($1)::timestamptz, 'UTC'), 'k', \($0), 1)
                """
            }, names: "SELECT label AS name FROM hourly_count", retention: .seconds(40 * 86_400)),
        // The day of a count ends at midnight, which is eight hours before the time of the test.
        Row(
            kind: .dailyCount,
            insert: {
                """
                WITH project AS (INSERT INTO realm (id, number, name, profile, created_at)
                    VALUES ('demo', 1, 'Demo', 'sekisho', \(epoch)) ON CONFLICT DO NOTHING)
                INSERT INTO daily_count VALUES
                    ('demo', ((\($1)::timestamptz - interval '8 hours') AT TIME ZONE 'UTC')::date, 'k', \($0), 1)
                """
            }, names: "SELECT label AS name FROM daily_count", retention: .seconds(730 * 86_400)),
        Row(
            kind: .knownNetwork,
            insert: {
                """
                WITH inserted AS (INSERT INTO account (realm_id, id, created_at, valid_since)
                    VALUES ('demo', \($0), \(epoch), \(epoch)))
                INSERT INTO known_network VALUES ('demo', \($0), decode(repeat('ab', 16), 'hex'), \($1))
                """
            }, names: "SELECT account_id AS name FROM known_network", retention: .seconds(30 * 86_400)),
        Row(
            kind: .accountMerge,
            insert: {
                "INSERT INTO account_merge VALUES ('demo', \($0), 'target', \(epoch), \($1), 1, '{}')"
            }, names: "SELECT source_id AS name FROM account_merge", retention: .zero),
    ]

    @Test("Rows older than their retention period are deleted, and others are kept", arguments: rows)
    func expiry(row: Row) async throws {
        let fixture = JanitorFixture()
        try await fixture.insertAccount("target")
        let end = (JanitorFixture.now - row.retention).microseconds
        try await fixture.run(row.insert("old", Timestamp(microsecondsSinceEpoch: end - 1)))
        try await fixture.run(row.insert("young", Timestamp(microsecondsSinceEpoch: end)))
        let janitor = Janitor(pool: try fixture.pool)
        for kind in Janitor.Kind.allCases {
            #expect(try await janitor.remove(kind, at: JanitorFixture.now) == (kind == row.kind ? 1 : 0))
        }
        #expect(try await fixture.names(row.names) == ["young"])
    }

    @Test("A failed email is not deleted before it expires, even after a week; a waiting email is never deleted")
    func emails() async throws {
        let fixture = JanitorFixture()
        let (past, future) = (Timestamp(microsecondsSinceEpoch: 0), Timestamp(microsecondsSinceEpoch: .max / 2))
        let emails: [(name: String, expiresAt: Timestamp, failedAt: Timestamp?)] = [
            ("expired", past, past), ("valid", future, past), ("waiting", past, nil),
        ]
        for (name, expiresAt, failedAt) in emails {
            try await fixture.run(
                """
                INSERT INTO outgoing_email
                    (id, realm_id, kind, recipient, content, created_at, due_at, expires_at, failed_at)
                VALUES (gen_random_uuid(), \(name), 'k', 'a@example.com', '', \(past), \(past), \(expiresAt), \(failedAt))
                """)
        }
        #expect(try await Janitor(pool: fixture.pool).remove(.outgoingEmail, at: JanitorFixture.now) == 1)
        #expect(try await fixture.names("SELECT realm_id AS name FROM outgoing_email") == ["valid", "waiting"])
    }

    @Test("Ended and revoked sessions that were unused for more than thirty days are deleted, page by page")
    func sessions() async throws {
        let fixture = JanitorFixture()
        try await fixture.insertAccount("ada")
        let month = Self.day * 30
        // The method serves as the name of the session. The account has generation 2, so sessions of generation 1 are
        // revoked.
        let sessions: [(method: String, generation: Int, age: Duration, isEnded: Bool)] = [
            ("ended", 2, month + .microseconds(1), true), ("revoked", 1, month + .microseconds(1), false),
            ("ended recently", 2, month, true), ("revoked recently", 1, month, false),
            ("old but active", 2, month * 40, false),
        ]
        for session in sessions {
            try await fixture.insertSession(
                of: "ada", method: session.method, generation: session.generation, age: session.age,
                isEnded: session.isEnded)
        }
        var limits = Janitor.PassLimits()
        limits.batchSize = 2
        #expect(try await Janitor(pool: fixture.pool, limits: limits).remove(.session, at: JanitorFixture.now) == 2)
        #expect(
            try await fixture.names("SELECT method AS name FROM session")
                == ["ended recently", "old but active", "revoked recently"])
    }

    @Test("A pass over the sessions continues where the previous one stopped, and restarts at the end")
    func pages() async throws {
        let fixture = JanitorFixture()
        try await fixture.insertAccount("ada")
        for _ in 1...7 { try await fixture.insertSession(of: "ada", age: Self.day * 31, isEnded: true) }
        var limits = Janitor.PassLimits()
        (limits.batchSize, limits.pages) = (2, 1)
        let janitor = Janitor(pool: try fixture.pool, limits: limits)
        var removed: [Int] = []
        for _ in 1...4 { removed.append(try await janitor.remove(.session, at: JanitorFixture.now)) }
        // One page of two sessions in each pass.
        #expect(removed == [2, 2, 2, 1])
        try await fixture.insertSession(of: "ada", age: Self.day * 31, isEnded: true)
        #expect(try await janitor.remove(.session, at: JanitorFixture.now) == 1)
    }

    @Test("A pass deletes a limited number of batches, and leaves the remaining rows for the next pass")
    func batches() async throws {
        let fixture = JanitorFixture()
        try await fixture.run(
            """
            INSERT INTO replay_guard SELECT 'demo', sha256(n::text::bytea), 'epoch' FROM generate_series(1, 25) n
            """)
        var limits = Janitor.PassLimits()
        (limits.batchSize, limits.batches) = (5, 3)
        let janitor = Janitor(pool: try fixture.pool, limits: limits)
        var removed: [Int] = []
        for _ in 1...3 { removed.append(try await janitor.remove(.replayKey, at: JanitorFixture.now)) }
        // Three batches of five rows in each pass.
        #expect(removed == [15, 10, 0])
    }

    @Test("Two concurrent janitors delete each row once, and skip locked rows")
    func concurrentJanitors() async throws {
        let fixture = JanitorFixture()
        try await fixture.insertProject("brief", anonymousLifetime: 30 * 86_400)
        for number in 0..<40 {
            try await fixture.insertAccount("p\(number)", in: "brief", age: Self.day * 31)
            try await fixture.insertSession(of: "p\(number)", in: "brief", age: Self.day * 31)
        }
        try await fixture.run(
            "INSERT INTO replay_guard SELECT 'demo', sha256(n::text::bytea), 'epoch' FROM generate_series(1, 200) n")
        var limits = Janitor.PassLimits()
        limits.batchSize = 10
        let janitors = [
            Janitor(pool: try fixture.pool, limits: limits), Janitor(pool: try fixture.pool, limits: limits),
        ]
        let removed = try await fixture.pool.transaction { transaction in
            _ = try await transaction.query("SELECT id FROM account WHERE id = 'p7' FOR UPDATE")
            return try await withThrowingTaskGroup(of: [Int].self) { group in
                for janitor in janitors {
                    group.addTask {
                        [
                            try await janitor.remove(.replayKey, at: JanitorFixture.now),
                            try await janitor.remove(.account, at: JanitorFixture.now),
                        ]
                    }
                }
                return try await group.reduce([0, 0]) { [$0[0] + $1[0], $0[1] + $1[1]] }
            }
        }
        #expect(removed[1] == 39, "every account except the locked one")
        #expect(try await fixture.names("SELECT id AS name FROM account") == ["p7"])
        let remaining = try await janitors[0].remove(.replayKey, at: JanitorFixture.now)
        #expect(removed[0] + remaining == 200)
        #expect(try await janitors[0].remove(.account, at: JanitorFixture.now) == 1)
    }

    @Test("No index of sessions contains a column that a refresh changes, unless the refresh ends the session")
    func indexes() async throws {
        let fixture = JanitorFixture()
        let columns = try await fixture.names(
            """
            SELECT DISTINCT a.attname::text AS name FROM pg_index i
            JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
            WHERE i.indrelid = 'session'::regclass
            """)
        #expect(columns == ["account_id", "ended_at", "id", "realm_id"])
    }
}
