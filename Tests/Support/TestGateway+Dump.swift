import Encoding
import Postgres
import Testing

extension TestGateway {
    /// Every row of every table, as text.
    func databaseDump() async throws -> String {
        try await tables().map(\.rows).joined(separator: "\n")
    }

    /// The tables with a row that contains the text, in its values or in the names of its columns.
    func tables(containing text: String) async throws -> [String] {
        try await tables().filter { $0.rows.contains(text) }.map(\.name)
    }

    private func tables() async throws -> [(name: String, rows: String)] {
        try await database.pool.query(
            """
            SELECT tablename, query_to_xml(format('SELECT to_jsonb(t)::text AS row FROM %I t', tablename), false, false,
                '')::text AS rows FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename
            """
        ).map { (name: try $0.decode("tablename"), rows: try $0.decode("rows")) }
    }

    /// The number of accounts in all projects and tenants.
    func accountCount() async throws -> Int {
        let rows = try await database.pool.query("SELECT count(*) AS count FROM account")
        return try #require(rows.first).decode("count")
    }
}
