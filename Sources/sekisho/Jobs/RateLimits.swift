internal import Crypto
internal import Identity
internal import Postgres
internal import Storage
internal import Synchronization
internal import Telemetry

/// Counts for all loops of a process, in memory; no request waits for the database. About once a second the replicas tell
/// each other.
final class RateLimits: Sendable {
    /// Windows kept at most: some 20 MiB.
    private static let capacity = 100_000
    /// Of one statement; more have to wait for the next.
    private static let newsLimit = 5000

    /// Guards the counts that all loops share.
    private let counts: Mutex<RateCounts>
    private let key: [UInt8]
    private let clock: WallClock
    private let refusals: Counter

    init(masterKeys: MasterKeys, clock: WallClock, metrics: Metrics, capacity: Int = capacity) {
        counts = Mutex(RateCounts(capacity: capacity))
        key = masterKeys.key(for: "rate limits")
        self.clock = clock
        refusals = metrics.counter(
            "sekisho_rate_limited_total", help: "Requests refused for having been too many.",
            labels: [MetricLabel("kind", Limited.Kind.allCases.map(\.rawValue))])
    }

    /// How many windows are kept.
    var size: Int { counts.withLock { $0.size } }

    var limiter: RateLimiter {
        RateLimiter { [self] limited, limit, length, project throws(TooManyAttempts) in
            try admit(limited, below: limit, length, project) { $0.admits($1, below: limit) }
        } take: { [self] limited, limit, length, project throws(TooManyAttempts) in
            try admit(limited, below: limit, length, project) { counts, window in
                guard counts.admits(window, below: limit) else { return false }
                counts.add(to: window)
                return true
            }
        } forgive: { [self] limited, length, project in
            let window = window(of: limited, length, project, at: clock.now())
            counts.withLock { $0.takeOne(from: window) }
        }
    }

    private func admit(
        _ limited: Limited, below limit: Int, _ length: Duration, _ project: ID<Project>,
        _ isAdmitted: (inout RateCounts, RateWindow) -> Bool
    ) throws(TooManyAttempts) {
        guard limit > 0 else { return }
        let now = clock.now()
        let window = window(of: limited, length, project, at: now)
        guard !counts.withLock({ isAdmitted(&$0, window) }) else { return }
        refusals.increment(limited.kind.rawValue)
        throw TooManyAttempts(retryAfter: window.end - now)
    }

    func job(on pool: Pool) -> Job {
        let store = RateCountStore(pool: pool)
        return Job(name: "rate limits", pause: { .milliseconds(.random(in: 900...1100)) }) { [self] in
            try await merge(with: store)
        }
    }

    /// While the database cannot be reached, what this process has counted itself goes on counting.
    func merge(with store: RateCountStore) async throws {
        let news = counts.withLock { $0.takeNews(atMost: Self.newsLimit, at: clock.now()) }
        guard !news.isEmpty else { return }
        do {
            let totals = try await store.merge(news)
            counts.withLock { $0.learn(totals, of: news) }
        } catch {
            counts.withLock { $0.keep(news) }
            throw error
        }
    }

    /// No address can be read or guessed from its key.
    private func window(
        of limited: Limited, _ length: Duration, _ project: ID<Project>, at now: Instant
    ) -> RateWindow {
        let names = [project.rawValue, limited.kind.rawValue, "\(length.components.seconds)"] + limited.scope
        let hash = HMAC.sha256(key: key, message: Array(names.joined(separator: "\u{0}").utf8))
        return RateWindow(of: hash, lasting: length, at: now)
    }
}
