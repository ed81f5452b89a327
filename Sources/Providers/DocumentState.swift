internal import Identity

/// The cached state of one document, which decides the next step. It has no clock and no I/O.
struct DocumentState<Value: Sendable>: Sendable {
    /// A fetched document. Versions are compared by identity.
    final class Version: Sendable {
        let value: Value
        let fetchedAt: Instant

        init(_ value: Value, fetchedAt: Instant) {
            self.value = value
            self.fetchedAt = fetchedAt
        }
    }

    enum Step {
        case use(Version)
        /// Start a fetch, or wait for the current one.
        case fetch
        case fail(String)
        /// The known version is the latest of the provider, which was fetched a moment ago.
        case nothingNewer
    }

    private(set) var version: Version?
    private var freshUntil = Instant(seconds: 0)
    /// The failure of the latest fetch.
    private var failure: (at: Instant, reason: String)?
    /// When the next forced refetch is allowed, and why the last one failed.
    private var forcedRefetch: (until: Instant, failure: String?)?

    /// - Parameter isBusy: whether a fetch is running.
    func step(at now: Instant, isBusy: Bool) -> Step {
        if let version, now < freshUntil { return .use(version) }
        if isBusy { return lastGood(at: now).map(Step.use) ?? .fetch }
        if let failure, now < failure.at + CachePolicy.pause {
            return lastGood(at: now).map(Step.use) ?? .fail(failure.reason)
        }
        return .fetch
    }

    /// The next step of a caller who needs a newer version than `seen`.
    func stepForRefetch(seen: Version, at now: Instant, isBusy: Bool) -> Step {
        if let version, version !== seen { return .use(version) }
        if !isBusy, let forcedRefetch, now < forcedRefetch.until {
            return forcedRefetch.failure.map(Step.fail) ?? .nothingNewer
        }
        return .fetch
    }

    mutating func fetched(_ value: Value, maxAge: Duration?, at now: Instant) {
        let lifetime = maxAge ?? CachePolicy.defaultLifetime
        version = Version(value, fetchedAt: now)
        freshUntil =
            now + min(max(lifetime, CachePolicy.lifetimes.lowerBound), CachePolicy.lifetimes.upperBound)
        failure = nil
        forcedRefetch?.failure = nil
    }

    /// Takes a stored version that another process fetched, or this one before a restart. Ignores older versions.
    mutating func found(_ value: Value, fetchedAt: Instant, at now: Instant) {
        let fetchedAt = min(fetchedAt, now)
        guard version.map({ $0.fetchedAt < fetchedAt }) ?? true else { return }
        version = Version(value, fetchedAt: fetchedAt)
        freshUntil = max(freshUntil, fetchedAt + CachePolicy.lifetimes.lowerBound)
    }

    mutating func failed(_ reason: String, at now: Instant) {
        failure = (now, reason)
    }

    mutating func didForceRefetch(until end: Instant, failure: String? = nil) {
        forcedRefetch = (end, failure)
    }

    private func lastGood(at now: Instant) -> Version? {
        version.flatMap { now < $0.fetchedAt + CachePolicy.longestUse ? $0 : nil }
    }
}

/// Cache lifetimes and retry intervals.
enum CachePolicy {
    /// Limits for the value of `Cache-Control`.
    static let lifetimes: ClosedRange<Duration> = .seconds(300) ... .seconds(86_400)
    /// The lifetime without `Cache-Control`.
    static let defaultLifetime: Duration = .seconds(3600)
    /// How long the last valid document is used while fetches fail.
    static let longestUse: Duration = .seconds(7 * 86_400)
    /// The pause after a failed fetch.
    static let pause: Duration = .seconds(10)
    /// The pause before the result of another process is read again.
    static let pauseForOthers: Duration = .seconds(2)
}
