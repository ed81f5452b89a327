internal import Identity

/// What is known of one published document, and what is to be done about it. Pure: it is told the time.
struct DocumentState<Value: Sendable>: Sendable {
    /// Told apart by identity: the same document fetched twice is two of them.
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
        /// Have it fetched, or wait for whoever does.
        case fetch
        case fail(String)
        /// The provider was asked a moment ago, and what is known is what it said.
        case nothingNewer
    }

    private(set) var version: Version?
    private var freshUntil = Instant(seconds: 0)
    /// Of the latest attempt to fetch, if it failed.
    private var failure: (at: Instant, reason: String)?
    /// Until when the provider is not asked out of turn again, and why it could not be asked.
    private var outOfTurn: (until: Instant, failure: String?)?

    /// - Parameter isBusy: somebody is fetching.
    func step(at now: Instant, isBusy: Bool) -> Step {
        if let version, now < freshUntil { return .use(version) }
        if isBusy { return lastGood(at: now).map(Step.use) ?? .fetch }
        if let failure, now < failure.at + CachePolicy.pause {
            return lastGood(at: now).map(Step.use) ?? .fail(failure.reason)
        }
        return .fetch
    }

    /// For those whom `seen` does not help.
    func stepOutOfTurn(seen: Version, at now: Instant, isBusy: Bool) -> Step {
        if let version, version !== seen { return .use(version) }
        if !isBusy, let outOfTurn, now < outOfTurn.until {
            return outOfTurn.failure.map(Step.fail) ?? .nothingNewer
        }
        return .fetch
    }

    mutating func fetched(_ value: Value, maxAge: Duration?, at now: Instant) {
        let lifetime = maxAge ?? CachePolicy.usualLifetime
        version = Version(value, fetchedAt: now)
        freshUntil =
            now + min(max(lifetime, CachePolicy.lifetimes.lowerBound), CachePolicy.lifetimes.upperBound)
        failure = nil
        outOfTurn?.failure = nil
    }

    /// What another process fetched, or this one before it was started again. Says nothing if it is no news.
    mutating func found(_ value: Value, fetchedAt: Instant, at now: Instant) {
        let fetchedAt = min(fetchedAt, now)
        guard version.map({ $0.fetchedAt < fetchedAt }) ?? true else { return }
        version = Version(value, fetchedAt: fetchedAt)
        freshUntil = max(freshUntil, fetchedAt + CachePolicy.lifetimes.lowerBound)
    }

    mutating func failed(_ reason: String, at now: Instant) {
        failure = (now, reason)
    }

    mutating func wasAskedOutOfTurn(until end: Instant, failure: String? = nil) {
        outOfTurn = (end, failure)
    }

    private func lastGood(at now: Instant) -> Version? {
        version.flatMap { now < $0.fetchedAt + CachePolicy.longestUse ? $0 : nil }
    }
}

/// How long is what.
enum CachePolicy {
    /// Whatever `Cache-Control` says.
    static let lifetimes: ClosedRange<Duration> = .seconds(300) ... .seconds(86_400)
    /// Where it says nothing.
    static let usualLifetime: Duration = .seconds(3600)
    /// The last good document is used until then while no other can be had.
    static let longestUse: Duration = .seconds(7 * 86_400)
    /// After a failed attempt.
    static let pause: Duration = .seconds(10)
    /// Before the other processes are asked again what came of their asking.
    static let pauseForOthers: Duration = .seconds(2)
}
