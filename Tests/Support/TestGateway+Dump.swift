import Postgres

extension TestGateway {
    /// Every row of every table, as text.
    func dump() async throws -> String {
        let rows = try await database.pool.query(
            """
            SELECT query_to_xml(format('SELECT to_jsonb(t)::text AS row FROM %I t', tablename), false, false, '')::text AS rows
            FROM pg_tables WHERE schemaname = 'public'
            """)
        return try rows.map { try $0.decode("rows", as: String.self) }.joined(separator: "\n")
    }
}
