import Postgres
import Support
import Testing

extension TestDatabase {
    /// Returns as soon as a statement waits for a lock.
    func waitForLock() async throws {
        for _ in 1...10_000 {
            let waiting = try await pool.query(
                """
                SELECT pid FROM pg_stat_activity
                WHERE datname = current_database() AND wait_event_type = 'Lock' AND state = 'active'
                """)
            if !waiting.isEmpty { return }
        }
        Issue.record("no statement waits for a lock")
    }

    /// Ends the connections whose statements wait for a lock.
    func endWaitingConnections() async throws {
        _ = try await pool.query(
            """
            SELECT pg_terminate_backend(pid) AS ended FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock' AND state = 'active'
            """)
    }
}
