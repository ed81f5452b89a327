/// Sign-in with a credential of another provider.
///
/// Throws ``ProviderRefusal``, ``LinkRefusal``, ``EditRefusal``, ``TokenRefusal``, ``TooManyAttempts`` and
/// ``ProviderUnreachable``.
public struct FederatedSignIn: Sendable {
    /// Lifetime of pending tokens.
    public static let pendingLifetime: Duration = .seconds(1800)
    /// Lifetime of nonces that the gateway issued.
    public static let nonceLifetime: Duration = .seconds(600)

    private let store: any FederationStore
    private let authenticator: Authenticator
    private let tickets: any SealedTokens
    private let tokens: any TokenAuthority
    private let outOfBand: OutOfBand
    private let limiter: RateLimiter
    private let networks: NetworkHashing
    private let clock: WallClock
    private let entropy: Entropy
    private let prover: ProofResolver

    public init(
        store: any FederationStore, authenticator: Authenticator, verifier: Verifier, tickets: any SealedTokens,
        tokens: any TokenAuthority, outOfBand: OutOfBand, limiter: RateLimiter, networks: NetworkHashing,
        clock: WallClock, entropy: Entropy
    ) {
        self.store = store
        self.authenticator = authenticator
        self.tickets = tickets
        self.tokens = tokens
        self.outOfBand = outOfBand
        self.limiter = limiter
        self.networks = networks
        self.clock = clock
        self.entropy = entropy
        prover = ProofResolver(verifier: verifier, tickets: tickets, clock: clock)
    }

    public struct Request: Sendable {
        public var proof: IdentityProof
        /// The ID token of the account that the identity is to be linked to.
        public var idToken: String?
        /// `false` for a re-authentication.
        public var mayEnter: Bool
        public var origin: RequestContext

        public init(proof: IdentityProof, idToken: String? = nil, mayEnter: Bool = true, origin: RequestContext) {
            self.proof = proof
            self.idToken = idToken
            self.mayEnter = mayEnter
            self.origin = origin
        }
    }

    public enum Outcome: Sendable {
        case signedIn(SignedIn, IdentityProfile, isNew: Bool)
        /// No user was signed in. The owner of the account that has the address may link the identity with
        /// `pendingToken`.
        ///
        /// - Parameter existing: `nil` if the client must not learn anything about that account.
        case confirmationNeeded(ExistingAccount?, IdentityProfile, pendingToken: String)
        /// No user was signed in; `pendingToken` is as valid as the credential was.
        case conflict(LinkRefusal, IdentityProfile, pendingToken: String)
    }

    /// What the response says about the account that has an identity's address.
    public struct ExistingAccount: Sendable {
        public let account: Account
        /// It has another identity of the same provider.
        public let isRecycled: Bool
    }

    /// Verifies the credential first, so that no transaction waits for a provider's server.
    public func signIn(_ request: Request, for app: App, in project: Project) async throws -> Outcome {
        let proven = try await prover.proven(request.proof, for: app, in: project)
        return try await retryingConflicts { attempt in
            let caller = try await request.idToken.mapAsync {
                try await authenticator.authenticate(idToken: $0, in: project)
            }
            try proven.requireUse(by: caller)
            let known = try await store.linkingCandidates(for: proven.identity, in: project.realm)
            if let caller, known.owner?.id != caller.account.id {
                try admit(caller, isFirstAttempt: attempt == 1, in: project)
            }
            try proven.requireIssuer(of: known.owner)
            let decision = LinkingDecision(
                LinkingFacts(
                    identity: proven.identity, owner: known.owner, sameEmail: known.sameEmail,
                    caller: caller?.account, mayEnter: request.mayEnter, policy: project.policy))
            return try await apply(decision, for: proven, by: caller, in: project, from: request.origin)
        }
    }

    /// Checks the session before the decision, so that a client with a stale session does not learn which account has
    /// an identity or address. If the caller already has the identity, this is a login and not a link.
    private func admit(_ caller: Caller, isFirstAttempt: Bool, in project: Project) throws {
        try caller.requireRecentLoginToLink(by: project.policy, at: clock.now())
        if isFirstAttempt { try limiter.takeCredentialChange(of: caller.account.id, in: project) }
    }

    /// Issues a nonce for a sign-in that is about to begin.
    public func issueNonce(in project: Project, from origin: RequestContext) throws(TooManyAttempts) -> IssuedNonce {
        try limiter.take(
            .nonces(from: origin.network), Policy.nonceLimit, Policy.nonceWindow, ID(project.id))
        return tickets.nonce(until: clock.now() + Self.nonceLifetime, in: project.realm)
    }

    /// - Throws: ``StoreConflict/stale`` if the decision has to be taken again.
    private func apply(
        _ decision: LinkingDecision, for proven: ResolvedProof, by caller: Caller?, in project: Project,
        from origin: RequestContext
    ) async throws -> Outcome {
        switch decision {
        case .signIn(let account): return try await commit(.signIn(account), proven, in: project, from: origin)
        case .link(let account, let takesEmail):
            return try await commit(
                .link(to: account, by: caller, takesEmail: takesEmail), proven, in: project, from: origin)
        case .reclaim(let account): return try await commit(.reclaim(account), proven, in: project, from: origin)
        case .create:
            let takesEmail = !project.policy.allowsDuplicateEmails
            return try await commit(
                .create(entropy.accountID(), takesEmail: takesEmail), proven, isNew: true, in: project,
                from: origin)
        case .confirm(let account, let isRecycled):
            let use = PendingCredential.Use.link(to: account.id, generation: account.generation)
            let isHidden = project.policy.emailEnumerationProtection && proven.identity.emailTrust < .verified
            return .confirmationNeeded(
                isHidden ? nil : ExistingAccount(account: account, isRecycled: isRecycled),
                IdentityProfile(proven.identity), pendingToken: try ticket(for: proven, use, in: project))
        case .refuse(let refusal):
            guard refusal.leavesPending else { throw refusal }
            return .conflict(
                refusal, IdentityProfile(proven.identity),
                pendingToken: try ticket(for: proven, proven.use, in: project))
        }
    }

    private func commit(
        _ step: SignInCommit.Step, _ proven: ResolvedProof, isNew: Bool = false, in project: Project,
        from origin: RequestContext
    ) async throws -> Outcome {
        let now = clock.now()
        let commit = SignInCommit(
            step: step, identity: proven.identity, marks: proven.marks, session: entropy.sessionID(),
            device: origin.device, networkHash: networks.hash(of: origin, in: project), trace: origin.trace, enteredAt: now,
            emailBatch: try emailBatch(about: step, proven.identity, from: origin, at: now))
        let (account, session) = try await refusing({ $0.atFederatedSignIn(usesPendingToken: proven.isTicket) }) {
            try await store.commit(commit, in: project.realm)
        }
        let signedIn = try await tokens.signedIn(account, session, in: project, at: now)
        return .signedIn(signedIn, IdentityProfile(proven.identity, of: account), isNew: isNew)
    }

    /// A notice to the owner of an account that has a new sign-in method or a new owner.
    private func emailBatch(
        about step: SignInCommit.Step, _ identity: VerifiedIdentity, from origin: RequestContext, at now: Instant
    ) throws -> EmailBatch {
        switch step {
        case .signIn, .create: return EmailBatch()
        case .link(let account, _, _):
            let method = AddedSignInMethod(provider: identity.provider, subject: identity.subject, addedAt: now)
            return try outOfBand.additionNotice(of: method, to: account, from: origin)
        case .reclaim(let account):
            guard let email = account.email else { return EmailBatch() }
            let content = EmailPayload(provider: identity.provider)
            return EmailBatch(
                emails: try outOfBand.notice(
                    .accountReclaimed, to: email, about: account.id, content, from: origin, at: now))
        }
    }

    /// A new pending token does not outlive the one that proved the identity, and both share one replay key.
    private func ticket(
        for proven: ResolvedProof, _ use: PendingCredential.Use, in project: Project
    ) throws -> String {
        var identity = proven.identity
        identity.marks = proven.marks
        let end = clock.now() + Self.pendingLifetime
        return try tickets.ticket(
            for: PendingCredential(identity: identity, use: use),
            until: proven.ticket.map { min($0.expiresAt, end) } ?? end, in: project.realm)
    }
}

/// What the response says about an identity.
public struct IdentityProfile: Hashable, Sendable {
    public let identity: VerifiedIdentity
    /// With the name that the provider sent first, if the identity is linked.
    public let linked: LinkedIdentity

    init(_ identity: VerifiedIdentity, of account: Account? = nil) {
        self.identity = identity
        linked =
            account?.identities.first { $0.provider == identity.provider && $0.subject == identity.subject }
            ?? LinkedIdentity(identity)
    }
}

extension Optional {
    fileprivate func mapAsync<Value>(_ transform: (Wrapped) async throws -> Value) async rethrows -> Value? {
        guard let self else { return nil }
        return try await transform(self)
    }
}
