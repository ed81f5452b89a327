internal import Encoding

/// The enrolment of passkeys by users.
///
/// Throws ``PasskeyRefusal``, ``EditRefusal``, ``TokenRefusal`` and ``TooManyAttempts``.
public struct PasskeyEnrolment: Sendable {
    private let completion: SignInCompletion
    private let store: any PasskeyStore
    private let challenges: PasskeyChallenges
    private let verifier: PasskeyVerifier
    private let emailFactory: EmailFactory
    private let limiter: RateLimiter
    private let clock: WallClock
    private let countEvent: @Sendable (PasskeyEvent) -> Void

    public init(
        completion: SignInCompletion, store: any PasskeyStore, challenges: PasskeyChallenges,
        verifier: PasskeyVerifier, emailFactory: EmailFactory, limiter: RateLimiter, clock: WallClock,
        countEvent: @escaping @Sendable (PasskeyEvent) -> Void
    ) {
        self.completion = completion
        self.store = store
        self.challenges = challenges
        self.verifier = verifier
        self.emailFactory = emailFactory
        self.limiter = limiter
        self.clock = clock
        self.countEvent = countEvent
    }

    /// What a browser or device needs to create a passkey.
    public struct Started: Sendable {
        public let rpID: String
        /// See ``PasskeyChallenges/Issued/text``.
        public let challenge: String
        public let userHandle: String
        /// The name of the account in the list of passkeys that a device shows.
        public let userName: String
        public let displayName: String
        /// The passkeys that the account has. An authenticator that has one of them creates no other.
        public let existing: [Passkey]
        /// Whether the browser or device may create the passkey without asking the user.
        public let isConditional: Bool

        public init(
            rpID: String, challenge: String, userHandle: String, userName: String, displayName: String,
            existing: [Passkey], isConditional: Bool = false
        ) {
            self.rpID = rpID
            self.challenge = challenge
            self.userHandle = userHandle
            self.userName = userName
            self.displayName = displayName
            self.existing = existing
            self.isConditional = isConditional
        }
    }

    /// Starts an enrolment. Stores nothing.
    ///
    /// - Parameter isConditional: whether the browser or device may create the passkey without asking the user. Only in
    ///   a session whose password was entered within ``conditionalLimit``, because the password manager that has filled
    ///   it in then stores the passkey.
    public func start(for caller: Caller, isConditional: Bool, for app: App, in realm: Realm) throws -> Started {
        let relyingParty = try realm.relyingParty()
        let (account, now) = (caller.account, clock.now())
        try caller.requireRecentLogin(by: realm.policy, at: now)
        guard account.passkeys.count < Passkey.limit else { throw PasskeyRefusal.limitExceeded }
        let session = caller.session
        guard
            !isConditional
                || session.method == .password && now - session.authenticatedAt <= Self.conditionalLimit
        else { throw EditRefusal.loginTooOld }
        let existing = account.passkeys.filter { $0.rpID == relyingParty.id }
        // A passkey that came with a merge keeps its handle, because the undo of the merge returns it to its account.
        let own = existing.first { $0.addedAt == $0.createdAt }
        let userHandle = own?.userHandle ?? challenges.userHandles(account.id, realm.id)[0]
        let challenge = challenges.issue(
            isConditional ? .conditionalEnrolment : .enrolment, now + PasskeyChallenges.lifetime,
            binding(of: caller, userHandle, to: relyingParty, for: app, in: realm))
        return Started(
            rpID: relyingParty.id, challenge: challenge.text, userHandle: userHandle,
            userName: account.passkeyUserName, displayName: account.displayName ?? "", existing: existing,
            isConditional: isConditional)
    }

    /// The maximum age of the password sign-in before a passkey that the user does not ask for.
    private static let conditionalLimit: Duration = .seconds(300)

    /// Adds the passkey to the caller's account, and replaces the caller's session; other sessions continue. The
    /// account of a guest becomes a permanent one.
    ///
    /// - Parameter name: the user's name for the passkey.
    public func finalize(
        for caller: Caller, _ response: RegistrationResponse, name: String?, for app: App, in realm: Realm,
        from context: RequestContext
    ) async throws -> SignedIn {
        try await countingRefusals(with: countEvent) {
            try await verifiedEnrolment(for: caller, response, name: name, for: app, in: realm, from: context)
        }
    }

    private func verifiedEnrolment(
        for caller: Caller, _ response: RegistrationResponse, name: String?, for app: App, in realm: Realm,
        from context: RequestContext
    ) async throws -> SignedIn {
        let relyingParty = try realm.relyingParty()
        let account = caller.account
        let opened = try verifier.openRegistration(response)
        let (challenge, userHandle) = try open(opened.challenge, of: caller, to: relyingParty, for: app, in: realm)
        let registered = try opened.verify(relyingParty, challenge.kind == .conditionalEnrolment)
        try caller.requireRecentLogin(by: realm.policy, at: clock.now())
        guard account.passkeys.count < Passkey.limit else { throw PasskeyRefusal.limitExceeded }
        try limiter.countCredentialChange(of: account.id, in: realm)
        let change =
            account.isAnonymous
            ? CallerChange(
                caller: caller, method: .passkey, authenticatedAt: caller.authenticatedAtAfterLinking,
                endsSessions: realm.policy.secondFactors.endsGuestSessions(of: account),
                passkey: .replace(response.passkeyID))
            : CallerChange(
                caller: caller, method: caller.session.method, authenticatedAt: caller.session.authenticatedAt)
        let signedIn = try await completion.renewSession(change, in: realm, from: context) { session in
            let passkey = NewPasskey(
                registered, response, rpID: relyingParty.id, userHandle: userHandle, name: name, at: session.openedAt)
            let method = AddedSignInMethod(
                provider: .passkey, subject: passkey.passkey.id.rawValue, addedAt: session.openedAt)
            let addition = PasskeyAddition(
                passkey, challenge: challenge.replayKey, opening: session,
                sending: try emailFactory.additionNotice(of: method, to: account, by: realm.policy, from: context),
                recording: realm.recording(by: .user(context.trace)))
            let account = try await mappingConflicts(to: \.refusalOfEdit) {
                do {
                    return try await store.add(addition, by: caller.session, in: realm.id)
                } catch PasskeyRefusal.exists {
                    throw opened.refusalIfTaken
                }
            }
            return OpenedSession(session, of: account)
        }
        countEvent(.added)
        return signedIn
    }

    /// Changes the name of a passkey of the caller's account.
    ///
    /// - Throws: ``PasskeyRefusal/unknown`` if the account does not have the passkey.
    public func rename(_ passkey: ID<Passkey>, to name: String, for caller: Caller, in realm: Realm) async throws {
        try caller.requireRecentLogin(by: realm.policy, at: clock.now())
        try limiter.countCredentialChange(of: caller.account.id, in: realm)
        guard try await store.rename(passkey, to: name, by: caller.session, in: realm.id) else {
            throw PasskeyRefusal.unknown
        }
    }

    private func binding(
        of caller: Caller, _ userHandle: String, to relyingParty: RelyingParty, for app: App, in realm: Realm
    ) -> PasskeyChallenges.Binding {
        PasskeyChallenges.Binding(
            realm: realm.id, app: app.id, rpID: relyingParty.id,
            enrolment: PasskeyChallenges.Enrolment(
                account: caller.account.id, generation: caller.account.generation, session: caller.session.id,
                userHandle: userHandle))
    }

    /// Returns the content of the challenge, and the user handle with which the passkey was created: the response does
    /// not contain it, but the challenge is bound to it.
    private func open(
        _ challenge: [UInt8], of caller: Caller, to relyingParty: RelyingParty, for app: App, in realm: Realm
    ) throws(PasskeyRefusal) -> (PasskeyChallenges.Content, userHandle: String) {
        let handles =
            Set(caller.account.passkeys.map(\.userHandle)).union(
                challenges.userHandles(caller.account.id, realm.id))
        for handle in handles {
            let binding = binding(of: caller, handle, to: relyingParty, for: app, in: realm)
            guard challenges.read(challenge, binding) != nil else { continue }
            let content = try challenges.open(
                challenge, [.enrolment, .conditionalEnrolment], binding, at: clock.now())
            return (content, handle)
        }
        throw .invalidResponse(reason: "wrong challenge")
    }
}

extension Account {
    /// The name of the account in the list of passkeys that a device shows.
    public var passkeyUserName: String { email?.rawValue ?? phoneNumber?.rawValue ?? displayName ?? id.rawValue }
}

extension RegistrationResponse {
    var passkeyID: ID<Passkey> { ID(Base64URL.encode(id)) }
}

extension NewPasskey {
    init(
        _ registered: PasskeyVerifier.Registered, _ response: RegistrationResponse, rpID: String, userHandle: String,
        name: String?, at now: Instant
    ) {
        self.init(
            passkey: Passkey(
                id: response.passkeyID, rpID: rpID, userHandle: userHandle,
                name: name ?? registered.defaultName ?? Passkey.defaultName(aaguid: registered.aaguid), createdAt: now,
                addedAt: now, lastUsedAt: nil, isBackedUp: registered.isBackedUp,
                transports: Passkey.storable(response.transports), aaguid: registered.aaguid),
            publicKey: registered.publicKey, algorithm: registered.algorithm, signCount: registered.signCount,
            isBackupEligible: registered.isBackupEligible)
    }
}

/// What happened with a passkey. The raw value is the label `event` of `sekisho_passkeys_total`.
public enum PasskeyEvent: String, Sendable, CaseIterable {
    case added
    /// A user signed in.
    case used
    /// A response was rejected.
    case refused
    /// A signature counter was not above the stored one.
    case counter
}

/// Runs `body`, and counts the response that it rejects.
func countingRefusals<Value>(
    with countEvent: (PasskeyEvent) -> Void, _ body: () async throws -> Value
) async throws -> Value {
    do {
        return try await body()
    } catch let refusal as PasskeyRefusal {
        countEvent(.refused)
        throw refusal
    }
}
