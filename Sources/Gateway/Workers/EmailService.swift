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

/// Delivers the emails that the requests of all event loops have queued. One ``EmailWorker`` runs on the event loop of
/// the database pool.
package final class EmailService: Sendable {
    package let worker: EmailWorker
    package let publicURL: @Sendable () -> String
    private let smtpClient: SMTPClient?
    private let loop: Loop
    private let waitingEmailsMetric: WaitingEmailsMetric

    package struct Dependencies {
        let pool: Pool
        let supportedProviders: SupportedProviders
        let masterKeys: MasterKeys
        let clock: WallClock
        package let publicURL: @Sendable () -> String
        let log: Log
        let metrics: Metrics
        let count: @Sendable (CountedEvent, ID<Realm>) -> Void
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
        smtpClient = client
        publicURL = dependencies.publicURL
        loop = dependencies.pool.loop
        let queue = PostgresEmailQueue(pool: dependencies.pool)
        let payloads = EncryptedEmailPayloads(masterKeys: dependencies.masterKeys)
        let realms = SendingRealms(dependencies)
        let reporter = EmailDeliveryReporter(
            log: dependencies.log, metrics: dependencies.metrics, count: dependencies.count)
        worker = EmailWorker(
            loop: loop,
            dependencies: EmailWorker.Dependencies(
                queue: queue, decrypt: { try payloads.open($0, of: $1) }, hash: { Digest.sha256(Array($0.utf8)) },
                realm: realms.cache.value(for:), renderer: renderer, send: transport, report: reporter.report,
                reportClaimFailure: reporter.reportClaimFailure, clock: dependencies.clock))
        waitingEmailsMetric = WaitingEmailsMetric(metrics: dependencies.metrics, count: queue.waitingCount)
    }

    /// Counts the emails that wait to be sent, for a metric. It delivers no emails.
    var waitingEmailsMetricWorker: Worker { waitingEmailsMetric.worker }

    /// Starts the delivery. Call it only after the schema of the database has been checked.
    func start() {
        Task(executorPreference: loop) { await self.worker.start() }
    }

    /// Stops the delivery. Attempts that are still in flight after `timeout` are cancelled and retried later.
    func stop(within timeout: Duration) async {
        let cancelling = Task(executorPreference: loop) { [loop, smtpClient] in
            try await loop.sleep(for: timeout)
            smtpClient?.close()
        }
        await worker.stop()
        cancelling.cancel()
        smtpClient?.stop()
    }
}

/// Caches the realms that emails are sent for, for ``ConfigurationCache/lifetime``.
private struct SendingRealms {
    let cache: Cache<ID<Realm>, SendingRealm?>

    init(_ dependencies: EmailService.Dependencies) {
        let store = ConfigurationStore(
            pool: dependencies.pool, rules: .live(supporting: dependencies.supportedProviders), secrets: .unavailable,
            clock: dependencies.clock)
        let images = BrandImageStore(pool: dependencies.pool, clock: dependencies.clock)
        cache = Cache(lifetime: ConfigurationCache.lifetime) { id in
            guard let configuration = try await store.configuration(of: id) else { return nil }
            let realm = configuration.realm
            let brands = [realm.project.brand] + realm.project.apps.map(\.settings.brand)
            var logos: [ID<BrandImage>: [UInt8]] = [:]
            for id in Set(brands.compactMap(\.logo?.id)) {
                logos[id] = try await images.content(of: id, in: realm.project.id)
            }
            return SendingRealm(realm: realm, name: configuration.name, logos: logos)
        }
    }
}
