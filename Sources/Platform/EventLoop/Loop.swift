internal import CSystem
internal import Synchronization

/// An event loop: a thread with an epoll set. The loop is also the executor of its tasks. In each iteration, it handles
/// the ready descriptors, the due timers and the queued jobs.
///
/// A request stays on one loop. Its socket, its database connections and its task share the thread, so the hot path
/// never switches threads. Code on a loop must not block; blocking work runs on a ``WorkPool``. Start tasks with
/// `Task(executorPreference: loop)`: a task without this preference runs on other threads.
///
/// A loop must outlive the tasks that prefer it: stop it only after all of them have ended.
public final class Loop: TaskExecutor, SerialExecutor, @unchecked Sendable {
    /// What became ready on a watched descriptor.
    public struct Readiness: OptionSet, Sendable {
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        public static let readable = Readiness(rawValue: EPOLLIN.rawValue)
        public static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
        /// The peer has closed its sending side. The input may have unread bytes.
        public static let endOfInput = Readiness(rawValue: EPOLLRDHUP.rawValue)
        /// Error or hang-up; reported even if the caller did not ask for it.
        public static let failed = Readiness(rawValue: EPOLLERR.rawValue | EPOLLHUP.rawValue)
    }

    /// Identifies one call of ``watch(_:for:_:)``.
    public struct Watch: Hashable, Sendable {
        let descriptor: Int32
        /// Distinguishes the watch from earlier watches of the same descriptor.
        let generation: UInt32

        init(descriptor: Int32, generation: UInt32) {
            self.descriptor = descriptor
            self.generation = generation
        }

        fileprivate init(token: UInt64) {
            self.init(
                descriptor: Int32(truncatingIfNeeded: token), generation: UInt32(truncatingIfNeeded: token >> 32))
        }

        /// The number that the kernel returns with each event of the watch.
        fileprivate var token: UInt64 { UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor)) }
    }

    /// Identifies one call of ``schedule(after:_:)``.
    public struct Timer: Hashable, Sendable {
        fileprivate let id: UInt64
    }

    /// The jobs that other threads enqueued, and the closures from ``submit(_:)``.
    private struct RemoteWork {
        var jobs: [UnownedJob] = []
        var calls: [@Sendable () -> Void] = []
        var wakeIsPending = false
    }

    /// The token of the events of ``wakeDescriptor``. No watch has it: it stands for the descriptor -1.
    private static let wakeToken = UInt64.max

    private static let longIterationMilliseconds = 5

    private let epoll: Int32
    /// An eventfd, to which other threads write to end `epoll_wait`.
    private let wakeDescriptor: Int32
    private let remoteWork = Mutex(RemoteWork())
    private let isStopping = Atomic(false)
    private var thread: NamedThread?

    // The following properties are used by the loop's own thread only.
    private var localJobs: [UnownedJob] = []
    private var runningJobs: [UnownedJob] = []
    private var watches = WatchTable()
    private var timers = TimerHeap()
    private var endOfIterationCallbacks: [() -> Void] = []

    /// When the current iteration began. Reading it is cheaper than reading the clock. Read it only on the
    /// loop's thread.
    public private(set) var iterationStart = ContinuousClock.now

    /// Starts the thread.
    ///
    /// - Throws: ``SystemError`` when the process is out of descriptors or threads.
    public init(name: String) throws {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw SystemError(call: "epoll_create1") }
        wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        do {
            guard wakeDescriptor >= 0 else { throw SystemError(call: "eventfd") }
            guard shim_epoll_ctl(epoll, EPOLL_CTL_ADD, wakeDescriptor, EPOLLIN.rawValue, Self.wakeToken) == 0 else {
                throw SystemError(call: "epoll_ctl")
            }
            // The thread retains the loop until ``stop()``, even if all other references are gone before it begins.
            thread = try NamedThread(name: name) { [self] in run() }
        } catch {
            closeDescriptors()
            throw error
        }
    }

    /// Whether the calling code runs on this loop's thread.
    public var isCurrent: Bool { thread?.isCurrent ?? false }

    /// Ends the thread after the current iteration, and waits until the thread has ended. Must not be called on the
    /// loop itself.
    public func stop() {
        precondition(!isCurrent, "a loop cannot wait for itself")
        isStopping.store(true, ordering: .releasing)
        wake()
        thread?.join()
        closeDescriptors()
    }

    private func closeDescriptors() {
        close(epoll)
        if wakeDescriptor >= 0 { close(wakeDescriptor) }
    }

    // MARK: Work

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isCurrent {
            localJobs.append(job)
        } else {
            submitRemotely { $0.jobs.append(job) }
        }
    }

    /// Queues `call` to run on the loop. Never runs it immediately, even on the loop itself.
    public func submit(_ call: @escaping @Sendable () -> Void) {
        submitRemotely { $0.calls.append(call) }
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
    ) throws(SystemError) -> Watch {
        checkIsolated()
        let watch = watches.nextWatch(for: descriptor)
        guard shim_epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, readiness.rawValue, watch.token) == 0 else {
            throw SystemError(call: "epoll_ctl")
        }
        watches.begin(watch, handler)
        return watch
    }

    /// Changes what `watch` waits for. Does nothing if the watch has ended.
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

    /// Calls `callback` once, at the end of this iteration, after its jobs. For work that is cheaper in batches.
    public func atEndOfIteration(_ callback: @escaping () -> Void) {
        checkIsolated()
        endOfIterationCallbacks.append(callback)
    }

    // MARK: The thread

    private func submitRemotely(_ change: (inout RemoteWork) -> Void) {
        let mustWake = remoteWork.withLock { work in
            change(&work)
            defer { work.wakeIsPending = true }
            return !work.wakeIsPending
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
            iterationStart = .now
            for event in events.prefix(max(0, count)) {
                let token = event.data.u64
                if token == Self.wakeToken {
                    collectRemoteWork()
                } else {
                    watches.handler(of: Watch(token: token))?(Readiness(rawValue: event.events))
                }
            }
            while let due = timers.popDue(at: iterationStart) { due() }
            runJobs()
            endIteration()
        }
    }

    /// The timeout of `epoll_wait` in milliseconds, at most an hour. Rounded up, so that the loop does not spin before
    /// a timer. -1 waits without a limit.
    private func timeout() -> Int32 {
        guard localJobs.isEmpty, endOfIterationCallbacks.isEmpty else { return 0 }
        guard let next = timers.nextDeadline else { return -1 }
        let (seconds, attoseconds) = ContinuousClock.now.duration(to: next).components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 3600 else { return 3_600_000 }
        return Int32(seconds) * 1000 + Int32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }

    private func collectRemoteWork() {
        var count: UInt64 = 0
        _ = read(wakeDescriptor, &count, MemoryLayout.size(ofValue: count))
        let (jobs, calls) = remoteWork.withLock { work in
            defer { work = RemoteWork() }
            return (work.jobs, work.calls)
        }
        localJobs.append(contentsOf: jobs)
        for call in calls { call() }
    }

    /// Runs the queued jobs, in at most 64 rounds, so that tasks that resume each other cannot starve sockets and
    /// timers. Nor can long work that yields: the jobs that have run for ``longIterationMilliseconds`` may use as much
    /// processor time again, then no further round begins. The time on the clock alone does not count, because the
    /// system may have run another thread meanwhile. A loop that stopped then would send small batches of SQL
    /// statements while the machine is busy.
    private func runJobs() {
        let serial = asUnownedSerialExecutor()
        let preferred = asUnownedTaskExecutor()
        let start = Self.coarseMilliseconds()
        var processorTimeWhenLong: Duration?
        for _ in 0..<64 where !localJobs.isEmpty {
            swap(&localJobs, &runningJobs)
            for job in runningJobs { job.runSynchronously(isolatedTo: serial, taskExecutor: preferred) }
            runningJobs.removeAll(keepingCapacity: true)
            guard !localJobs.isEmpty, Self.coarseMilliseconds() - start > Self.longIterationMilliseconds else {
                continue
            }
            let processorTime = Self.processorTimeOfThread()
            guard let startWhenLong = processorTimeWhenLong else {
                processorTimeWhenLong = processorTime
                continue
            }
            if processorTime - startWhenLong > .milliseconds(Self.longIterationMilliseconds) { return }
        }
    }

    /// The system's time at its latest tick, a few milliseconds ago. A request takes about ten rounds, so reading the
    /// exact time in each would cost one percent of a look-up.
    private static func coarseMilliseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
    }

    private static func processorTimeOfThread() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    private func endIteration() {
        // A callback may add another: for example, the callback that sends a batch of SQL statements adds a callback
        // that flushes the connection. Callbacks that remain after four rounds run in the next iteration, so that they
        // cannot starve sockets and timers.
        for _ in 0..<4 where !endOfIterationCallbacks.isEmpty {
            let callbacks = endOfIterationCallbacks
            endOfIterationCallbacks = []
            for callback in callbacks { callback() }
        }
    }
}
