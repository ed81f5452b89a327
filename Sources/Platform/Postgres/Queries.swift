internal import EventLoop

extension Pool {
    /// - Throws: ``PostgresError``, or `CancellationError` as soon as the task is cancelled: the statement may then
    ///   still be carried out.
    public func query(_ sql: SQL) async throws -> [Row] {
        try await run(sql).rows
    }

    /// For statements that read little and change nothing: those of many callers travel together, on a connection of
    /// their own beside the pool's others, and one may be carried out twice.
    ///
    /// - Throws: as ``query(_:)`` does.
    public func read(_ sql: SQL) async throws -> [Row] {
        try ParameterBuffer.check(sql.parameters)
        return try await cancellable { id, continuation in
            read(
                Statement(
                    id: id, text: .sql(sql), limit: configuration.statementDeadline, continuation: continuation))
        }.rows
    }

    /// - Returns: how many rows were changed (or returned).
    /// - Throws: as ``query(_:)`` does.
    @discardableResult
    public func execute(_ sql: SQL) async throws -> Int {
        try await run(sql).affectedRows
    }

    /// Whether a statement gets through within a second.
    public func isReachable() async -> Bool {
        do {
            _ = try await run("SELECT 1", acquire: .seconds(1), limit: .seconds(1))
            return true
        } catch {
            return false
        }
    }

    private func run(_ sql: SQL, acquire: Duration? = nil, limit: Duration? = nil) async throws -> ResultSet {
        try ParameterBuffer.check(sql.parameters)
        let deadline = ContinuousClock.now + (acquire ?? configuration.acquireDeadline)
        return try await cancellable { id, continuation in
            let statement = Statement(
                id: id, text: .sql(sql), limit: limit ?? configuration.statementDeadline, continuation: continuation)
            serve(Waiter(id: id, deadline: deadline, demand: .statement(statement)))
        }
    }

    /// Runs one statement of a transaction.
    ///
    /// - Parameter limit: `nil` for the pool's own.
    func run(_ text: Statement.Text, on lease: UInt64, limit: Duration?) async throws -> ResultSet {
        if case .sql(let sql) = text { try ParameterBuffer.check(sql.parameters) }
        return try await cancellable { id, continuation in
            let limit = limit ?? configuration.statementDeadline
            run(Statement(id: id, text: text, limit: limit, continuation: continuation), on: lease)
        }
    }

    /// As above, but sees it through even when the task has been cancelled.
    func runToTheEnd(_ text: String, on lease: UInt64) async throws -> ResultSet {
        try await withCheckedThrowingContinuation { continuation in
            let limit = configuration.statementDeadline
            run(Statement(id: nextID(), text: .script(text), limit: limit, continuation: continuation), on: lease)
        }
    }

    /// A connection for one user, to be given back by ``release(_:)``.
    func lease() async throws -> UInt64 {
        let deadline = ContinuousClock.now + configuration.acquireDeadline
        return try await cancellable { id, continuation in
            serve(Waiter(id: id, deadline: deadline, demand: .lease(continuation)))
        }
    }

    private func cancellable<Value: Sendable>(
        _ begin: (UInt64, CheckedContinuation<Value, any Error>) -> Void
    ) async throws -> Value {
        try Task.checkCancellation()
        let id = nextID()
        return try await withTaskCancellationHandler {
            // By way of a method, for this closure itself is not isolated to the pool: it does not capture it.
            try await self.suspended { begin(id, $0) }
        } onCancel: {
            // In a later pass of the loop: by then the statement has been queued for sure.
            loop.submit { self.assumeIsolated { $0.cancel(id) } }
        }
    }

    private func suspended<Value: Sendable>(
        _ begin: (CheckedContinuation<Value, any Error>) -> Void
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { begin($0) }
    }
}
