import Postgres
import Support

extension TestDatabase {
    /// Ends the connections whose statements wait for a lock.
    func endWaitingConnections() async throws {
        _ = try await pool.query(
            """
            SELECT pg_terminate_backend(pid) AS ended FROM (\(Self.blocked)) blocked
            """)
    }
}
