/// One statement of a connection, and the receiver of its result, if any.
final class Statement {
    enum Text {
        case sql(SQL)
        /// Several statements in one message, without parameters; the result is that of the last.
        case script(String)
    }

    typealias Completion = (Result<ResultSet, any Error>) -> Void

    let id: UInt64
    let text: Text
    let limit: Duration
    /// When the server must have answered; set when the statement is sent.
    var deadline: ContinuousClock.Instant?
    var hasBeenRepeated = false
    private var completion: Completion?

    init(id: UInt64, text: Text, limit: Duration, completion: Completion? = nil) {
        self.id = id
        self.text = text
        self.limit = limit
        self.completion = completion
    }

    /// Whether a caller is waiting.
    var isAwaited: Bool { completion != nil }

    /// Delivers the result. Later calls do nothing.
    func finish(_ result: Result<ResultSet, any Error>) {
        let waiting = completion
        completion = nil
        waiting?(result)
    }
}

/// Statements with equal keys share a prepared statement.
struct StatementKey: Hashable {
    let text: String
    let types: [PostgresType]

    init(_ sql: SQL) {
        text = sql.text
        types = sql.parameters.map(\.type)
    }
}

/// A named statement of one connection's server.
final class PreparedStatement {
    let name: String
    /// Equal for all results; otherwise the server requires a new preparation.
    var columns: Columns?

    init(name: String) {
        self.name = name
    }
}
