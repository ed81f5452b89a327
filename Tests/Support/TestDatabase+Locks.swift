public import Postgres

extension TestDatabase {
    /// Selects the connections to this database whose statements wait for locks.
    public static let blockedConnections: SQL = """
        SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND state = 'active'
        """

    /// Returns when at least `count` statements wait for locks, or when `isDone` returns `true`.
    ///
    /// - Throws: ``NoBlockedStatement`` after about a minute.
    public func waitForBlockedStatements(_ count: Int = 1, unless isDone: () -> Bool = { false }) async throws {
        // All connections of `pool` may wait for locks.
        try await withSeparateConnection { observer in
            for _ in 1...12_000 {
                if try await observer.query(Self.blockedConnections).count >= count || isDone() { return }
                try await Task.sleep(for: .milliseconds(5))
            }
            throw NoBlockedStatement()
        }
    }

    /// Runs `body` with a pool of one connection, and then closes the connection.
    public func withSeparateConnection(_ body: (Pool) async throws -> Void) async throws {
        let separate = Pool(loop: loop, configuration: MigratedDatabase.configuration(url: url, connections: 1))
        defer { Task(executorPreference: loop) { await separate.close() } }
        try await body(separate)
    }
}

struct NoBlockedStatement: Error {}
