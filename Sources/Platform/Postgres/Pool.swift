internal import CSystem
public import EventLoop

/// The database connections of one event loop, and the queue of callers that wait for them.
///
/// The pool opens connections on demand, replaces them after failures, and never blocks the loop. The pool
/// does not repeat a statement with an unknown outcome, except a read. Close the pool before its loop stops.
public actor Pool {
    /// How often deadlines are checked while statements are running or waiting.
    private static let deadlineCheckInterval = Duration.milliseconds(50)

    public nonisolated let loop: Loop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    nonisolated let configuration: Configuration
    private let connector: Connector
    private var open: [Connection] = []
    private var free: [Connection] = []
    /// The connections that are reserved for one caller, for example for a transaction, by the ID of the lease.
    private var leases: [UInt64: Connection] = [:]
    private var waiting = FIFO<Waiter>()
    private var longQueries: LongQueries
    /// The number of connections that are being opened.
    private var opening = 0
    private var attempts = ConnectionAttempts()
    /// An additional connection, opened by the first read.
    private var reader: ReadConnection?
    private var isOpeningReader = false
    private var readerAttempts = ConnectionAttempts()
    private var lastID: UInt64 = 0
    private var isCheckingDeadlines = false
    private var isCheckingIdle = false
    private var isClosing = false
    /// The callers that wait in ``close()``.
    private var closers: [CheckedContinuation<Void, Never>] = []

    public init(loop: Loop, configuration: Configuration) {
        self.loop = loop
        self.configuration = configuration
        connector = Connector(configuration, loop: loop)
        longQueries = LongQueries(connections: configuration.connections)
    }

    /// Rejects new statements and those that wait for a connection, waits until the running statements and transactions
    /// have ended, then closes the connections.
    public func close() async {
        isClosing = true
        for waiter in waiting.removeAll() { waiter.fail(PostgresError.unavailable("the pool is closed")) }
        longQueries.rejectAll(.unavailable("the pool is closed"))
        for connection in free { connection.end("the pool is closed") }
        reader?.close()
        // The last connection may already have ended when this closure is called.
        await withCheckedContinuation { closer in
            if isClosed { closer.resume() } else { closers.append(closer) }
        }
    }

    // MARK: For statements and transactions

    func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    /// Gives the waiter a connection now or when one becomes free, or rejects the waiter.
    ///
    /// - Parameter first: whether the waiter gets the next free connection, before those that wait longer.
    func serve(_ waiter: Waiter, first: Bool = false) {
        if isClosing { return waiter.fail(PostgresError.unavailable("the pool is closed")) }
        if let connection = free.popLast() { return assign(connection, to: waiter) }
        if open.isEmpty, attempts.failsFast(.now) { return waiter.fail(PostgresError.unavailable(attempts.reason)) }
        guard waiting.count < configuration.waitingLimit else {
            return waiter.fail(PostgresError.unavailable("too many callers wait for a connection"))
        }
        if first { waiting.prepend(waiter) } else { waiting.append(waiter) }
        openMore()
        startCheckingDeadlines()
    }

    func startLongQueries(_ waiter: LongQueries.Waiter) {
        if isClosing {
            return waiter.continuation.resume(throwing: PostgresError.unavailable("the pool is closed"))
        }
        longQueries.add(waiter)
        startCheckingDeadlines()
    }

    func endLongQueries(of owner: String) {
        longQueries.end(owner)
    }

    /// Sends a statement on the shared read connection, or on a separate connection if that is not possible.
    func read(_ statement: Statement) {
        guard let reader, !isClosing, reader.pendingMessages < configuration.waitingLimit else {
            openReader()
            return serveSeparately(statement)
        }
        reader.run(statement)
        startCheckingDeadlines()
    }

    func run(_ statement: Statement, on lease: UInt64) {
        guard let connection = leases[lease] else {
            return statement.finish(.failure(PostgresError.rejected(.transactionIsOver)))
        }
        guard !connection.isLost else {
            return statement.finish(.failure(PostgresError.unavailable("the transaction's connection was lost")))
        }
        connection.run(statement)
        startCheckingDeadlines()
    }

    /// Ends a lease. The connection becomes free when it has executed its statements.
    func release(_ lease: UInt64) {
        leases.removeValue(forKey: lease)?.release()
    }

    func cancel(_ id: UInt64) {
        if let waiter = waiting.removeFirst(where: { $0.id == id }) { return waiter.fail(CancellationError()) }
        if longQueries.cancel(id) || reader?.cancel(id) == true { return }
        for connection in open where connection.cancel(id) { return }
    }

    // MARK: Connections

    private func assign(_ connection: Connection, to waiter: Waiter) {
        switch waiter.demand {
        case .statement(let statement): connection.run(statement)
        case .lease(let continuation):
            connection.lease()
            leases[waiter.id] = connection
            continuation.resume(returning: waiter.id)
        }
        startCheckingDeadlines()
    }

    private func connectionBecameFree(_ connection: Connection) {
        if isClosing { return connection.end("the pool is closed") }
        if let waiter = waiting.popFirst() { return assign(connection, to: waiter) }
        connection.freeSince = .now
        free.append(connection)
        startCheckingIdle()
    }

    private func connectionWasLost(_ connection: Connection) {
        open.removeAll { $0 === connection }
        free.removeAll { $0 === connection }
        giveBackSlot()
        openMore()
        finishClosing()
    }

    private func openMore() {
        while !isClosing, waiting.count > opening, open.count + opening < configuration.connections {
            // After a failure, only one connection at a time is tried.
            guard !attempts.areFailing || (opening == 0 && attempts.allowsAttempt(.now)), takeSlot() else { return }
            opening += 1
            Task(executorPreference: loop) { await self.openOne() }
        }
    }

    /// Returns whether the budget allows another connection. It always allows the first one.
    private func takeSlot() -> Bool { open.count + opening == 0 || configuration.budget?.take() != false }

    /// Called after a connection has ended, or could not be opened.
    private func giveBackSlot() {
        if open.count + opening > 0 { configuration.budget?.giveBack() }
    }

    private func openOne() async {
        do {
            let connection = try await connector.connect { handle in
                try Connection(handle, on: loop, preparation: configuration.preparation)
            }
            connection.onFree = { self.connectionBecameFree($0) }
            connection.onLoss = { self.connectionWasLost($0) }
            open.append(connection)
            attempts.succeed()
            opening -= 1
            connectionBecameFree(connection)
            openMore()
        } catch {
            opening -= 1
            giveBackSlot()
            attempts.fail(error.reason)
            if open.isEmpty, attempts.failsFast(.now) {
                for waiter in waiting.removeAll() { waiter.fail(PostgresError.unavailable(error.reason)) }
            }
        }
        finishClosing()
    }

    /// Executes a read as a query, unless its caller no longer waits.
    private func serveSeparately(_ statement: Statement) {
        guard statement.isAwaited else { return }
        let deadline = ContinuousClock.now + configuration.acquireDeadline
        serve(Waiter(id: statement.id, deadline: deadline, demand: .statement(statement)))
    }

    private func openReader() {
        guard reader == nil, !isOpeningReader, !isClosing,
            readerAttempts.allowsAttempt(.now), configuration.budget?.take() != false
        else { return }
        isOpeningReader = true
        Task(executorPreference: loop) { await self.openOneReader() }
    }

    private func openOneReader() async {
        do {
            let reader = try await connector.connect(isReader: true) { handle in
                try ReadConnection(handle, on: loop, preparation: configuration.preparation)
            }
            readerAttempts.succeed()
            reader.onReturn = { self.serveSeparately($0) }
            reader.onLoss = {
                self.reader = nil
                self.configuration.budget?.giveBack()
                self.finishClosing()
            }
            self.reader = reader
            if isClosing { reader.close() }
        } catch {
            configuration.budget?.giveBack()
            readerAttempts.fail(error.reason)
        }
        isOpeningReader = false
        finishClosing()
    }

    /// Whether no connection is open or being opened.
    private var isClosed: Bool { open.isEmpty && opening == 0 && reader == nil && !isOpeningReader }

    /// Resumes the callers of ``close()`` if the last connection has ended.
    private func finishClosing() {
        guard isClosing, isClosed else { return }
        for closer in closers { closer.resume() }
        closers = []
    }

    // MARK: Idle connections

    private func startCheckingIdle() {
        guard !isCheckingIdle, open.count > 1 else { return }
        isCheckingIdle = true
        loop.schedule(after: configuration.idleLimit / 4) { self.endIdle() }
    }

    /// Ends the connections that were not used recently, so that other pools and processes can have them.
    private func endIdle() {
        isCheckingIdle = false
        let cutoff = ContinuousClock.now - configuration.idleLimit
        // The connection at the front has been free for the longest time, because the last one is used first.
        while !isClosing, open.count > 1, let idle = free.first, idle.freeSince < cutoff {
            idle.end("the connection was idle")
        }
        if !isClosing, !free.isEmpty { startCheckingIdle() }
    }

    // MARK: Deadlines

    /// One timer checks all statements, because a timer per statement would be too expensive.
    private func startCheckingDeadlines() {
        guard !isCheckingDeadlines else { return }
        isCheckingDeadlines = true
        loop.schedule(after: Self.deadlineCheckInterval) { self.checkDeadlines() }
    }

    private func checkDeadlines() {
        isCheckingDeadlines = false
        let now = ContinuousClock.now
        while let late = waiting.removeFirst(where: { $0.deadline < now }) {
            late.fail(PostgresError.unavailable("no connection became free in time"))
        }
        longQueries.rejectLate(now)
        for connection in open { connection.checkDeadline(now) }
        reader?.checkDeadline(now)
        openMore()
        if !waiting.isEmpty || !longQueries.isEmpty || reader?.isBusy == true || open.contains(where: \.isBusy) {
            startCheckingDeadlines()
        }
    }
}

/// A caller that needs a free connection.
struct Waiter {
    enum Demand {
        case statement(Statement)
        /// A connection for a transaction; resumes with the ID of the lease.
        case lease(CheckedContinuation<UInt64, any Error>)
    }

    let id: UInt64
    let deadline: ContinuousClock.Instant
    let demand: Demand

    func fail(_ error: any Error) {
        switch demand {
        case .statement(let statement): statement.finish(.failure(error))
        case .lease(let continuation): continuation.resume(throwing: error)
        }
    }
}
