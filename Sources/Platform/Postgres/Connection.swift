internal import CSystem
internal import EventLoop

/// A non-blocking session with the server, which executes statements one after the other.
///
/// Belongs to a pool, and is used only on the pool's event loop. Notifies the pool when the connection becomes
/// free, and when it is lost.
final class Connection {
    private let handle: OpaquePointer
    private let loop: Loop
    private var watch: Loop.Watch?
    private var sender: StatementSender
    private var output = SessionOutput()
    private var running: Statement?
    private var queue = FIFO<Statement>()
    /// The latest result of the running statement. The caller receives it when the server is ready for the next
    /// statement.
    private var result: OpaquePointer?
    /// The first error of the running statement.
    private var failure: ServerError?
    /// Whether the running statement was sent again because its prepared statement was stale or missing.
    private var isRepeated = false

    private(set) var isLost = false
    /// When the connection became free; only meaningful while it is.
    var freeSince = ContinuousClock.now
    /// Whether the connection is reserved for one caller, even while no statement is running.
    private var isLeased = false
    /// Called whenever no statement is left and the connection is not leased.
    var onFree: (Connection) -> Void = { _ in }
    /// Called once, when the session has ended.
    var onLoss: (Connection) -> Void = { _ in }

    /// - Parameter handle: an established session, owned by this object.
    /// - Throws: ``SystemError`` if the loop cannot watch the socket.
    init(_ handle: OpaquePointer, on loop: Loop, preparation: StatementPreparation) throws {
        self.handle = handle
        self.loop = loop
        sender = StatementSender(handle, preparation: preparation)
        PQsetnonblocking(handle, 1)
        watch = try loop.watch(PQsocket(handle), for: .readable) { readiness in
            if readiness.contains(.writable) { self.flush() }
            if !self.isLost { self.receive() }
        }
    }

    // MARK: For the pool

    var isBusy: Bool { running != nil }

    func run(_ statement: Statement) {
        queue.append(statement)
        sendNext()
    }

    /// Reserves the connection for one caller, until ``release()``.
    func lease() {
        isLeased = true
    }

    func release() {
        isLeased = false
        sendNext()
    }

    /// Resumes a cancelled caller. Drops the statement if it was not sent; otherwise its result is discarded.
    ///
    /// - Returns: whether the statement belongs to this connection.
    func cancel(_ id: UInt64) -> Bool {
        let statement = running?.id == id ? running : queue.removeFirst { $0.id == id }
        statement?.finish(.failure(CancellationError()))
        return statement != nil
    }

    /// Ends the session if the running statement is past its deadline.
    func checkDeadline(_ now: ContinuousClock.Instant) {
        guard let statement = running, let deadline = statement.deadline, deadline < now else { return }
        statement.finish(.failure(PostgresError.timedOut))
        end("an earlier statement timed out")
    }

    /// Ends the session. All callers get ``PostgresError/unavailable(_:)``.
    func end(_ reason: String) {
        guard !isLost else { return }
        isLost = true
        if let watch { loop.unwatch(watch) }
        PQclear(result)
        result = nil
        PQfinish(handle)
        let unfinished = [running].compactMap(\.self) + queue.removeAll()
        running = nil
        for statement in unfinished { statement.finish(.failure(PostgresError.unavailable(reason))) }
        onLoss(self)
    }

    // MARK: Sending

    private func sendNext() {
        guard !isLost, running == nil else { return }
        guard let statement = queue.popFirst() else { return becomeFree() }
        running = statement
        isRepeated = false
        statement.deadline = .now + statement.timeLimit
        flush(after: sender.send(statement.text, isInTransaction: isLeased))
    }

    private func becomeFree() {
        guard !isLeased else { return }
        guard PQtransactionStatus(handle) == PQTRANS_IDLE else { return end("a transaction was left open") }
        onFree(self)
    }

    /// - Parameter isSent: whether libpq accepted the message to flush. If not, the session ends.
    private func flush(after isSent: Bool = true) {
        guard !isLost, let watch else { return }
        guard isSent, output.flush(handle, watch, on: loop) else { return end(libpqError) }
    }

    /// libpq's latest error on this connection.
    private var libpqError: String { oneLine(String(cString: PQerrorMessage(handle))) }

    // MARK: Receiving

    private func receive() {
        guard PQconsumeInput(handle) == 1 else { return end(libpqError) }
        if running == nil, PQisBusy(handle) == 0, let unsolicited = PQgetResult(handle) { PQclear(unsolicited) }
        while !isLost, running != nil, PQisBusy(handle) == 0 {
            if let result = PQgetResult(handle) { process(result) } else { advance() }
        }
        if !isLost, PQstatus(handle) != CONNECTION_OK { end(libpqError) }
    }

    private func process(_ new: OpaquePointer) {
        switch PQresultStatus(new) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY:
            PQclear(result)
            result = new
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            PQclear(new)
            running?.finish(.failure(PostgresError.rejected(.copyIsNotSupported)))
            // No other statement can be sent before the COPY has ended.
            end("an earlier statement was a COPY")
        default:
            failure = failure ?? ServerError(new)
            PQclear(new)
        }
    }

    /// Called when the server has processed one message. Sends the next message of the statement, if any.
    private func advance() {
        guard let statement = running else { return }
        switch sender.phase {
        case .preparing(let prepared) where failure == nil:
            flush(after: sender.executeNew(prepared))
        case .executing(let prepared) where failure?.meansStalePreparation == true:
            // Inside a transaction, the error has aborted the transaction, so that repeating the statement is useless.
            guard !isRepeated, PQtransactionStatus(handle) == PQTRANS_IDLE else { return complete() }
            let isMissing = failure?.meansMissingPreparation == true
            isRepeated = true
            failure = nil
            flush(after: sender.sendAgain(statement.text, after: prepared, isMissing: isMissing))
        case .sharing(let prepared) where failure?.meansUnavailable != true:
            // Another client may have prepared the statement in this session meanwhile.
            failure = nil
            flush(after: sender.sendUnnamed(prepared.key.text))
        default: complete()
        }
    }

    private func complete() {
        guard let statement = running else { return }
        running = nil
        if let failure {
            self.failure = nil
            PQclear(result)
            result = nil
            statement.finish(.failure(failure.postgresError))
            if failure.meansUnavailable { return end("the server reported \(failure.code)") }
        } else if let result {
            self.result = nil
            statement.finish(.success(resultSet(result)))
        } else {
            statement.finish(.failure(PostgresError.unavailable("the server sent no result")))
        }
        sendNext()
    }

    private func resultSet(_ result: OpaquePointer) -> ResultSet {
        if case .executing(let prepared) = sender.phase { return prepared.resultSet(result) }
        return ResultSet(result, columns: nil)
    }
}
