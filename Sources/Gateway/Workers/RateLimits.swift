internal import Crypto
internal import Identity
internal import Postgres
internal import Storage
internal import Synchronization
internal import Telemetry

/// Counts attempts in memory for all loops of a process, so that no request waits for the database. Replicas exchange
/// their counts about once a second.
final class RateLimits: Sendable {
    /// The maximum number of windows. They use about 20 MiB.
    private static let capacity = 100_000
    /// The maximum number of deltas in one statement.
    private static let deltaLimit = 5000

    /// Guards the counts of all loops.
    private let counts: Mutex<RateCounts>
    private let key: [UInt8]
    private let clock: WallClock
    private let rejections: Counter

    init(masterKeys: MasterKeys, clock: WallClock, metrics: Metrics, capacity: Int = capacity) {
        counts = Mutex(RateCounts(capacity: capacity))
        key = masterKeys.key(for: "rate limits")
        self.clock = clock
        rejections = metrics.counter(
            "sekisho_rate_limited_total", help: "Requests rejected by a rate limit.",
            labels: [MetricLabel("kind", LimitKey.Kind.allCases.map(\.rawValue))])
    }

    /// The number of windows.
    var size: Int { counts.withLock { $0.size } }

    var limiter: RateLimiter {
        RateLimiter { [self] limited, limit, length, project in
            fullLevel(limited, below: limit, length, project, at: clock.now()) { _, _ in } != nil
        } require: { [self] limited, limit, length, project throws(TooManyAttempts) in
            try admit(limited, below: limit, length, project) { _, _ in }
        } count: { [self] limited, limit, length, project throws(TooManyAttempts) in
            try admit(limited, below: limit, length, project) { $0.add(to: $1) }
        } subtract: { [self] limited, length, project in
            let windows = limited.scopes.map { window(of: limited.kind, $0, length, project, at: clock.now()) }
            counts.withLock { counts in
                for window in windows { counts.subtract(from: window) }
            }
        }
    }

    private func admit(
        _ limited: LimitKey, below limit: Int, _ length: Duration, _ realm: ID<Realm>,
        _ count: (inout RateCounts, RateWindow) -> Void
    ) throws(TooManyAttempts) {
        let now = clock.now()
        guard let full = fullLevel(limited, below: limit, length, realm, at: now, count) else { return }
        rejections.increment(limited.kind.rawValue)
        throw TooManyAttempts(retryAfter: full.end - now)
    }

    /// Checks the levels from the widest to the narrowest, and counts only if all of them admit the attempt. A network
    /// beyond the limit of a wide level therefore creates no windows of narrow levels.
    ///
    /// - Parameter count: called for every level if all of them admit the attempt.
    /// - Returns: the window of the first level whose limit is reached; `nil` if there is none.
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

    func worker(on pool: Pool) -> Worker {
        let store = RateLimitCounterStore(pool: pool)
        return Worker(name: "rate limits", pause: { .milliseconds(.random(in: 900...1100)) }) { [self] in
            try await merge(with: store)
        }
    }

    /// Exchanges counts with the other replicas. If that fails, the counts of this process stay in effect.
    func merge(with store: RateLimitCounterStore) async throws {
        let deltas = counts.withLock { $0.drainDeltas(atMost: Self.deltaLimit, at: clock.now()) }
        guard !deltas.isEmpty else { return }
        do {
            let totals = try await store.merge(deltas)
            counts.withLock { $0.apply(totals, of: deltas) }
        } catch {
            counts.withLock { $0.restore(deltas) }
            throw error
        }
    }

    /// Returns the window of a scope. The window contains a keyed hash, which does not disclose the address.
    private func window(
        of kind: LimitKey.Kind, _ scope: LimitKey.Scope, _ length: Duration, _ realm: ID<Realm>, at now: Instant
    ) -> RateWindow {
        let names = [realm.rawValue, kind.rawValue, "\(length.components.seconds)"] + scope.names
        let hash = HMAC.sha256(key: key, message: Array(names.joined(separator: "\u{0}").utf8))
        return RateWindow(of: hash, lasting: length, at: now)
    }
}
