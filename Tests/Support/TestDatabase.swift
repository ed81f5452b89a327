public import EventLoop
internal import FoundationEssentials
internal import Glibc
public import Postgres
internal import PrivatePostgres
internal import Storage
internal import Synchronization

/// A migrated, empty database for one test, in a PostgreSQL that this process started.
///
/// Later tests reuse the emptied database and its open connections, because copying the template database, connecting
/// and planning the first queries take longer than most tests.
public final class TestDatabase: Sendable {
    private let migrated: MigratedDatabase

    public var url: String { migrated.url }
    public var pool: Pool { migrated.pool }
    public var loop: Loop { pool.loop }

    public init() throws { migrated = try TestCluster.shared.migratedDatabase() }

    /// Whether no test has changed the schema. A database with another schema is not reused.
    public func hasOriginalSchema() async throws -> Bool { try await TestCluster.shared.hasOriginalSchema(pool) }

    /// Gives the database back, so that a later test can reuse it.
    deinit {
        Task(executorPreference: loop) { [migrated] in await TestCluster.shared.recycle(migrated) }
    }
}

struct MigratedDatabase: Sendable {
    let url: String
    let pool: Pool

    init(url: String, on loop: Loop) {
        self.url = url
        pool = Pool(loop: loop, configuration: Self.configuration(url: url, connections: 4))
    }

    /// Long deadlines: tests of race conditions send twenty concurrent requests over four connections, on machines that
    /// are busy with other tests.
    static func configuration(url: String, connections: Int) -> Pool.Configuration {
        Pool.Configuration(
            url: url, connections: connections, connectDeadline: .seconds(60), acquireDeadline: .seconds(60),
            statementDeadline: .seconds(60))
    }
}

/// The private PostgreSQL of a test run. It lives as long as the process.
public final class TestCluster: Sendable {
    public static let shared = TestCluster()

    public let loop: Loop
    private let server: PrivatePostgres
    private let directory: String
    /// The number of databases that were created for tests.
    private let created = Mutex(0)
    /// Databases that were emptied, for later tests.
    private let recycled = Mutex<[MigratedDatabase]>([])
    private let schemaFingerprint: String

    private init() {
        do {
            loop = try Loop(name: "tests")
            directory = FileManager.default.temporaryDirectory.path + "/sekisho-tests-\(UUID().uuidString.prefix(8))"
            // Databases keep their connections while they wait to be emptied, for longer on a busy machine.
            server = try PrivatePostgres.start(directory: directory, durable: false, connections: 1000)
            try server.createDatabase(named: "template_migrated")
            let pool = Pool(
                loop: loop, configuration: Pool.Configuration(url: server.url(database: "template_migrated")))
            schemaFingerprint = try loop.waitFor {
                // Otherwise a test of query plans fails if the statistics are collected while it fills a table.
                _ = try await pool.execute("ALTER SYSTEM SET autovacuum = off")
                _ = try await pool.execute("SELECT pg_reload_conf()")
                _ = try await Schema.migrate(pool)
                let fingerprint = try await pool.query(.schemaFingerprint).first?.decode("value", as: String.self)
                await pool.close()
                return fingerprint ?? ""
            }
        } catch {
            preconditionFailure("cannot start PostgreSQL for the tests and migrate it: \(error)")
        }
        atexit { TestCluster.shared.end() }
    }

    fileprivate func migratedDatabase() throws -> MigratedDatabase {
        if let database = recycled.withLock({ $0.popLast() }) { return database }
        return MigratedDatabase(url: try newDatabase(template: "template_migrated"), on: loop)
    }

    /// Empties a database for a later test. The database is not used again if a test changed its schema, if one of its
    /// connections is still busy, or if emptying fails.
    fileprivate func recycle(_ database: MigratedDatabase) async {
        do {
            guard try await hasOriginalSchema(database.pool), try await database.pool.query(.busyConnections).isEmpty
            else {
                return await database.pool.close()
            }
            _ = try await database.pool.execute(.emptyEveryTable)
            recycled.withLock { $0.append(database) }
        } catch {
            await database.pool.close()
        }
    }

    fileprivate func hasOriginalSchema(_ pool: Pool) async throws -> Bool {
        try await pool.query(.schemaFingerprint).first?.decode("value", as: String.self) == schemaFingerprint
    }

    /// Creates a database without tables, and returns its URL.
    public func emptyDatabase() throws -> String { try newDatabase(template: nil) }

    private func newDatabase(template: String?) throws -> String {
        let number = created.withLock { count in
            count += 1
            return count
        }
        try server.createDatabase(named: "test_\(number)", template: template)
        return server.url(database: "test_\(number)")
    }

    private func end() {
        server.stop()
        try? FileManager.default.removeItem(atPath: directory)  // leaving the temporary folder is not an error
    }
}

extension SQL {
    /// Selects a text that is equal for every copy of the template whose schema is unchanged.
    ///
    /// The text combines a hash of the names of tables, indexes and sequences with counts of columns, indexes,
    /// defaults, functions, triggers and constraints. Each count is followed by the sum of the IDs of the transactions
    /// that wrote these objects. PostgreSQL computes this text much faster than a hash of the definitions. Objects with
    /// OIDs below 16384 belong to PostgreSQL itself.
    fileprivate static let schemaFingerprint: SQL = """
        SELECT concat_ws(' ',
            (SELECT sum(hashtext(relname || relnamespace)) FROM pg_class
                WHERE oid >= 16384 AND relkind IN ('r', 'i', 'S')),
            (SELECT concat(count(*), '/', sum(xmin::text::bigint)) FROM pg_attribute WHERE attrelid >= 16384),
            (SELECT concat(count(*), '/', sum(xmin::text::bigint)) FROM pg_index WHERE indrelid >= 16384),
            (SELECT concat(count(*), '/', sum(xmin::text::bigint)) FROM pg_attrdef),
            (SELECT concat(count(*), '/', sum(xmin::text::bigint)) FROM pg_proc WHERE oid >= 16384),
            (SELECT concat(count(*), '/', sum(xmin::text::bigint)) FROM pg_trigger WHERE tgrelid >= 16384),
            (SELECT concat(count(*), '/', sum(xmin::text::bigint)) FROM pg_constraint WHERE conrelid >= 16384)) AS value
        """

    /// Selects the other connections to this database that execute a statement or have an open transaction.
    fileprivate static let busyConnections: SQL = """
        SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
            AND backend_type = 'client backend' AND state <> 'idle'
        """

    /// Empties every table except `schema_migration`. The value `replica` of `session_replication_role` disables
    /// triggers and foreign keys, so the order of the tables does not matter. For small tables, `DELETE` is faster than
    /// `TRUNCATE`.
    fileprivate static let emptyEveryTable: SQL = """
        DO $$
        DECLARE filled record;
        BEGIN
            SET LOCAL session_replication_role = replica;
            FOR filled IN SELECT oid::regclass AS name, pg_relation_size(oid) AS size FROM pg_class
                WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'schema_migration'
            LOOP
                IF filled.size > 262144 THEN
                    EXECUTE format('TRUNCATE %s CASCADE', filled.name);
                ELSIF filled.size > 0 THEN
                    EXECUTE format('DELETE FROM %s', filled.name);
                END IF;
            END LOOP;
        END $$
        """
}
