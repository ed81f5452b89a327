import API
import Crypto
import Encoding
import Identity
import Postgres
import Storage
import Telemetry
import Testing

@testable import Gateway
@testable import Support

/// The gateway of these tests (``LimitedGateway``) allows one client network three wrong passwords for an email
/// address, and three sign-ups.
@Suite("Rate limits of several replicas")
struct SharedRateLimitTests {
    private let tooMany = LimitedGateway.tooManyAttempts

    @Test("Replicas share counts after they synchronize")
    func shared() async throws {
        let limited = try await LimitedGateway()
        let replica = try limited.gateway.replica()
        _ = try await limited.signUp()
        try await limited.failSignIns(2)
        #expect(try await limited.tryWrongPassword(at: replica).outcome == "400 INVALID_LOGIN_CREDENTIALS")
        try await limited.gateway.synchronizeRateLimits()
        try await replica.synchronizeRateLimits()
        #expect(try await limited.signIn("ada", "secret1", at: replica).outcome == tooMany)
        #expect(try await limited.signIn("ada", "secret1").outcome == "200", "this replica has not synchronized again")
        try await limited.gateway.synchronizeRateLimits()
        #expect(try await limited.signIn("ada", "secret1").outcome == tooMany, "the replica's attempts count here too")
    }

    @Test("No count is lost when replicas synchronize at the same moment")
    func concurrentSynchronization() async throws {
        let limited = try await LimitedGateway { $0.passwordFailureLimit = 1000 }
        let replicas = try (1...4).map { _ in try limited.gateway.replica() }
        for _ in 1...3 {
            for replica in replicas {
                for number in 1...20 { _ = try await limited.tryWrongPassword("p\(number)", at: replica) }
            }
            _ = try await concurrently(replicas.count) { try await replicas[$0].synchronizeRateLimits() }
        }
        let counts = try await limited.gateway.database.pool.query("SELECT count FROM rate_limit_counter").map {
            try $0.decode("count", as: Int64.self)
        }
        // Each of the 20 email addresses has 3 counters: from the client's IP address, from its /24 and from anywhere.
        // Each counts 12 failures: 3 rounds at 4 replicas. All email addresses together have 2 counters: from the IP
        // address and from its /24. Each counts 20 × 12 failures.
        #expect(counts.sorted() == Array(repeating: 12, count: 60) + [240, 240])
    }

    @Test("Counters contain no IP or email address, and expire with their window")
    func hashed() async throws {
        let limited = try await LimitedGateway()
        try await limited.failSignIns(1)
        try await limited.gateway.synchronizeRateLimits()
        let rows = try await limited.gateway.database.pool.query(
            """
            SELECT key, expires_at - window_start IN (interval '10 minutes', interval '1 hour') AS is_window,
                rate_limit_counter::text AS row FROM rate_limit_counter
            """)
        // Three for the email address: from the client's IP address, from its /24 and from anywhere. Two for all email
        // addresses together: from the IP address and from its /24.
        #expect(rows.count == 5)
        for row in rows {
            #expect(try row.decode("is_window"))
            let text = try row.decode("row", as: String.self)
            #expect(!text.contains("ada") && !text.contains("192.0.2"))
            for guess in ["ada@example.com", "192.0.2.1", "demo\0anyPasswordFailures\0600\0192.0.2.1"] {
                #expect(try row.decode("key", as: [UInt8].self) != Digest.sha256(Array(guess.utf8)))
            }
        }
    }

    @Test("During an outage of the database a replica applies its own counts, and afterwards it shares them")
    func outage() async throws {
        let limited = try await LimitedGateway()
        let pool = limited.gateway.database.pool
        try await limited.failSignIns(2)
        _ = try await pool.execute("ALTER TABLE rate_limit_counter RENAME TO hidden")
        await #expect(throws: (any Error).self) { try await limited.gateway.synchronizeRateLimits() }
        try await limited.failSignIns(1)
        #expect(try await limited.tryWrongPassword().outcome == tooMany)
        _ = try await pool.execute("ALTER TABLE hidden RENAME TO rate_limit_counter")
        try await limited.gateway.synchronizeRateLimits()
        let replica = try limited.gateway.replica()
        _ = try await limited.tryWrongPassword(at: replica)
        try await replica.synchronizeRateLimits()
        #expect(try await limited.tryWrongPassword(at: replica).outcome == tooMany)
    }

    @Test("The number of counters in memory has a limit, and the latest counters are kept")
    func bounded() async throws {
        let metrics = Metrics()
        let clock = TestClock()
        let limits = RateLimits(
            masterKeys: try MasterKeys(current: TestGateway.masterKey), clock: clock.wallClock,
            metrics: metrics, capacity: 5000)
        let (limiter, project) = (limits.limiter, ID<Realm>("demo"))
        // Each network has one sign-up, and its limit is one.
        for number in 0..<100_000 {
            let network = ClientNetwork(prefixes: ["\(number)"], knownNetworkPrefix: nil)
            try limiter.count(.signUps(from: network), 1, Policy.signUpWindow, project)
        }
        #expect(limits.windowCount <= 5000)
        let latest = LimitKey.signUps(from: ClientNetwork(prefixes: ["99999"], knownNetworkPrefix: nil))
        #expect(throws: TooManyAttempts.self) { try limiter.require(latest, 1, Policy.signUpWindow, project) }
        #expect(metrics.render().contains(#"sekisho_rate_limited_total{kind="signUps"} 1"#))
        #expect(
            metrics.render().contains(#"sekisho_rate_limited_total{kind="anyEmail"} 0"#), "a kind without rejections")
    }
}
