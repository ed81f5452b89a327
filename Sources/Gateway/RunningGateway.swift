internal import API
package import EventLoop
internal import HTTP
internal import Identity
internal import Passwords
package import Postgres
internal import Providers
internal import Storage
internal import Synchronization
package import Telemetry
internal import Tokens
internal import Webhooks

/// The process of a gateway: event loops, database connections, password threads and the HTTP server.
package final class RunningGateway: Sendable {
    private let group: LoopGroup
    private let pools: [Pool]
    /// Sends requests to identity providers and to the list of breached passwords.
    private let client: HTTP.Client
    /// Sends requests to the servers of operators, whose slow responses must not delay other requests.
    private let callbackClient: HTTP.Client
    /// Calls blocking functions, for which sign-ins wait.
    private let hookClient: HTTP.Client
    private let eventDispatcher: EventDispatcher
    private let passwordThreads: PasswordThreads
    private let requestThreads: FairRequestThreads
    private let emailService: EmailService?
    private let server: Server
    /// Serves the operations for monitoring; `nil`: ``server`` serves them.
    private let monitoringServer: Server?
    private let workers: Workers
    private let counts: CountRecorder
    private let log: Log
    private let state: State

    /// The state of the process that the request handlers of all loops read.
    private final class State: Sendable {
        let isDraining = Atomic(false)
        let port = Atomic<UInt16>(0)
    }

    /// Binds the port, and starts to serve requests and to run the background workers, except the delivery of emails.
    package init(_ config: Config, log: Log, mode: Mode) throws {
        let state = State()
        group = try LoopGroup(count: config.loops)
        passwordThreads = try PasswordThreads(threads: config.passwords.threads, waiting: config.passwords.waiting)
        requestThreads = try FairRequestThreads()
        pools = group.loops.map { Pool(loop: $0, configuration: config.database) }
        client = try HTTP.Client(loop: group.loops[0])
        // Several endpoints can have the same host, and none should wait for another's connection.
        callbackClient = try HTTP.Client(
            loop: group.loops[0], limits: ClientLimits(connections: 128, connectionsPerHost: 128))
        hookClient = try HTTP.Client(
            loop: group.loops[0],
            limits: ClientLimits(
                connections: 512,
                // A slow function does not delay the others of its server.
                connectionsPerHost: HookCircuits.concurrencyLimit * BlockingFunctions.Event.allCases.count))
        let providerKeys = JWKSCache(
            fetch: .http(client, allowsPrivateAddresses: mode.acceptsLoopbackIssuers),
            store: .postgres(on: pools[0]), clock: mode.clock,
            allowsUnencrypted: mode.acceptsLoopbackIssuers, on: group.loops[0])
        let passwordKeys = PasswordKeys.sealed(
            in: PasswordKeyStore(pool: pools[0]), under: config.masterKeys, clock: mode.clock)
        let metrics = GatewayMetrics()
        let counts = CountRecorder()
        (self.counts, self.log) = (counts, log)
        metrics.registry.counter(
            "sekisho_counts_dropped_total", help: "Events that were not counted for charts, because too many differ."
        ) { Double(counts.dropped) }
        let limits = RateLimits(masterKeys: config.masterKeys, clock: mode.clock, metrics: metrics.registry)
        let publicURL = { @Sendable in mode.publicURL ?? "http://127.0.0.1:\(state.port.load(ordering: .relaxed))" }
        let dependencies = EmailService.Dependencies(
            pool: pools[0], supportedProviders: mode.providers.supported, masterKeys: config.masterKeys,
            clock: mode.clock, publicURL: publicURL, log: log, metrics: metrics.registry,
            count: counts.counting(by: mode.clock))
        emailService =
            try mode.emailService?(dependencies)
            ?? config.email.map { try EmailService($0, dependencies: dependencies) }
        let appleTokens = AppleTokenEndpoint.http(client, at: mode.appleEndpoints, clock: mode.clock)
            .counted(by: metrics.registry, log: log)
        let callbacks = SignedCall(
            callbackClient, egress: mode.acceptsLoopbackIssuers ? .loopbackWithoutTLS : .publicAddresses)
        let hookCalls = HookCalls(
            SignedCall(hookClient, egress: mode.acceptsLoopbackIssuers ? .loopbackWithoutTLS : .publicAddresses),
            log: log, metrics: metrics.registry)
        let eventSender = EventSender(
            callbacks,
            masterKeys: config.masterKeys, clock: mode.clock)
        let serviceKeyUse = ServiceKeyUsageTracker()
        var root = CompositionRoot(
            masterKeys: config.masterKeys, trustedProxies: config.trustedProxies, log: log, metrics: metrics,
            passwords: try .argon2id(
                config.passwords.cost, by: .libsodium, keys: passwordKeys,
                replacesHashes: config.passwords.replacesHashes, on: passwordThreads),
            threads: requestThreads,
            limiter: mode.limitsRates ? limits.limiter : .none,
            breaches: .live(at: config.breachedPasswordsURL, client: client, metrics: metrics, log: log),
            providerKeys: providerKeys, appleTokens: appleTokens, tokenRequestSender: client.tokenRequestSender,
            countFlowEvent: AuthorizationFlowMetrics(metrics: metrics.registry).count,
            countFactorEvent: SecondFactorMetrics(metrics: metrics.registry).count,
            countPasskeyEvent: PasskeyMetrics(metrics: metrics.registry).count, serviceKeyUse: serviceKeyUse,
            emulatorClients: EmulatorClientReporter(log: log, metrics: metrics.registry), counts: counts, mode: mode,
            eventSender: eventSender, hookCalls: hookCalls, servesMonitoring: config.operationsListen == nil,
            outageLimit: config.outageLimit,
            emailService: emailService,
            appleDomainAssociation: config.appleDomainAssociation,
            publicURL: publicURL, isDraining: { state.isDraining.load(ordering: .relaxed) })
        root.console = config.console
        root.countPhoneCode = PhoneCodeMetrics(metrics: metrics.registry).count
        let readiness = ReadinessProbe(pools)
        let pipelines = pools.map { [root] in root.pipeline(on: $0, readiness: readiness) }
        server = try config.listen.server(
            on: group.loops, config.server.limits(exempting: config.trustedProxies), pipelines.map(\.handler))
        monitoringServer = try config.operationsListen?.server(
            on: [group.loops[0]], .monitoring, [pipelines[0].monitoringHandler])
        metrics.registry.export(server)
        metrics.registry.export(log)
        metrics.registry.gauge("sekisho_build_info", help: "Always 1; the label is the version.", label: "version") {
            [Release.version: 1]
        }
        metrics.registry.gauge("sekisho_passwords_waiting", help: "Passwords that wait for a thread.") {
            [passwordThreads] in Double(passwordThreads.ordinary.waiting)
        }
        metrics.registry.gauge(
            "sekisho_expensive_passwords_waiting",
            help: "Passwords that wait for the thread that checks expensive hashes of other systems."
        ) { [passwordThreads] in Double(passwordThreads.expensive.waiting) }
        self.state = state
        state.port.store(server.port, ordering: .relaxed)
        server.start()
        monitoringServer?.start()
        let appleGrantWorkers = AppleGrantWorkers(
            on: pools[0], endpoint: appleTokens, under: config.masterKeys, clock: mode.clock, log: log,
            metrics: metrics.registry, count: counts.counting(by: mode.clock))
        let smsWorkers = SMSWorkers(
            on: pools[0], supporting: mode.providers.supported,
            sender: SMSSender(
                SignedCall(client, egress: mode.acceptsLoopbackIssuers ? .loopbackWithoutTLS : .publicAddresses)),
            open: PhoneCodeSecrets.opening(under: config.masterKeys),
            openSecret: SecretEncryption.openingSMS(under: config.masterKeys), clock: mode.clock, log: log,
            metrics: metrics.registry)
        let dispatcher = EventDispatcher(
            on: pools[0], sender: eventSender, reporter: EventReporter(log: log, metrics: metrics.registry),
            clock: mode.clock)
        eventDispatcher = dispatcher
        let janitor = Worker.janitor(pools[0], clock: mode.clock, metrics: metrics.registry)
        workers = Workers(
            [
                janitor, .statistics(pools[0]), .clock(readiness, log: log, metrics: metrics.registry),
                .repeatedErrors(log), serviceKeyUse.worker(on: pools[0]), counts.worker(on: pools[0]),
                Worker(name: "events", pause: { dispatcher.pause }) { try await dispatcher.step() },
                .googleSignals(
                    GoogleSignalStreams(
                        on: pools[0], under: config.masterKeys, clock: mode.clock, send: client.send(_:)),
                    log: log, metrics: metrics.registry),
            ] + (mode.limitsRates ? [limits.worker(on: pools[0])] : [])
                + [emailService?.waitingEmailsMetricWorker].compactMap(\.self) + appleGrantWorkers.workers
                + smsWorkers.workers,
            on: group.loops[0], log: log)
    }

    /// - Throws: ``Failure`` if the gateway could not bind the address now.
    package static func requireFree(_ address: Config.ListenAddress) throws(Failure) {
        do {
            try Server.requireFree(address: address.host, port: address.port)
        } catch {
            throw Failure(message: "cannot listen on \(address): \(error)")
        }
    }

    package var port: UInt16 { server.port }
    /// The port of the listener for monitoring, if it has one of its own.
    package var monitoringPort: UInt16? { monitoringServer?.port }
    package var loop: Loop { group.loops[0] }
    package var pool: Pool { pools[0] }

    /// Starts the delivery of emails. Call it only after the schema of the database has been checked.
    package func startEmailDelivery() {
        emailService?.start()
    }

    /// Makes `/readyz` answer `draining` and every response close its connection, so that load balancers and clients
    /// leave this process before ``drain(within:)`` refuses them.
    package func announceShutdown() {
        state.isDraining.store(true, ordering: .relaxed)
        server.closeConnectionsAfterResponses()
    }

    /// Stops accepting requests, waits at most `timeout` for the running requests and emails, and stops all threads. A
    /// listener of its own for monitoring stops last.
    ///
    /// - Returns: the number of requests that were cut off because they had not ended in time.
    @discardableResult
    package func drain(within timeout: Duration) throws -> Int {
        announceShutdown()
        let cutOff = try loop.waitFor {
            [
                self, server, monitoringServer, pools, client, callbackClient, hookClient, workers, eventDispatcher,
                emailService
            ] in
            async let emailStop: Void? = emailService?.stop(within: timeout)
            let cutOff = await server.drain(within: timeout)
            await workers.stop()
            await eventDispatcher.stop()
            await emailStop
            await storeCounts()
            await monitoringServer?.drain(within: .seconds(1))
            await client.close()
            await callbackClient.close()
            await hookClient.close()
            for pool in pools { await pool.close() }
            return cutOff
        }
        passwordThreads.stop()
        requestThreads.stop()
        group.stop()
        return cutOff
    }
}

extension RunningGateway {
    /// Stores the counts of the last minute. They are lost if the database is not available now.
    private func storeCounts() async {
        do {
            try await counts.flush(to: CountStore(pool: pools[0]))
        } catch {
            log.warning("counts of the last minute are lost", ["cause": .string("\(error)")])
        }
    }
}

extension Config.ListenAddress {
    /// Binds the address.
    ///
    /// - Throws: ``Failure``.
    fileprivate func server(on loops: [Loop], _ limits: Limits, _ handlers: [RequestHandler]) throws -> Server {
        do {
            return try Server(
                loops: loops, address: host, furtherAddresses: furtherHosts, port: port, limits: limits,
                handlers: handlers)
        } catch {
            throw Failure(message: "cannot listen on \(self): \(error)")
        }
    }
}

extension Limits {
    /// For a listener to which only the operator's monitoring connects, and which reads no large bodies.
    fileprivate static let monitoring = Limits(
        bodyBudgetBytes: 1 << 20, connections: 64, connectionsPerAddress: nil)
}
