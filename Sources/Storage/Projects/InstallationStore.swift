public import Identity
public import Postgres

/// The command that a database belongs to, and a text that is encrypted with the master key of its secrets.
public struct Installation: Sendable {
    public enum Mode: String, Sendable {
        /// The database belongs to `sekisho serve`.
        case serve
        /// The database belongs to `sekisho dev`, where any client may sign in as any user.
        case dev
    }

    public let mode: Mode
    /// A constant text, encrypted. Decrypting it checks the master key.
    public let canary: [UInt8]

    public init(mode: Mode, canary: [UInt8]) {
        self.mode = mode
        self.canary = canary
    }
}

/// Stores the ``Installation`` of a database.
public struct InstallationStore: Sendable {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Whether the table `installation` exists. The first migration creates it.
    public func tableExists() async throws -> Bool {
        try await pool.isTrue("SELECT to_regclass('installation') IS NOT NULL AS answer")
    }

    /// Whether the database has no tables, except those of PostgreSQL.
    public func databaseIsEmpty() async throws -> Bool {
        try await pool.isTrue(
            "SELECT NOT EXISTS (SELECT FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')) AS answer"
        )
    }

    /// Stores `installation` if the database has none yet.
    ///
    /// - Returns: the installation that is stored now: `installation`, or an earlier one.
    public func claim(for installation: Installation, at now: Instant) async throws -> Installation {
        _ = try await withStoreErrors {
            try await pool.execute(
                """
                INSERT INTO installation (canary, mode, created_at)
                VALUES (\(installation.canary), \(installation.mode.rawValue), \(Timestamp(now)))
                ON CONFLICT (only_row) DO NOTHING
                """)
        }
        return try await current() ?? installation
    }

    /// - Returns: `nil` if no installation is stored.
    public func current() async throws -> Installation? {
        try await withStoreErrors { try await pool.query("SELECT mode, canary FROM installation") }.first.map { row in
            let mode = try row.decode("mode", as: String.self)
            return Installation(mode: mode == "dev" ? .dev : .serve, canary: try row.decode("canary"))
        }
    }

    /// Replaces the encrypted text `canary`, unless another process has replaced it first.
    public func reseal(canary: [UInt8], as encrypted: [UInt8]) async throws {
        _ = try await withStoreErrors {
            try await pool.execute("UPDATE installation SET canary = \(encrypted) WHERE canary = \(canary)")
        }
    }
}
