internal import CSystem

/// One step of the schema's history, under a name that sorts after those before it (`m0007_session_client`).
///
/// It runs in a transaction of its own, as a whole. If its first line is `-- no-transaction`, its statements run one
/// by one outside of any (`CREATE INDEX CONCURRENTLY` wants that): such a migration must bear being run again after
/// it failed half-way.
public struct Migration: Sendable {
    public let name: String
    public let sql: [UInt8]

    public init(name: String, sql: [UInt8]) {
        self.name = name
        self.sql = sql
    }

    /// - Throws: ``MigrationError/unreadable(_:)`` unless it is UTF-8 without NUL.
    func text() throws(MigrationError) -> String {
        guard !sql.contains(0), let text = String(validating: sql, as: UTF8.self) else { throw .unreadable(name) }
        return text
    }

    var needsNoTransaction: Bool {
        sql.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }.elementsEqual("-- no-transaction".utf8)
    }

    var digest: [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_Digest(sql, sql.count, &digest, nil, EVP_sha256(), nil)
        return digest
    }
}

/// Why the schema was left as it is.
public enum MigrationError: Error, Equatable {
    /// It has been applied with another text.
    case changed(String)
    /// The database has it, this program does not, and yet it comes before one that this program has.
    case unknown(String)
    /// It has not been applied, and one after it has; or the list is not sorted by name.
    case outOfOrder(String)
    case unreadable(String)
    /// The server's words about the statement that failed.
    case failed(String, reason: String)
    /// Another process has been migrating for too long.
    case locked
}

/// How one migration stands.
public struct MigrationStatus: Hashable, Sendable {
    public enum State: Sendable {
        case applied, pending, changed
    }

    public let name: String
    public let state: State
}
