import Postgres
import Support

extension TestDatabase {
    /// Ends the connections whose statements wait for a lock.
    func endWaitingConnections() async throws {
        // All connections of `pool` may be waiting.
        try await withSeparateConnection { separate in
            _ = try await separate.query(
                "SELECT pg_terminate_backend(pid) AS ended FROM (\(Self.blockedConnections)) blocked")
        }
    }
}
