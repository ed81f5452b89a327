internal import Crypto
internal import EventLoop
internal import Identity
internal import Postgres
internal import Storage
internal import Synchronization
internal import Telemetry

/// The workers for Apple grants (stored codes and tokens of Sign in with Apple). One redeems codes within about a
/// second of the sign-in, one revokes tokens, and one checks tokens daily.
struct AppleGrantWorkers: Sendable {
    /// The maximum number of concurrent requests of one worker to Apple.
    private static let capacity = 8
    /// How long a claimed grant is hidden from other processes. Longer than one request can take.
    private static let lease: Duration = .seconds(30)

    /// Whether the process is shutting down.
    private final class Shutdown: Sendable {
        private let flag = Mutex(false)

        var hasBegun: Bool { flag.withLock { $0 } }

        func begin() { flag.withLock { $0 = true } }
    }

    private let store: PostgresAppleGrantStore
    private let attempts: AppleGrantAttempts
    private let checks: AppleGrantChecks
    private let reporter: AppleGrantReporter
    private let clock: WallClock
    private let loop: Loop
    private let shutdown: Shutdown

    init(
        on pool: Pool, endpoint: AppleTokenEndpoint, under masterKeys: MasterKeys, clock: WallClock, log: Log,
        metrics: Metrics, count: @escaping @Sendable (CountedEvent, ID<Realm>) -> Void
    ) {
        let (loop, shutdown) = (pool.loop, Shutdown())
        store = PostgresAppleGrantStore(pool: pool)
        let credentials = AppleCredentialsLookup.live(on: pool, under: masterKeys)
        let sealing = AppleGrantSealing.sealing(under: masterKeys)
        attempts = AppleGrantAttempts(
            store: store, endpoint: endpoint, credentials: credentials, sealing: sealing, backoff: Self.backoff,
            pause: {
                guard !shutdown.hasBegun else { throw CancellationError() }
                try await loop.sleep(for: .seconds(1))
            }, chance: { .random(in: 0...1) }, clock: clock)
        checks = AppleGrantChecks(
            store: store, endpoint: endpoint, credentials: credentials, sealing: sealing, clock: clock)
        reporter = AppleGrantReporter(log: log, metrics: metrics, count: count)
        self.clock = clock
        self.loop = loop
        self.shutdown = shutdown
    }

    /// The random pauses spread the load of replicas that were started together.
    var workers: [Worker] {
        [
            Worker(name: "apple codes", pause: Self.pause) { try await attemptDue(.redeem) },
            Worker(name: "apple revocations", pause: Self.pause) { try await attemptDue(.revoke) },
            Worker(
                name: "apple checks", pause: { .milliseconds(.random(in: 50_000...70_000)) }, pauseIncludesRun: true,
                run: checkDueTokens),
        ]
    }

    private static func pause() -> Duration { .milliseconds(.random(in: 900...1100)) }

    /// Redeems or revokes all grants that are due now, at most ``capacity`` at the same time. Only a shutdown cancels
    /// this call.
    func attemptDue(_ purpose: AppleGrant.Purpose) async throws {
        try await withTaskCancellationHandler {
            try await withThrowingTaskGroup(of: Void.self) { group in
                var running = 0
                while true {
                    try Task.checkCancellation()
                    let due = try await store.claimDueAttempts(
                        for: purpose, limit: Self.capacity - running, lease: Self.lease, at: clock.now())
                    for grant in due { group.addTask { await attempt(grant) } }
                    running += due.count
                    guard running > 0 else { return }
                    try await group.next()
                    running -= 1
                }
            }
        } onCancel: {
            shutdown.begin()
        }
    }

    /// Redeems or revokes one grant. The separate task is not cancelled if the process shuts down or the next claim
    /// fails, because Apple may have processed the request already. Both wait until the attempt has ended.
    private func attempt(_ grant: AppleGrant) async {
        await Task(executorPreference: loop) { reporter.report(grant, await attempts.attempt(grant)) }.value
    }

    /// Checks the share of due tokens that belongs to this minute. The worker runs about once a minute.
    func checkDueTokens() async throws {
        reporter.report(try await checks.run())
    }

    /// Returns the pause before the next attempt. A code expires within minutes, but a revocation can be retried for a
    /// month.
    private static func backoff(after attempts: Int, of purpose: AppleGrant.Purpose) -> Duration {
        let backoff =
            purpose == .revoke
            ? RetryBackoff(from: .seconds(30), to: .seconds(6 * 3600), jitter: 0.75...1.25)
            : RetryBackoff(from: .seconds(1), to: .seconds(60), jitter: 0.75...1.25)
        return backoff.delay(after: attempts, chance: .random(in: 0...1))
    }
}
