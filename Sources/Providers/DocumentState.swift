internal import Identity

/// Why a document cannot be fetched.
enum DocumentFailure: Sendable {
    /// See ``DocumentFault/otherIssuer(seen:)``.
    case otherIssuer(seen: String)
    case other(_ reason: String)

    init(_ error: any Error) {
        self =
            if case DocumentFault.otherIssuer(let seen) = error { .otherIssuer(seen: seen) } else { .other("\(error)") }
    }

    func error(of provider: ProviderID) -> any Error {
        switch self {
        case .otherIssuer(let seen): DocumentFault.otherIssuer(seen: seen)
        case .other(let reason): ProviderUnreachable(provider: provider, reason: reason)
        }
    }
}

/// The cached state of one document. It decides the next step, without a clock and without I/O.
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
        case fail(DocumentFailure)
        /// The caller has the latest version: the latest forced fetch found no newer one, and the next forced fetch is
        /// not allowed yet.
        case nothingNewer
    }

    private(set) var version: Version?
    private var freshUntil = Instant(seconds: 0)
    /// The failure of the latest fetch.
    private var failure: (at: Instant, cause: DocumentFailure)?
    /// The latest forced fetch: the time until which no other is allowed, and its failure (`nil` if it
    /// succeeded).
    private var forcedFetch: (until: Instant, failure: DocumentFailure?)?

    /// Returns the next step for a caller that needs any version that may be used now.
    ///
    /// - Parameter isBusy: whether a fetch is running.
    func step(at now: Instant, isBusy: Bool) -> Step {
        if let version, now < freshUntil { return .use(version) }
        if isBusy { return lastValidVersion(at: now).map(Step.use) ?? .fetch }
        if let failure, now < failure.at + CachePolicy.pauseAfterFailure {
            return lastValidVersion(at: now).map(Step.use) ?? .fail(failure.cause)
        }
        return .fetch
    }

    /// Returns the next step for a caller that needs a newer version than `seen`.
    func step(replacing seen: Version, at now: Instant, isBusy: Bool) -> Step {
        if let version, version !== seen { return .use(version) }
        if !isBusy, let forcedFetch, now < forcedFetch.until {
            return forcedFetch.failure.map(Step.fail) ?? .nothingNewer
        }
        return .fetch
    }

    mutating func recordFetch(_ value: Value, maxAge: Duration?, at now: Instant) {
        let lifetime = maxAge ?? CachePolicy.defaultLifetime
        version = Version(value, fetchedAt: now)
        freshUntil =
            now + min(max(lifetime, CachePolicy.lifetimeLimits.lowerBound), CachePolicy.lifetimeLimits.upperBound)
        failure = nil
        forcedFetch?.failure = nil
    }

    /// Adopts the version in the store, which another process or an earlier run has fetched, if it is newer than the
    /// cached one.
    mutating func adopt(_ value: Value, fetchedAt: Instant, at now: Instant) {
        let fetchedAt = min(fetchedAt, now)
        guard version.map({ $0.fetchedAt < fetchedAt }) ?? true else { return }
        version = Version(value, fetchedAt: fetchedAt)
        freshUntil = max(freshUntil, fetchedAt + CachePolicy.lifetimeLimits.lowerBound)
    }

    mutating func recordFailure(_ cause: DocumentFailure, at now: Instant) {
        failure = (now, cause)
    }

    mutating func recordForcedFetch(until end: Instant, failure: DocumentFailure? = nil) {
        forcedFetch = (end, failure)
    }

    /// Returns the cached version, even if it is not fresh; `nil` after ``CachePolicy/maximumUse``.
    private func lastValidVersion(at now: Instant) -> Version? {
        version.flatMap { now < $0.fetchedAt + CachePolicy.maximumUse ? $0 : nil }
    }
}

/// Cache lifetimes and retry intervals.
enum CachePolicy {
    /// The limits for the lifetime in `Cache-Control`.
    static let lifetimeLimits: ClosedRange<Duration> = .seconds(300) ... .seconds(86_400)
    /// The lifetime without `Cache-Control`.
    static let defaultLifetime: Duration = .seconds(3600)
    /// How long after its own fetch the last valid document may be used while newer fetches fail.
    static let maximumUse: Duration = .seconds(7 * 86_400)
    /// The pause after a failed fetch.
    static let pauseAfterFailure: Duration = .seconds(10)
    /// The pause before the result of another process is read again.
    static let pauseForOtherProcess: Duration = .seconds(2)
}
