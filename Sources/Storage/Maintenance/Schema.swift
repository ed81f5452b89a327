public import Postgres

/// The schema of this release in a database.
public enum Schema {
    /// Applies the pending migrations.
    ///
    /// - Returns: the names of the migrations that this call applied.
    /// - Throws: ``PreReleaseDatabase``; otherwise as ``Migrator/apply(with:)`` does.
    public static func migrate(_ pool: Pool) async throws -> [String] {
        try await rejectingPreReleases { try await Migrator(migrations: .all).apply(with: pool) }
    }

    /// - Throws: ``PreReleaseDatabase``; otherwise as ``Migrator/status(with:)`` does.
    public static func status(of pool: Pool) async throws -> [MigrationStatus] {
        try await rejectingPreReleases { try await Migrator(migrations: .all).status(with: pool) }
    }

    private static func rejectingPreReleases<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch MigrationError.unknown(let name) {
            throw PreReleaseDatabase(migration: name)
        }
    }
}

/// The database has a migration that precedes the last one of this release, but is not part of it.
public struct PreReleaseDatabase: Error, CustomStringConvertible {
    let migration: String

    public var description: String {
        """
        this database was made by a pre-release version of Sekisho (it has the migration \(migration)): create a new \
        database, or delete the folder .sekisho of `sekisho dev`, and import the accounts with `sekisho users import`
        """
    }
}
