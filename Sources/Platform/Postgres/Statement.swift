/// One statement on its way through a connection, and the caller who waits for it, if anyone still does.
final class Statement {
    enum Text {
        case sql(SQL)
        /// Several statements in one message, without parameters; the result is that of the last.
        case script(String)
    }

    typealias Continuation = CheckedContinuation<ResultSet, any Error>

    let id: UInt64
    let text: Text
    let limit: Duration
    /// When the server must have answered; known once the statement has been sent.
    var deadline: ContinuousClock.Instant?
    var hasBeenRepeated = false
    private var continuation: Continuation?

    init(id: UInt64, text: Text, limit: Duration, continuation: Continuation? = nil) {
        self.id = id
        self.text = text
        self.limit = limit
        self.continuation = continuation
    }

    /// Whether a caller waits for it still.
    var isAwaited: Bool { continuation != nil }

    /// Answers the caller, the first time only.
    func finish(_ result: Result<ResultSet, any Error>) {
        guard let waiting = continuation else { return }
        continuation = nil
        waiting.resume(with: result)
    }
}

/// What makes two statements the same to the server.
struct StatementKey: Hashable {
    let text: String
    let types: [PostgresType]

    init(_ sql: SQL) {
        text = sql.text
        types = sql.parameters.map(\.type)
    }
}

/// A statement that one connection's server knows by name.
final class PreparedStatement {
    let name: String
    /// The same for every result, or the server demands a new preparation.
    var columns: Columns?

    init(name: String) {
        self.name = name
    }
}
