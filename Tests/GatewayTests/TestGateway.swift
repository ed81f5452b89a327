import API
import Crypto
import EventLoop
import FoundationEssentials
import HTTP
import IPAddresses
import Identity
import Passwords
import Postgres
import Providers
import Storage
import Support
import Synchronization
import Telemetry
import Testing

@testable import DevMode
@testable import Gateway

/// The gateway as `serve` builds it, on a database of its own, with a clock that stands still until told.
struct TestGateway: Sendable {
    static let apiKey = "sk_test"
    static let hashing = Result { try FairPool(name: "test-hash", threads: 2, capacity: 1000) }

    let database: TestDatabase
    let clock: TestClock
    let gateway: RequestPipeline
    private let live: CompositionRoot
    let project: Project
    let world: SimulatedWorld
    let masterKeys: MasterKeys
    let limits: RateLimits?
    let keyUse: KeyUsageTracker

    /// - Parameters:
    ///   - limitsRates: as `serve` does.
    ///   - change: what the project's policy has otherwise than `profile`.
    init(
        _ profile: Policy.Profile = .firebase, passwords: PasswordHasher? = nil, breaches: BreachedPasswords = .none,
        mode: Mode = .serve(at: "https://auth.example.com"), limitsRates: Bool = false,
        trustedProxies: [IPNetwork] = [],
        change: (inout Policy) -> Void = { $0.emailEnumerationProtection = false }
    ) async throws {
        database = try TestDatabase()
        clock = TestClock()
        world = try SimulatedWorld(clock: clock)
        keyUse = KeyUsageTracker()
        var policy = Policy(profile)
        change(&policy)
        var draft = try ProjectDraft(
            id: "demo", name: "Demo", profile: profile, policy: policy, algorithm: .es256, domains: ["localhost"])
        draft.project.providers = SimulatedWorld.providers
        draft.secrets = [.apple: Secret("-----BEGIN PRIVATE KEY-----")]
        project = draft.project
        masterKeys = try MasterKeys(current: [UInt8](repeating: 7, count: 32))
        #expect(try await draft.create(in: database.pool, under: masterKeys, by: .commandLine, at: clock.now))
        let isKeyMade = try await APIKeyStore(pool: database.pool).create(
            id: "key", hash: APIKey(text: Self.apiKey).hash, for: ProjectDraft.app.id, in: project.id, at: clock.now)
        #expect(isKeyMade)
        let cheap = try PasswordHash.Cost(memoryKiB: 7168, iterations: 1)
        let keys = PasswordKeys.sealed(
            in: PasswordSchemeStore(pool: database.pool), under: masterKeys, clock: clock.wallClock)
        let metrics = GatewayMetrics()
        limits =
            limitsRates
            ? RateLimits(masterKeys: masterKeys, clock: clock.wallClock, metrics: metrics.registry) : nil
        live = CompositionRoot(
            masterKeys: masterKeys, trustedProxies: trustedProxies, clock: clock.wallClock,
            log: Log(level: .error, descriptor: 2), metrics: metrics,
            passwords: try passwords ?? .argon2id(cheap, by: .libsodium, keys: keys, on: Self.hashing.get()),
            limiter: limits?.limiter ?? .none,
            breaches: breaches,
            providerKeys: JWKSCache(
                fetch: world.fetch, shelf: PostgresProviderDocumentStore(pool: database.pool).shelf,
                clock: clock.wallClock,
                on: database.pool.loop),
            keyUse: keyUse, mode: mode.sendingEmail, publicURL: { "https://auth.example.com" },
            isDraining: { false })
        gateway = live.gateway(on: database.pool)
    }

    private init(_ other: TestGateway, live: CompositionRoot? = nil, limits: RateLimits? = nil) {
        database = other.database
        clock = other.clock
        project = other.project
        world = other.world
        masterKeys = other.masterKeys
        keyUse = other.keyUse
        self.limits = limits ?? other.limits
        self.live = live ?? other.live
        gateway = self.live.gateway(on: database.pool)
    }

    /// The same installation, seen by a gateway that has not looked at its configuration yet.
    func withFreshCaches() -> TestGateway { TestGateway(self) }

    /// Another process on the same database, which counts for itself.
    func replica() throws -> TestGateway {
        let metrics = GatewayMetrics()
        let limits = RateLimits(masterKeys: live.masterKeys, clock: live.clock, metrics: metrics.registry)
        return TestGateway(self, live: live.limited(by: limits, metrics), limits: limits)
    }

    func post(
        _ path: String, _ body: JSON = [:], key: String? = apiKey, headers: Headers = Headers(),
        from peer: String = "192.0.2.1"
    ) async throws -> Exchange {
        try await send(
            .post, path, body: try body.bytes, query: key.map { [("key", $0)] } ?? [], headers: headers, peer: peer)
    }

    func get(_ path: String) async throws -> Exchange { try await send(.get, path, body: [], query: []) }

    func send(
        _ method: HTTP.Method, _ path: String, body: [UInt8], query: [(name: String, value: String)],
        headers: Headers = Headers(), peer: String = "192.0.2.1"
    ) async throws -> Exchange {
        let request = Request(
            id: "0", method: method, path: path, query: query, headers: headers, body: body, peer: peer)
        return Exchange(await gateway.respond(to: request))
    }
}

/// An answer, as a test looks at it.
struct Exchange: Sendable {
    let status: Int
    let headers: Headers
    let body: [UInt8]

    init(_ response: Response) {
        status = response.status
        headers = response.headers
        body = response.body
    }

    var json: JSON { (try? JSON(body)) ?? .null }
    var text: String { String(decoding: body, as: UTF8.self) }
    /// `200`, or status and wire code.
    var outcome: String { status == 200 ? "200" : "\(status) \(json["error"]?["message"]?.string ?? text)" }
}

extension CompositionRoot {
    fileprivate func limited(by limits: RateLimits, _ metrics: GatewayMetrics) -> CompositionRoot {
        CompositionRoot(
            masterKeys: masterKeys, trustedProxies: trustedProxies, clock: clock, log: log, metrics: metrics,
            passwords: passwords, limiter: limits.limiter, breaches: breaches, providerKeys: providerKeys,
            keyUse: keyUse,
            mode: mode,
            publicURL: publicURL, isDraining: isDraining)
    }
}

final class TestClock: Sendable {
    private let current = Mutex(Instant(seconds: 1_800_000_000))

    var now: Instant { current.withLock { $0 } }
    var wallClock: WallClock { WallClock { [self] in now } }

    func advance(by duration: Duration) { current.withLock { $0 = $0 + duration } }
}

extension Mode {
    /// What is written waits in the database, for tests to read.
    fileprivate var sendingEmail: Mode {
        var mode = self
        mode.decorateOutOfBand = { outOfBand in
            var outOfBand = outOfBand
            outOfBand.isSent = true
            return outOfBand
        }
        return mode
    }
}
