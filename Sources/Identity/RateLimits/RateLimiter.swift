/// Counts events in windows of fixed length, in memory. Replicas exchange their counts about once per second. A limit
/// of 0 means no limit, and then nothing is counted.
public struct RateLimiter: Sendable {
    /// Whether `limit` events have been counted in the current window of length `window`. A wide network has a multiple
    /// of the limit; see ``ClientNetwork/Level/factor``.
    public var isReached: @Sendable (_ key: LimitKey, _ limit: Int, _ window: Duration, _ realm: ID<Realm>) -> Bool
    /// Throws if the limit is reached. Counts nothing.
    public var require:
        @Sendable (_ key: LimitKey, _ limit: Int, _ window: Duration, _ realm: ID<Realm>)
            throws(TooManyAttempts)
            -> Void
    /// Counts one event, or throws if the limit is reached. An event is counted in every counter of its key, or in
    /// none.
    public var count:
        @Sendable (_ key: LimitKey, _ limit: Int, _ window: Duration, _ realm: ID<Realm>)
            throws(TooManyAttempts)
            -> Void
    /// Subtracts one event that turned out not to count.
    public var subtract: @Sendable (_ key: LimitKey, _ window: Duration, _ realm: ID<Realm>) -> Void

    public init(
        isReached: @escaping @Sendable (LimitKey, Int, Duration, ID<Realm>) -> Bool,
        require: @escaping @Sendable (LimitKey, Int, Duration, ID<Realm>) throws(TooManyAttempts) -> Void,
        count: @escaping @Sendable (LimitKey, Int, Duration, ID<Realm>) throws(TooManyAttempts) -> Void,
        subtract: @escaping @Sendable (LimitKey, Duration, ID<Realm>) -> Void = { _, _, _ in }
    ) {
        self.isReached = isReached
        self.require = require
        self.count = count
        self.subtract = subtract
    }

    /// Limits nothing.
    public static let none = RateLimiter { _, _, _, _ in
        false
    } require: { (_, _, _, _) throws(TooManyAttempts) in
    } count: { (_, _, _, _) throws(TooManyAttempts) in
    }
}

/// Rate limits for sign-in, sign-up and credential changes. The limits of a client network apply to a project and all
/// its tenants together. The limits of an email address or an account apply to each realm separately.
extension RateLimiter {
    /// The number of addresses whose limits one client network may exhaust.
    static let addressesPerNetwork = 10

    /// Throws if the limit for wrong passwords for `email` from `network` is reached. Counts nothing.
    func requirePasswordAttemptAllowed(
        on email: EmailAddress, from network: ClientNetwork, in realm: Realm
    ) throws(TooManyAttempts) {
        try applyPasswordLimits(of: email, from: network, in: realm, require)
    }

    /// Counts a wrong password, even for an address without an account. A correct password does not reset the counters:
    /// otherwise an attacker could sign in to an account of their own to get more attempts at other accounts.
    func countPasswordFailure(
        on email: EmailAddress, from network: ClientNetwork, in realm: Realm
    ) throws(TooManyAttempts) {
        try applyPasswordLimits(of: email, from: network, in: realm, count)
    }

    /// Whether so many passwords were wrong for `email` that all unknown networks together get only one attempt per
    /// ``Policy/unknownNetworkWindow``.
    func isUnderAttack(_ email: EmailAddress, in realm: Realm) -> Bool {
        realm.policy.passwordFailureLimit > 0
            && isReached(
                .addressPasswordFailures(email), Policy.addressFailureLimit, Policy.addressFailureWindow, realm.id)
    }

    /// Counts a wrong password for `email` from any network.
    func countAddressFailure(on email: EmailAddress, in realm: Realm) throws(TooManyAttempts) {
        guard realm.policy.passwordFailureLimit > 0 else { return }
        try count(
            .addressPasswordFailures(email), Policy.addressFailureLimit, Policy.addressFailureWindow, realm.id)
    }

    /// Counts an attempt from a network that is not a known network of the account of `email`. All such networks share
    /// one attempt per ``Policy/unknownNetworkWindow``.
    func countUnknownNetworkAttempt(on email: EmailAddress, in realm: Realm) throws(TooManyAttempts) {
        try count(.unknownNetworkAttempts(email), 1, Policy.unknownNetworkWindow, realm.id)
    }

    /// Applies the limit of the network first, so that a network over its limit creates no counters for further
    /// addresses.
    private func applyPasswordLimits(
        of email: EmailAddress, from network: ClientNetwork, in realm: Realm,
        _ apply: (LimitKey, Int, Duration, ID<Realm>) throws(TooManyAttempts) -> Void
    ) throws(TooManyAttempts) {
        let limit = realm.policy.passwordFailureLimit
        try apply(
            .anyPasswordFailures(from: network), limit * Self.addressesPerNetwork, Policy.passwordWindow,
            ID(realm.project.id))
        try apply(.passwordFailures(email, from: network), limit, Policy.passwordWindow, realm.id)
    }

    /// Counts an attempt of a signed-in client to change its account's credentials. Failed attempts count too: each
    /// change writes to the audit trail, and each conflict reveals something about other accounts. The actions that an
    /// owner needs against an attacker (reset, recovery, the end of all sessions, deletion) are not counted.
    func countCredentialChange(of account: ID<Account>, in realm: Realm) throws(TooManyAttempts) {
        try count(
            .credentialChanges(account), Policy.credentialChangeLimit, Policy.credentialChangeWindow, realm.id)
    }

    /// Runs `work` as one of the sign-ups that are allowed from one client network.
    ///
    /// The sign-up is counted before it runs, so that concurrent sign-ups cannot exceed the limit. It stays counted if
    /// it created an account, or if the address was taken: otherwise sign-up would reveal without limit which addresses
    /// have accounts. It also stays counted if its client was gone.
    func limitingSignUp<Result>(
        from network: ClientNetwork, in realm: Realm, _ work: () async throws -> Result
    ) async throws -> Result {
        try await counting(work, asSignUpFrom: network, in: realm) { _ in true }
    }

    /// Runs `work`, which gives an account an address. If the project has email enumeration protection, the sign-up
    /// limit applies to this change. The change stays counted only if the address was taken: the account itself was
    /// counted when it was created.
    func limitingAddressChange<Result>(
        from network: ClientNetwork, in realm: Realm, _ work: () async throws -> Result
    ) async throws -> Result {
        guard realm.policy.emailEnumerationProtection else { return try await work() }
        return try await counting(work, asSignUpFrom: network, in: realm) { _ in false }
    }

    /// Runs `work`, whose result may reveal that an account has an address. The sign-up limit applies to it. The work
    /// stays counted only if `reveals` is true for its result.
    func limitingAddressProbe<Result>(
        from network: ClientNetwork, in realm: Realm, reveals: (Result) -> Bool, _ work: () async throws -> Result
    ) async throws -> Result {
        try await counting(work, asSignUpFrom: network, in: realm, countsSuccess: reveals)
    }

    /// Counts a sign-in with an identity that no account has. Otherwise a client that signs in and deletes its account
    /// again and again could add audit events without limit.
    func countFirstSignIn(with identity: VerifiedIdentity, in realm: Realm) throws(TooManyAttempts) {
        try count(
            .firstSignIns(identity.provider, subject: identity.subject), Policy.firstSignInLimit,
            Policy.firstSignInWindow, realm.id)
    }

    /// - Parameter countsSuccess: whether work with this result stays counted.
    private func counting<Result>(
        _ work: () async throws -> Result, asSignUpFrom network: ClientNetwork, in realm: Realm,
        countsSuccess: (Result) -> Bool
    ) async throws -> Result {
        let limit = realm.policy.signUpLimit
        guard limit > 0 else { return try await work() }
        try count(.signUps(from: network), limit, Policy.signUpWindow, ID(realm.project.id))
        var staysCounted = false
        defer { if !staysCounted { subtract(.signUps(from: network), Policy.signUpWindow, ID(realm.project.id)) } }
        do {
            let result = try await work()
            staysCounted = countsSuccess(result)
            return result
        } catch {
            // A blocking function that refuses or disables was called, and the next attempt would call it again.
            let counted: [ErrorCode] = [.emailExists, .blockingFunctionErrorResponse, .userDisabled]
            let code = (error as? any Refusal)?.code
            staysCounted = error is ClientGone || error is HookUnavailable || code.map { counted.contains($0) } ?? false
            throw error
        }
    }
}

/// The request exceeds a rate limit. The same request may succeed after the window has ended.
public struct TooManyAttempts: Refusal, Hashable {
    public let retryAfter: Duration

    public init(retryAfter: Duration) {
        self.retryAfter = retryAfter
    }
}

extension TooManyAttempts {
    public var code: ErrorCode { .tooManyAttemptsTryLater }

    public var detail: String? { "Too many attempts. Try again later." }

    public var retryDelay: Duration? { retryAfter }
}
