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
package actor EventDispatcher {
    /// The maximum number of requests in flight to one endpoint.
    static let waveSize = 8
    /// The maximum number of requests in flight.
    static let capacity = 64
    private static let slowResponse: Duration = .seconds(2)
    private static let leaseRenewal: Duration = .seconds(3)
    private static let numberingBatch = 1000

    package nonisolated let loop: Loop
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let store: EventDispatchStore
    private let sender: EventSender
    private let reporter: EventReporter
    private let clock: WallClock
    private let holder = UUID()
    private let slots = EventSlots(count: capacity)
    private let isIdle = Mutex(true)

    private var projects: [ID<Project>] = []
    private var renewedAt: ContinuousClock.Instant?
    private var tasks: [EventDispatchStore.Key: Task<Void, Never>] = [:]
    /// Endpoints that took longer than ``slowResponse``, or did not answer, in their latest wave. They get one request at
    /// a time.
    private var slowEndpoints: Set<EventDispatchStore.Key> = []
    private var isStopping = false

    init(on pool: Pool, sender: EventSender, reporter: EventReporter, clock: WallClock) {
        loop = pool.loop
        store = EventDispatchStore(pool: pool)
        self.sender = sender
        self.reporter = reporter
        self.clock = clock
    }

    /// The pause before the next step: short if the process has projects with listeners.
    nonisolated var pause: Duration {
        isIdle.withLock { $0 } ? .milliseconds(.random(in: 1500...2500)) : .milliseconds(250)
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
        }
        guard !projects.isEmpty else { return }
        // One batch of each project, so that the many events of one do not delay those of others.
        var failure: (any Error)?
        for project in try await store.projectsToNumber(among: projects) where !isStopping {
            do { try await number(project) } catch { failure = error }
        }
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

    private func number(_ project: ID<Project>) async throws {
        reporter.countNumbered(try await store.number(project, limit: Self.numberingBatch))
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
        let limit = health.isStanding || slowEndpoints.contains(key) ? 1 : Self.waveSize
        // A standing endpoint gets its oldest event as a probe, whenever that event would be due.
        // Half of a wave is for new events, so that they do not wait behind a replay.
        let hasNewEvents = target.endpoint.lastSequence < target.streamSequence
        let waitingLimit = hasNewEvents ? max(limit / 2, 1) : limit
        var wave = try await store.waitingDeliveries(
            to: key, dueAt: health.isStanding ? nil : now, limit: waitingLimit)
        var cursor = target.endpoint.lastSequence
        let room = limit - wave.count
        if room > 0 {
            let new = try await store.newEvents(for: target, limit: room)
            cursor = new.count == room ? new.last?.event.sequence ?? cursor : target.streamSequence
            wave += new
        }
        guard !wave.isEmpty || cursor > target.endpoint.lastSequence else { return false }
        return try await record(try await send(wave, to: target), movingCursorTo: cursor, of: target)
    }

    /// - Returns: the outcomes in the order of `wave`.
    private func send(
        _ wave: [EventDispatchStore.Dispatch], to target: EventDispatchStore.Target
    ) async throws -> [(EventDispatchStore.Dispatch, EventDeliveryOutcome)] {
        let (sender, slots) = (sender, slots)
        let (outcomes, isSlow) = try await withThrowingTaskGroup(of: (Int, EventDeliveryOutcome, Duration).self) {
            group in
            for (index, dispatch) in wave.enumerated() {
                await slots.take()
                group.addTask {
                    let began = ContinuousClock.now
                    do {
                        let outcome = try await sender.send(dispatch.event, to: target)
                        await slots.giveBack()
                        return (index, outcome, began.duration(to: .now))
                    } catch {
                        await slots.giveBack()
                        throw error
                    }
                }
            }
            return try await group.reduce(into: ([Int: EventDeliveryOutcome](), false)) { sum, sent in
                sum.0[sent.0] = sent.1
                sum.1 = sum.1 || sent.1 == .failed(.timedOut) || sent.2 > Self.slowResponse
            }
        }
        if isSlow { slowEndpoints.insert(target.key) } else { slowEndpoints.remove(target.key) }
        return wave.enumerated().compactMap { index, dispatch in outcomes[index].map { (dispatch, $0) } }
    }

    private func record(
        _ outcomes: [(EventDispatchStore.Dispatch, EventDeliveryOutcome)], movingCursorTo cursor: Int64,
        of target: EventDispatchStore.Target
    ) async throws -> Bool {
        let now = clock.now()
        var health = target.endpoint.health
        var results: [EventDispatchStore.Result] = []
        // Failures last: a success of the same wave does not revoke that the endpoint is gone, or wants a pause.
        let successes = outcomes.filter { $0.1.isDelivered }
        for (dispatch, outcome) in successes + outcomes.filter({ !$0.1.isDelivered }) {
            health.record(outcome, at: now, chance: .random(in: 0...1))
            results.append(EventDispatchStore.Result(of: outcome, to: dispatch, at: now))
            reporter.count(outcome)
        }
        let isRecorded = try await store.record(
            results, movingCursorTo: cursor, health: health, of: target, at: now)
        if isRecorded, let reason = health.disabledReason { reporter.reportDisabled(target.key, because: reason) }
        return isRecorded && health.allowsAttempt(at: now)
    }
}

extension EventDispatchStore.Result {
    fileprivate init(of outcome: EventDeliveryOutcome, to dispatch: EventDispatchStore.Dispatch, at now: Instant) {
        let attempts = dispatch.attempts + 1
        switch outcome {
        case .delivered(let status):
            self.init(
                sequence: dispatch.event.sequence, state: .delivered, attempts: attempts, dueAt: nil, status: status,
                failure: nil)
        case .failed(let failure):
            let due = EndpointHealth.nextAttempt(
                after: attempts, failing: failure, at: now, chance: .random(in: 0...1))
            self.init(
                sequence: dispatch.event.sequence, state: due == nil ? .failed : .pending, attempts: attempts,
                dueAt: due, status: failure.status, failure: failure.name)
        }
    }
}

/// Limits the requests in flight of a process. Waiting tasks get a slot in the order in which they asked.
private actor EventSlots {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(count: Int) {
        free = count
    }

    func take() async {
        if free > 0 { free -= 1 } else { await withCheckedContinuation { waiting.append($0) } }
    }

    func giveBack() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
