public import Identity
public import Postgres

/// The encrypted secrets of event endpoints, for encryption with a new master key.
public struct EncryptedEventSecrets: Sendable {
    /// A secret of an endpoint; one that was replaced still signs for some time.
    public struct Stored: Sendable {
        public let project: ID<Project>
        public let endpoint: ID<EventEndpoint>
        public let secret: [UInt8]
    }

    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Returns the secrets of all projects.
    public func all() async throws -> [Stored] {
        try await withStoreErrors {
            try await pool.query(
                """
                SELECT p.project_id, p.id, s.secret FROM event_endpoint p,
                    unnest(ARRAY[p.secret, p.previous_secret]) AS s (secret)
                WHERE s.secret IS NOT NULL ORDER BY p.project_id, p.id
                """)
        }.map {
            Stored(
                project: ID(try $0.decode("project_id")), endpoint: ID(try $0.decode("id")),
                secret: try $0.decode("secret"))
        }
    }

    /// Replaces the encrypted form of a secret, unless the secret was replaced in the meantime.
    public func reseal(_ stored: Stored, as sealed: [UInt8]) async throws {
        _ = try await withStoreErrors {
            try await pool.execute(
                """
                UPDATE event_endpoint SET
                    secret = CASE WHEN secret = \(stored.secret) THEN \(sealed) ELSE secret END,
                    previous_secret = CASE WHEN previous_secret = \(stored.secret) THEN \(sealed)
                        ELSE previous_secret END
                WHERE project_id = \(stored.project.rawValue) AND id = \(stored.endpoint.rawValue)
                """)
        }
    }
}
