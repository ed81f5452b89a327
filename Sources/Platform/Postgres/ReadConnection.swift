internal import CSystem
internal import EventLoop

/// A session that sends the reads of many callers together in libpq's pipeline mode (PostgreSQL documentation, section
/// 34.5), with one synchronisation point per iteration of the event loop.
///
/// The server executes all statements between two synchronisation points as one transaction, so it skips the statements
/// after a failed one. Skipped statements are returned to the pool. If the session ends, its pending statements are
/// returned too. A read may therefore be executed twice.
final class ReadConnection {
    /// A message to the server, which responds to the messages in order.
    private enum Step {
        case preparation(PreparedStatement)
        /// A statement, and its prepared statement; `nil` if the statement is unnamed.
        case statement(Statement, PreparedStatement?)
        case synchronisation

        var statement: Statement? {
            if case .statement(let statement, _) = self { statement } else { nil }
        }
    }

    private let handle: OpaquePointer
    private let loop: Loop
    private let preparation: StatementPreparation
    private var watch: Loop.Watch?
    /// `nil` for a statement that must be executed without a name.
    private var prepared: [StatementKey: PreparedStatement?] = [:]
    /// The shared statements that the server has rejected, until they are prepared.
    private var missing: [StatementKey: PreparedStatement] = [:]
    private var lastNumber = 0
    private var parameters = ParameterBuffer()
    private var steps = FIFO<Step>()
    /// Whether no message has been sent since the latest synchronisation point.
    private var isSynchronised = true
    private var output = SessionOutput()
    private var isClosing = false
    private(set) var isLost = false
    /// Called with each statement that must be executed on another connection.
    var onReturn: (Statement) -> Void = { _ in }
    /// Called once, when the session has ended.
    var onLoss: () -> Void = {}

    /// - Parameter handle: an established session, owned by this object.
    /// - Throws: ``SystemError`` if the loop cannot watch the socket.
    init(_ handle: OpaquePointer, on loop: Loop, preparation: StatementPreparation) throws {
        self.handle = handle
        self.loop = loop
        self.preparation = preparation
        PQsetnonblocking(handle, 1)
        PQenterPipelineMode(handle)
        watch = try loop.watch(PQsocket(handle), for: .readable) { readiness in
            if readiness.contains(.writable) { self.flush() }
            if !self.isLost { self.receive() }
        }
    }

    // MARK: For the pool

    var isBusy: Bool { !steps.isEmpty }
    /// The number of messages whose responses have not arrived.
    var pendingMessages: Int { steps.count }

    /// Sends a statement, or returns it to the pool.
    func run(_ statement: Statement) {
        guard case .sql(let sql) = statement.text, !isLost, !isClosing else { return onReturn(statement) }
        parameters.load(sql.parameters)
        let prepared = preparedStatement(for: sql)
        statement.deadline = .now + statement.timeLimit
        steps.append(.statement(statement, prepared))
        let isSent = parameters.withPointers { count, types, values, lengths, formats in
            if let prepared {
                PQsendQueryPrepared(handle, prepared.name, count, values, lengths, formats, 1) == 1
            } else {
                PQsendQueryParams(handle, sql.text, count, types, values, lengths, formats, 1) == 1
            }
        }
        guard isSent else { return end() }
        synchroniseLater()
    }

    /// - Returns: whether the statement belongs to this connection.
    func cancel(_ id: UInt64) -> Bool {
        let statement = steps.first { $0.statement?.id == id }?.statement
        statement?.finish(.failure(CancellationError()))
        return statement != nil
    }

    /// Ends the session if a statement is past its deadline. The other statements are returned to the pool.
    func checkDeadline(_ now: ContinuousClock.Instant) {
        func isLate(_ step: Step) -> Bool { step.statement?.deadline.map { $0 < now } ?? false }
        guard steps.first(where: isLate) != nil else { return }
        while let late = steps.removeFirst(where: isLate) { late.statement?.finish(.failure(PostgresError.timedOut)) }
        end()
    }

    /// Ends the session once its statements have been executed.
    func close() {
        isClosing = true
        if steps.isEmpty { end() }
    }

    private func end() {
        guard !isLost else { return }
        isLost = true
        if let watch { loop.unwatch(watch) }
        PQfinish(handle)
        let unfinished = steps.removeAll().compactMap(\.statement)
        onLoss()
        for statement in unfinished { onReturn(statement) }
    }

    // MARK: Sending

    /// Returns the prepared statement for a text. If the text is new and the statement is not shared, asks the server
    /// to prepare it. The caller need not wait for the server's response.
    ///
    /// - Returns: `nil` if the statement has no name.
    private func preparedStatement(for sql: SQL) -> PreparedStatement? {
        guard preparation != .none else { return nil }
        let key = StatementKey(sql)
        if let known = prepared[key] { return known }
        guard prepared.count < PreparedStatement.maximumPerSession else { return nil }
        if preparation == .shared {
            let statement = PreparedStatement(sharing: key)
            prepared[key] = statement
            return statement
        }
        lastNumber += 1
        let statement = PreparedStatement(name: "r\(lastNumber)", key: key)
        guard statement.sendPreparation(handle) else { return nil }
        prepared[key] = statement
        steps.append(.preparation(statement))
        synchroniseLater()
        return statement
    }

    /// Prepares the shared statements that the server has rejected, for later executions. A synchronisation point
    /// follows each of them, so that no other statement fails if another client has prepared the statement meanwhile.
    private func prepareMissing() {
        for statement in missing.values where !isLost && !isClosing {
            steps.append(.preparation(statement))
            steps.append(.synchronisation)
            isSynchronised = true
            if statement.sendPreparation(handle), PQpipelineSync(handle) == 1 { flush() } else { end() }
        }
        missing = [:]
    }

    private func synchroniseLater() {
        guard isSynchronised else { return }
        isSynchronised = false
        loop.atEndOfIteration { [self] in
            guard !isLost else { return }
            isSynchronised = true
            steps.append(.synchronisation)
            if PQpipelineSync(handle) == 1 { flush() } else { end() }
        }
    }

    private func flush() {
        guard !isLost, let watch else { return }
        if !output.flush(handle, watch, on: loop) { end() }
    }

    // MARK: Receiving

    private func receive() {
        guard PQconsumeInput(handle) == 1 else { return end() }
        while !isLost, let step = steps.first, PQisBusy(handle) == 0 {
            let result = PQgetResult(handle)
            switch step {
            case .synchronisation:
                PQclear(result)
                _ = steps.popFirst()
            case .preparation, .statement:
                // A null pointer ends the results of a step.
                if let result { process(result, of: step) } else { _ = steps.popFirst() }
            }
        }
        guard !isLost else { return }
        if PQstatus(handle) != CONNECTION_OK || (isClosing && steps.isEmpty) { return end() }
        // Not in the loop: libpq loses the end of a step's results if a message is sent before it.
        prepareMissing()
    }

    private func process(_ result: OpaquePointer, of step: Step) {
        let status = PQresultStatus(result)
        let isSuccess = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK || status == PGRES_EMPTY_QUERY
        switch step {
        case .statement(let statement, let prepared) where isSuccess:
            let set = prepared?.resultSet(result) ?? ResultSet(result, columns: nil)
            return statement.finish(.success(set))
        case .statement(let statement, _) where status == PGRES_PIPELINE_ABORTED:
            onReturn(statement)
        case .statement(let statement, let prepared):
            fail(statement, prepared, with: ServerError(result))
        case .preparation(let failed) where !isSuccess && preparation == .own:
            prepared[failed.key] = nil
        case .preparation, .synchronisation: break  // a synchronisation point is never passed to this function
        }
        PQclear(result)
    }

    private func fail(_ statement: Statement, _ used: PreparedStatement?, with failure: ServerError) {
        if failure.meansStalePreparation, let used {
            onReturn(statement)
            if preparation == .own {
                prepared[used.key] = nil
            } else if failure.meansMissingPreparation {
                missing[used.key] = used
            } else {
                prepared[used.key] = .some(nil)
            }
        } else if failure.meansUnavailable {
            end()
        } else {
            statement.finish(.failure(failure.postgresError))
        }
    }
}
