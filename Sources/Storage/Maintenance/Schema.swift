public import Postgres

/// Creates and checks the schema of this release in a database.
public enum Schema {
    /// Applies the pending migrations.
    ///
    /// - Parameter onBlocked: see ``Migrator/apply(with:onBlocked:)``.
    /// - Returns: the names of the migrations that this call applied.
    /// - Throws: ``PreReleaseDatabase``, and the errors of ``Migrator/apply(with:)``.
    public static func migrate(
        _ pool: Pool, onBlocked: @Sendable (String) -> Void = { _ in }
    ) async throws -> [String] {
        try await rejectingPreReleases {
            try await Migrator(migrations: .all).apply(with: pool, onBlocked: onBlocked)
        }
    }

    /// Returns the status of each migration in a database.
    ///
    /// - Throws: ``PreReleaseDatabase``, and the errors of ``Migrator/status(with:)``.
    public static func status(of pool: Pool) async throws -> [MigrationStatus] {
        try await rejectingPreReleases { try await Migrator(migrations: .all).status(with: pool) }
    }

    /// Whether a table of migrations, with digests by name, has those of this release.
    static func isCurrent(with ledger: [String: [UInt8]]) -> Bool {
        Migrator(migrations: .all).isComplete(with: ledger)
    }

    private static func rejectingPreReleases<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch MigrationError.unknown(let name) {
            throw PreReleaseDatabase(migration: name)
        }
    }
}

/// The database has a migration that this release does not have, and that precedes the last migration of this release.
/// Only pre-release versions of Sekisho had such migrations.
public struct PreReleaseDatabase: Error, CustomStringConvertible {
    let migration: String

    public var description: String {
        """
        this database was made by a pre-release version of Sekisho (it has the migration \(migration)): create a new \
        database, or delete the folder .sekisho of `sekisho dev`, and import the accounts with `sekisho users import`
        """
    }
}
