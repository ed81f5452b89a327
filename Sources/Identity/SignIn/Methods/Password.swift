/// Sign-up and sign-in with email and password.
///
/// Throws ``CredentialRefusal``, ``SignUpRefusal``, ``SignInRefusal``, ``TokenRefusal`` and ``TooManyAttempts``. Any
/// other error is an internal fault, ``Overloaded`` or ``StoreUnavailable``.
public struct PasswordMethod: Sendable {
    private let completion: SignInCompletion
    private let store: any AccountStore
    private let passwords: PasswordHasher
    private let breaches: BreachedPasswords
    private let limiter: RateLimiter
    private let networks: NetworkHashing
    private let clock: WallClock

    public init(
        completion: SignInCompletion, store: any AccountStore, passwords: PasswordHasher, breaches: BreachedPasswords,
        limiter: RateLimiter, networks: NetworkHashing, clock: WallClock
    ) {
        self.completion = completion
        self.store = store
        self.passwords = passwords
        self.breaches = breaches
        self.limiter = limiter
        self.networks = networks
        self.clock = clock
    }

    /// Creates an account with email and password. The address is unverified at first.
    public func signUp(
        email: String?, password: Secret?, profile: AccountUpdate.Profile, in realm: Realm,
        from context: RequestContext
    ) async throws -> SignInOutcome {
        guard realm.policy.allowsPasswords else { throw SignUpRefusal.passwordsNotAllowed }
        guard realm.policy.allowsSignUp else { throw SignUpRefusal.notAllowed }
        let credential = try PasswordCredential(email: email, password: password)
        return try await limiter.limitingSignUp(from: context.network, in: realm) {
            try await realm.policy.require(credential.password, unknownTo: breaches) {
                guard try await store.holder(of: credential.email, in: realm.id) == nil else {
                    throw SignUpRefusal.emailTaken
                }
            }
            let hash = try await passwords.hash(credential.password, context.hashingClient(in: realm))
            return try await create(credential.email, hash, profile, in: realm, from: context)
        }
    }

    private func create(
        _ email: EmailAddress, _ passwordHash: String, _ profile: AccountUpdate.Profile, in realm: Realm,
        from context: RequestContext
    ) async throws -> SignInOutcome {
        let newAccount: @Sendable (ID<Account>, Instant) -> StoredAccount = { id, now in
            StoredAccount(new: id, email: email, passwordHash: passwordHash, profile: profile, at: now)
        }
        let hook = HookCall(HookedSignIn(in: realm, HookSignIn(method: "password"))) { newAccount($0, $1).account }
        let factor = FirstFactor(account: .new, method: .password, secondFactor: .exempt, hook: hook)
        return try await completion.signIn(factor, in: realm, from: context) { session in
            let new = newAccount(session.account, session.openedAt)
            try await mappingConflicts(to: \.refusalOfSignUp) {
                try await store.create(new, opening: session, in: realm.id)
            }
            return OpenedSession(session, of: new.account, isNewAccount: true)
        }
    }

    /// Checks the address and the password of a new account whose address is proven before it is created, and hashes
    /// the password. The work is the same for every address.
    func newCredential(
        email: String?, password: Secret?, in realm: Realm, from context: RequestContext
    ) async throws -> (EmailAddress, hash: String) {
        guard realm.policy.allowsPasswords else { throw SignUpRefusal.passwordsNotAllowed }
        guard realm.policy.allowsSignUp else { throw SignUpRefusal.notAllowed }
        let credential = try PasswordCredential(email: email, password: password)
        return try await limiter.limitingSignUp(from: context.network, in: realm) {
            try await realm.policy.require(credential.password, unknownTo: breaches)
            return (
                credential.email, try await passwords.hash(credential.password, context.hashingClient(in: realm))
            )
        }
    }

    /// Signs in with email and password. Computes one password hash whether or not the account exists, so that the
    /// response time does not reveal whether it exists. A client over its limit is rejected before the computation.
    ///
    /// - Parameter idToken: the ID token of the account that authenticates again; `nil` for a sign-in.
    public func signIn(
        email: String?, password: Secret?, reauthenticating idToken: String? = nil, in realm: Realm,
        from context: RequestContext
    ) async throws -> SignInOutcome {
        guard realm.policy.allowsPasswords else { throw SignInRefusal.passwordsNotAllowed }
        let credential = try PasswordCredential(email: email, password: password)
        var attempt = PasswordAttempt(
            on: credential.email, in: realm, from: context, store: store, limiter: limiter, networks: networks,
            clock: clock)
        try await attempt.requireAllowed()
        let holder = try await store.holder(of: credential.email, in: realm.id)
        let check = try await attempt.countingAbandonment {
            try await passwords.check(credential.password, holder?.passwordHash, context.hashingClient(in: realm))
        }
        guard case .right(let rehashed) = check, let holder else {
            try attempt.recordFailure()
            throw SignInRefusal(addressIsKnown: holder != nil, policy: realm.policy)
        }
        try await attempt.requireAllowed()
        // A disabled account is the first reason for a rejection.
        if !holder.account.isDisabled { try realm.policy.requireAtSignIn(credential.password) }
        return try await open(
            holder.account, .demanded(.password), reauthenticating: idToken, rehashed: rehashed, in: realm,
            from: context)
    }

    /// Continues a sign-in whose password was right, after the second factor.
    func signIn(
        to account: Account, with use: SecondFactorUse, in realm: Realm, from context: RequestContext
    ) async throws -> SignInOutcome {
        guard realm.policy.allowsPasswords else { throw SignInRefusal.passwordsNotAllowed }
        return try await open(account, .proven(use), rehashed: nil, in: realm, from: context)
    }

    /// Decides again if the account has changed while blocking functions were called, but still has the same password.
    private func open(
        _ proven: Account, _ secondFactor: SecondFactorRule, reauthenticating idToken: String? = nil,
        rehashed: String?, in realm: Realm, from context: RequestContext
    ) async throws -> SignInOutcome {
        let hooked = HookedSignIn(in: realm, HookSignIn(method: "password"))
        return try await retryingConflicts(where: { $0 is ChangedDuringHooks }) { attempt in
            let account = attempt == 1 ? proven : try await current(proven, in: realm)
            let factor = FirstFactor(
                account: .existing(account), method: .password, secondFactor: secondFactor, reauthenticating: idToken,
                hook: HookCall(hooked, about: account))
            return try await completion.signIn(factor, in: realm, from: context) { session in
                try await mappingConflicts(to: { $0.refusalOfSignIn(by: realm.policy) }) {
                    try await store.open(session, rehashed: rehashed, in: realm.id)
                }
                var account = account
                account.lastSignInAt = session.openedAt
                return OpenedSession(session, of: account)
            }
        }
    }

    /// Reads the account again.
    ///
    /// - Throws: the refusal of a wrong password if the account's generation has changed, because its password may have
    ///   changed.
    private func current(_ proven: Account, in realm: Realm) async throws -> Account {
        guard let account = try await store.find([.id(proven.id)], in: realm.id).first,
            account.generation == proven.generation, account.email == proven.email
        else { throw SignInRefusal(addressIsKnown: true, policy: realm.policy) }
        return account
    }
}

/// A valid address and a password that is not empty.
struct PasswordCredential {
    let email: EmailAddress
    let password: Secret

    /// - Throws: ``CredentialRefusal``, in the order of the wire protocol: address missing, address invalid, password
    ///   missing.
    init(email: String?, password: Secret?) throws(CredentialRefusal) {
        self.email = try EmailAddress(required: email)
        guard let password, !password.isEmpty else { throw .missingPassword }
        self.password = password
    }
}

extension SignInRefusal {
    /// The error that the client gets for an unknown address or a wrong password.
    init(addressIsKnown: Bool, policy: Policy) {
        self =
            switch (policy.emailEnumerationProtection, addressIsKnown) {
            case (true, _): .unknownEmailOrWrongPassword
            case (false, true): .wrongPassword
            case (false, false): .unknownEmail
            }
    }
}

extension StoreConflict {
    var refusalOfSignUp: (any Refusal)? {
        switch self {
        case .taken(.email): SignUpRefusal.emailTaken
        case .stale, .taken, .alreadyUsed, .notFound, .lastSignInMethod: nil
        }
    }

    /// - Parameter policy: decides whether the refusal reveals that the account exists.
    fileprivate func refusalOfSignIn(by policy: Policy) -> (any Refusal)? {
        switch self {
        case .stale: SignInRefusal(addressIsKnown: true, policy: policy)
        case .taken, .alreadyUsed, .notFound, .lastSignInMethod: nil
        }
    }
}
