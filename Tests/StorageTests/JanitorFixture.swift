import Identity
import Postgres
import Support

/// A database for tests of the janitor (the job that deletes expired rows). The tests run it with the time ``now``.
struct JanitorFixture: Sendable {
    static let now = Instant(seconds: 1_800_000_000)

    let database = Result { try TestDatabase() }

    var pool: Pool { get throws { try database.get().pool } }

    func run(_ statement: SQL) async throws { _ = try await pool.execute(statement) }

    /// Returns the column `name` of the rows that a query returns, sorted.
    func names(_ query: SQL) async throws -> [String] {
        try await pool.query(query).map { try $0.decode("name", as: String.self) }.sorted()
    }

    /// Inserts a project. Its number, which must be unique, is derived from `anonymousLifetime` and the length of the
    /// ID.
    ///
    /// - Parameter anonymousLifetime: in seconds (default: unused anonymous accounts are kept).
    func insertProject(_ id: String = "demo", anonymousLifetime: Int = 0) async throws {
        try await run(
            """
            INSERT INTO realm (id, number, name, profile, policy, event_kinds, created_at)
            VALUES (\(id), \(anonymousLifetime + id.count), \(id), 'sekisho',
                jsonb_build_object('anonymousLifetime', \("\(anonymousLifetime)")::text), '{account.deleted}', now())
            """)
    }

    /// Inserts an account of generation 2. Its sessions of generation 1 are therefore revoked.
    ///
    /// - Parameter age: the time since the creation of the account and the last sign-in.
    func insertAccount(_ id: String, in realm: String = "demo", age: Duration = .zero) async throws {
        let createdAt = Timestamp(microsecondsSinceEpoch: (Self.now - age).microseconds)
        try await run(
            """
            INSERT INTO account (realm_id, id, created_at, last_sign_in_at, valid_since, generation)
            VALUES (\(realm), \(id), \(createdAt), \(createdAt), \(createdAt), 2)
            """)
    }

    /// - Parameter age: the time since the sign-in, the last refresh and, if the session has ended, its end.
    func insertSession(
        of account: String, in realm: String = "demo", method: String = "anonymous", generation: Int = 2,
        age: Duration, isEnded: Bool = false
    ) async throws {
        let used = Timestamp(microsecondsSinceEpoch: (Self.now - age).microseconds)
        try await run(
            """
            INSERT INTO session (realm_id, id, account_id, generation, method, authenticated_at, rotated_at,
                refreshed_at, ended_at)
            VALUES (\(realm), gen_random_uuid(), \(account), \(generation), \(method), \(used), \(used), \(used),
                CASE WHEN \(isEnded) THEN \(used) END)
            """)
    }
}
