public import Postgres

extension TestDatabase {
    /// Selects the connections to this database whose statements wait for locks.
    public static let blocked: SQL = """
        SELECT pid FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' AND state = 'active'
        """

    /// Returns when at least `count` statements wait for locks, or when `isDone` returns `true`.
    ///
    /// - Throws: ``NoBlockedStatement`` after about a minute.
    public func waitForBlockedStatements(_ count: Int = 1, unless isDone: () -> Bool = { false }) async throws {
        // All connections of `pool` may wait for locks.
        let observer = Pool(loop: loop, configuration: Pool.Configuration(url: url, connections: 1))
        defer { Task(executorPreference: loop) { await observer.close() } }
        for _ in 1...12_000 {
            if try await observer.query(Self.blocked).count >= count || isDone() { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        throw NoBlockedStatement()
    }
}

struct NoBlockedStatement: Error {}
