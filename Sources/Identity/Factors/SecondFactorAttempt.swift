/// Applies the rate limits to one attempt to prove a second factor. An attacker who makes it has proven the first one.
struct SecondFactorAttempt {
    enum Kind {
        case totp
        case recoveryCode
    }

    let kind: Kind
    let account: ID<Account>
    let realm: Realm
    let context: RequestContext
    let limiter: RateLimiter

    /// Throws if the limits do not allow the attempt. Called before the code is checked, and again after a right code:
    /// without the second call, an attacker with more concurrent attempts than the limit allows could learn which code
    /// is right.
    func requireAllowed() throws(TooManyAttempts) { try applyLimits(limiter.require) }

    /// Counts a wrong code. Throws if concurrent attempts have reached the limit in the meantime.
    func recordFailure() throws(TooManyAttempts) { try applyLimits(limiter.count) }

    /// Subtracts a failure that was counted in advance.
    func discountFailure() {
        limiter.subtract(.recoveryCodeFailures(account), .seconds(3600), realm.id)
    }

    /// Counts an attempt at a one-time password that had ``SecondFactorPolicy/failuresUntilDailyLimits`` wrong ones.
    func countDailyAttempt(isFromKnownNetwork: Bool) throws(TooManyAttempts) {
        let day: Duration = .seconds(86_400)
        if isFromKnownNetwork {
            try limiter.count(
                .knownNetworkFactorAttempts(account, from: context.network),
                SecondFactorPolicy.dailyKnownNetworkAttemptLimit, day, realm.id)
        } else {
            try limiter.count(
                .unknownNetworkFactorAttempts(account), SecondFactorPolicy.dailyAttemptLimit, day, realm.id)
        }
    }

    private func applyLimits(
        _ apply: (LimitKey, Int, Duration, ID<Realm>) throws(TooManyAttempts) -> Void
    ) throws(TooManyAttempts) {
        let hour: Duration = .seconds(3600)
        switch kind {
        case .totp:
            try apply(
                .factorFailures(account, from: context.network), SecondFactorPolicy.networkFailureLimit,
                SecondFactorPolicy.failureWindow, realm.id)
            try apply(
                .accountFactorFailures(account), SecondFactorPolicy.hourlyFailureLimit, hour, realm.id)
        case .recoveryCode:
            try apply(
                .recoveryCodeFailures(account), SecondFactorPolicy.hourlyRecoveryFailureLimit, hour, realm.id)
        }
    }
}
