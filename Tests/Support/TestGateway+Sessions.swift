import Postgres

extension TestGateway {
    /// Copies the only session of the database. Each copy has an earlier login and a later use than the one before it.
    func copySession(times count: Int) async throws {
        _ = try await database.pool.execute(
            """
            INSERT INTO session
                (realm_id, id, account_id, generation, method, authenticated_at, rotated_at, refreshed_at)
            SELECT realm_id, gen_random_uuid(), account_id, generation, method,
                authenticated_at - n * interval '1 second', rotated_at, refreshed_at + n * interval '1 second'
            FROM session, generate_series(1, \(count)) n
            """)
    }
}
