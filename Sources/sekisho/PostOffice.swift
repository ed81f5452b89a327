internal import Crypto
internal import EventLoop
internal import FoundationEssentials
internal import Identity
internal import Mail
internal import Postgres
internal import SMTP
internal import Storage
internal import Synchronization
internal import Telemetry
internal import Tokens

/// Hands a message on, or keeps it.
typealias Transport = @Sendable (Message, QueuedLetter, LetterContent) async -> Verdict

/// The mail of the process: one postman, on the loop of its pool, for all gateways.
final class PostOffice: Sendable {
    let postman: Postman
    let publicURL: @Sendable () -> String
    private let relay: Relay?
    private let loop: Loop
    private let queue: PostgresMailQueue
    private let waiting = Atomic(0)
    private let watch = Mutex<Task<Void, any Error>?>(nil)

    /// What letters are made with.
    struct Desk {
        let pool: Pool
        let masterKeys: MasterKeys
        let clock: WallClock
        let publicURL: @Sendable () -> String
        let log: Log
        let metrics: Metrics
    }

    /// Through the server that is configured.
    convenience init(_ config: MailConfig, desk: Desk) throws {
        let relay = try Relay(
            to: config.server,
            clientName: URL(string: desk.publicURL())?.host ?? "localhost", deadline: MailConfig.deadline)
        let composer = Composer(sender: config.sender) { [publicURL = desk.publicURL] in
            $0.actionBase(of: $1, at: publicURL())
        }
        self.init(composer, desk: desk, relay: relay) { message, _, _ in await relay.submit(message) }
    }

    init(_ composer: Composer, desk: Desk, relay: Relay? = nil, transport: @escaping Transport) {
        self.relay = relay
        publicURL = desk.publicURL
        loop = desk.pool.loop
        queue = PostgresMailQueue(pool: desk.pool)
        let letters = SealedLetters(masterKeys: desk.masterKeys)
        let projects = MailedProjects(pool: desk.pool, clock: desk.clock)
        let record = MailRecord(log: desk.log, metrics: desk.metrics)
        postman = Postman(
            loop: loop,
            with: Postman.Tools(
                queue: queue, open: { try letters.open($0, of: $1) }, hash: { Digest.sha256(Array($0.utf8)) },
                project: projects.cache.value(for:), composer: composer, send: transport, report: record.note,
                clock: desk.clock))
        desk.metrics.gauge("sekisho_mail_waiting", help: "Letters that have still to be sent, a moment ago.") {
            [weak self] in Double(self?.waiting.load(ordering: .relaxed) ?? 0)
        }
    }

    /// Once the database is known to be ours.
    func open() {
        Task(executorPreference: loop) { await self.postman.start() }
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
        await postman.stop()
        cut.cancel()
        relay?.stop()
    }
}

/// Projects as mail needs them, kept for seconds.
private struct MailedProjects {
    let cache: Cache<ID<Project>, MailedProject?>

    init(pool: Pool, clock: WallClock) {
        let store = ConfigurationStore(pool: pool, rules: .live(), secrets: .absent, clock: clock)
        cache = Cache(lifetime: Directory.lifetime) { id in
            try await store.configuration(of: id).map { MailedProject(project: $0.project, name: $0.name) }
        }
    }
}
