internal import EventLoop

/// How a statement is executed.
public enum StatementKind: Sendable {
    /// As ``Pool/query(_:)`` does.
    case query
    /// As ``Pool/read(_:)`` does.
    case read
}

extension Pool {
    /// Executes a statement and returns its rows.
    ///
    /// - Throws: ``PostgresError``, or `CancellationError` as soon as the task is cancelled. The statement may still be
    ///   executed after a cancellation.
    public func query(_ sql: SQL) async throws -> [Row] {
        try await run(sql).rows
    }

    /// Executes a short, read-only statement. Statements of many callers are sent together on a shared connection. A
    /// statement may be executed twice.
    ///
    /// - Throws: as ``query(_:)``.
    public func read(_ sql: SQL) async throws -> [Row] {
        try ParameterBuffer.check(sql.parameters)
        return try await suspendCancellably { id, continuation in
            read(
                Statement(
                    id: id, text: .sql(sql), timeLimit: configuration.statementDeadline,
                    completion: { continuation.resume(with: $0) }))
        }.rows
    }

    /// Executes a statement as ``query(_:)`` or ``read(_:)`` does, for a caller that runs on the loop without a task.
    ///
    /// - Parameter completion: called once, on the loop, with the rows or an error of ``query(_:)``.
    public func send(
        _ sql: SQL, as kind: StatementKind, completion: @escaping @Sendable (Result<[Row], any Error>) -> Void
    ) {
        do throws(PostgresError) {
            try ParameterBuffer.check(sql.parameters)
        } catch {
            return completion(.failure(error))
        }
        let statement = Statement(id: nextID(), text: .sql(sql), timeLimit: configuration.statementDeadline) { result in
            completion(result.map(\.rows))
        }
        switch kind {
        case .read: read(statement)
        case .query:
            let deadline = ContinuousClock.now + configuration.acquireDeadline
            serve(Waiter(id: statement.id, deadline: deadline, demand: .statement(statement)))
        }
    }

    /// Executes a statement.
    ///
    /// - Returns: the number of changed (or returned) rows.
    /// - Throws: as ``query(_:)``.
    @discardableResult
    public func execute(_ sql: SQL) async throws -> Int {
        try await run(sql).affectedRows
    }

    /// Executes a statement that examines the server, before the statements that wait for a connection. Fails unless a
    /// connection becomes free within half a second, and the statement ends within another half.
    public func probe(_ sql: SQL) async throws -> [Row] {
        try await run(sql, acquireDeadline: .milliseconds(500), timeLimit: .milliseconds(500), first: true).rows
    }

    /// Whether a statement succeeds within the deadlines of the configuration.
    public func isReachable() async -> Bool { await reachabilityProblem() == nil }

    /// Returns why ``isReachable()`` would be `false`, in one line; `nil` if it would be `true`.
    public func reachabilityProblem() async -> String? {
        do {
            _ = try await run("SELECT 1")
            return nil
        } catch {
            let text = (error as? PostgresError)?.description ?? "the check was cancelled"
            return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
    }

    /// - Parameters:
    ///   - acquireDeadline: the time limit for the wait for a connection (default: that of the pool's configuration).
    ///   - timeLimit: of the statement (default: that of the pool's configuration).
    ///   - first: see ``serve(_:first:)``.
    private func run(
        _ sql: SQL, acquireDeadline: Duration? = nil, timeLimit: Duration? = nil, first: Bool = false
    ) async throws -> ResultSet {
        try ParameterBuffer.check(sql.parameters)
        let deadline = ContinuousClock.now + (acquireDeadline ?? configuration.acquireDeadline)
        return try await suspendCancellably { id, continuation in
            let statement = Statement(
                id: id, text: .sql(sql), timeLimit: timeLimit ?? configuration.statementDeadline,
                completion: { continuation.resume(with: $0) })
            serve(Waiter(id: id, deadline: deadline, demand: .statement(statement)), first: first)
        }
    }

    /// Executes a statement or a script on a leased connection.
    ///
    /// - Parameter timeLimit: of the statement or of the whole script (default: that of the pool's configuration).
    func run(_ text: Statement.Text, on lease: UInt64, timeLimit: Duration?) async throws -> ResultSet {
        if case .sql(let sql) = text { try ParameterBuffer.check(sql.parameters) }
        return try await suspendCancellably { id, continuation in
            let timeLimit = timeLimit ?? configuration.statementDeadline
            run(Statement(id: id, text: text, timeLimit: timeLimit) { continuation.resume(with: $0) }, on: lease)
        }
    }

    /// Executes a script on a leased connection, even if the task is cancelled.
    func runIgnoringCancellation(_ text: String, on lease: UInt64) async throws -> ResultSet {
        try await withCheckedThrowingContinuation { continuation in
            let timeLimit = configuration.statementDeadline
            run(
                Statement(id: nextID(), text: .script(text), timeLimit: timeLimit) { continuation.resume(with: $0) },
                on: lease)
        }
    }

    /// Leases a connection until ``release(_:)``. Returns the ID of the lease.
    func lease() async throws -> UInt64 {
        let deadline = ContinuousClock.now + configuration.acquireDeadline
        return try await suspendCancellably { id, continuation in
            serve(Waiter(id: id, deadline: deadline, demand: .lease(continuation)))
        }
    }

    /// Returns when a call of ``withLongQueries(of:_:)`` may run; ``endLongQueries(of:)`` must follow.
    func beginLongQueries(of owner: String) async throws {
        let deadline = ContinuousClock.now + configuration.acquireDeadline
        try await suspendCancellably { id, continuation in
            startLongQueries(
                LongQueries.Waiter(id: id, owner: owner, deadline: deadline, continuation: continuation))
        }
    }

    /// Suspends the task until the continuation that `begin` receives is resumed. If the task is cancelled, cancels the
    /// statement or the wait that has the ID.
    ///
    /// - Parameter begin: receives a new ID and the continuation.
    private func suspendCancellably<Value: Sendable>(
        _ begin: (UInt64, CheckedContinuation<Value, any Error>) -> Void
    ) async throws -> Value {
        try Task.checkCancellation()
        let id = nextID()
        return try await withTaskCancellationHandler {
            // Calls a method, because this closure is not isolated to the pool.
            try await self.suspend { begin(id, $0) }
        } onCancel: {
            // Runs on the loop later, when the statement has been queued.
            loop.submit { self.assumeIsolated { $0.cancel(id) } }
        }
    }

    private func suspend<Value: Sendable>(
        _ begin: (CheckedContinuation<Value, any Error>) -> Void
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { begin($0) }
    }
}
