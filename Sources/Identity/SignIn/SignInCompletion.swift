/// Opens sessions and issues their tokens. Nothing else does, except that ``TokenRefresh`` issues the tokens of an open
/// session.
///
/// There are three entrances, and the type of the argument decides which one a request takes:
/// - ``signIn(_:in:from:commit:)`` with a ``FirstFactor``: a user signs in. The sign-in passes every gate between its
///   proof and its commit.
/// - ``renewSession(_:in:from:commit:)`` with a ``CallerChange``: a user who is signed in changes the account, and gets
///   a new session. The gates do not apply: the caller's session has passed them.
/// - ``continueSignIn(_:asking:in:from:commit:)`` with a ``ProvenSignIn``: an app gets its session after a sign-in on
///   the sign-in page, which has passed the gates.
///
/// A sign-in method proves the first factor and decides. It stores the decision together with the session that it gets
/// from here.
public struct SignInCompletion: Sendable {
    private let authenticator: Authenticator
    private let tokens: any TokenAuthority
    private let sealedTokens: any SealedTokens
    private let networks: NetworkHashing
    private let clock: WallClock
    private let entropy: Entropy
    private let hooks: Hooks
    private let countFactorEvent: @Sendable (SecondFactorEvent) -> Void
    private let count: @Sendable (CountedEvent, ID<Realm>) -> Void

    public init(
        authenticator: Authenticator, tokens: any TokenAuthority, sealedTokens: any SealedTokens,
        networks: NetworkHashing, clock: WallClock, entropy: Entropy, hooks: Hooks,
        countFactorEvent: @escaping @Sendable (SecondFactorEvent) -> Void,
        count: @escaping @Sendable (CountedEvent, ID<Realm>) -> Void
    ) {
        self.authenticator = authenticator
        self.tokens = tokens
        self.sealedTokens = sealedTokens
        self.networks = networks
        self.clock = clock
        self.entropy = entropy
        self.hooks = hooks
        self.countFactorEvent = countFactorEvent
        self.count = count
    }

    /// Signs in with a proven first factor, if it passes the gates.
    ///
    /// - Parameter commit: stores the sign-in and opens the session. If it throws ``StoreConflict/stale``, the method
    ///   decides again from the accounts as they are then, and the new decision passes the gates again.
    func signIn(
        _ factor: FirstFactor, in realm: Realm, from context: RequestContext,
        commit: (NewSession) async throws -> OpenedSession
    ) async throws -> SignInOutcome {
        if let challenge = try await passGates(factor, in: realm, from: context) {
            return .secondFactorRequired(challenge)
        }
        let (now, policy) = (clock.now(), realm.policy)
        let (account, generation, limit) =
            switch factor.account {
            case .existing(let account, let endsSessions):
                (account.id, account.generation + (endsSessions ? 1 : 0), endsSessions ? 0 : policy.sessionLimit)
            case .new: (newAccountID(for: factor, at: now), 1, 0)
            case .existingOrNew(let id): (id, 1, policy.sessionLimit)
            }
        let session = Session(
            id: entropy.sessionID(), account: account, generation: generation, method: factor.method,
            authenticatedAt: now, claims: factor.claims, secondFactor: factor.secondFactorUse?.sessionFactor,
            passkey: factor.passkey, device: context.device)
        return .signedIn(
            try await open(
                session, of: SessionApp(context.app), at: now, credentialIssuedAt: factor.credentialIssuedAt,
                limit: limit, by: factor, recording: factor.recording(in: realm, from: context), asking: factor.hook,
                about: factor.account.existing, in: realm, from: context, commit))
    }

    /// Opens the session that a signed-in caller gets after a change.
    ///
    /// - Parameter commit: stores the change and opens the session.
    func renewSession(
        _ change: CallerChange, in realm: Realm, from context: RequestContext,
        commit: (NewSession) async throws -> OpenedSession
    ) async throws -> SignedIn {
        let (now, caller) = (clock.now(), change.caller)
        let session = Session(
            id: entropy.sessionID(replacing: caller.session.id, for: change.resumptionKey),
            account: change.merge?.plan.target ?? caller.account.id,
            generation: change.merge?.targetGeneration ?? caller.account.generation + (change.endsSessions ? 1 : 0),
            method: change.method, authenticatedAt: (change.endsSessions ? nil : change.authenticatedAt) ?? now,
            claims: change.claimsToKeep, secondFactor: change.secondFactor(after: caller.session),
            passkey: change.passkey(after: caller.session), device: context.device ?? caller.session.device)
        return try await open(
            session, of: context.app.map(SessionApp.known) ?? .sameAs(caller.session.id), at: now,
            credentialIssuedAt: change.credentialIssuedAt, limit: change.endsSessions ? 0 : realm.policy.sessionLimit,
            asking: change.hook, about: caller.account, in: realm, from: context, commit)
    }

    /// Opens the session of an app for a sign-in on the sign-in page, which has passed the gates there. The session has
    /// the method, the authentication and the factors of the session on the page.
    ///
    /// A sign-in has one event, and asks the blocking functions once: on the page, or here if the user continued with
    /// the session of the browser.
    ///
    /// - Parameters:
    ///   - hook: the call of the blocking functions; `nil` if there is none.
    ///   - commit: consumes the code of the sign-in and opens the session.
    func continueSignIn(
        _ proven: ProvenSignIn, asking hook: HookCall?, in realm: Realm, from context: RequestContext,
        commit: (NewSession) async throws -> OpenedSession
    ) async throws -> SignedIn {
        let (now, source) = (clock.now(), proven.session)
        var session = Session(
            id: entropy.sessionID(), account: proven.account.id, generation: source.generation, method: source.method,
            authenticatedAt: source.authenticatedAt, claims: source.claims, secondFactor: source.secondFactor,
            passkey: source.passkey, device: context.device)
        session.support = source.support
        let isWanted = proven.isContinued && realm.project.wantedEvents.contains(.sessionOpened)
        return try await open(
            session, of: SessionApp(context.app), at: now, credentialIssuedAt: nil,
            limit: source.support == nil ? realm.policy.sessionLimit : 0,
            recording: isWanted ? realm.recording(by: .user(context.trace)) : nil, asking: hook,
            about: proven.account, in: realm, from: context, commit)
    }

    /// Returns the session for whose code an app gets a session with ``SupportAccess``. It has no tokens. Its
    /// `auth_time` is as early as Admin SDKs accept, because the user did not log in.
    ///
    /// - Throws: ``SignInRefusal/accountDisabled``, ``SupportRefusal/tooEarly(until:)``.
    static func supportSession(
        _ id: ID<Session>, with access: SupportAccess, to account: Account, at now: Instant
    ) throws -> NewSession {
        guard !account.isDisabled else { throw SignInRefusal.accountDisabled }
        let authenticatedAt = max(account.createdAt, account.validSince)
        let earliest = authenticatedAt + SupportAccess.minimumLoginAge
        guard now >= earliest else { throw SupportRefusal.tooEarly(until: earliest) }
        var session = Session(
            id: id, account: account.id, generation: account.generation, method: .custom,
            authenticatedAt: authenticatedAt, device: nil)
        session.support = access
        return NewSession(toOpen: session, at: now, networkHash: nil, credentialIssuedAt: nil, sessionLimit: 0)
    }

    /// The ID of a new account, the same in each attempt of the request, because the functions have seen it.
    private func newAccountID(for factor: FirstFactor, at now: Instant) -> ID<Account> {
        let id = entropy.accountID()
        return factor.hook?.signIn.newAccount(id, createdAt: now).id ?? id
    }

    /// The gates, in their order. A gate either lets the first factor pass or throws; the last one may also answer with
    /// a challenge. It runs outside any transaction, so a store also checks that the account has not changed since.
    ///
    /// - Returns: `nil` if the factor passes every gate.
    private func passGates(
        _ factor: FirstFactor, in realm: Realm, from context: RequestContext
    ) async throws -> SecondFactorChallenge? {
        if factor.account.existing?.isDisabled == true { throw SignInRefusal.accountDisabled }
        if let idToken = factor.reauthenticating {
            let caller = try await authenticator.authenticate(idToken: idToken, in: realm)
            guard caller.account.id == factor.account.id else { throw SignInRefusal.otherAccount }
        }
        if let use = factor.secondFactorUse {
            // The generation as well: the account may have changed since the code was checked.
            guard case .existing(let account, endsSessions: false) = factor.account, account.id == use.account,
                account.generation == use.generation
            else { throw FactorRefusal.invalidPendingCredential }
        }
        guard let account = factor.account.existing, case .demanded(let proof) = factor.secondFactor,
            realm.policy.secondFactors.demandsFactor(of: account)
        else { return nil }
        countFactorEvent(.asked)
        let pending = PendingSignIn(proof, of: account, from: context)
        let end = clock.now() + SecondFactorPolicy.pendingLifetime
        return SecondFactorChallenge(
            account: account, pendingCredential: try sealedTokens.encode(pending, until: end, in: realm.id))
    }

    /// Asks the blocking functions, opens the session, and issues its tokens.
    ///
    /// - Parameters:
    ///   - factor: `nil` if the user was signed in before.
    ///   - before: the account as it was read; `nil` for a new one.
    private func open(
        _ session: Session, of app: SessionApp, at now: Instant, credentialIssuedAt: Instant?, limit: Int,
        by factor: FirstFactor? = nil, recording: EventRecording? = nil, asking hook: HookCall?,
        about before: Account?, in realm: Realm, from context: RequestContext,
        _ commit: (NewSession) async throws -> OpenedSession
    ) async throws -> SignedIn {
        var session = session
        let decision = try await hooks.decision(
            about: hook, changing: before, opening: session, at: now, in: realm, from: context)
        if let decision, decision.reply.sessionClaims != nil { session.claims = decision.reply.nonEmptySessionClaims }
        // Known networks matter only for the limit of wrong passwords. An anonymous account has no password, and the
        // network of an administrator is not the user's.
        let hasNetwork = session.method != .anonymous && session.support == nil
        let networkHash = hasNetwork ? networks.hash(of: context, in: realm) : nil
        let opened = try await commit(
            NewSession(
                toOpen: session, at: now, networkHash: networkHash, credentialIssuedAt: credentialIssuedAt,
                app: app, sessionLimit: limit, secondFactorUse: factor?.secondFactorUse,
                recording: recording, hookDecision: decision, exchangedCode: context.exchangedCode))
        var account = opened.account
        if let decision {
            account.apply(decision.reply)
            // The store has not opened the session.
            if account.isDisabled { throw SignInRefusal.accountDisabled }
        }
        if let factor { countSignIn(by: factor, opened, at: now, in: realm.id) }
        return try await tokens.issueTokenPair(
            for: opened.session, of: account, isNewAccount: opened.isNewAccount, in: realm, at: now)
    }
}

extension SignInCompletion {
    /// An account counts as active once per UTC day, unless it signs in again after a mere refresh on the same day.
    private func countSignIn(by factor: FirstFactor, _ opened: OpenedSession, at now: Instant, in realm: ID<Realm>) {
        count(.signIn(by: factor.method), realm)
        if opened.isNewAccount { count(.signUp(by: factor.method), realm) }
        let formerSignIn =
            if case .existing(let account, _) = factor.account { account.lastSignInAt } else { opened.formerSignInAt }
        let today = CountStep.day.start(of: now)
        if formerSignIn.map({ $0 < today }) ?? true { count(.activeAccount, realm) }
    }
}

/// The result of a sign-in that was not rejected.
public enum SignInOutcome: Sendable {
    case signedIn(SignedIn)
    /// No user was signed in. The sign-in waits for a second factor of the account, and nothing of it was stored.
    case secondFactorRequired(SecondFactorChallenge)
    /// No user was signed in. The owner of the account that has the address may link the identity with `pendingToken`.
    ///
    /// - Parameters:
    ///   - existing: `nil` if the client must not learn anything about that account.
    ///   - isRecycled: whether the provider may have given the address to another user; see
    ///     ``LinkingDecision/confirm(_:isRecycled:)``. `false` if `existing` is `nil`.
    case confirmationNeeded(existing: Account?, isRecycled: Bool, pendingToken: String)
    /// No user was signed in. `pendingToken` can be used like the proof that the request contained.
    case conflict(LinkRefusal, pendingToken: String)
    /// No user was signed in. The account of another user has the proven telephone number, or may have it no more.
    case phoneConflict(PhoneConflict)
}
