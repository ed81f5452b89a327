/// Applies the rate limits to one attempt to prove a second factor. An attacker who makes it has proven the first one.
struct SecondFactorAttempt {
    let account: Account
    let realm: Realm
    let context: RequestContext
    let limiter: RateLimiter
    /// Whether the attempt comes from a known network of the account.
    let isFromKnownNetwork: () async throws -> Bool

    static let hour: Duration = .seconds(3600)
    private static let day: Duration = .seconds(86_400)

    /// Throws if the limits do not allow a one-time password. Called before the code is checked, and again after a
    /// right code: without the second call, an attacker with more concurrent attempts than the limit allows could learn
    /// which code is right.
    func requireAllowed() async throws { try await applyLimits(limiter.require) }

    /// Counts a wrong one-time password. Throws if concurrent attempts have reached the limit in the meantime.
    func recordFailure() async throws { try await applyLimits(limiter.count) }

    /// After ``SecondFactorPolicy/hourlyFailureLimit`` wrong codes from all networks, a known network has a limit of
    /// its own, so that an attacker with the first factor cannot keep the owner out.
    private func applyLimits(
        _ apply: (LimitKey, Int, Duration, ID<Realm>) throws(TooManyAttempts) -> Void
    ) async throws {
        try apply(
            .factorFailures(account.id, from: context.network), SecondFactorPolicy.networkFailureLimit,
            SecondFactorPolicy.failureWindow, realm.id)
        do {
            try apply(.accountFactorFailures(account.id), SecondFactorPolicy.hourlyFailureLimit, Self.hour, realm.id)
        } catch {
            guard try await isFromKnownNetwork() else { throw error }
            try apply(
                .knownNetworkFactorFailures(account.id, from: context.network),
                SecondFactorPolicy.hourlyFailureLimit, Self.hour, realm.id)
        }
    }

    /// Counts an attempt at a one-time password that had ``SecondFactorPolicy/failuresUntilDailyLimits`` wrong ones.
    func countDailyAttempt() async throws {
        if try await isFromKnownNetwork() {
            try limiter.count(
                .knownNetworkFactorAttempts(account.id, from: context.network),
                SecondFactorPolicy.dailyKnownNetworkAttemptLimit, Self.day, realm.id)
        } else {
            try limiter.count(
                .unknownNetworkFactorAttempts(account.id), SecondFactorPolicy.dailyAttemptLimit, Self.day,
                realm.id)
        }
    }

    /// Counts a recovery code as wrong. A known network has a limit of its own, so that an attacker with the first
    /// factor cannot use up the attempts of the owner.
    ///
    /// - Returns: the limit that has counted the code.
    func countRecoveryFailure() async throws -> LimitKey {
        let key: LimitKey =
            try await isFromKnownNetwork()
            ? .knownNetworkRecoveryFailures(account.id, from: context.network) : .recoveryCodeFailures(account.id)
        try limiter.count(key, SecondFactorPolicy.hourlyRecoveryFailureLimit, Self.hour, realm.id)
        return key
    }

    /// Subtracts a recovery code that was counted as wrong in advance. Afterwards the network may be a known one, so
    /// the limit is not decided again.
    func discountRecoveryFailure(_ key: LimitKey) { limiter.subtract(key, Self.hour, realm.id) }
}
