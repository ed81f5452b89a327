package import EventLoop
internal import FoundationEssentials
internal import Identity
internal import Postgres
internal import Storage
internal import Synchronization

/// Numbers the events of the projects whose leases the process holds, and delivers them to the endpoints.
///
/// Each endpoint has a task while there is something to send. It works in waves: it reads the endpoint and at most
/// ``waveSize`` events, sends them at the same time, and records the results together with the cursor. A process that
/// dies in between sends the events of one wave again.
///
/// A wave is the set of events that is sent to an endpoint at the same time. The first wave has one event, and each
/// wave after a quick success twice as many as the one before. So an endpoint that does not respond holds one slot of
/// ``EventSlots``.
package actor EventDispatcher {
    /// The maximum number of requests in flight to one endpoint.
    static let waveSize = 8
    private static let slowResponse: Duration = .seconds(2)
    private static let slowTime: Duration = .seconds(600)
    private static let leaseRenewal: Duration = .seconds(3)
    /// The maximum number of events that a step numbers. It takes less than a second, during which no other event is
    /// numbered.
    private static let numberingBatch = 5000

    package nonisolated let loop: Loop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let store: EventDispatchStore
    private let accounts: PostgresAccountStore
    private let sender: EventSender
    private let reporter: EventReporter
    private let clock: WallClock
    private let holder = UUID()
    private let isIdle = Mutex(true)

    private var projects: [ID<Project>] = []
    private var renewedAt: ContinuousClock.Instant?
    private var tasks: [EventDispatchStore.Key: Task<Void, Never>] = [:]
    /// The size of the next wave of an endpoint (default: one).
    private var waveSizes: [EventDispatchStore.Key: Int] = [:]
    /// Endpoints that took longer than ``slowResponse``, or did not answer, and until when they get one request at a
    /// time. A quick answer in between does not count: a hostile endpoint could alternate.
    private var slowUntil: [EventDispatchStore.Key: ContinuousClock.Instant] = [:]
    /// Whether the latest step left events that it did not number.
    private let hasBacklog = Mutex(false)
    private var isStopping = false

    init(on pool: Pool, sender: EventSender, reporter: EventReporter, clock: WallClock) {
        loop = pool.loop
        store = EventDispatchStore(pool: pool)
        accounts = PostgresAccountStore(pool: pool)
        self.sender = sender
        self.reporter = reporter
        self.clock = clock
    }

    /// The pause before the next step: short if the process has projects with listeners.
    nonisolated var pause: Duration {
        if hasBacklog.withLock({ $0 }) { return .milliseconds(1) }
        return isIdle.withLock { $0 } ? .milliseconds(.random(in: 1500...2500)) : .milliseconds(250)
    }

    /// Renews the leases when it is time, numbers the committed events, and starts tasks for the endpoints that can get
    /// an event.
    func step() async throws {
        guard !isStopping else { return }
        if renewedAt.map({ $0.duration(to: .now) >= Self.leaseRenewal }) != false {
            projects = try await store.claimLeases(of: holder)
            renewedAt = .now
            isIdle.withLock { $0 = projects.isEmpty }
            reporter.report(try await store.backlog(at: clock.now()))
            reporter.report(try await store.endpointStates(of: projects, at: clock.now()))
        }
        guard !projects.isEmpty else { return hasBacklog.withLock { $0 = false } }
        // One batch of each project, so that a project with many events does not delay the others. The projects share
        // the maximum, so that many such projects do not delay the others either.
        var failure: (any Error)?
        var hasBacklog = false
        let waiting = try await store.projectsToNumber(among: projects)
        let limit = max(Self.numberingBatch / max(waiting.count, 1), 1)
        for project in waiting where !isStopping {
            do { hasBacklog = try await number(project, limit: limit) == limit || hasBacklog } catch { failure = error }
        }
        self.hasBacklog.withLock { [hasBacklog] in $0 = hasBacklog && failure == nil }
        for key in try await store.dueEndpoints(of: projects, at: clock.now()) where tasks[key] == nil && !isStopping {
            tasks[key] = Task(executorPreference: loop) { await self.deliver(to: key) }
        }
        if let failure { throw failure }
    }

    /// Waits until the running tasks have nothing more to send.
    func finishTasks() async {
        while let task = tasks.values.first { await task.value }
    }

    /// Cancels the requests in flight, whose events another process will send again, and gives up the leases.
    func stop() async {
        isStopping = true
        for task in tasks.values { task.cancel() }
        await finishTasks()
        // Without this, another process takes over when the leases expire.
        try? await store.releaseLeases(of: holder)
    }

    private func number(_ project: ID<Project>, limit: Int) async throws -> Int {
        let count = try await store.number(project, limit: limit)
        reporter.countNumbered(count)
        return count
    }

    private func deliver(to key: EventDispatchStore.Key) async {
        defer { tasks[key] = nil }
        do {
            while !isStopping, try await deliverWave(to: key) {}
        } catch is CancellationError {
            return
        } catch {
            reporter.reportInterruption(of: key, error)
        }
    }

    /// - Returns: whether there may be more to send now.
    private func deliverWave(to key: EventDispatchStore.Key) async throws -> Bool {
        guard let target = try await store.target(key), target.leaseHolder == holder else { return false }
        let (now, health) = (clock.now(), target.endpoint.health)
        guard health.allowsAttempt(at: now) else { return false }
        let getsProbe = health.isFailing || health.hasFailedTooLong(at: now)
        let limit = getsProbe ? 1 : waveSizes[key] ?? 1
        // A standing endpoint gets its oldest event as a probe, whenever that event would be due.
        // Half of a wave is for new events, so that they do not wait behind a replay.
        let hasNewEvents = target.endpoint.lastSequence < target.streamSequence
        let waitingLimit = hasNewEvents ? max(limit / 2, 1) : limit
        let waiting = try await store.waitingDeliveries(to: key, dueAt: getsProbe ? nil : now, limit: waitingLimit)
        guard waiting.expired.isEmpty else {
            return try await store.record(
                waiting.expired, movingCursorTo: target.endpoint.lastSequence, health: health, of: target, at: now)
        }
        var wave = waiting.dispatches
        var cursor = target.endpoint.lastSequence
        let room = limit - wave.count
        if room > 0 {
            let new = try await store.newEvents(for: target, limit: room)
            cursor = new.count == room ? new.last?.event.sequence ?? cursor : target.streamSequence
            wave += new
        }
        guard !wave.isEmpty || cursor > target.endpoint.lastSequence || health.hasFailedTooLong(at: now) else {
            return false
        }
        return try await record(try await send(wave, to: target), movingCursorTo: cursor, of: target)
    }

    /// - Returns: the outcomes in the order of `wave`.
    private func send(
        _ wave: [EventDispatchStore.Dispatch], to target: EventDispatchStore.Target
    ) async throws -> [(EventDispatchStore.Dispatch, EventDeliveryOutcome)] {
        let (sender, accounts, isSlow) = (sender, accounts, slowUntil[target.key].map { $0 > .now } ?? false)
        let sent = try await withThrowingTaskGroup(of: (Int, EventSender.Sent).self) { group in
            for (index, dispatch) in wave.enumerated() {
                group.addTask {
                    let event = dispatch.event
                    let sent = try await sender.send(event, to: target, isSlow: isSlow) {
                        try await accounts.find([.id(event.account)], in: event.realm).first
                    }
                    return (index, sent)
                }
            }
            return try await group.reduce(into: [Int: EventSender.Sent]()) { $0[$1.0] = $1.1 }
        }
        adaptWaves(to: target.key, Array(sent.values))
        return wave.enumerated().compactMap { index, dispatch in sent[index].map { (dispatch, $0.outcome) } }
    }

    private func adaptWaves(to key: EventDispatchStore.Key, _ sent: [EventSender.Sent]) {
        let size = waveSizes[key] ?? 1
        if sent.contains(where: { $0.duration > Self.slowResponse || $0.outcome == .failed(.timedOut) }) {
            waveSizes[key] = 1
            slowUntil[key] = ContinuousClock.now + Self.slowTime
        } else if slowUntil[key].map({ $0 > .now }) != true {
            slowUntil[key] = nil
            if sent.allSatisfy(\.outcome.isDelivered) { waveSizes[key] = min(size * 2, Self.waveSize) }
        }
    }

    private func record(
        _ outcomes: [(EventDispatchStore.Dispatch, EventDeliveryOutcome)], movingCursorTo cursor: Int64,
        of target: EventDispatchStore.Target
    ) async throws -> Bool {
        let now = clock.now()
        var health = target.endpoint.health
        var results: [EventDispatchStore.Result] = []
        // Failures are recorded last: a success of the same wave must not undo that the endpoint is gone or asks for a
        // pause.
        let successes = outcomes.filter { $0.1.isDelivered }
        for (dispatch, outcome) in successes + outcomes.filter({ !$0.1.isDelivered }) {
            health.record(outcome, at: now, chance: .random(in: 0...1))
            results.append(EventDispatchStore.Result(of: outcome, to: dispatch, at: now))
            reporter.count(outcome, of: target.key)
        }
        health.disableIfFailedTooLong(at: now)
        let isRecorded = try await store.record(
            results, movingCursorTo: cursor, health: health, of: target, at: now)
        if isRecorded, let reason = health.disabledReason { reporter.reportDisabled(target.key, because: reason) }
        return isRecorded && health.allowsAttempt(at: now)
    }
}
