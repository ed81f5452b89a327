import API
import Crypto
import Encoding
import EventLoop
import FoundationEssentials
import HTTP
import IPAddresses
import Identity
import Passwords
import Postgres
import Providers
import Storage
import Synchronization
import Telemetry
import Testing
import Webhooks

@testable import DevMode
@testable import Gateway

/// The gateway as `serve` builds it, on a database of its own, with a clock that moves only when a test advances it.
struct TestGateway: Sendable {
    static let apiKey = "pk_test"
    static let masterKey = [UInt8](repeating: 7, count: 32)
    /// The master key that replaces ``masterKey`` in tests of re-encryption.
    static let newMasterKey = [UInt8](repeating: 8, count: 32)
    /// The threads that hash the passwords of all tests.
    static let hashingThreads = Result { try PasswordThreads(threads: 2, waiting: 1000) }
    /// The thread that decodes the large requests of all tests.
    static let requestThreads = Result { try FairRequestThreads() }

    let database: TestDatabase
    let clock: TestClock
    let pipeline: RequestPipeline
    let root: CompositionRoot
    private let transport: Transport
    /// `nil` if requests run in process.
    let server: SocketServer?
    let realm: Realm
    let simulators: SimulatedProviders
    /// `nil` unless the simulated Apple serves its token endpoints.
    let appleServer: AppleServer?
    let masterKeys: MasterKeys
    /// `nil` unless rate limits apply.
    let limits: RateLimits?
    let serviceKeyUse: ServiceKeyUsageTracker
    /// The codes for telephone numbers that were issued.
    let phoneCodes: CapturedPhoneCodes

    /// - Parameters:
    ///   - transport: how requests reach the gateway.
    ///   - limitsRates: whether rate limits apply, as they do in `serve`.
    ///   - sendsEmails: whether emails are queued, as if an SMTP server were configured.
    ///   - wantedEvents: the kinds of events that the outbox gets (default: those that sign-ins and sign-ups do not
    ///     cause).
    ///   - servesApple: whether the simulated Apple serves its token endpoints. If so, the project has a private key
    ///     that Apple accepts; otherwise, its private key is invalid.
    ///   - sms: the sender of text messages (default: none).
    ///   - change: changes the policy of `profile` for the project (default: turns email enumeration protection off).
    ///   - replaceFunctions: replaces functions of Apple's token endpoint.
    ///   - callbackResponse: responds to the requests to the servers of operators (default: they are unreachable).
    init(
        _ profile: Policy.Profile = .firebase, transport: Transport = .standard, passwords: PasswordHasher? = nil,
        breaches: BreachedPasswords = .none, mode: Mode = .serve(at: "https://auth.example.com"),
        limitsRates: Bool = false, trustedProxies: [IPNetwork] = [], log: Log = Log(level: .error, descriptor: 2),
        isDraining: Bool = false, sendsEmails: Bool = true,
        wantedEvents: [AccountEvent.Kind] = Self.eventsOfChanges, servesApple: Bool = false,
        sms: SMSSettings = SMSSettings(),
        change: (inout Policy) -> Void = { $0.emailEnumerationProtection = false },
        appleTokens replaceFunctions: (AppleTokenEndpoint) -> AppleTokenEndpoint = { $0 },
        callbackResponse: @escaping @Sendable (ClientRequest) async throws -> ClientResponse = { _ in
            throw ClientFault.unreachable
        }
    ) async throws {
        database = try TestDatabase()
        clock = TestClock()
        simulators = try SimulatedProviders(clock: clock)
        serviceKeyUse = ServiceKeyUsageTracker()
        var policy = Policy(profile)
        change(&policy)
        var draft = try ProjectDraft(
            id: "demo", name: "Demo", profile: profile, policy: policy, algorithm: .es256, domains: ["localhost"],
            supporting: mode.providers.supported)
        draft.realm.project.passkeys = PasskeySettings(isEnabled: true, rpID: "example.com")
        draft.realm.providers = SimulatedProviders.providers
        draft.realm.project.sms = sms
        draft.secrets = [.apple: Secret("-----BEGIN PRIVATE KEY-----")]
        appleServer = servesApple ? try AppleServer(simulators.apple) : nil
        if let appleServer { draft.secrets = [.apple: Secret(try appleServer.privateKey.pem)] }
        realm = draft.realm
        masterKeys = try MasterKeys(current: Self.masterKey)
        #expect(try await draft.create(in: database.pool, under: masterKeys, by: .commandLine, at: clock.now))
        _ = try await database.pool.execute(
            "UPDATE realm SET event_kinds = \(wantedEvents.map(\.rawValue)) WHERE id = \(realm.project.id.rawValue)")
        let isKeyCreated = try await APIKeyStore(pool: database.pool).create(
            id: "key", hash: Digest.sha256(Array(Self.apiKey.utf8)), for: ProjectDraft.defaultApp.id,
            in: realm.project.id,
            at: clock.now)
        #expect(isKeyCreated)
        let lowCost = try PasswordHash.Cost(memoryKiB: 8, iterations: 1)
        let keys = PasswordKeys.sealed(
            in: PasswordKeyStore(pool: database.pool), under: masterKeys, clock: clock.wallClock)
        let metrics = GatewayMetrics()
        limits =
            limitsRates
            ? RateLimits(masterKeys: masterKeys, clock: clock.wallClock, metrics: metrics.registry) : nil
        var mode = sendsEmails ? mode.queueingEmails : mode
        mode.clock = clock.wallClock
        let phoneCodes = CapturedPhoneCodes()
        self.phoneCodes = phoneCodes
        mode.wrapPhoneCodes = { phoneCodes.capturing($0) }
        // The clock of the tests does not differ from others.
        mode.clockTolerance = .zero
        var root = CompositionRoot(
            masterKeys: masterKeys, trustedProxies: trustedProxies, log: log, metrics: metrics,
            passwords: try passwords ?? .argon2id(lowCost, by: .libsodium, keys: keys, on: Self.hashingThreads.get()),
            threads: try Self.requestThreads.get(),
            limiter: limits?.limiter ?? .none, breaches: breaches,
            providerKeys: JWKSCache(
                fetch: simulators.fetch, store: .postgres(on: database.pool),
                clock: clock.wallClock, on: database.pool.loop),
            appleTokens: replaceFunctions(try .simulated(by: appleServer, clock: clock.wallClock)),
            tokenRequestSender: simulators.tokenRequestSender, countFlowEvent: { _ in },
            countFactorEvent: SecondFactorMetrics(metrics: metrics.registry).count,
            countPasskeyEvent: PasskeyMetrics(metrics: metrics.registry).count,
            serviceKeyUse: serviceKeyUse, emulatorClients: EmulatorClientReporter(log: log, metrics: metrics.registry),
            mode: mode,
            eventSender: EventSender(
                SignedCall(egress: .publicAddresses, send: callbackResponse), masterKeys: masterKeys,
                clock: clock.wallClock),
            hookCalls: HookCalls(
                SignedCall(egress: .publicAddresses, send: callbackResponse), log: log, metrics: metrics.registry),
            publicURL: { "https://auth.example.com" }, isDraining: { isDraining })
        root.configurationLifetime = Self.configurationLifetime
        self.root = root
        self.transport = transport
        pipeline = root.pipeline(on: database.pool)
        server = transport == .socket ? try SocketServer(pipeline, on: database.pool.loop) : nil
    }

    /// So long that no cached configuration expires during a test, however slow the machine is.
    private static let configurationLifetime: Duration = .seconds(3600)

    private static let eventsOfChanges = AccountEvent.Kind.allCases.filter {
        $0 != .accountCreated && $0 != .sessionOpened
    }

    private init(_ other: TestGateway, root: CompositionRoot? = nil, limits: RateLimits? = nil) throws {
        database = other.database
        clock = other.clock
        realm = other.realm
        simulators = other.simulators
        appleServer = other.appleServer
        masterKeys = other.masterKeys
        serviceKeyUse = other.serviceKeyUse
        phoneCodes = other.phoneCodes
        transport = other.transport
        self.limits = limits ?? other.limits
        self.root = root ?? other.root
        pipeline = self.root.pipeline(on: database.pool)
        server = transport == .socket ? try SocketServer(pipeline, on: database.pool.loop) : nil
    }

    /// A gateway on the same database, with empty caches of configuration and keys.
    func withFreshCaches() throws -> TestGateway { try TestGateway(self) }

    /// The gateway with a changed composition, and with empty caches.
    func with(_ change: (inout CompositionRoot) -> Void) throws -> TestGateway {
        var root = root
        change(&root)
        return try TestGateway(self, root: root)
    }

    /// A replica of the gateway on the same database, with its own caches, rate limit counters and metrics.
    func replica() throws -> TestGateway {
        let metrics = GatewayMetrics()
        let limits = RateLimits(masterKeys: root.masterKeys, clock: clock.wallClock, metrics: metrics.registry)
        return try TestGateway(self, root: root.limited(by: limits, metrics), limits: limits)
    }

    /// Posts JSON as an app does.
    ///
    /// - Parameters:
    ///   - key: the API key (default: that of the only app); `nil` for a request without one.
    ///   - peer: the IP address of the client.
    func post(
        _ path: String, _ body: JSON = [:], key: String? = apiKey, headers: Headers = Headers(),
        from peer: String = "192.0.2.1"
    ) async throws -> Exchange {
        try await send(
            .post, path, body: try body.bytes, query: key.map { [("key", $0)] } ?? [], headers: headers, peer: peer)
    }

    func getWithoutAPIKey(_ path: String) async throws -> Exchange { try await send(.get, path, body: [], query: []) }

    func send(
        _ method: HTTP.Method, _ path: String, body: [UInt8], query: [(name: String, value: String)],
        headers: Headers = Headers(), peer: String = "192.0.2.1"
    ) async throws -> Exchange {
        let request = Request(
            id: "0", method: method, path: path, query: query.map { (ByteText($0.name), $0.value) }, headers: headers,
            body: body, peer: peer)
        if let server { return Exchange(try await server.send(request)) }
        return Exchange(await pipeline.respond(to: request))
    }
}

extension CompositionRoot {
    fileprivate func limited(by limits: RateLimits, _ metrics: GatewayMetrics) -> CompositionRoot {
        var root = CompositionRoot(
            masterKeys: masterKeys, trustedProxies: trustedProxies, log: log, metrics: metrics,
            passwords: passwords, threads: threads, limiter: limits.limiter, breaches: breaches,
            providerKeys: providerKeys,
            appleTokens: appleTokens, tokenRequestSender: tokenRequestSender, countFlowEvent: countFlowEvent,
            countFactorEvent: countFactorEvent, countPasskeyEvent: countPasskeyEvent,
            serviceKeyUse: serviceKeyUse, emulatorClients: emulatorClients,
            mode: mode, eventSender: eventSender, hookCalls: hookCalls, publicURL: publicURL, isDraining: isDraining)
        root.configurationLifetime = configurationLifetime
        return root
    }
}

extension Mode {
    /// This mode as if an SMTP server were configured: emails are queued but not sent, so that tests can read them.
    fileprivate var queueingEmails: Mode {
        var mode = self
        mode.wrapEmailFactory = { emailFactory in
            var emailFactory = emailFactory
            emailFactory.sendsEmail = true
            return emailFactory
        }
        return mode
    }
}
