public import Postgres

/// The number of connections that the PostgreSQL server allows for applications.
public struct ConnectionCapacity: Sendable {
    public let connections: Int

    public init(of pool: Pool) async throws {
        // Before PostgreSQL 16, `reserved_connections` does not exist.
        let rows = try await withStoreErrors {
            try await pool.query(
                """
                SELECT current_setting('max_connections')::bigint
                    - current_setting('superuser_reserved_connections')::bigint
                    - coalesce(current_setting('reserved_connections', true)::bigint, 0) AS connections
                """)
        }
        connections = try rows[0].decode("connections")
    }

    /// The number of connections that one gateway should use: half, because two gateways run during a restart.
    public var perGateway: Int { connections / 2 }
}
