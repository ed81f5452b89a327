public import EventLoop
internal import FoundationEssentials
internal import Glibc
public import Postgres
internal import PrivatePostgres
internal import Storage
internal import Synchronization

/// A migrated, empty database for one test, in a PostgreSQL that this process started.
///
/// A database is emptied and used again by a later test, because copying the template for each test costs more than most
/// tests do.
public final class TestDatabase: Sendable {
    public let url: String
    public let loop: Loop
    public let pool: Pool

    /// - Parameter loop: the loop on which the pool runs.
    public init(on loop: Loop = TestCluster.shared.loop) throws {
        self.loop = loop
        url = try TestCluster.shared.migratedDatabase()
        // Long deadlines: tests of race conditions send twenty concurrent requests over four connections, on machines
        // that are busy with other tests.
        pool = Pool(
            loop: loop,
            configuration: Pool.Configuration(
                url: url, acquireDeadline: .seconds(60), statementDeadline: .seconds(60)))
    }

    /// Closes the connections and returns the database for reuse.
    deinit {
        Task(executorPreference: loop) { [pool, url] in
            await pool.close()
            await TestCluster.shared.recycle(url)
        }
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
    /// URLs of databases that were emptied, for later tests.
    private let recycled = Mutex<[String]>([])
    private let schemaFingerprint: String

    private init() {
        do {
            loop = try Loop(name: "tests")
            directory = FileManager.default.temporaryDirectory.path + "/sekisho-tests-\(UUID().uuidString.prefix(8))"
            server = try PrivatePostgres.start(directory: directory, durable: false)
            try server.createDatabase(named: "template_migrated")
            let pool = Pool(
                loop: loop, configuration: Pool.Configuration(url: server.url(database: "template_migrated")))
            schemaFingerprint = try loop.waitFor {
                _ = try await Schema.migrate(pool)
                let fingerprint = try await pool.query(.schemaFingerprint).first?.decode("value", as: String.self)
                await pool.close()
                return fingerprint ?? ""
            }
        } catch {
            preconditionFailure("the tests need a PostgreSQL: \(error)")
        }
        atexit { TestCluster.shared.end() }
    }

    fileprivate func migratedDatabase() throws -> String {
        if let url = recycled.withLock({ $0.popLast() }) { return url }
        return try newDatabase(template: "template_migrated")
    }

    /// Empties a database for a later test. If a test changed its schema, or if emptying fails, it is not used again.
    fileprivate func recycle(_ url: String) async {
        let pool = Pool(loop: loop, configuration: Pool.Configuration(url: url, acquireDeadline: .seconds(60)))
        let fingerprint = try? await pool.query(.schemaFingerprint).first?.decode("value", as: String.self)
        let isEmpty = (try? await pool.execute(.emptyEveryTable)) != nil  // a failure means that it is not used again
        await pool.close()
        if isEmpty, fingerprint == schemaFingerprint { recycled.withLock { $0.append(url) } }
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
    /// A hash of columns, constraints and indexes, and of the number of triggers.
    fileprivate static let schemaFingerprint: SQL = """
        SELECT md5(
            (SELECT string_agg(concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default), ','
                ORDER BY table_name, column_name) FROM information_schema.columns WHERE table_schema = 'public')
            || (SELECT string_agg(conname || pg_get_constraintdef(oid), ',' ORDER BY conname, oid) FROM pg_constraint
                WHERE connamespace = 'public'::regnamespace)
            || (SELECT string_agg(indexdef, ',' ORDER BY indexname) FROM pg_indexes WHERE schemaname = 'public')
            || (SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal)) AS value
        """

    /// Empties every table except `schema_migration`. For small tables, `DELETE` is faster than `TRUNCATE`.
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
