import Postgres
import Support
import Testing

@Suite("Databases of tests")
struct TestDatabaseTests {
    @Test(
        "A database with another schema is not reused, because the change would reach a later test",
        arguments: [
            "CREATE TABLE extra (id text)",
            "CREATE SEQUENCE extra",
            "CREATE INDEX extra ON account (created_at)",
            "CREATE FUNCTION extra() RETURNS int LANGUAGE sql AS 'SELECT 1'",
            "ALTER TABLE account ADD COLUMN extra text",
            "ALTER TABLE account ALTER COLUMN id SET DEFAULT 'extra'",
            "ALTER TABLE account ADD CHECK (id <> 'extra')",
        ] as [SQL])
    func otherSchema(statement: SQL) async throws {
        let database = try TestDatabase()
        #expect(try await database.hasOriginalSchema())
        try await database.pool.execute(statement)
        #expect(try await !database.hasOriginalSchema())
    }
}
