internal import Encoding

/// Issues codes on the sign-in page, and exchanges them for the sessions of apps. Throws ``SignInCodeRefusal``.
public struct SignInCodes: Sendable {
    public static let lifetime: Duration = .seconds(60)

    private let completion: SignInCompletion
    private let authenticator: Authenticator
    let federated: FederatedMethod
    let emailLink: EmailLinkMethod
    let flows: AuthorizationFlows
    let sealedTokens: any SealedTokens
    let store: any SignInCodeStore
    private let secrets: FlowSecrets
    let clock: WallClock

    public init(
        completion: SignInCompletion, authenticator: Authenticator, federated: FederatedMethod,
        emailLink: EmailLinkMethod, flows: AuthorizationFlows,
        sealedTokens: any SealedTokens, store: any SignInCodeStore, secrets: FlowSecrets, clock: WallClock
    ) {
        self.completion = completion
        self.authenticator = authenticator
        self.federated = federated
        self.emailLink = emailLink
        self.flows = flows
        self.sealedTokens = sealedTokens
        self.store = store
        self.secrets = secrets
        self.clock = clock
    }

    /// Whether the sign-in of a flow is complete.
    public func isFinished(_ flow: SignInPageFlow, in realm: Realm) async throws -> Bool {
        try await store.isFinished(secrets.hash(flow.id), in: realm.id)
    }

    /// Issues the code of a flow.
    ///
    /// - Returns: the code; `nil` if the flow already has one.
    public func issue(_ signIn: PageSignIn, of flow: SignInPageFlow, in realm: Realm) async throws -> IssuedSignInCode?
    {
        let (now, code) = (clock.now(), secrets.random())
        let browserSecret = signIn.browser.map { _ in Secret(secrets.random()) }
        let browser = signIn.browser.flatMap { wish in
            browserSecret.map { secret in
                NewBrowserSession(
                    secretHash: secrets.hash(secret.expose()), session: signIn.session.id, lifetime: wish.lifetime,
                    openedAt: now,
                    replaced: wish.replaced.map { value in
                        (secrets.hash(value.secret.expose()), value.realm(in: realm.project.id))
                    })
            }
        }
        let new = NewSignInCode(
            hash: secrets.hash(code), flowHash: secrets.hash(flow.id), app: flow.request.app,
            target: flow.request.target, challenge: flow.request.challenge, session: signIn.session,
            endsSession: browser == nil && !signIn.keepsSession, isNewAccount: signIn.isNewAccount,
            isContinued: signIn.keepsSession && signIn.link == nil, link: signIn.link, expiresAt: now + Self.lifetime,
            keptUntil: now + SignInPageFlow.lifetime)
        do {
            try await store.issue(new, browser, at: now, in: realm.id)
        } catch StoreConflict.alreadyUsed {
            return nil
        }
        return IssuedSignInCode(
            code: code, browser: browserSecret.map { BrowserSessionValue(secret: $0, tenant: realm.tenant?.id) })
    }

    /// Returns the caller for whom a link or a re-authentication was requested.
    ///
    /// - Returns: `nil` if its session has ended.
    public func caller(of request: SignInPageRequest, in realm: Realm) async throws -> Caller? {
        guard let subject = request.subject else { return nil }
        return try await caller(IDTokenContents(account: subject.account, session: subject.session), in: realm)
    }

    /// Returns the caller that a session on the page is of.
    ///
    /// - Parameter acceptsRestricted: whether the session may be one that only enrols a second factor.
    /// - Returns: `nil` if the session has ended.
    public func caller(
        _ contents: IDTokenContents, in realm: Realm, acceptsRestricted: Bool = false
    ) async throws -> Caller? {
        do {
            return try await authenticator.authenticate(contents, in: realm, acceptsRestricted: acceptsRestricted)
        } catch is any Refusal {
            return nil
        }
    }

    /// Ends a session on the page for which no code is issued.
    public func discard(_ session: ID<Session>, in realm: Realm) async throws {
        try await store.end(session, at: clock.now(), in: realm.id)
    }

    /// Exchanges a code for a session of the app. A second use of a code ends the session that the first use opened,
    /// because two parties have the code (RFC 6749 §4.1.2).
    ///
    /// - Parameters:
    ///   - verifier: the code verifier (RFC 7636).
    ///   - target: the `continueUri` of the sign-in.
    public func exchange(
        _ code: String?, verifier: String?, target: String?, for app: App, in realm: Realm,
        from context: RequestContext
    ) async throws -> SignedIn {
        guard let code, !code.isEmpty else { throw SignInCodeRefusal.missing }
        guard let verifier, verifier.wholeMatch(of: /[A-Za-z0-9._~-]{43,128}/) != nil else {
            throw SignInCodeRefusal.missingVerifier
        }
        let hash = secrets.hash(code)
        let find = { try await valid(hash, verifier: verifier, target: target, for: app, in: realm) }
        let first = try await find()
        if let link = first.link {
            return try await self.link(link, with: hash, of: first, for: app, in: realm, from: context)
        }
        let hooked = HookSignIn(continuing: first).flatMap { HookedSignIn(in: realm, $0) }
        do {
            return try await retryingConflicts(where: { $0 is ChangedDuringHooks }) { attempt in
                let proven = attempt == 1 ? first : try await find()
                return try await completion.continueSignIn(
                    proven, asking: HookCall(hooked, about: proven.account), in: realm, from: context
                ) { new in
                    try await store.exchange(
                        hash, opening: new, ending: proven.endsSession ? proven.session.id : nil, in: realm.id)
                    return OpenedSession(new, of: proven.account, isNewAccount: proven.isNewAccount)
                }
            }
        } catch StoreConflict.alreadyUsed {
            throw try await refusingReuse(of: hash, in: realm)
        } catch StoreConflict.stale {
            throw SignInCodeRefusal.invalid
        }
    }

    /// Returns the sign-in of a code that can be exchanged.
    private func valid(
        _ hash: [UInt8], verifier: String, target: String?, for app: App, in realm: Realm
    ) async throws -> ProvenSignIn {
        guard let stored = try await store.find(hash, in: realm.id) else { throw SignInCodeRefusal.invalid }
        guard !stored.isUsed else { throw try await refusingReuse(of: hash, in: realm) }
        guard stored.app == app.id, let target, stored.target.isExactly(target), clock.now() < stored.expiresAt,
            secrets.areEqual(secrets.hash(verifier), stored.challenge), let (account, session) = stored.source,
            session.support != nil || realm.policy.secondFactors.accepts(session, of: account)
        else { throw SignInCodeRefusal.invalid }
        return ProvenSignIn(account: account, session: session, of: stored)
    }

    /// Ends the session that the first use of the code has opened, because two parties have the code.
    func refusingReuse(of hash: [UInt8], in realm: Realm) async throws -> SignInCodeRefusal {
        try await store.endSession(openedWith: hash, at: clock.now(), in: realm.id)
        return .invalid
    }
}

extension HookSignIn {
    /// - Returns: `nil` if the page has asked the functions, and for a method that no function concerns.
    fileprivate init?(continuing proven: ProvenSignIn) {
        let session = proven.session
        guard proven.isContinued, session.method != .anonymous, session.method != .custom else { return nil }
        self.init(method: session.passkey == nil ? session.method.rawValue : "passkey")
    }
}
