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
            labels: [MetricLabel("kind", LimitKey.Kind.allCases.map(\.rawValue))])
    }

    /// How many windows are kept.
    var size: Int { counts.withLock { $0.size } }

    var limiter: RateLimiter {
        RateLimiter { [self] limited, limit, length, project in
            fullLevel(limited, below: limit, length, project, at: clock.now()) { _, _ in } != nil
        } require: { [self] limited, limit, length, project throws(TooManyAttempts) in
            try admit(limited, below: limit, length, project) { _, _ in }
        } take: { [self] limited, limit, length, project throws(TooManyAttempts) in
            try admit(limited, below: limit, length, project) { $0.add(to: $1) }
        } forgive: { [self] limited, length, project in
            let windows = limited.scopes.map { window(of: limited.kind, $0, length, project, at: clock.now()) }
            counts.withLock { counts in
                for window in windows { counts.takeOne(from: window) }
            }
        }
    }

    private func admit(
        _ limited: LimitKey, below limit: Int, _ length: Duration, _ realm: ID<Realm>,
        _ count: (inout RateCounts, RateWindow) -> Void
    ) throws(TooManyAttempts) {
        let now = clock.now()
        guard let full = fullLevel(limited, below: limit, length, realm, at: now, count) else { return }
        refusals.increment(limited.kind.rawValue)
        throw TooManyAttempts(retryAfter: full.end - now)
    }

    /// Asks from the widest level to the narrowest: a place that is over the limit of a wide one leaves no trace of the
    /// narrow ones that it goes through.
    ///
    /// - Parameter count: is called for every level once all of them have passed.
    /// - Returns: the level whose limit is reached.
    private func fullLevel(
        _ limited: LimitKey, below limit: Int, _ length: Duration, _ realm: ID<Realm>, at now: Instant,
        _ count: (inout RateCounts, RateWindow) -> Void
    ) -> RateWindow? {
        guard limit > 0 else { return nil }
        let levels = limited.scopes.map {
            (window: window(of: limited.kind, $0, length, realm, at: now), limit: limit * $0.factor)
        }
        return counts.withLock { counts in
            let full = levels.first { !counts.admits($0.window, below: $0.limit) }
            if full == nil { for level in levels { count(&counts, level.window) } }
            return full?.window
        }
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
        of kind: LimitKey.Kind, _ scope: LimitKey.Scope, _ length: Duration, _ realm: ID<Realm>, at now: Instant
    ) -> RateWindow {
        let names = [realm.rawValue, kind.rawValue, "\(length.components.seconds)"] + scope.names
        let hash = HMAC.sha256(key: key, message: Array(names.joined(separator: "\u{0}").utf8))
        return RateWindow(of: hash, lasting: length, at: now)
    }
}
