public import EventLoop
internal import FoundationEssentials
internal import Glibc
public import Postgres
internal import PrivatePostgres
internal import Storage
internal import Synchronization

/// A database of its own for a test: a copy of one that was migrated once, in a PostgreSQL that this process started.
public final class TestDatabase: Sendable {
    public let url: String
    public let loop: Loop
    public let pool: Pool

    /// - Parameter loop: where the pool lives.
    public init(on loop: Loop = TestCluster.shared.loop) throws {
        self.loop = loop
        url = try TestCluster.shared.freshDatabase()
        // Patient: races of twenty share four connections, on machines that are busy with other tests.
        pool = Pool(
            loop: loop,
            configuration: Pool.Configuration(
                url: url, acquireDeadline: .seconds(60), statementDeadline: .seconds(60)))
    }

    /// Gives its connections back: the many tests of a run share what one server takes.
    deinit {
        Task(executorPreference: loop) { [pool] in await pool.close() }
    }
}

/// The private PostgreSQL of a test run. It lives as long as the process.
public final class TestCluster: Sendable {
    public static let shared = TestCluster()

    public let loop: Loop
    private let server: PrivatePostgres
    private let directory: String
    private let copies = Mutex(0)

    private init() {
        do {
            loop = try Loop(name: "tests")
            directory = FileManager.default.temporaryDirectory.path + "/sekisho-tests-\(UUID().uuidString.prefix(8))"
            server = try PrivatePostgres.start(directory: directory, durable: false)
            try server.createDatabase(named: "template_migrated")
            let pool = Pool(
                loop: loop, configuration: Pool.Configuration(url: server.url(database: "template_migrated")))
            _ = try loop.waitFor {
                let applied = try await Migrator(migrations: .all).apply(with: pool)
                await pool.close()
                return applied
            }
        } catch {
            preconditionFailure("the tests need a PostgreSQL: \(error)")
        }
        atexit { TestCluster.shared.end() }
    }

    fileprivate func freshDatabase() throws -> String {
        // One at a time: PostgreSQL copies a template only while nobody else does.
        try copies.withLock { count in
            count += 1
            try server.createDatabase(named: "test_\(count)", template: "template_migrated")
            return server.url(database: "test_\(count)")
        }
    }

    /// A database that nobody migrated.
    public func emptyDatabase() throws -> String {
        try copies.withLock { count in
            count += 1
            try server.createDatabase(named: "test_\(count)")
            return server.url(database: "test_\(count)")
        }
    }

    private func end() {
        server.stop()
        try? FileManager.default.removeItem(atPath: directory)  // a temporary folder that is left is no failure
    }
}
