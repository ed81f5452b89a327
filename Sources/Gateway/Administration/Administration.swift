package import Crypto
internal import EventLoop
package import Identity
package import Postgres
package import Storage

/// What a one-shot command works with: a loop, one connection, and the master keys if it needs them.
package struct Administration: Sendable {
    package let pool: Pool
    package let clock = WallClock.live

    /// Reads the database's settings, runs `body` on a loop of its own, and prints nothing itself.
    ///
    /// - Throws: ``Failure`` before `body` if migrations are missing.
    package static func run(_ body: @escaping @Sendable (Administration) async throws -> Void) throws {
        try runUnmigrated { administration in
            try await administration.requireMigrations()
            try await body(administration)
        }
    }

    /// The same, whatever the state of the schema.
    package static func runUnmigrated(_ body: @escaping @Sendable (Administration) async throws -> Void) throws {
        var reader = SettingsReader.live()
        let database = reader.database()
        try reader.finish()
        guard let database else { return }
        try run(on: database, body)
    }

    /// The same for commands that seal or open secrets; refuses a database of another master key.
    package static func runWithKeys(
        _ body: @escaping @Sendable (Administration, MasterKeys) async throws -> Void
    ) throws {
        var reader = SettingsReader.live()
        let database = reader.database()
        let masterKeys = reader.masterKeys()
        try reader.finish()
        guard let database, let masterKeys else { return }
        try run(on: database) { administration in
            try await administration.requireMigrations()
            try await Canary.claim(administration.pool, for: .serve, under: masterKeys, at: administration.clock.now())
            try await body(administration, masterKeys)
        }
    }

    /// With the master key where there is a key to be kept.
    package static func run(
        sealing key: PasswordKey?, _ body: @escaping @Sendable (Administration, PasswordKeys?) async throws -> Void
    ) throws {
        guard key != nil else { return try run { try await body($0, nil) } }
        try runWithKeys { administration, masterKeys in
            let store = PasswordSchemeStore(pool: administration.pool)
            try await body(administration, .sealed(in: store, under: masterKeys, clock: administration.clock))
        }
    }

    /// - Throws: ``Failure`` if there is none.
    package func realm(_ id: ID<Realm>) async throws -> Project {
        guard let project = try await ProjectStore(pool: pool).realm(id) else {
            throw Failure(message: "there is no \(id.tenant == nil ? "project" : "tenant") \(id)")
        }
        return project
    }

    /// For changes that bring no secrets.
    package var configurations: ConfigurationStore {
        ConfigurationStore(pool: pool, rules: .live(), secrets: .absent, clock: clock)
    }

    private func requireMigrations() async throws {
        let isMissing = try await Schema.status(of: pool).contains { $0.state == .pending }
        if isMissing { throw Failure(message: "the database is not migrated: run `sekisho migrate`") }
    }

    package static func run(
        on database: Pool.Configuration, _ body: @escaping @Sendable (Administration) async throws -> Void
    ) throws {
        var database = database
        // One to work with; and one for migrations that run outside of a transaction.
        database.connections = 2
        let loop = try Loop(name: "command")
        defer { loop.stop() }
        let pool = Pool(loop: loop, configuration: database)
        try loop.waitFor {
            let result: Result<Void, any Error>
            do {
                try await body(Administration(pool: pool))
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await pool.close()
            try result.get()
        }
    }
}
