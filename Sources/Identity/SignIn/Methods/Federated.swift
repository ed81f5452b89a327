/// Sign-in with an identity from an identity provider.
///
/// Throws ``ProviderRefusal``, ``AuthorizationRefusal``, ``LinkRefusal``, ``EditRefusal``, ``TokenRefusal``,
/// ``TooManyAttempts`` and ``ProviderUnreachable``.
public struct FederatedMethod: Sendable {
    /// Lifetime of pending tokens.
    public static let pendingLifetime: Duration = .seconds(1800)
    /// Lifetime of nonces that the gateway issued.
    public static let nonceLifetime: Duration = .seconds(600)

    let completion: SignInCompletion
    let store: any FederationStore
    let authenticator: Authenticator
    let resolver: ProofResolver
    let sealedTokens: any SealedTokens
    let emailFactory: EmailFactory
    let limiter: RateLimiter
    let clock: WallClock

    public init(
        completion: SignInCompletion, store: any FederationStore, authenticator: Authenticator,
        resolver: ProofResolver, sealedTokens: any SealedTokens, emailFactory: EmailFactory, limiter: RateLimiter,
        clock: WallClock
    ) {
        self.completion = completion
        self.store = store
        self.authenticator = authenticator
        self.resolver = resolver
        self.sealedTokens = sealedTokens
        self.emailFactory = emailFactory
        self.limiter = limiter
        self.clock = clock
    }

    /// Signs in, or links an identity. Verifies the credential first, so that no transaction waits for a provider's
    /// server.
    ///
    /// - Parameters:
    ///   - idToken: the ID token of the account to link the identity to; `nil` for a sign-in.
    ///   - autoCreate: `false` for a re-authentication.
    /// - Returns: the identity of the proof, the provider's tokens if the proof had any, and the outcome.
    public func signIn(
        _ proof: IdentityProof, linkingTo idToken: String?, autoCreate: Bool, for app: App, in realm: Realm,
        from context: RequestContext
    ) async throws -> (identity: VerifiedIdentity, tokens: ProviderTokens?, outcome: SignInOutcome) {
        var autoCreate = autoCreate
        if case .authorization(let redeemed) = proof {
            try redeemed.requireOperation(linking: idToken != nil)
            autoCreate = autoCreate && redeemed.mayCreateAccount
        }
        let (resolved, tokens) = try await resolver.resolve(
            proof, for: app, in: realm, to: idToken == nil ? .signIn : .link, from: context.network)
        let outcome = try await signIn(
            resolved, tokens, linkingTo: idToken.map(LinkTarget.idToken), autoCreate: autoCreate, for: app, in: realm,
            from: context)
        return (resolved.identity, tokens, outcome)
    }

    /// Links the identity of a sign-in in the browser to the account of a session that an ID token has named before.
    public func link(
        _ proof: IdentityProof, to session: IDTokenContents, for app: App, in realm: Realm,
        from context: RequestContext
    ) async throws -> SignInOutcome {
        let (resolved, _) = try await resolver.resolve(
            proof, for: app, in: realm, to: .link, from: context.network)
        return try await signIn(
            resolved, nil, linkingTo: .session(session), autoCreate: false, for: app, in: realm, from: context)
    }

    /// Issues a nonce for a sign-in that is about to begin.
    public func issueNonce(in realm: Realm, from context: RequestContext) throws(TooManyAttempts) -> IssuedNonce {
        try limiter.count(
            .nonces(from: context.network), Policy.nonceLimit, Policy.nonceWindow, ID(realm.project.id))
        return sealedTokens.nonce(until: clock.now() + Self.nonceLifetime, in: realm.id)
    }

    /// The account to which an identity is linked.
    private enum LinkTarget {
        case idToken(String)
        case session(IDTokenContents)
    }

    /// Continues a sign-in whose identity was proven, after the second factor. Decides again, because accounts may have
    /// changed.
    func signIn(
        with proof: ResolvedProof, autoCreate: Bool, secondFactor use: SecondFactorUse, for app: App,
        in realm: Realm, from context: RequestContext
    ) async throws -> SignInOutcome {
        try resolver.requireStillAllowed(
            proof.identity, for: app, in: realm, to: .signIn, ifOtherIssuer: FactorRefusal.invalidPendingCredential)
        return try await signIn(
            proof, nil, linkingTo: nil, autoCreate: autoCreate, secondFactor: use, for: app, in: realm, from: context)
    }

    /// Decides and applies the decision, again if the accounts have changed meanwhile.
    ///
    /// - Parameters:
    ///   - tokens: the provider's tokens, for the blocking functions.
    ///   - use: the second factor that was proven; `nil` for the first request.
    private func signIn(
        _ proof: ResolvedProof, _ tokens: ProviderTokens?, linkingTo target: LinkTarget?, autoCreate: Bool,
        secondFactor use: SecondFactorUse? = nil, for app: App, in realm: Realm, from context: RequestContext
    ) async throws -> SignInOutcome {
        let secondFactor =
            if let use { SecondFactorRule.proven(use) } else {
                SecondFactorRule.demanded(.identity(proof, autoCreate: autoCreate))
            }
        let hooked = HookedSignIn(in: realm, HookSignIn(proof.identity, tokens))
        return try await retryingConflicts { attempt in
            let facts = try await linkingFacts(
                about: proof, linkingTo: target, autoCreate: autoCreate, isFirstAttempt: attempt == 1, for: app,
                in: realm)
            let decision = LinkingDecision(facts)
            guard facts.caller == nil, facts.owner == nil else {
                return try await apply(decision, to: proof, secondFactor, hooked, in: realm, from: context)
            }
            return try await limitingFirstSignIn(
                with: proof.identity, isCounted: attempt == 1, from: context, in: realm
            ) { try await apply(decision, to: proof, secondFactor, hooked, in: realm, from: context) }
        }
    }

    /// Reads the accounts that the proof concerns, and requires that the proof may be used for them.
    private func linkingFacts(
        about proof: ResolvedProof, linkingTo target: LinkTarget?, autoCreate: Bool, isFirstAttempt: Bool,
        for app: App, in realm: Realm
    ) async throws -> LinkingFacts {
        let caller: Caller? =
            switch target {
            case .idToken(let idToken): try await authenticator.authenticate(idToken: idToken, in: realm)
            case .session(let contents): try await authenticator.authenticate(contents, in: realm)
            case nil: nil
            }
        try proof.requireUse(by: caller)
        let (owner, sameEmail) = try await store.linkingCandidates(for: proof.identity, in: realm.id)
        if let caller, owner?.id != caller.account.id {
            try requireLinkAllowed(for: caller, isFirstAttempt: isFirstAttempt, in: realm)
        }
        try proof.requireSameIssuer(asIdentityOf: owner)
        try proof.requireValidToken(ofIdentityOf: owner)
        return LinkingFacts(
            identity: proof.identity, owner: owner, sameEmail: sameEmail,
            hasEarlierMailbox: try await hasEarlierMailbox(sameEmail, signingInWith: proof.identity, in: realm),
            caller: caller, autoCreate: autoCreate, policy: realm.policy,
            rejectsRepeatedLink: realm.project.modeRules.rejectsRepeatedLinks,
            linkOnly: Set(app.linkOnlyProviders(in: realm)))
    }

    /// Whether `sameEmail` has an ``EarlierMailbox``. Looked up only if the decision can depend on it.
    private func hasEarlierMailbox(
        _ sameEmail: Account?, signingInWith identity: VerifiedIdentity, in realm: Realm
    ) async throws -> Bool {
        guard let sameEmail, !sameEmail.emailIsVerified, identity.emailTrust == .authoritative,
            !emailFactory.restoresFirstAddress
        else { return false }
        return try await store.hasEarlierMailbox(sameEmail.id, at: clock.now(), in: realm.id)
    }

    /// Runs the sign-in of an identity that no account has, within two limits.
    ///
    /// - An identity can create only a few accounts within a short time, because each deletion of an account adds an
    ///   audit event.
    /// - If the response reveals whether an account has an address that the provider did not verify, the sign-in is
    ///   counted as a sign-up. At the limit, it is rejected whether or not an account has the address.
    ///
    /// - Parameter isCounted: `false` if the same request is tried again.
    private func limitingFirstSignIn(
        with identity: VerifiedIdentity, isCounted: Bool, from context: RequestContext, in realm: Realm,
        _ work: () async throws -> SignInOutcome
    ) async throws -> SignInOutcome {
        if isCounted { try limiter.countFirstSignIn(with: identity, in: realm) }
        guard identity.hidesAccounts(in: realm), identity.email != nil else { return try await work() }
        return try await limiter.limitingAddressProbe(
            from: context.network, in: realm, reveals: \.needsConfirmation, work)
    }

    /// Requires a recent login before the decision, so that a client with an older login does not learn which account
    /// has an identity or address. Not called if the caller already has the identity: that is a login and not a link.
    ///
    /// - Parameter isFirstAttempt: `false` if the same request is tried again, which is not counted.
    private func requireLinkAllowed(for caller: Caller, isFirstAttempt: Bool, in realm: Realm) throws {
        try caller.requireRecentLoginToLink(by: realm.policy, at: clock.now())
        if isFirstAttempt { try limiter.countCredentialChange(of: caller.account.id, in: realm) }
    }
}

extension SignInOutcome {
    fileprivate var needsConfirmation: Bool {
        if case .confirmationNeeded = self { true } else { false }
    }
}
