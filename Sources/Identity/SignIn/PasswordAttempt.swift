/// Applies the rate limits to one attempt to sign in with a password.
///
/// An address is under attack after ``Policy/addressFailureLimit`` wrong passwords for it from all networks together.
/// Then attempts from known networks of its account are still allowed, but all other networks share one attempt per
/// ``Policy/unknownNetworkWindow``. An address without an account is treated the same, so that the response does not
/// reveal whether there is an account.
struct PasswordAttempt {
    private let email: EmailAddress
    private let realm: Realm
    private let context: RequestContext
    private let store: any AccountStore
    private let limiter: RateLimiter
    private let networks: NetworkHashing
    private let clock: WallClock
    /// Whether the attempt was allowed although there were too many wrong passwords for the address. The limits for all
    /// networks together are then not applied to the attempt again.
    private var isExempt = false

    init(
        on email: EmailAddress, in realm: Realm, from context: RequestContext, store: any AccountStore,
        limiter: RateLimiter, networks: NetworkHashing, clock: WallClock
    ) {
        self.email = email
        self.realm = realm
        self.context = context
        self.store = store
        self.limiter = limiter
        self.networks = networks
        self.clock = clock
    }

    /// Throws if the limits do not allow the attempt. Called before the password is checked, and again after a correct
    /// password. Without the second call, an attacker with more concurrent attempts than the limit allows could learn
    /// which of the passwords is correct.
    ///
    /// - Throws: ``TooManyAttempts``, and the store's errors. The store is called only while the address is under
    ///   attack.
    mutating func requireAllowed() async throws {
        try limiter.requirePasswordAttemptAllowed(on: email, from: context.network, in: realm)
        guard !isExempt, limiter.isUnderAttack(email, in: realm) else { return }
        if try await !isFromKnownNetwork() { try limiter.countUnknownNetworkAttempt(on: email, in: realm) }
        isExempt = true
    }

    /// Counts a wrong password. Throws if concurrent attempts have reached the limit in the meantime, so that the
    /// client does not learn that this password was wrong.
    ///
    /// - Throws: ``TooManyAttempts``.
    func recordFailure() throws(TooManyAttempts) {
        try limiter.countPasswordFailure(on: email, from: context.network, in: realm)
        if !isExempt { try limiter.countAddressFailure(on: email, in: realm) }
    }

    /// Counts the attempt as a failure if its client was gone before the password was checked. Otherwise attempts whose
    /// clients hang up would cost nothing.
    func countingAbandonment<Value>(_ check: () async throws -> Value) async throws -> Value {
        do {
            return try await check()
        } catch let gone as ClientGone {
            try recordFailure()
            throw gone
        }
    }

    private func isFromKnownNetwork() async throws -> Bool {
        let networkHashes = networks.hashes(context.network, realm.id)
        let since = clock.now() - Policy.knownNetworkLifetime
        return try await store.hasKnownNetwork(email, among: networkHashes, since: since, in: realm.id)
    }
}
