internal import Crypto
package import Email
internal import EventLoop
internal import FoundationEssentials
package import Identity
internal import Postgres
package import SMTP
internal import Storage
internal import Synchronization
internal import Telemetry
internal import Tokens

/// Hands a message on, or keeps it.
package typealias Transport = @Sendable (Message, QueuedEmail, EmailPayload) async -> DeliveryResult

/// The mail of the process: one worker, on the loop of its pool, for all gateways.
package final class EmailService: Sendable {
    package let worker: EmailWorker
    package let publicURL: @Sendable () -> String
    private let relay: SMTPClient?
    private let loop: Loop
    private let queue: PostgresEmailQueue
    private let waiting = Atomic(0)
    private let watch = Mutex<Task<Void, any Error>?>(nil)

    /// What letters are made with.
    package struct Dependencies {
        let pool: Pool
        let masterKeys: MasterKeys
        let clock: WallClock
        package let publicURL: @Sendable () -> String
        let log: Log
        let metrics: Metrics
    }

    /// Through the server that is configured.
    convenience init(_ config: EmailConfig, dependencies: Dependencies) throws {
        let relay = try SMTPClient(
            to: config.server,
            clientName: URL(string: dependencies.publicURL())?.host ?? "localhost", deadline: EmailConfig.deadline)
        let renderer = EmailRenderer(sender: config.sender) { [publicURL = dependencies.publicURL] in
            $0.actionBase(of: $1, at: publicURL())
        }
        self.init(renderer, dependencies: dependencies, relay: relay) { message, _, _ in await relay.submit(message) }
    }

    package init(
        _ renderer: EmailRenderer, dependencies: Dependencies, relay: SMTPClient? = nil, transport: @escaping Transport
    ) {
        self.relay = relay
        publicURL = dependencies.publicURL
        loop = dependencies.pool.loop
        queue = PostgresEmailQueue(pool: dependencies.pool)
        let letters = EncryptedEmailPayloads(masterKeys: dependencies.masterKeys)
        let projects = SendingProjects(pool: dependencies.pool, clock: dependencies.clock)
        let record = EmailDeliveryRecord(log: dependencies.log, metrics: dependencies.metrics)
        worker = EmailWorker(
            loop: loop,
            with: EmailWorker.Dependencies(
                queue: queue, open: { try letters.open($0, of: $1) }, hash: { Digest.sha256(Array($0.utf8)) },
                project: projects.cache.value(for:), renderer: renderer, send: transport, report: record.note,
                clock: dependencies.clock))
        dependencies.metrics.gauge("sekisho_mail_waiting", help: "Letters that have still to be sent, a moment ago.") {
            [weak self] in Double(self?.waiting.load(ordering: .relaxed) ?? 0)
        }
    }

    /// Once the database is known to be ours.
    func open() {
        Task(executorPreference: loop) { await self.worker.start() }
        let task = Task(executorPreference: loop) { [self] in
            while true {
                // An outage shows elsewhere.
                if let count = try? await queue.waiting() { waiting.store(count, ordering: .relaxed) }
                try await loop.sleep(for: .seconds(15))
            }
        }
        watch.withLock { $0 = task }
    }

    /// What is under way at the end of `deadline` is left for others, or for later.
    func close(within deadline: Duration) async {
        watch.withLock { $0 }?.cancel()
        let cut = Task(executorPreference: loop) { [loop, relay] in
            try await loop.sleep(for: deadline)
            relay?.close()
        }
        await worker.stop()
        cut.cancel()
        relay?.stop()
    }
}

/// Projects as mail needs them, kept for seconds.
private struct SendingProjects {
    let cache: Cache<ID<Realm>, SendingProject?>

    init(pool: Pool, clock: WallClock) {
        let store = ConfigurationStore(pool: pool, rules: .live(), secrets: .absent, clock: clock)
        cache = Cache(lifetime: ConfigurationCache.lifetime) { id in
            try await store.configuration(of: id).map { SendingProject(project: $0.project, name: $0.name) }
        }
    }
}
