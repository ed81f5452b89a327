/// Sign-up, sign-in, and verification of the gateway's tokens.
///
/// Throws ``CredentialRefusal``, ``SignUpRefusal``, ``SignInRefusal``, ``TokenRefusal`` and ``TooManyAttempts``. Any
/// other error is an internal fault, ``Overloaded`` or ``StoreUnavailable``.
public struct Authenticator: Sendable {
    private let store: any AccountStore
    private let tokens: any TokenAuthority
    private let passwords: PasswordHasher
    private let breaches: BreachedPasswords
    private let limiter: RateLimiter
    private let networks: NetworkHashing
    private let clock: WallClock
    private let entropy: Entropy

    public init(
        store: any AccountStore, tokens: any TokenAuthority, passwords: PasswordHasher, breaches: BreachedPasswords,
        limiter: RateLimiter, networks: NetworkHashing, clock: WallClock, entropy: Entropy
    ) {
        self.store = store
        self.tokens = tokens
        self.passwords = passwords
        self.breaches = breaches
        self.limiter = limiter
        self.networks = networks
        self.clock = clock
        self.entropy = entropy
    }

    /// Creates an account with email and password. The address is unverified at first.
    public func signUp(
        email: String?, password: Secret?, displayName: String?, in project: Project, from context: RequestContext
    ) async throws -> SignedIn {
        guard project.policy.allowsPasswords else { throw SignUpRefusal.passwordsNotAllowed }
        guard project.policy.allowsSignUp else { throw SignUpRefusal.notAllowed }
        let credential = try PasswordCredential(email: email, password: password)
        return try await limiter.limitingSignUp(from: context.network, in: project) {
            try await project.policy.require(credential.password, unknownTo: breaches) {
                guard try await store.holder(of: credential.email, in: project.realm) == nil else {
                    throw SignUpRefusal.emailTaken
                }
            }
            let hash = try await passwords.hash(credential.password, context.hashingClient(in: project))
            return try await create(
                NewAccount(
                    id: entropy.accountID(), email: credential.email, passwordHash: hash, displayName: displayName,
                    createdAt: clock.now()),
                by: .password, in: project, from: context)
        }
    }

    public func signUpAnonymously(in project: Project, from context: RequestContext) async throws -> SignedIn {
        guard project.policy.allowsAnonymous else { throw SignUpRefusal.anonymousNotAllowed }
        guard project.policy.allowsSignUp else { throw SignUpRefusal.notAllowed }
        return try await limiter.limitingSignUp(from: context.network, in: project) {
            try await create(
                NewAccount(id: entropy.accountID(), createdAt: clock.now()), by: .anonymous,
                in: project, from: context)
        }
    }

    /// Signs in with email and password. Computes one password hash whether or not the account exists, so that the
    /// response time does not reveal whether it exists. A client over its limit is rejected before the computation.
    ///
    /// - Parameter idToken: the ID token of the account that authenticates again; `nil` for a sign-in.
    public func signIn(
        email: String?, password: Secret?, reauthenticating idToken: String? = nil, in project: Project,
        from context: RequestContext
    ) async throws -> SignedIn {
        guard project.policy.allowsPasswords else { throw SignInRefusal.passwordsNotAllowed }
        let credential = try PasswordCredential(email: email, password: password)
        var attempt = PasswordAttempt(
            on: credential.email, in: project, from: context, store: store, limiter: limiter, networks: networks,
            clock: clock)
        try await attempt.requireAllowed()
        let holder = try await store.holder(of: credential.email, in: project.realm)
        let check = try await attempt.countingAbandonment {
            try await passwords.check(credential.password, holder?.passwordHash, context.hashingClient(in: project))
        }
        guard case .right(let rehashed) = check, let holder else {
            try attempt.recordFailure()
            throw SignInRefusal(addressIsKnown: holder != nil, policy: project.policy)
        }
        try await attempt.requireAllowed()
        guard !holder.account.isDisabled else { throw SignInRefusal.accountDisabled }
        try project.policy.requireAtSignIn(credential.password)
        try await requireMatchingToken(idToken, of: holder.account.id, in: project)
        let now = clock.now()
        var account = holder.account
        account.lastSignInAt = now
        let session = newSession(
            of: account.id, generation: account.generation, by: .password, at: now, limit: project.policy.sessionLimit,
            in: project, from: context)
        try await mappingConflicts(to: { $0.refusalOfPasswordSignIn(by: project.policy) }) {
            try await store.open(session, rehashed: rehashed, in: project.realm)
        }
        return try await tokens.signedIn(account, session, in: project, at: now)
    }

    /// Exchanges a refresh token by the rules of ``Rotation``.
    ///
    /// - Parameter resumptionKey: the key that the client generated for the request that replaced its session. With it,
    ///   a refresh token of the replaced session returns the tokens of the new session.
    public func refresh(
        _ refreshToken: String, resumptionKey: ResumptionKey? = nil, in project: Project
    ) async throws -> SignedIn {
        let contents = try await tokens.read(refreshToken: refreshToken, in: project)
        do {
            return try await refresh(contents, in: project)
        } catch TokenRefusal.sessionEnded {
            guard let resumptionKey else { throw TokenRefusal.sessionEnded }
            let successor = entropy.successorID(contents.session, resumptionKey)
            guard try await store.isResumable(successor, in: project.realm) else { throw TokenRefusal.sessionEnded }
            return try await refresh(RefreshTokenContents(session: successor, counter: 0), in: project)
        }
    }

    private func refresh(_ contents: RefreshTokenContents, in project: Project) async throws -> SignedIn {
        let now = clock.now()
        switch try await store.rotate(contents, by: project.policy, at: now, in: project.realm) {
        case .continues(let session, let account, let counter):
            return try await tokens.signedIn(account, session, counter: counter, in: project, at: now)
        case .stolen: throw TokenRefusal.refreshTokenStolen
        // SDKs sign the user out on TOKEN_EXPIRED, but not on INVALID_REFRESH_TOKEN. Therefore a token of a session
        // that no longer exists gets TOKEN_EXPIRED too.
        case .ended, .removed: throw TokenRefusal.sessionEnded
        case .accountDisabled: throw TokenRefusal.accountDisabled
        }
    }

    /// Accepts an ID token only while its session is active, so that revocation takes effect at once.
    public func authenticate(idToken: String, in project: Project) async throws -> Caller {
        let contents = try await tokens.read(idToken: idToken, in: project, at: clock.now())
        guard let found = try await store.find(contents, in: project.realm) else { throw TokenRefusal.accountDeleted }
        guard let session = found.session else { throw TokenRefusal.sessionEnded }
        guard !found.account.isDisabled else { throw TokenRefusal.accountDisabled }
        return Caller(account: found.account, session: session)
    }

    /// Requires that the ID token of a re-authentication belongs to `account`.
    ///
    /// - Parameter idToken: `nil` unless this is a re-authentication.
    /// - Throws: ``SignInRefusal/otherAccount``; ``TokenRefusal``.
    func requireMatchingToken(_ idToken: String?, of account: ID<Account>, in project: Project) async throws {
        guard let idToken else { return }
        guard try await authenticate(idToken: idToken, in: project).account.id == account else {
            throw SignInRefusal.otherAccount
        }
    }

    private func create(
        _ account: NewAccount, by method: ProviderID, in project: Project, from context: RequestContext
    ) async throws -> SignedIn {
        let session = newSession(
            of: account.id, generation: 1, by: method, at: account.createdAt, limit: 0, in: project, from: context)
        let created = try await mappingConflicts(to: \.refusalOfSignUp) {
            try await store.create(account, opening: session, in: project.realm)
        }
        return try await tokens.signedIn(created, session, in: project, at: session.authenticatedAt)
    }

    private func newSession(
        of account: ID<Account>, generation: Int64, by method: ProviderID, at now: Instant, limit: Int,
        in project: Project, from context: RequestContext
    ) -> Session {
        Session(
            id: entropy.sessionID(), account: account, generation: generation, method: method,
            authenticatedAt: now, device: context.device,
            // Known networks matter only for the limit of wrong passwords, and an anonymous account has no password.
            networkHash: method == .anonymous ? nil : networks.hash(of: context, in: project), sessionLimit: limit)
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
