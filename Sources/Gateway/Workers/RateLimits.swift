internal import Crypto
internal import Identity
internal import Postgres
internal import Storage
internal import Synchronization
internal import Telemetry

/// Counts attempts in memory for all loops of a process, so that no request waits for the database. Replicas exchange
/// their counts about once a second.
///
/// Each ``LimitKey`` has one or more counters, such as one for each prefix length of the client's network. A window is
/// the count of one counter in one period of fixed length.
final class RateLimits: Sendable {
    /// The maximum number of windows. They use about 20 MiB.
    private static let capacity = 100_000
    /// The maximum number of deltas (changed counts) in one statement.
    private static let deltaLimit = 5000

    /// Guards the counts of all loops.
    private let counts: Mutex<RateCounts>
    /// The key of the keyed hashes that identify counters.
    private let hashKey: [UInt8]
    private let clock: WallClock
    private let rejections: Counter

    init(masterKeys: MasterKeys, clock: WallClock, metrics: Metrics, capacity: Int = capacity) {
        counts = Mutex(RateCounts(capacity: capacity))
        hashKey = masterKeys.key(for: "rate limits")
        self.clock = clock
        rejections = metrics.counter(
            "sekisho_rate_limited_total", help: "Requests rejected by a rate limit.",
            labels: [MetricLabel("kind", LimitKey.Kind.allCases.map(\.rawValue))])
    }

    /// The number of windows.
    var windowCount: Int { counts.withLock { $0.size } }

    /// The limiter for the services of all loops.
    var limiter: RateLimiter {
        RateLimiter(
            isReached: { [self] key, limit, length, realm in
                countUnlessExhausted(key, below: limit, length, realm, at: clock.now(), by: { _, _ in }) != nil
            },
            require: { [self] key, limit, length, realm throws(TooManyAttempts) in
                try admit(key, below: limit, length, realm, countingBy: { _, _ in })
            },
            count: { [self] key, limit, length, realm throws(TooManyAttempts) in
                try admit(key, below: limit, length, realm, countingBy: { $0.add(to: $1) })
            },
            subtract: { [self] key, length, realm in
                let windows = key.counters.map { window(of: key.kind, $0, length, realm, at: clock.now()) }
                counts.withLock { counts in
                    for window in windows { counts.subtract(from: window) }
                }
            })
    }

    /// Throws if the limit is reached; otherwise calls `count` for every counter of `key`.
    private func admit(
        _ key: LimitKey, below limit: Int, _ length: Duration, _ realm: ID<Realm>,
        countingBy count: (inout RateCounts, RateWindow) -> Void
    ) throws(TooManyAttempts) {
        let now = clock.now()
        guard let exhausted = countUnlessExhausted(key, below: limit, length, realm, at: now, by: count) else { return }
        rejections.increment(key.kind.rawValue)
        throw TooManyAttempts(retryAfter: exhausted.end - now)
    }

    /// Checks the counters of `key` from the widest network prefix to the narrowest, and counts only if all of them
    /// admit the attempt. A wide network that has reached its limit therefore creates no windows for narrow networks.
    /// The limit of a counter is `limit` times its factor, because many clients share a wide network.
    ///
    /// - Parameter count: called for every counter if all of them admit the attempt.
    /// - Returns: the current window of the first counter whose limit is reached; `nil` if there is none.
    private func countUnlessExhausted(
        _ key: LimitKey, below limit: Int, _ length: Duration, _ realm: ID<Realm>, at now: Instant,
        by count: (inout RateCounts, RateWindow) -> Void
    ) -> RateWindow? {
        guard limit > 0 else { return nil }
        let counters = key.counters.map {
            (window: window(of: key.kind, $0, length, realm, at: now), limit: limit * $0.factor)
        }
        return counts.withLock { counts in
            let exhausted = counters.first { !counts.admits($0.window, below: $0.limit) }
            if exhausted == nil { for counter in counters { count(&counts, counter.window) } }
            return exhausted?.window
        }
    }

    func worker(on pool: Pool) -> Worker {
        let store = RateLimitCounterStore(pool: pool)
        return Worker(name: "rate limits", pause: { .milliseconds(.random(in: 900...1100)) }) { [self] in
            try await exchange(with: store)
        }
    }

    /// Exchanges counts with the other replicas. If that fails, the counts of this process stay in effect.
    func exchange(with store: RateLimitCounterStore) async throws {
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

    /// Returns the current window of a counter. The window contains a keyed hash instead of the email address or
    /// network address.
    private func window(
        of kind: LimitKey.Kind, _ counter: LimitKey.Counter, _ length: Duration, _ realm: ID<Realm>, at now: Instant
    ) -> RateWindow {
        let names = [realm.rawValue, kind.rawValue, "\(length.components.seconds)"] + counter.names
        let hash = HMAC.sha256(key: hashKey, message: Array(names.joined(separator: "\u{0}").utf8))
        return RateWindow(of: hash, lasting: length, at: now)
    }
}
