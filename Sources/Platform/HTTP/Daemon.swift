internal import CSystem
internal import EventLoop

/// The libmicrohttpd daemon of one loop: its connections, driven by the loop's events and timers.
///
/// Used on its loop only, once started.
final class Daemon: @unchecked Sendable {
    let loop: Loop
    let limits: Limits
    let headValidator: RequestHeadValidator
    let handler: RequestHandler
    let budget: BodyBudget
    private let table: ConnectionTable
    private(set) var isDraining = false
    private var library: OpaquePointer?
    private var watch: Loop.Watch?
    private var connections: [ObjectIdentifier: Connection] = [:]
    /// By descriptor: added, but not started by the library yet.
    private var arriving: [Int32: Peer] = [:]
    private var lingering: [Int32: LingeringClose] = [:]
    private var requestIDs = RequestIDs()
    private var nextRun: Loop.Timer?
    private var runsAtEndOfPass = false
    private var nextSweep: Loop.Timer?

    /// - Throws: ``SystemError`` when the process is out of memory or descriptors.
    init(
        loop: Loop, limits: Limits, handler: RequestHandler, table: ConnectionTable, budget: BodyBudget
    ) throws(SystemError) {
        self.loop = loop
        self.limits = limits
        self.handler = handler
        self.table = table
        self.budget = budget
        headValidator = RequestHeadValidator(limits: limits, route: handler.route)
        // `ConnectionTable` enforces the limit. The library's own count includes connections that are being closed.
        library = startLibrary(
            for: Unmanaged.passUnretained(self), poolBytes: max(32 * 1024, 2 * limits.headBytes),
            connections: 2 * limits.connections)
        guard library != nil else { throw SystemError(call: "MHD_start_daemon") }
    }

    deinit {
        if let library { MHD_stop_daemon(library) }
    }

    func start() {
        guard let library, watch == nil else { return }
        do {
            watch = try loop.watch(shim_mhd_epoll(library), for: .readable) { [self] _ in run() }
        } catch {
            loop.schedule(after: .milliseconds(100)) { [self] in start() }
        }
    }

    /// Serves a descriptor, or closes it while draining or above the limit.
    ///
    /// - Parameter peer: already counted by the table.
    func add(_ descriptor: Int32, from address: SocketAddress, _ peer: Peer) {
        guard let library, !isDraining else {
            close(descriptor)
            table.remove(peer)
            return
        }
        if table.isNearlyFull { closeLongestIdle() }
        guard table.confirm(peer) else {
            close(descriptor)
            return
        }
        arriving[descriptor] = peer
        let isAdded = address.withPointer { MHD_add_connection(library, descriptor, $0, $1) } == .YES
        // The library has closed the descriptor.
        if !isAdded, let peer = arriving.removeValue(forKey: descriptor) { table.remove(peer) }
        scheduleSweep()
    }

    /// Closes the connections of this loop that have been idle longest. It closes several at once, because the search
    /// is too expensive for every new connection.
    private func closeLongestIdle() {
        let idle = connections.values.filter(\.isIdle).sorted { $0.waitingSince < $1.waitingSince }
        for connection in idle.prefix(max(1, limits.connections / 256)) {
            connection.isCounted = false
            table.removeIdle(connection.peer)
            connection.terminate()
        }
    }

    /// Runs the library. Work that it leaves for fairness is done in the next pass.
    func run() {
        for _ in 0..<8 {
            guard let library else { return }
            MHD_run(library)
            var wait: UInt64 = 0
            guard MHD_get_timeout(library, &wait) == .YES else { return }
        }
        guard nextRun == nil else { return }
        nextRun = loop.schedule(after: .zero) { [self] in
            nextRun = nil
            run()
        }
    }

    /// Runs the library once for all answers of a pass, because each run polls the kernel.
    func runAtEndOfPass() {
        guard !runsAtEndOfPass else { return }
        runsAtEndOfPass = true
        loop.atEndOfPass { [self] in
            runsAtEndOfPass = false
            run()
        }
    }

    func nextRequestID() -> String { requestIDs.next() }

    /// Lets requests finish until `end`, then closes the remaining connections and stops the library.
    func drain(until end: ContinuousClock.Instant) async {
        loop.checkIsolated()
        isDraining = true
        run()
        while !connections.isEmpty, .now < end {
            for connection in connections.values where connection.isWaiting { connection.terminate() }
            do { try await loop.sleep(for: .milliseconds(5)) } catch { break }
        }
        stop()
    }

    /// The library aborts the process if it is stopped while a connection is suspended.
    private func stop() {
        guard let library else { return }
        for connection in connections.values { connection.abandon() }
        if let watch { loop.unwatch(watch) }
        for timer in [nextRun, nextSweep] { timer.map(loop.cancel) }
        self.library = nil
        MHD_stop_daemon(library)
        for connection in lingering.values { connection.close() }
    }

    // MARK: Callbacks of the library

    func connectionBegan(_ library: OpaquePointer) -> Connection {
        let descriptor = shim_mhd_descriptor(library)
        guard let peer = arriving.removeValue(forKey: descriptor) else {
            preconditionFailure("the library began a connection that was not added")
        }
        let connection = Connection(library, descriptor, to: peer, of: self)
        connections[ObjectIdentifier(connection)] = connection
        return connection
    }

    /// The descriptor is still open; the library closes it after this call.
    func connectionEnded(_ connection: Connection) {
        connections[ObjectIdentifier(connection)] = nil
        if connection.isCounted { table.remove(connection.peer) }
        guard connection.endsEarly, library != nil, lingering.count < 256 else { return }
        let close = LingeringClose(of: connection.descriptor, on: loop) { [unowned self] in lingering[$0] = nil }
        if let close { lingering[close.descriptor] = close }
    }

    // MARK: Deadlines

    /// One timer for all connections: deadlines change several times per request and need no precision.
    private func scheduleSweep() {
        guard nextSweep == nil, !connections.isEmpty else { return }
        let shortest = min(limits.headDeadline, limits.bodyDeadline, limits.idleDeadline)
        nextSweep = loop.schedule(after: max(.milliseconds(10), min(.seconds(1), shortest / 4))) { [self] in
            nextSweep = nil
            let now = ContinuousClock.now
            for connection in connections.values {
                if let deadline = connection.deadline, deadline <= now { connection.terminate() }
            }
            scheduleSweep()
        }
    }
}
