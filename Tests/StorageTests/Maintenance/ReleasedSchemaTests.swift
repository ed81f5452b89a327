import Foundation
import Postgres
import Storage
import Support
import Testing

/// Upgrades databases of earlier releases. Each file of `Tests/ReleasedSchemas` is a database with rows in its tables,
/// as it was after the migration that the file is named after. `test_upgrades.py` records the files.
@Suite("Upgrades from released schemas")
struct ReleasedSchemaTests {
    /// A migration that a later release could have.
    static let later = Migration(
        name: "m9999_later",
        sql: Array(
            """
            ALTER TABLE account ADD later_count bigint NOT NULL DEFAULT 0 CHECK (later_count >= 0);
            CREATE INDEX account_later ON account (realm_id, later_count);
            CREATE TABLE later (
                realm_id text COLLATE "C" NOT NULL REFERENCES realm (id), id text, PRIMARY KEY (realm_id, id));
            INSERT INTO later SELECT realm_id, id FROM account;
            """.utf8))

    @Test("A database of a release has the schema of a new one after its upgrade", arguments: try releases())
    func upgrade(release: Release) async throws {
        for migrations in [[Migration].all, .all + [Self.later]] {
            let upgraded = try await database(migrated: migrations, after: release)
            let new = try await database(migrated: migrations, after: nil)
            #expect(upgraded.schema == new.schema)
            #expect(upgraded.accounts > 0 && new.accounts == 0)
        }
    }

    /// A migration that succeeds only in an empty database would pass every other test.
    @Test("A migration that the rows of a release violate fails", arguments: try releases())
    func rowsAreChecked(release: Release) async throws {
        let unsafe = Migration(name: "m9999_unsafe", sql: Array("ALTER TABLE account ADD later text NOT NULL".utf8))
        _ = try await database(migrated: .all + [unsafe], after: nil)
        let error = await #expect(throws: MigrationError.self) {
            _ = try await database(migrated: .all + [unsafe], after: release)
        }
        guard case .failed("m9999_unsafe", _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}

/// A recorded database.
struct Release: CustomTestStringConvertible, Sendable {
    /// The name of its last migration.
    let name: String
    let script: [UInt8]

    var testDescription: String { name }
}

private func releases() throws -> [Release] {
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast(3)
    let folder = parts.joined(separator: "/") + "/ReleasedSchemas"
    return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { file in
        Release(
            name: file.replacing(".sql", with: ""),
            script: Array(try Data(contentsOf: URL(filePath: folder + "/" + file))))
    }
}

/// Migrates a new database, which begins with the rows of a release if one is given.
private func database(
    migrated migrations: [Migration], after release: Release?
) async throws -> (schema: String, accounts: Int) {
    let pool = Pool(
        loop: TestCluster.shared.loop,
        configuration: Pool.Configuration(
            url: try TestCluster.shared.emptyDatabase(), statementDeadline: .seconds(60)))
    do {
        if let release {
            // Only migrations are scripts of several statements. The name precedes those of all others.
            _ = try await Migrator(migrations: [Migration(name: "a_restore", sql: release.script)]).apply(with: pool)
            try await pool.execute("DELETE FROM schema_migration WHERE name = 'a_restore'")
        }
        _ = try await Migrator(migrations: migrations).apply(with: pool)
        let schema: String = try await pool.query(.schemaDescription)[0].decode("value")
        let accounts: Int = try await pool.query("SELECT count(*) AS value FROM account")[0].decode("value")
        await pool.close()
        return (schema, accounts)
    } catch {
        await pool.close()
        throw error
    }
}

extension SQL {
    /// Selects a text with the definitions of columns, constraints and indexes, and with the settings of tables.
    fileprivate static let schemaDescription: SQL = """
        SELECT string_agg(line, E'\\n' ORDER BY line COLLATE "C") AS value FROM (
            SELECT concat_ws(' ', a.attrelid::regclass, a.attnum, a.attname, format_type(a.atttypid, a.atttypmod),
                a.attnotnull, a.attcollation::regcollation, pg_get_expr(d.adbin, d.adrelid)) AS line
            FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid AND c.relkind = 'r'
            LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
            WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
            UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
            WHERE connamespace = 'public'::regnamespace
            UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
            UNION ALL SELECT concat_ws(' ', oid::regclass, reloptions) FROM pg_class
            WHERE relnamespace = 'public'::regnamespace) description
        """
}
