internal import Crypto
package import Email
internal import EventLoop
internal import FoundationEssentials
package import Identity
internal import Postgres
package import SMTP
internal import Storage
internal import Telemetry
internal import Tokens

/// Sends a message, or captures it.
package typealias Transport = @Sendable (Message, QueuedEmail, EmailPayload) async -> DeliveryResult

/// The email delivery of the process: one worker, on the loop of its pool, for all event loops.
package final class EmailService: Sendable {
    package let worker: EmailWorker
    package let publicURL: @Sendable () -> String
    private let client: SMTPClient?
    private let loop: Loop
    private let waiting: WaitingEmails

    package struct Dependencies {
        let pool: Pool
        let masterKeys: MasterKeys
        let clock: WallClock
        package let publicURL: @Sendable () -> String
        let log: Log
        let metrics: Metrics
    }

    /// Sends through the configured SMTP server.
    convenience init(_ config: EmailConfig, dependencies: Dependencies) throws {
        let client = try SMTPClient(
            to: config.server,
            clientName: URL(string: dependencies.publicURL())?.host ?? "localhost",
            deadline: EmailConfig.deliveryTimeout)
        let renderer = EmailRenderer(sender: config.sender) { [publicURL = dependencies.publicURL] in
            $0.actionBase(of: $1, at: publicURL())
        }
        self.init(renderer, dependencies: dependencies, client: client) { message, _, _ in
            await client.submit(message)
        }
    }

    package init(
        _ renderer: EmailRenderer, dependencies: Dependencies, client: SMTPClient? = nil, transport: @escaping Transport
    ) {
        self.client = client
        publicURL = dependencies.publicURL
        loop = dependencies.pool.loop
        let queue = PostgresEmailQueue(pool: dependencies.pool)
        let payloads = EncryptedEmailPayloads(masterKeys: dependencies.masterKeys)
        let projects = SendingProjects(pool: dependencies.pool, clock: dependencies.clock)
        let reporter = EmailDeliveryReporter(log: dependencies.log, metrics: dependencies.metrics)
        worker = EmailWorker(
            loop: loop,
            dependencies: EmailWorker.Dependencies(
                queue: queue, decrypt: { try payloads.open($0, of: $1) }, hash: { Digest.sha256(Array($0.utf8)) },
                project: projects.cache.value(for:), renderer: renderer, send: transport, report: reporter.report,
                clock: dependencies.clock))
        waiting = WaitingEmails(metrics: dependencies.metrics, count: queue.waitingCount)
    }

    /// The worker that counts the waiting emails for the metric.
    var waitingEmailsWorker: Worker { waiting.worker }

    /// Starts the delivery. Call it only after the schema of the database has been checked.
    func start() {
        Task(executorPreference: loop) { await self.worker.start() }
    }

    /// Stops the delivery. Attempts that are still in flight after `timeout` are cancelled and retried later.
    func stop(within timeout: Duration) async {
        let cancelling = Task(executorPreference: loop) { [loop, client] in
            try await loop.sleep(for: timeout)
            client?.close()
        }
        await worker.stop()
        cancelling.cancel()
        client?.stop()
    }
}

/// The projects that emails are sent for, cached for ``ConfigurationCache/lifetime``.
private struct SendingProjects {
    let cache: Cache<ID<Realm>, SendingProject?>

    init(pool: Pool, clock: WallClock) {
        let store = ConfigurationStore(pool: pool, rules: .live(), secrets: .absent, clock: clock)
        cache = Cache(lifetime: ConfigurationCache.lifetime) { id in
            try await store.configuration(of: id).map { SendingProject(project: $0.project, name: $0.name) }
        }
    }
}
