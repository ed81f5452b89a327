internal import CSystem

/// One migration. Migrations are applied in the order of their names (for example `m0001_schema`).
///
/// A migration runs in its own transaction. If its first line is `-- no-transaction`, its statements run one by one
/// outside of a transaction, as `CREATE INDEX CONCURRENTLY` requires. Such a migration must tolerate being run again
/// after a failure.
public struct Migration: Sendable {
    public let name: String
    public let sql: [UInt8]

    public init(name: String, sql: [UInt8]) {
        self.name = name
        self.sql = sql
    }

    /// - Throws: ``MigrationError/unreadable(_:)`` if the text contains NUL or is not valid UTF-8.
    func text() throws(MigrationError) -> String {
        guard !sql.contains(0), let text = String(validating: sql, as: UTF8.self) else { throw .unreadable(name) }
        return text
    }

    /// Whether the first line requires that the migration does not run in a transaction.
    var runsOutsideTransaction: Bool {
        sql.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }.elementsEqual("-- no-transaction".utf8)
    }

    /// SHA-256 of the text.
    var digest: [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_Digest(sql, sql.count, &digest, nil, EVP_sha256(), nil)
        return digest
    }
}

/// Why migrations were not applied. The unlabelled values are names of migrations.
public enum MigrationError: Error, Equatable, CustomStringConvertible {
    /// The migration was applied with a different text.
    case changed(String)
    /// The database has a migration that this program does not know, and a known migration follows it.
    case unknown(String)
    /// The migration is not applied, but a later one is; or the list is not sorted by name.
    case outOfOrder(String)
    /// The text of the migration contains NUL or is not valid UTF-8.
    case unreadable(String)
    /// A statement of the migration failed; `reason` is the description of the ``PostgresError``.
    case failed(String, reason: String)
    /// Another process held the migration lock for too long.
    case locked
    /// Other transactions held locks that the migration needs for too long.
    case blocked(String)

    public var description: String {
        switch self {
        case .changed(let name): "migration \(name) was applied with another text, by another build of this program"
        case .unknown(let name): "the database has the migration \(name), which this program does not know"
        case .outOfOrder(let name): "migration \(name) is missing, but a later one was applied"
        case .unreadable(let name): "migration \(name) cannot be read"
        case .failed(let name, let reason): "migration \(name) failed: \(reason)"
        case .blocked(let name):
            "migration \(name) did not get a lock that it needs: look for long transactions in pg_stat_activity, and try again"
        case .locked: "another process migrates the database: wait until it has ended, and try again"
        }
    }
}

/// The state of one migration.
public struct MigrationStatus: Hashable, Sendable {
    public enum State: Sendable {
        case applied, pending
        /// Applied with a different text.
        case changed
    }

    public let name: String
    public let state: State
}
