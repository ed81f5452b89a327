package import Crypto
internal import EventLoop
package import Identity
package import Postgres
internal import Providers
package import Storage

/// The database access of a command that runs once and ends, such as `sekisho migrate`.
package struct Administration: Sendable {
    package let pool: Pool
    package let clock = WallClock.live

    /// Reads the settings of the database and runs `body` on a new event loop.
    ///
    /// - Throws: before `body` runs, ``ConfigurationError`` if a setting is invalid, or ``Failure`` if migrations are
    ///   missing.
    package static func run(_ body: @escaping @Sendable (Administration) async throws -> Void) throws {
        try runWithoutMigrationCheck { administration in
            try await administration.requireMigrations()
            try await body(administration)
        }
    }

    /// Reads the settings of the database and runs `body` on a new event loop, without checking for missing migrations.
    package static func runWithoutMigrationCheck(
        _ body: @escaping @Sendable (Administration) async throws -> Void
    ) throws {
        var reader = SettingsReader.live()
        let database = reader.database()
        try reader.requireNoProblems()
        guard let database else { return }
        try run(on: database, body)
    }

    /// Runs `body` like ``run(_:)``, with the master keys.
    ///
    /// - Parameters:
    ///   - mode: the mode that the database must belong to. A new database is marked with this mode.
    ///   - masterKeys: the master keys; `nil` to read them from the environment.
    /// - Throws: before `body` runs, ``ConfigurationError`` if a setting is invalid, or ``Failure`` if migrations are
    ///   missing or the database belongs to another mode or master key.
    package static func runWithKeys(
        for mode: Installation.Mode = .serve, under masterKeys: MasterKeys? = nil,
        _ body: @escaping @Sendable (Administration, MasterKeys) async throws -> Void
    ) throws {
        var reader = SettingsReader.live()
        let database = reader.database()
        let masterKeys = masterKeys ?? reader.masterKeys()
        try reader.requireNoProblems()
        guard let database, let masterKeys else { return }
        try run(on: database) { administration in
            try await administration.requireMigrations()
            try await Canary.markOrCheckDatabase(
                administration.pool, for: mode, under: masterKeys, at: administration.clock.now())
            try await body(administration, masterKeys)
        }
    }

    /// Encrypts and decrypts what files of users have besides accounts.
    package struct FileSecrets: Sendable {
        /// Stores the secret keys of imported password hashes.
        package let passwordKeys: PasswordKeys
        package let factors: FactorSecrets
    }

    /// Runs `body` with functions that encrypt and decrypt secrets under the master keys. If they are not needed,
    /// passes `nil`, and does not read the master keys.
    package static func runWithFileSecrets(
        ifNeeded isNeeded: Bool, _ body: @escaping @Sendable (Administration, FileSecrets?) async throws -> Void
    ) throws {
        guard isNeeded else { return try run { try await body($0, nil) } }
        try runWithKeys { administration, masterKeys in
            let store = PasswordKeyStore(pool: administration.pool)
            try await body(
                administration,
                FileSecrets(
                    passwordKeys: .sealed(in: store, under: masterKeys, clock: administration.clock),
                    factors: .sealing(under: masterKeys)))
        }
    }

    /// Returns a realm.
    ///
    /// - Throws: ``Failure`` if the realm does not exist.
    @discardableResult
    package func requireRealm(_ id: ID<Realm>) async throws -> Realm {
        guard let realm = try await projects.realm(id) else {
            throw Failure(message: "\(id.tenant == nil ? "project" : "tenant") \(id) does not exist")
        }
        return realm
    }

    /// Returns the time of PostgreSQL's clock, by which gateways begin to use a key and retire it.
    package func databaseTime() async throws -> Instant {
        let lead = try await DatabaseProbe(of: pool).clockLead ?? .zero
        return clock.now() - lead
    }

    /// A store whose projects have the providers of this release.
    package var projects: ProjectStore { ProjectStore(pool: pool, supporting: .live) }

    /// A store for configuration changes that contain no secrets.
    package var configurations: ConfigurationStore {
        ConfigurationStore(pool: pool, rules: .live(supporting: .live), secrets: .unavailable, clock: clock)
    }

    private func requireMigrations() async throws {
        let hasPendingMigrations = try await Schema.status(of: pool).contains { $0.state == .pending }
        if hasPendingMigrations { throw Failure(message: "the database is not migrated: run `sekisho migrate`") }
    }

    /// Runs `body` on a new event loop, without checking for missing migrations.
    package static func run(
        on database: Pool.Configuration, _ body: @escaping @Sendable (Administration) async throws -> Void
    ) throws {
        var database = database
        // An import needs three connections: it stores two batches and gathers statistics at the same time. A migration
        // outside of a transaction needs two.
        database.connections = 3
        database.budget = nil
        let loop = try Loop(name: "command")
        defer { loop.stop() }
        let pool = Pool(loop: loop, configuration: database)
        try loop.waitFor {
            try await perform {
                try await body(Administration(pool: pool))
            } finally: {
                await pool.close()
            }
        }
    }
}
