internal import CSystem

/// Sends the statements of a connection as prepared or unnamed statements, and records which are prepared.
///
/// The functions that send a message return whether libpq accepted it.
struct StatementSender {
    /// The message that the server is processing.
    enum Phase {
        /// An unnamed statement or a script.
        case unnamed
        /// The statement is executed next.
        case preparing(PreparedStatement)
        /// The statement is prepared for later executions, and executed next without its name.
        case sharing(PreparedStatement)
        case executing(PreparedStatement)
    }

    private let handle: OpaquePointer
    private let preparation: StatementPreparation
    /// `nil` for a statement that must be executed without a name.
    private var prepared: [StatementKey: PreparedStatement?] = [:]
    private var lastNumber = 0
    private var parameters = ParameterBuffer()
    private(set) var phase = Phase.unnamed

    init(_ handle: OpaquePointer, preparation: StatementPreparation) {
        self.handle = handle
        self.preparation = preparation
    }

    /// - Parameter isInTransaction: whether the statement may belong to a transaction of several statements.
    mutating func send(_ text: Statement.Text, isInTransaction: Bool) -> Bool {
        switch text {
        case .script(let text):
            phase = .unnamed
            return PQsendQuery(handle, text) == 1
        case .sql(let sql):
            parameters.load(sql.parameters)
            return switch preparation {
            case .own: sendPrepared(sql)
            case .shared: isInTransaction ? sendUnnamed(sql.text) : sendShared(sql)
            case .none: sendUnnamed(sql.text)
            }
        }
    }

    /// Executes a statement that is prepared from now on, with the loaded parameters.
    mutating func executeNew(_ statement: PreparedStatement) -> Bool {
        prepared[statement.key] = statement
        return execute(statement)
    }

    private mutating func execute(_ statement: PreparedStatement) -> Bool {
        phase = .executing(statement)
        return parameters.withPointers { count, _, values, lengths, formats in
            PQsendQueryPrepared(handle, statement.name, count, values, lengths, formats, 1) == 1
        }
    }

    /// Sends a statement again whose prepared statement the server has rejected.
    ///
    /// - Parameter isMissing: whether the server does not have the statement. Otherwise its plan is no longer valid.
    mutating func sendAgain(_ text: Statement.Text, after rejected: PreparedStatement, isMissing: Bool) -> Bool {
        guard preparation == .shared, case .sql = text else {
            prepared[rejected.key] = nil
            return send(text, isInTransaction: false)
        }
        if isMissing {
            phase = .sharing(rejected)
            return rejected.sendPreparation(handle)
        }
        prepared[rejected.key] = .some(nil)
        return sendUnnamed(rejected.key.text)
    }

    /// Executes a statement without a name, with the loaded parameters.
    mutating func sendUnnamed(_ text: String) -> Bool {
        phase = .unnamed
        return parameters.withPointers { count, types, values, lengths, formats in
            PQsendQueryParams(handle, text, count, types, values, lengths, formats, 1) == 1
        }
    }

    private mutating func sendPrepared(_ sql: SQL) -> Bool {
        let key = StatementKey(sql)
        if let known = prepared[key] ?? nil { return execute(known) }
        guard prepared.count < PreparedStatement.maximumPerSession else { return sendUnnamed(key.text) }
        lastNumber += 1
        let statement = PreparedStatement(name: "s\(lastNumber)", key: key)
        phase = .preparing(statement)
        return statement.sendPreparation(handle)
    }

    private mutating func sendShared(_ sql: SQL) -> Bool {
        let key = StatementKey(sql)
        if let known = prepared[key] { return known.map { execute($0) } ?? sendUnnamed(key.text) }
        guard prepared.count < PreparedStatement.maximumPerSession else { return sendUnnamed(key.text) }
        return executeNew(PreparedStatement(sharing: key))
    }
}
