internal import EventLoop
internal import Identity
internal import Postgres
internal import Storage
internal import Synchronization
internal import Telemetry
internal import Webhooks

/// The worker that sends the text messages of the queue, and the alarms about senders.
struct SMSWorkers: Sendable {
    /// The maximum number of concurrent requests to senders.
    private static let capacity = 64
    /// The maximum number of messages that one claim takes. A project with as many requests in flight gets no further
    /// claims, so that its slow sender does not delay the messages of other projects.
    private static let claimLimit = 8
    /// The pause between claims while requests are in flight.
    private static let claimPause: Duration = .milliseconds(500)
    /// How long a claimed message is hidden from other processes. Longer than one request can take.
    private static let lease: Duration = .seconds(20)
    /// A sender that fails this long causes an alarm.
    private static let failureTolerance: Duration = .seconds(300)

    private let loop: Loop
    private let queue: PostgresSMSQueue
    private let secrets: EncryptedSMS
    private let projects: ProjectStore
    private let sender: SMSSender
    private let open: @Sendable ([UInt8], ID<OutgoingSMS>) throws -> SMSContent
    private let openSecret: @Sendable ([UInt8], ID<Project>) throws -> Secret
    private let outcomes: Counter
    private let clock: WallClock
    private let log: Log
    private let failing: FailingSenders
    private let usedShare: BudgetShare

    init(
        on pool: Pool, supporting providers: SupportedProviders, sender: SMSSender,
        open: @escaping @Sendable ([UInt8], ID<OutgoingSMS>) throws -> SMSContent,
        openSecret: @escaping @Sendable ([UInt8], ID<Project>) throws -> Secret, clock: WallClock, log: Log,
        metrics: Metrics
    ) {
        loop = pool.loop
        queue = PostgresSMSQueue(pool: pool)
        secrets = EncryptedSMS(pool: pool)
        projects = ProjectStore(pool: pool, supporting: providers)
        self.sender = sender
        self.open = open
        self.openSecret = openSecret
        self.clock = clock
        self.log = log
        outcomes = metrics.counter(
            "sekisho_sms_total",
            help: "Attempts to hand text messages to senders. A message is counted again when it is retried.",
            labels: [MetricLabel("outcome", ["sent", "retried", "failed"])])
        let failing = FailingSenders(tolerance: Self.failureTolerance)
        self.failing = failing
        metrics.gauge(
            "sekisho_sms_failing_senders",
            help: "Projects whose sender of text messages has accepted none for five minutes, although there were some."
        ) { Double(failing.count(at: clock.now())) }
        let usedShare = BudgetShare()
        self.usedShare = usedShare
        metrics.gauge(
            "sekisho_sms_budget_used_ratio",
            help: "The largest share of a project's daily budget of text messages that is used, read every 15 seconds."
        ) { usedShare.value.withLock { $0 } }
    }

    var workers: [Worker] {
        [
            Worker(name: "text messages", pause: { .milliseconds(.random(in: 400...600)) }, run: sendDue),
            Worker(name: "text message budget", pause: { .seconds(15) }) {
                let share = try await queue.usedShareOfBudget(
                    defaultBudget: SMSSettings().budgetPerDay, at: clock.now())
                usedShare.value.withLock { $0 = share }
            },
        ]
    }

    private enum Event: Sendable {
        case finished(ID<Project>, (any Error)?)
        case pauseEnded
    }

    /// The requests to senders that are in flight.
    private struct Requests {
        private var counts: [ID<Project>: Int] = [:]
        /// The first error of the queue. No further messages are claimed then.
        var failure: (any Error)?
        var isPausing = false

        var isEmpty: Bool { counts.isEmpty }
        /// How many messages may be claimed now.
        var claimable: Int { min(claimLimit, capacity - counts.values.reduce(0, +)) }
        /// The projects whose messages are not claimed now.
        var busyProjects: [ID<Project>] { counts.filter { $0.value >= claimLimit }.map(\.key) }

        mutating func start(of project: ID<Project>) { counts[project, default: 0] += 1 }

        mutating func finish(of project: ID<Project>, _ error: (any Error)?) {
            counts[project] = counts[project].flatMap { $0 > 1 ? $0 - 1 : nil }
            failure = failure ?? error
        }
    }

    /// Sends the messages that are due, and those that become due meanwhile, until none is in flight. Requests do not
    /// wait for each other.
    func sendDue() async throws {
        let failure: (any Error)? = await withTaskGroup(of: Event.self, returning: (any Error)?.self) { group in
            var requests = Requests()
            while true {
                await startDue(&requests, in: &group)
                if requests.isEmpty { break }
                if !requests.isPausing, requests.failure == nil {
                    requests.isPausing = true
                    group.addTask { await pauseClaims() }
                }
                switch await group.next() {
                case .finished(let project, let error)?: requests.finish(of: project, error)
                case .pauseEnded?: requests.isPausing = false
                case nil: return requests.failure
                }
            }
            group.cancelAll()
            return requests.failure
        }
        if let failure { throw failure }
    }

    /// Claims messages and starts their requests, until no further message is due or may be claimed.
    private func startDue(_ requests: inout Requests, in group: inout TaskGroup<Event>) async {
        while requests.failure == nil, requests.claimable > 0 {
            let limit = requests.claimable
            do {
                let claimed = try await queue.claim(
                    limit: limit, lease: Self.lease, exceptOf: requests.busyProjects, at: clock.now())
                for message in claimed {
                    requests.start(of: message.realm.project)
                    group.addTask { await finish(message) }
                }
                guard claimed.count == limit else { return }
            } catch {
                requests.failure = error
            }
        }
    }

    private func finish(_ message: PostgresSMSQueue.Claimed) async -> Event {
        do {
            try await send(message)
            return .finished(message.realm.project, nil)
        } catch {
            return .finished(message.realm.project, error)
        }
    }

    private func pauseClaims() async -> Event {
        // When the gateway stops, the pause ends early, and the next claim throws.
        try? await loop.sleep(for: Self.claimPause)
        return .pauseEnded
    }

    private func send(_ message: PostgresSMSQueue.Claimed) async throws {
        let (outcome, now) = (try await attempt(message), clock.now())
        let fields: LogFields = [
            "messageId": .string(message.id.rawValue), "realm": .string(message.realm.rawValue),
            "attempts": .int(message.attempts),
        ]
        failing.record(outcome == .accepted, of: message.realm.project, at: now)
        switch outcome {
        case .accepted:
            outcomes.increment("sent")
            log.info("text message handed to the sender", fields)
            try await queue.remove(message)
        case .retry(let failure):
            let delays = OutgoingSMS.attemptDelays
            let due = delays.indices.contains(message.attempts) ? message.createdAt + delays[message.attempts] : nil
            guard let due, max(due, now) < message.createdAt + OutgoingSMS.lifetime else {
                return try await giveUp(message, failure, fields, at: now)
            }
            outcomes.increment("retried")
            var fields = fields
            fields.add("failure", .string(failure))
            log.warning("text message postponed", fields)
            try await queue.postpone(message, until: max(due, now), failure: failure)
        case .failed(let failure): try await giveUp(message, failure, fields, at: now)
        }
    }

    private func giveUp(
        _ message: PostgresSMSQueue.Claimed, _ failure: String, _ fields: LogFields, at now: Instant
    ) async throws {
        outcomes.increment("failed")
        var fields = fields
        fields.add("failure", .string(failure))
        log.error("text message given up", fields)
        try await queue.giveUp(message, failure: failure, at: now)
    }

    private func attempt(_ message: PostgresSMSQueue.Claimed) async throws -> SMSSender.Outcome {
        let project = message.realm.project
        guard let realm = try await projects.realm(ofProject: project) else {
            return .failed(failure: "the project does not exist")
        }
        do {
            let content = try open(message.content, message.id)
            let secret = try await secrets.secret(of: project).map { try openSecret($0, project) }
            return await sender.send(
                content, message.id, by: realm.project.sms, secret: secret, at: clock.now())
        } catch let error as StoreUnavailable {
            throw error
        } catch {
            return .failed(failure: "the message or the secret cannot be decrypted")
        }
    }
}
