internal import Crypto
internal import EventLoop
internal import Identity
internal import Postgres
internal import Storage
internal import Telemetry

/// The workers for grants of Apple: one redeems codes and revokes tokens as soon as they are there, the other checks.
struct AppleGrantWorkers: Sendable {
    /// Requests to Apple at once.
    private static let capacity = 8
    /// Longer than one request can take.
    private static let lease: Duration = .seconds(30)

    private let store: PostgresAppleGrantStore
    private let attempts: AppleGrantAttempts
    private let checks: AppleGrantChecks
    private let record: AppleGrantRecord
    private let clock: WallClock

    init(
        on pool: Pool, endpoint: AppleTokenEndpoint, under masterKeys: MasterKeys, clock: WallClock, log: Log,
        metrics: Metrics
    ) {
        store = PostgresAppleGrantStore(pool: pool)
        let credentials = AppleCredentialsLookup.live(on: pool, under: masterKeys)
        let sealing = AppleGrantSealing.sealing(under: masterKeys)
        attempts = AppleGrantAttempts(
            store: store, endpoint: endpoint, credentials: credentials, sealing: sealing, backoff: Self.backoff,
            chance: { .random(in: 0...1) }, clock: clock)
        checks = AppleGrantChecks(
            store: store, endpoint: endpoint, credentials: credentials, sealing: sealing, clock: clock)
        record = AppleGrantRecord(log: log, metrics: metrics)
        self.clock = clock
    }

    /// The random pauses spread the load of replicas that were started together.
    var workers: [Worker] {
        [
            Worker(name: "apple grants", pause: { .milliseconds(.random(in: 900...1100)) }, run: attemptDue),
            Worker(name: "apple checks", pause: { .milliseconds(.random(in: 50_000...70_000)) }, run: check),
        ]
    }

    /// Attempts all grants that are due now.
    func attemptDue() async throws {
        while true {
            let due = try await store.claimWaiting(limit: Self.capacity, lease: Self.lease, at: clock.now())
            guard !due.isEmpty else { return }
            await withTaskGroup(of: Void.self) { group in
                for grant in due {
                    group.addTask { record.note(grant, await attempts.attempt(grant)) }
                }
            }
            try Task.checkCancellation()
        }
    }

    /// Makes the checks of one minute.
    func check() async throws {
        record.note(try await checks.run())
    }

    /// A code lives for minutes, and a revocation may take a month.
    private static func backoff(after attempts: Int, of state: AppleGrant.State) -> Duration {
        let backoff =
            state == .revoking
            ? RetryBackoff(from: .seconds(30), to: .seconds(6 * 3600), jitter: 0.75...1.25)
            : RetryBackoff(from: .seconds(1), to: .seconds(60), jitter: 0.75...1.25)
        return backoff.delay(after: attempts, chance: .random(in: 0...1))
    }
}
