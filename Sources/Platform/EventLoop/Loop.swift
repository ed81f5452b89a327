internal import CSystem
internal import Synchronization

/// One thread, one epoll set, and the executor of every task that belongs to them.
///
/// A request stays on one loop. Its socket, its database connections and its task share the thread, so nothing on the
/// hot path crosses threads. Nothing here may block; blocking work runs on a ``FairPool``. Start tasks with
/// `Task(executorPreference: loop)`: a bare `Task` leaves the loop.
///
/// A loop must outlive the tasks that prefer it: stop it only after its work has been drained.
public final class Loop: TaskExecutor, SerialExecutor, @unchecked Sendable {
    /// What became ready on a watched descriptor.
    public struct Readiness: OptionSet, Sendable {
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        public static let readable = Readiness(rawValue: EPOLLIN.rawValue)
        public static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
        /// Error or hang-up; always reported.
        public static let failed = Readiness(rawValue: EPOLLERR.rawValue | EPOLLHUP.rawValue)
    }

    /// Identifies one call of ``watch(_:for:_:)``.
    public struct Watch: Hashable, Sendable {
        let descriptor: Int32
        let generation: UInt32

        init(descriptor: Int32, generation: UInt32) {
            self.descriptor = descriptor
            self.generation = generation
        }

        /// The form that the kernel keeps.
        fileprivate init(token: UInt64) {
            self.init(
                descriptor: Int32(truncatingIfNeeded: token), generation: UInt32(truncatingIfNeeded: token >> 32))
        }

        fileprivate var token: UInt64 { UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor)) }
    }

    /// Identifies one call of ``schedule(after:_:)``.
    public struct Timer: Hashable, Sendable {
        fileprivate let id: UInt64
    }

    /// Work submitted by other threads.
    private struct Remote {
        var jobs: [UnownedJob] = []
        var calls: [@Sendable () -> Void] = []
        var wakeIsPending = false
    }

    /// No descriptor is negative, so no watch has this token.
    private static let wakeToken = UInt64.max

    private let epoll: Int32
    private let wakeDescriptor: Int32
    private let remote = Mutex(Remote())
    private let isStopping = Atomic(false)
    private var thread: LoopThread?

    // The following properties are used by the loop's own thread only.
    private var local: [UnownedJob] = []
    private var spare: [UnownedJob] = []
    private var watches = WatchTable()
    private var timers = TimerHeap()
    private var endOfPass: [() -> Void] = []

    /// When the current pass began. Cheaper than the clock; on the loop's thread only.
    public private(set) var passStart = ContinuousClock.now

    /// Starts the thread.
    ///
    /// - Throws: ``SystemError`` when the process is out of descriptors or threads.
    public init(name: String) throws {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SystemError(call: "epoll_create1") }
        wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard wakeDescriptor >= 0 else { throw SystemError(call: "eventfd") }
        guard shim_epoll_ctl(epoll, EPOLL_CTL_ADD, wakeDescriptor, EPOLLIN.rawValue, Self.wakeToken) == 0 else {
            throw SystemError(call: "epoll_ctl")
        }
        thread = try LoopThread(name: name) { [unowned self] in run() }
    }

    /// Whether the calling code runs on this loop's thread.
    public var isCurrent: Bool { thread?.isCurrent ?? false }

    /// Ends the thread after the current pass and waits for it. Must not be called on the loop itself.
    public func stop() {
        precondition(!isCurrent, "a loop cannot wait for itself")
        isStopping.store(true, ordering: .releasing)
        wake()
        thread?.join()
        close(epoll)
        close(wakeDescriptor)
    }

    // MARK: Work

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            local.append(job)
        } else {
            handOver { $0.jobs.append(job) }
        }
    }

    /// Runs `call` on the loop in a later pass, also when called on the loop itself.
    public func submit(_ call: @escaping @Sendable () -> Void) {
        handOver { $0.calls.append(call) }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    public func checkIsolated() { precondition(isCurrent, "not on the loop") }

    public func isIsolatingCurrentContext() -> Bool? { isCurrent }

    // MARK: Descriptors and timers (on the loop's thread only)

    /// Calls `handler` whenever `descriptor` is ready (level-triggered), until ``unwatch(_:)``.
    ///
    /// - Throws: ``SystemError`` if the kernel refuses the descriptor.
    public func watch(
        _ descriptor: Int32, for readiness: Readiness, _ handler: @escaping (Readiness) -> Void
    ) throws -> Watch {
        checkIsolated()
        let watch = watches.next(for: descriptor)
        guard shim_epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, readiness.rawValue, watch.token) == 0 else {
            throw SystemError(call: "epoll_ctl")
        }
        watches.begin(watch, handler)
        return watch
    }

    /// Changes what `watch` waits for.
    public func change(_ watch: Watch, to readiness: Readiness) {
        checkIsolated()
        guard watches.handler(of: watch) != nil else { return }
        _ = shim_epoll_ctl(epoll, EPOLL_CTL_MOD, watch.descriptor, readiness.rawValue, watch.token)
    }

    /// Ends a watch. Call it before closing the descriptor.
    public func unwatch(_ watch: Watch) {
        checkIsolated()
        guard watches.end(watch) else { return }
        _ = shim_epoll_ctl(epoll, EPOLL_CTL_DEL, watch.descriptor, 0, 0)
    }

    /// Calls `callback` once, `delay` from now.
    @discardableResult
    public func schedule(after delay: Duration, _ callback: @escaping () -> Void) -> Timer {
        checkIsolated()
        return Timer(id: timers.add(at: .now + delay, callback))
    }

    public func cancel(_ timer: Timer) {
        checkIsolated()
        timers.cancel(timer.id)
    }

    /// Calls `callback` once, at the end of this pass, when its jobs have run. Used to batch work that is cheaper together.
    public func atEndOfPass(_ callback: @escaping () -> Void) {
        checkIsolated()
        endOfPass.append(callback)
    }

    // MARK: The thread

    private func handOver(_ change: (inout Remote) -> Void) {
        let mustWake = remote.withLock { remote in
            change(&remote)
            defer { remote.wakeIsPending = true }
            return !remote.wakeIsPending
        }
        if mustWake { wake() }
    }

    private func wake() {
        var one: UInt64 = 1
        _ = write(wakeDescriptor, &one, MemoryLayout.size(ofValue: one))
    }

    private func run() {
        var events = [epoll_event](repeating: epoll_event(), count: 256)
        while !isStopping.load(ordering: .acquiring) {
            let count = Int(epoll_wait(epoll, &events, Int32(events.count), timeout()))
            passStart = .now
            for event in events.prefix(max(0, count)) {
                let token = event.data.u64
                if token == Self.wakeToken {
                    takeRemote()
                } else {
                    watches.handler(of: Watch(token: token))?(Readiness(rawValue: event.events))
                }
            }
            while let due = timers.popDue(at: passStart) { due() }
            runJobs()
            endPass()
        }
    }

    /// Milliseconds to sleep in `epoll_wait`, rounded up so that a timer never spins; -1 waits without a limit.
    private func timeout() -> Int32 {
        guard local.isEmpty, endOfPass.isEmpty else { return 0 }
        guard let next = timers.next else { return -1 }
        let (seconds, attoseconds) = ContinuousClock.now.duration(to: next).components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 3600 else { return 3_600_000 }
        return Int32(seconds) * 1000 + Int32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }

    private func takeRemote() {
        var count: UInt64 = 0
        _ = read(wakeDescriptor, &count, MemoryLayout.size(ofValue: count))
        let (jobs, calls) = remote.withLock { remote in
            defer { remote = Remote() }
            return (remote.jobs, remote.calls)
        }
        local.append(contentsOf: jobs)
        for call in calls { call() }
    }

    /// Bounded, so that tasks that keep waking each other cannot starve sockets and timers.
    private func runJobs() {
        let serial = asUnownedSerialExecutor()
        let preferred = asUnownedTaskExecutor()
        for _ in 0..<64 where !local.isEmpty {
            swap(&local, &spare)
            for job in spare { job.runSynchronously(isolatedTo: serial, taskExecutor: preferred) }
            spare.removeAll(keepingCapacity: true)
        }
    }

    private func endPass() {
        // A callback may add others: a batch of statements adds the flush of its connection.
        for _ in 0..<4 where !endOfPass.isEmpty {
            let callbacks = endOfPass
            endOfPass = []
            for callback in callbacks { callback() }
        }
    }
}
