internal import CSystem

/// How the statements of a pool are prepared.
public enum StatementPreparation: Sendable {
    /// Each session has named statements of its own.
    case own
    /// A connection pooler in transaction mode executes each statement in any of its sessions with the server. The name
    /// of a statement is a hash of its text, so that all clients of the pooler use the same name for a text. A session
    /// that does not have the statement rejects the execution before it begins. Then the statement is prepared for
    /// later executions, and executed without a name. Statements of transactions have no names, because an error would
    /// end the transaction.
    case shared
    /// No statement has a name, so the server plans each statement again.
    case none
}

/// Statements with equal keys share a prepared statement.
///
/// The key of a statement of several kilobytes is made and found without its text. Two statements with the same text
/// in different pieces have different keys; each of them is prepared.
struct StatementKey: Hashable {
    private let pieces: [SQL.Piece]
    let types: [PostgresType]

    init(_ sql: SQL) {
        pieces = sql.pieces
        types = sql.parameters.map(\.type)
    }

    /// The text for the server.
    var text: String { SQL.text(of: pieces) }

    func hash(into hasher: inout Hasher) {
        hasher.combine(pieces.count)
        hasher.combine(types.count)
        hasher.combine(pieces.first?.maximumLength)
        hasher.combine(pieces.last?.maximumLength)
    }

    /// A name for the statement, equal in all processes.
    var sharedName: String {
        let bytes = Array((types.map { "\($0.oid) " }.joined() + text).utf8)
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
        return "sekisho_" + digest.prefix(16).map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
    }
}

/// A named statement of one session, or of several sessions that a connection pooler shares.
final class PreparedStatement {
    /// The maximum number of prepared statements of one session. Further texts are not prepared, so that generated SQL
    /// cannot exhaust the server's memory.
    static let maximumPerSession = 256

    let name: String
    let key: StatementKey
    private let isShared: Bool
    /// The columns, which are the same for all results: if they change, the server rejects the prepared statement.
    private var columns: Columns?

    /// A statement of one session.
    init(name: String, key: StatementKey) {
        self.name = name
        self.key = key
        isShared = false
    }

    /// A statement that sessions share. Its columns can differ between sessions while a migration runs.
    init(sharing key: StatementKey) {
        name = key.sharedName
        self.key = key
        isShared = true
    }

    func resultSet(_ result: OpaquePointer) -> ResultSet {
        let set = ResultSet(result, columns: columns)
        if !isShared { columns = set.columns }
        return set
    }

    /// Asks the server to prepare the statement.
    ///
    /// - Returns: whether libpq accepted the message.
    func sendPreparation(_ handle: OpaquePointer) -> Bool {
        PQsendPrepare(handle, name, key.text, Int32(key.types.count), key.types.map(\.oid)) == 1
    }
}
