internal import CSystem

/// Sends the statements of a connection as prepared or unnamed statements, and records which are prepared.
///
/// The functions that send a message return whether libpq accepted it.
struct StatementSender {
    /// The message that the server is processing.
    enum Phase {
        /// An unnamed statement or a script.
        case unnamed
        case preparing(PreparedStatement, StatementKey)
        case executing(PreparedStatement, StatementKey)
    }

    private let handle: OpaquePointer
    private let usesPreparedStatements: Bool
    private var prepared: [StatementKey: PreparedStatement] = [:]
    private var lastNumber = 0
    private var parameters = ParameterBuffer()
    private(set) var phase = Phase.unnamed

    init(_ handle: OpaquePointer, usesPreparedStatements: Bool) {
        self.handle = handle
        self.usesPreparedStatements = usesPreparedStatements
    }

    mutating func send(_ text: Statement.Text) -> Bool {
        switch text {
        case .script(let text):
            phase = .unnamed
            return PQsendQuery(handle, text) == 1
        case .sql(let sql):
            parameters.load(sql.parameters)
            return send(sql)
        }
    }

    /// Executes a prepared statement with the loaded parameters.
    mutating func execute(_ statement: PreparedStatement, _ key: StatementKey) -> Bool {
        prepared[key] = statement
        phase = .executing(statement, key)
        return parameters.withPointers { count, _, values, lengths, formats in
            PQsendQueryPrepared(handle, statement.name, count, values, lengths, formats, 1) == 1
        }
    }

    /// Discards a prepared statement that the server has rejected.
    mutating func forget(_ key: StatementKey) {
        prepared[key] = nil
    }

    private mutating func send(_ sql: SQL) -> Bool {
        guard usesPreparedStatements else { return sendUnnamed(sql.text) }
        let key = StatementKey(sql)
        if let known = prepared[key] { return execute(known, key) }
        guard prepared.count < PreparedStatement.maximumPerSession else { return sendUnnamed(key.text) }
        lastNumber += 1
        let statement = PreparedStatement(name: "s\(lastNumber)")
        phase = .preparing(statement, key)
        return parameters.withPointers { count, types, _, _, _ in
            PQsendPrepare(handle, statement.name, key.text, count, types) == 1
        }
    }

    private mutating func sendUnnamed(_ text: String) -> Bool {
        phase = .unnamed
        return parameters.withPointers { count, types, values, lengths, formats in
            PQsendQueryParams(handle, text, count, types, values, lengths, formats, 1) == 1
        }
    }
}
