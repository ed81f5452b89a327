import Encoding
import Postgres
import Support

extension TestDatabase {
    /// The output of `EXPLAIN`: the plan of a statement, which is not run.
    func plan(of statement: SQL) async throws -> String {
        try await pool.query("EXPLAIN \(statement)").map { try $0.decode("QUERY PLAN", as: String.self) }
            .joined(separator: "\n")
    }

    /// Creates accounts with an address, a session and an identity each. Truncates the tables first, because the
    /// planner may know their sizes from another test.
    func fill(accounts: Int) async throws {
        try await pool.execute("TRUNCATE account, replay_guard, revoked_subject CASCADE")
        try await pool.execute(
            """
            INSERT INTO account (realm_id, id, email, created_at, valid_since)
            SELECT 'demo', 'user' || n, 'user' || n || '@example.com', now(), now()
            FROM generate_series(1, \(accounts)) n
            """)
        try await pool.execute(
            """
            INSERT INTO session (realm_id, id, account_id, generation, method, authenticated_at, rotated_at, refreshed_at)
            SELECT 'demo', gen_random_uuid(), 'user' || n, 1, 'anonymous', now(), now(), now()
            FROM generate_series(1, \(accounts)) n
            """)
        try await pool.execute(
            """
            INSERT INTO linked_identity (realm_id, provider, subject, account_id, email_trust, is_private_email,
                created_at, linked_at)
            SELECT 'demo', 'apple.com', 'subject' || n, 'user' || n, 'none', false, now(), now()
            FROM generate_series(1, \(accounts)) n
            """)
    }
}

extension String {
    /// The number of searches by realm and ID in the primary key of a table, in a plan.
    ///
    /// - Parameter table: `nil` for all tables.
    func searches(byPrimaryKeyOf table: String? = nil) -> Int {
        let found = matches(of: #/(\w+)_pkey[^\n]*\n *Index Cond: \(\(realm_id = .*\) AND \(\(?id\)?(?:::text)? = /#)
        return found.count { match in table.map { match.output.1 == $0 } ?? true }
    }
}
