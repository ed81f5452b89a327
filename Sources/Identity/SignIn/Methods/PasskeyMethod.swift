internal import Encoding

/// Sign-in and sign-up with a passkey. Both verify the user, so that a passkey counts as two factors.
///
/// Throws ``PasskeyRefusal``, ``SignUpRefusal``, ``SignInRefusal``, ``CredentialRefusal`` and ``TooManyAttempts``.
public struct PasskeyMethod: Sendable {
    private let completion: SignInCompletion
    private let accounts: any AccountStore
    private let store: any PasskeyStore
    private let challenges: PasskeyChallenges
    private let verifier: PasskeyVerifier
    private let limiter: RateLimiter
    private let clock: WallClock
    private let countEvent: @Sendable (PasskeyEvent) -> Void

    public init(
        completion: SignInCompletion, accounts: any AccountStore, store: any PasskeyStore,
        challenges: PasskeyChallenges, verifier: PasskeyVerifier, limiter: RateLimiter, clock: WallClock,
        countEvent: @escaping @Sendable (PasskeyEvent) -> Void
    ) {
        self.completion = completion
        self.accounts = accounts
        self.store = store
        self.challenges = challenges
        self.verifier = verifier
        self.limiter = limiter
        self.clock = clock
        self.countEvent = countEvent
    }

    /// What a browser or device needs to sign with a passkey of the project.
    public struct StartedSignIn: Sendable {
        public let rpID: String
        /// See ``PasskeyChallenges/Issued/text``.
        public let challenge: String
    }

    /// Starts a sign-in. Stores nothing, and reads nothing.
    public func start(for app: App, in realm: Realm) throws -> StartedSignIn {
        let relyingParty = try realm.relyingParty()
        let challenge = challenges.issue(
            .signIn, clock.now() + PasskeyChallenges.lifetime, binding(to: relyingParty, for: app, in: realm))
        return StartedSignIn(rpID: relyingParty.id, challenge: challenge.text)
    }

    /// Signs in the account that has the passkey.
    ///
    /// - Parameter origin: the only pages that may have used the passkey; `nil` for every origin of the project.
    public func signIn(
        _ response: AuthenticationResponse, for app: App, onPagesOf origin: String? = nil, in realm: Realm,
        from context: RequestContext
    ) async throws -> SignInOutcome {
        try await countingRefusals(with: countEvent) {
            try await verifiedSignIn(response, for: app, onPagesOf: origin, in: realm, from: context)
        }
    }

    private func verifiedSignIn(
        _ response: AuthenticationResponse, for app: App, onPagesOf origin: String?, in realm: Realm,
        from context: RequestContext
    ) async throws -> SignInOutcome {
        let relyingParty = try realm.relyingParty().limited(toPagesOf: origin)
        let opened = try verifier.openAuthentication(response)
        let challenge = try challenges.open(
            opened.challenge, [.signIn], binding(to: relyingParty, for: app, in: realm), at: clock.now())
        let hooked = HookedSignIn(in: realm, HookSignIn(method: "passkey"))
        return try await retryingConflicts(where: { $0 is ChangedDuringHooks }) { _ in
            try await signIn(opened, response, challenge, by: relyingParty, hooked, in: realm, from: context)
        }
    }

    private func signIn(
        _ opened: PasskeyVerifier.OpenedAuthentication, _ response: AuthenticationResponse,
        _ challenge: PasskeyChallenges.Content, by relyingParty: RelyingParty, _ hooked: HookedSignIn?,
        in realm: Realm, from context: RequestContext
    ) async throws -> SignInOutcome {
        let id = ID<Passkey>(Base64URL.encode(response.id))
        guard let found = try await store.passkey(id, rpID: relyingParty.id) else { throw opened.refusalIfUnknown }
        // A page removes a passkey from the device if the gateway does not know it, so the code for a passkey of
        // another tenant is not that of an unknown one.
        guard found.realm == realm.id else { throw PasskeyRefusal.invalidResponse(reason: "passkey of another tenant") }
        let authenticated = try opened.verify(relyingParty, found.passkey)
        let use = PasskeyUse(
            of: found, authenticated, challenge: challenge.replayKey,
            recording: realm.recording(by: .user(context.trace)))
        let factor = FirstFactor(
            account: .existing(found.account), method: .passkey, secondFactor: .exempt, passkey: id,
            hook: HookCall(hooked, about: found.account))
        let outcome = try await completion.signIn(factor, in: realm, from: context) { session in
            try await mappingConflicts(to: \.refusalOfPasskeySignIn) {
                try await store.signIn(use, opening: session, in: realm.id)
            }
            var account = found.account
            account.lastSignInAt = session.openedAt
            return OpenedSession(session, of: account)
        }
        countEvent(.used)
        if authenticated.counterFailed { countEvent(.counter) }
        return outcome
    }

    /// Starts a sign-up, in which a browser or device creates the passkey of a new account. Stores nothing.
    ///
    /// - Parameter email: the address of the account, which is its name in the list of passkeys that a device shows.
    public func startSignUp(
        email: String?, displayName: String?, for app: App, in realm: Realm
    ) throws -> PasskeyEnrolment.Started {
        let relyingParty = try realm.relyingParty()
        try requireSignUp(for: app, in: realm)
        // Checked here, because otherwise the device would create a passkey before the gateway rejects the address.
        let email = try email.map { text throws(CredentialRefusal) in try EmailAddress(required: text) }
        let challenge = challenges.issue(
            .signUp, clock.now() + PasskeyChallenges.lifetime, binding(to: relyingParty, for: app, in: realm))
        return PasskeyEnrolment.Started(
            rpID: relyingParty.id, challenge: challenge.text, userHandle: challenge.signUpHandle,
            userName: email?.rawValue ?? displayName ?? relyingParty.id, displayName: displayName ?? "", existing: [])
    }

    /// Creates an account with the passkey. Its address is unverified.
    ///
    /// - Parameter name: the user's name for the passkey.
    public func signUp(
        _ response: RegistrationResponse, name: String?, email: String?, profile: AccountUpdate.Profile,
        for app: App, in realm: Realm, from context: RequestContext
    ) async throws -> SignInOutcome {
        let relyingParty = try realm.relyingParty()
        try requireSignUp(for: app, in: realm)
        let email = try email.map { text throws(CredentialRefusal) in try EmailAddress(required: text) }
        return try await limiter.limitingSignUp(from: context.network, in: realm) {
            try await countingRefusals(with: countEvent) {
                let opened = try verifier.openRegistration(response)
                let challenge = try challenges.open(
                    opened.challenge, [.signUp], binding(to: relyingParty, for: app, in: realm), at: clock.now())
                let registered = try opened.verify(relyingParty, false)
                if let email, try await accounts.holder(of: email, in: realm.id) != nil {
                    throw SignUpRefusal.emailTaken
                }
                let outcome = try await create(
                    email, profile, with: response.passkeyID, challenge.replayKey, in: realm, from: context
                ) { now in
                    NewPasskey(
                        registered, response, rpID: relyingParty.id, userHandle: challenge.signUpHandle, name: name,
                        at: now)
                }
                countEvent(.added)
                return outcome
            }
        }
    }

    /// Creates an account with a verified passkey.
    ///
    /// - Parameters:
    ///   - challenge: the replay key of the challenge that the passkey signed.
    ///   - passkey: returns the passkey that is added at a time.
    private func create(
        _ email: EmailAddress?, _ profile: AccountUpdate.Profile, with id: ID<Passkey>, _ challenge: ReplayKey,
        in realm: Realm, from context: RequestContext, _ passkey: (Instant) -> NewPasskey
    ) async throws -> SignInOutcome {
        let newAccount: @Sendable (ID<Account>, Instant) -> StoredAccount = { id, now in
            StoredAccount(new: id, email: email, profile: profile, at: now)
        }
        let hook = HookCall(HookedSignIn(in: realm, HookSignIn(method: "passkey"))) { newAccount($0, $1).account }
        let factor = FirstFactor(account: .new, method: .passkey, secondFactor: .exempt, passkey: id, hook: hook)
        return try await completion.signIn(factor, in: realm, from: context) { session in
            let first = FirstPasskey(
                passkey(session.openedAt), challenge: challenge, opening: session,
                recording: realm.recording(by: .user(context.trace)))
            let new = newAccount(session.account, session.openedAt)
            try await mappingConflicts(to: \.refusalOfSignUp) {
                try await store.create(new, with: first, in: realm.id)
            }
            var account = new.account
            account.passkeys = [first.passkey.passkey]
            return OpenedSession(session, of: account, isNewAccount: true)
        }
    }

    /// - Throws: ``SignUpRefusal/notAllowed``; ``ProviderRefusal`` if the app has an exemption from guideline 4.8,
    ///   which would not cover accounts that belong to nobody else, or a list of sign-in methods without passkeys.
    private func requireSignUp(for app: App, in realm: Realm) throws {
        guard realm.policy.allowsSignUp else { throw SignUpRefusal.notAllowed }
        try LoginServices.requireListed(.passkey, for: app)
        guard app.settings.exemption == nil else { throw ProviderRefusal.notForThisApp(violation: nil) }
    }

    private func binding(
        to relyingParty: RelyingParty, for app: App, in realm: Realm
    ) -> PasskeyChallenges.Binding {
        PasskeyChallenges.Binding(realm: realm.id, app: app.id, rpID: relyingParty.id)
    }
}

extension StoreConflict {
    /// The account or the passkey has changed since it was read, or the challenge was used. The client starts again.
    fileprivate var refusalOfPasskeySignIn: (any Refusal)? {
        switch self {
        case .stale, .alreadyUsed: PasskeyRefusal.challengeExpired
        case .taken, .notFound, .lastSignInMethod: nil
        }
    }
}
