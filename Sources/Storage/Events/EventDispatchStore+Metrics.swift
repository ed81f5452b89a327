public import Identity
internal import Postgres

/// Figures for the metrics.
extension EventDispatchStore {
    /// The state of an endpoint, for the metrics.
    public struct EndpointState: Sendable {
        public let key: Key
        /// The age of the oldest event that was not sent to the endpoint.
        public let lag: Duration
        public let isDisabled: Bool
    }

    /// Returns the states of the endpoints with a URL.
    public func endpointStates(of projects: [ID<Project>], at now: Instant) async throws -> [EndpointState] {
        guard !projects.isEmpty else { return [] }
        return try await withStoreErrors {
            try await pool.query(
                """
                SELECT p.project_id, p.id, p.disabled_at IS NOT NULL AS is_disabled, (SELECT e.created_at
                    FROM account_event e WHERE e.project_id = p.project_id AND e.sequence > p.last_sequence
                    ORDER BY e.sequence LIMIT 1) AS oldest
                FROM event_endpoint p
                WHERE p.project_id = ANY (\(projects.map(\.rawValue))) AND p.url IS NOT NULL
                ORDER BY p.project_id, p.id LIMIT 1000
                """)
        }.map { row in
            EndpointState(
                key: Key(project: ID(try row.decode("project_id")), endpoint: ID(try row.decode("id"))),
                lag: try row.eventTime("oldest").map { max(.zero, now - $0) } ?? .zero,
                isDisabled: try row.decode("is_disabled"))
        }
    }

    /// Returns figures for the metrics.
    public func backlog(at now: Instant) async throws -> Backlog {
        let rows = try await withStoreErrors {
            try await pool.query(
                """
                SELECT (SELECT min(o.created_at) FROM event_stream s CROSS JOIN LATERAL (
                        SELECT created_at FROM outbox WHERE project_id = s.project_id ORDER BY created_at, id LIMIT 1) o
                        WHERE \(Self.isNotDeleted)) AS oldest,
                    (SELECT count(*) FROM event_endpoint WHERE disabled_at IS NOT NULL) AS disabled,
                    (SELECT max(s.last_sequence - p.last_sequence) FROM event_endpoint p
                        JOIN event_stream s ON s.project_id = p.project_id WHERE p.url IS NOT NULL) AS behind
                """)
        }
        guard let row = rows.first else { return Backlog(oldestUnnumbered: .zero, disabled: 0, behind: 0) }
        return Backlog(
            oldestUnnumbered: try row.eventTime("oldest").map { max(.zero, now - $0) } ?? .zero,
            disabled: try row.decode("disabled"), behind: try row.decode("behind", as: Int?.self) ?? 0)
    }

    public struct Backlog: Sendable {
        /// The age of the oldest event that is not numbered.
        public let oldestUnnumbered: Duration
        /// The number of disabled endpoints.
        public let disabled: Int
        /// The largest number of events that an endpoint is behind its project.
        public let behind: Int
    }
}
