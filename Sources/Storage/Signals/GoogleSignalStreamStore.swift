internal import Encoding
public import Identity
public import Postgres

/// The registrations of streams at Google; see ``GoogleSignalStore``.
public struct GoogleSignalStreamStore: Sendable {
    public struct Stored: Sendable {
        public let project: ID<Project>
        /// The JSON of the service account's key; encrypted.
        public let serviceAccount: [UInt8]
        public let url: String
        public let registeredAt: Instant
        /// When the latest test event was requested, and when one last arrived.
        public let requestedAt: Instant?
        public let verifiedAt: Instant?
        /// The number of consecutive tests that did not arrive.
        public let misses: Int
    }

    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public func all() async throws -> [Stored] {
        try await withStoreErrors {
            try await pool.query("SELECT \(Self.columns) FROM google_signal_stream ORDER BY project_id")
        }.map(Stored.init)
    }

    public func stream(of project: ID<Project>) async throws -> Stored? {
        try await withStoreErrors {
            try await pool.query(
                "SELECT \(Self.columns) FROM google_signal_stream WHERE project_id = \(project.rawValue)")
        }.first.map(Stored.init)
    }

    /// Stores a registration, or replaces an earlier one.
    public func save(
        _ serviceAccount: [UInt8], url: String, by actor: AuditActor, at now: Instant, of project: ID<Project>
    ) async throws {
        try await withStoreErrors {
            try await pool.transaction { transaction in
                _ = try await transaction.execute(
                    """
                    INSERT INTO google_signal_stream (project_id, service_account, url, registered_at)
                    VALUES (\(project.rawValue), \(serviceAccount), \(url), \(Timestamp(now)))
                    ON CONFLICT (project_id) DO UPDATE SET service_account = excluded.service_account,
                        url = excluded.url, registered_at = excluded.registered_at, verification_state = NULL,
                        requested_at = NULL, verified_at = NULL, misses = 0
                    """)
                try await transaction.audit(
                    [AuditNote("googleSignals.registered", project.rawValue)], by: actor, at: now, in: ID(project))
            }
        }
    }

    /// - Returns: `false` if the project has no registration.
    public func remove(of project: ID<Project>, by actor: AuditActor, at now: Instant) async throws -> Bool {
        try await withStoreErrors {
            try await pool.transaction { transaction in
                let removed = try await transaction.execute(
                    "DELETE FROM google_signal_stream WHERE project_id = \(project.rawValue)")
                guard removed == 1 else { return false }
                try await transaction.audit(
                    [AuditNote("googleSignals.unregistered", project.rawValue)], by: actor, at: now, in: ID(project))
                return true
            }
        }
    }

    /// Records that a test event is requested. A former test that has not arrived counts as missed.
    ///
    /// - Parameter state: the text that the event must have.
    public func beginTest(_ state: String, at now: Instant, of project: ID<Project>) async throws {
        _ = try await withStoreErrors {
            try await pool.execute(
                """
                UPDATE google_signal_stream SET
                    misses = CASE WHEN requested_at > coalesce(verified_at, '-infinity') THEN misses + 1 ELSE 0 END,
                    verification_state = \(state), requested_at = \(Timestamp(now))
                WHERE project_id = \(project.rawValue)
                """)
        }
    }

    /// Claims the streams whose latest test is older than `time`, and records a new test with the text from `newState`.
    /// So no other process requests a test too.
    public func claimTests(
        before time: Instant, newState: @Sendable () -> String, at now: Instant
    ) async throws -> [(stream: Stored, state: String)] {
        var claimed: [(stream: Stored, state: String)] = []
        for stored in try await all() where (stored.requestedAt ?? stored.registeredAt) <= time {
            let state = newState()
            let updated = try await withStoreErrors {
                try await pool.execute(
                    """
                    UPDATE google_signal_stream SET
                        misses = CASE WHEN requested_at > coalesce(verified_at, '-infinity') THEN misses + 1 ELSE 0 END,
                        verification_state = \(state), requested_at = \(Timestamp(now))
                    WHERE project_id = \(stored.project.rawValue)
                        AND coalesce(requested_at, registered_at) <= \(Timestamp(time))
                    """)
            }
            if updated == 1 { claimed.append((stored, state)) }
        }
        return claimed
    }

    /// Replaces the encrypted form of a key, unless the key was replaced in the meantime.
    public func reseal(_ stored: Stored, as sealed: [UInt8]) async throws {
        _ = try await withStoreErrors {
            try await pool.execute(
                """
                UPDATE google_signal_stream SET service_account = \(sealed)
                WHERE project_id = \(stored.project.rawValue) AND service_account = \(stored.serviceAccount)
                """)
        }
    }

    private static let columns: SQL =
        "project_id, service_account, url, registered_at, requested_at, verified_at, misses"
}

extension GoogleSignalStreamStore.Stored {
    fileprivate init(_ row: Row) throws {
        project = ID(try row.decode("project_id"))
        serviceAccount = try row.decode("service_account")
        url = try row.decode("url")
        registeredAt = Instant(try row.decode("registered_at"))
        requestedAt = try row.eventTime("requested_at")
        verifiedAt = try row.eventTime("verified_at")
        misses = try row.decode("misses")
    }
}
