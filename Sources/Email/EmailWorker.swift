public import EventLoop
public import Identity
public import SMTP

/// Takes letters that are due out of the queue and hands them on. Each is sent at least once, always as the same
/// message: a process that dies at any point leaves the letter to the others once its lease is over.
public actor EmailWorker {
    /// Letters under way at once.
    static let capacity = 8
    /// Longer than any try can take.
    static let lease: Duration = .seconds(120)
    private static let pause: Duration = .seconds(1)

    /// What a postman works with.
    public struct Dependencies: Sendable {
        public var queue: any EmailQueue
        public var open: @Sendable (_ sealed: [UInt8], ID<OutgoingEmail>) throws -> EmailPayload
        /// As codes are kept.
        public var hash: @Sendable (String) -> [UInt8]
        public var project: @Sendable (ID<Realm>) async throws -> SendingProject?
        public var renderer: EmailRenderer
        public var send: @Sendable (Message, QueuedEmail, EmailPayload) async -> DeliveryResult
        public var report: @Sendable (QueuedEmail, DeliveryOutcome) -> Void
        public var clock: WallClock
        /// From 0 to 1.
        public var chance: @Sendable () -> Double

        public init(
            queue: any EmailQueue, open: @escaping @Sendable ([UInt8], ID<OutgoingEmail>) throws -> EmailPayload,
            hash: @escaping @Sendable (String) -> [UInt8],
            project: @escaping @Sendable (ID<Realm>) async throws -> SendingProject?, renderer: EmailRenderer,
            send: @escaping @Sendable (Message, QueuedEmail, EmailPayload) async -> DeliveryResult,
            report: @escaping @Sendable (QueuedEmail, DeliveryOutcome) -> Void, clock: WallClock,
            chance: @escaping @Sendable () -> Double = { .random(in: 0...1) }
        ) {
            self.queue = queue
            self.open = open
            self.hash = hash
            self.project = project
            self.renderer = renderer
            self.send = send
            self.report = report
            self.clock = clock
            self.chance = chance
        }
    }

    public nonisolated let loop: Loop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let tools: Dependencies
    /// Letters, and places kept for letters that are being asked for.
    private var underWay = 0
    private var waiters: [CheckedContinuation<Void, Never>] = []
    private var round: Task<Void, Never>?
    private var nap: Task<Void, any Error>?
    private var isStopping = false

    public init(loop: Loop, with tools: Dependencies) {
        self.loop = loop
        self.tools = tools
    }

    /// Looks for letters about once a second from now on.
    public func start() {
        guard round == nil, !isStopping else { return }
        round = Task(executorPreference: loop) { await self.goAround() }
    }

    /// Takes no more letters, and returns once those under way are done with.
    public func stop() async {
        isStopping = true
        nap?.cancel()
        await round?.value
        await settle(below: 1)
    }

    /// Returns once all that is due now, and all that was under way, is done with.
    public func deliverDue() async {
        while !isStopping, await takeSome() {}
        await settle(below: 1)
    }

    private func goAround() async {
        while !isStopping {
            guard await !takeSome(), !isStopping else { continue }
            let nap = Task(executorPreference: loop) { [loop] in try await loop.sleep(for: Self.pause) }
            self.nap = nap
            _ = await nap.result
        }
    }

    /// - Returns: whether there may be more.
    private func takeSome() async -> Bool {
        await settle(below: Self.capacity)
        guard !isStopping else { return false }
        let places = Self.capacity - underWay
        underWay += places
        let letters = await claimed(places)
        for letter in letters {
            Task(executorPreference: loop) {
                self.tools.report(letter, await Delivery(letter, with: self.tools).outcome())
                await self.leave(1)
            }
        }
        leave(places - letters.count)
        return letters.count == places
    }

    /// None if the database cannot be asked: it will be asked again.
    private func claimed(_ limit: Int) async -> [QueuedEmail] {
        do {
            return try await tools.queue.claim(limit: limit, lease: Self.lease, at: tools.clock.now())
        } catch {
            return []
        }
    }

    private func leave(_ places: Int) {
        underWay -= places
        for waiter in waiters { waiter.resume() }
        waiters = []
    }

    /// Returns once fewer than `count` are under way.
    private func settle(below count: Int) async {
        while underWay >= count {
            await withCheckedContinuation { continuation in
                // Asked again in here: on the way others may have had their turn.
                if underWay >= count { waiters.append(continuation) } else { continuation.resume() }
            }
        }
    }
}
