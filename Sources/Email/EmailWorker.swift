public import EventLoop
public import Identity
public import SMTP

/// Claims due emails from the queue and sends them. If the process ends during a delivery, another worker claims the
/// email when the lease of the first claim has ended. An email may therefore be sent twice; both messages have the same
/// `Message-ID`.
public actor EmailWorker {
    /// The maximum number of emails in flight.
    static let capacity = 8
    /// How long a claim hides an email from other workers. It is longer than any attempt can take.
    static let lease: Duration = .seconds(120)
    private static let pollInterval: Duration = .seconds(1)

    public struct Dependencies: Sendable {
        public var queue: any EmailQueue
        /// Decrypts the payload of an email.
        public var decrypt: @Sendable (_ content: [UInt8], ID<OutgoingEmail>) throws -> EmailPayload
        /// Returns the hash under which a code is stored.
        public var hash: @Sendable (String) -> [UInt8]
        /// Returns the realm that an email is sent for; `nil` if it does not exist.
        public var realm: @Sendable (ID<Realm>) async throws -> SendingRealm?
        public var renderer: EmailRenderer
        /// Sends a message to the SMTP server, or captures it.
        public var send: @Sendable (Message, QueuedEmail, EmailPayload) async -> DeliveryResult
        /// Logs and counts the outcome of an attempt.
        public var report: @Sendable (QueuedEmail, DeliveryOutcome) -> Void
        /// Logs that emails cannot be claimed. Called for the first of several failures in a row.
        public var reportClaimFailure: @Sendable (any Error) -> Void
        public var clock: WallClock
        /// Returns a random number from 0 to 1.
        public var chance: @Sendable () -> Double

        public init(
            queue: any EmailQueue, decrypt: @escaping @Sendable ([UInt8], ID<OutgoingEmail>) throws -> EmailPayload,
            hash: @escaping @Sendable (String) -> [UInt8],
            realm: @escaping @Sendable (ID<Realm>) async throws -> SendingRealm?, renderer: EmailRenderer,
            send: @escaping @Sendable (Message, QueuedEmail, EmailPayload) async -> DeliveryResult,
            report: @escaping @Sendable (QueuedEmail, DeliveryOutcome) -> Void,
            reportClaimFailure: @escaping @Sendable (any Error) -> Void, clock: WallClock,
            chance: @escaping @Sendable () -> Double = { .random(in: 0...1) }
        ) {
            self.queue = queue
            self.decrypt = decrypt
            self.hash = hash
            self.realm = realm
            self.renderer = renderer
            self.send = send
            self.report = report
            self.reportClaimFailure = reportClaimFailure
            self.clock = clock
            self.chance = chance
        }
    }

    public nonisolated let loop: Loop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let dependencies: Dependencies
    /// Emails being sent, and slots reserved for emails that are being claimed.
    private var inFlight = 0
    /// Whether the latest claim failed.
    private var isClaimFailing = false
    /// Continuations of tasks that wait until fewer emails are in flight.
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var polling: Task<Void, Never>?
    /// The pause between two polls.
    private var sleeping: Task<Void, any Error>?
    private var isStopping = false

    public init(loop: Loop, dependencies: Dependencies) {
        self.loop = loop
        self.dependencies = dependencies
    }

    /// Starts to poll the queue, about once per second.
    public func start() {
        guard polling == nil, !isStopping else { return }
        polling = Task(executorPreference: loop) { await self.run() }
    }

    /// Stops claiming emails. Returns when no email is in flight.
    public func stop() async {
        isStopping = true
        sleeping?.cancel()
        await polling?.value
        await waitUntilInFlight(isBelow: 1)
    }

    /// Delivers the emails that are due now, and returns when none is in flight. Stops early if emails cannot be
    /// claimed.
    public func deliverDue() async {
        while !isStopping, await claimBatch() {}
        await waitUntilInFlight(isBelow: 1)
    }

    private func run() async {
        while !isStopping {
            guard await !claimBatch(), !isStopping else { continue }
            let sleeping = Task(executorPreference: loop) { [loop] in try await loop.sleep(for: Self.pollInterval) }
            self.sleeping = sleeping
            _ = await sleeping.result
        }
    }

    /// Starts the delivery of as many due emails as there are free slots.
    ///
    /// - Returns: whether more emails may be due.
    private func claimBatch() async -> Bool {
        await waitUntilInFlight(isBelow: Self.capacity)
        guard !isStopping else { return false }
        let slots = Self.capacity - inFlight
        inFlight += slots
        let batch = await claim(slots)
        for queued in batch {
            Task(executorPreference: loop) {
                self.dependencies.report(queued, await Delivery(queued, self.dependencies).attempt())
                await self.release(1)
            }
        }
        release(slots - batch.count)
        return batch.count == slots
    }

    /// - Returns: the claimed emails; none if the claim fails. The next poll tries again.
    private func claim(_ limit: Int) async -> [QueuedEmail] {
        do {
            let claimed = try await dependencies.queue.claim(
                limit: limit, lease: Self.lease, at: dependencies.clock.now())
            isClaimFailing = false
            return claimed
        } catch {
            if !isClaimFailing { dependencies.reportClaimFailure(error) }
            isClaimFailing = true
            return []
        }
    }

    /// Frees slots for other emails.
    private func release(_ slots: Int) {
        inFlight -= slots
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    /// Returns when fewer than `count` emails are in flight.
    private func waitUntilInFlight(isBelow count: Int) async {
        while inFlight >= count {
            await withCheckedContinuation { continuation in
                // Checked again, because other tasks may have run in between.
                if inFlight >= count { waiters.append(continuation) } else { continuation.resume() }
            }
        }
    }
}
