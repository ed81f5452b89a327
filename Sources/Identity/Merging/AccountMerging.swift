/// Merges two accounts of one user: the source is deleted, the target remains. The user proves control of both: of the
/// source by an ID token, of the target by a credential or another ID token.
///
/// Throws ``MergeRefusal``, and the errors of ``FederatedSignIn``.
public struct AccountMerging: Sendable {
    /// Lifetime of a preview's merge token.
    public static let previewLifetime: Duration = .seconds(600)
    /// How long a merge can be undone.
    public static let undoWindow: Duration = .seconds(7 * 86_400)

    private let store: any FederationStore
    private let authenticator: Authenticator
    private let sealedTokens: any SealedTokens
    private let tokens: any TokenAuthority
    private let emailFactory: EmailFactory
    private let limiter: RateLimiter
    private let networks: NetworkHashing
    private let clock: WallClock
    private let entropy: Entropy
    private let resolver: ProofResolver

    public init(
        store: any FederationStore, authenticator: Authenticator, verifier: Verifier, sealedTokens: any SealedTokens,
        tokens: any TokenAuthority, emailFactory: EmailFactory, limiter: RateLimiter, networks: NetworkHashing,
        clock: WallClock, entropy: Entropy
    ) {
        self.store = store
        self.authenticator = authenticator
        self.sealedTokens = sealedTokens
        self.tokens = tokens
        self.emailFactory = emailFactory
        self.limiter = limiter
        self.networks = networks
        self.clock = clock
        self.entropy = entropy
        resolver = ProofResolver(verifier: verifier, sealedTokens: sealedTokens, clock: clock)
    }

    public struct Preview: Sendable {
        public let plan: MergePlan
        /// The token with which the client commits the plan.
        public let mergeToken: String
    }

    public struct Merged: Sendable {
        public let signedIn: SignedIn
        public let plan: MergePlan
        public let undoableUntil: Instant
    }

    /// Previews the merge. Changes and consumes nothing.
    public func preview(
        idToken: String, into target: MergeTarget, for app: App, in project: Project
    ) async throws -> Preview {
        let source = try await recentLogin(idToken, in: project).account
        let target = try await proven(target, for: app, in: project)
        guard try await !store.hasRecoveryCode(source.id, at: clock.now(), in: project.realm) else {
            throw MergeRefusal.recoveryPending
        }
        let payload = MergeTokenPayload(
            precondition: try MergePrecondition(of: source, into: target.account), replayKeys: target.replayKeys,
            method: target.method, authenticatedAt: target.authenticatedAt, targetSession: target.session,
            targetSubject: target.subject, code: target.code, credentialIssuedAt: target.credentialIssuedAt)
        let end = clock.now() + Self.previewLifetime
        return Preview(
            plan: payload.precondition.plan,
            mergeToken: try sealedTokens.encode(payload, until: end, in: project.realm))
    }

    /// Commits the previewed merge atomically, and signs the user in to the target.
    public func commit(
        idToken: String, mergeToken: String, in project: Project, from context: RequestContext
    ) async throws -> Merged {
        let now = clock.now()
        let (payload, replayKey) = try sealedTokens.decode(
            MergeTokenPayload.self, from: mergeToken, at: now, in: project.realm)
        guard try await recentLogin(idToken, in: project).account.id == payload.precondition.plan.source else {
            throw ProviderRefusal.invalidMergeToken
        }
        for account in [payload.precondition.plan.source, payload.precondition.plan.target] {
            try limiter.countCredentialChange(of: account, in: project)
        }
        let merge = AccountMerge(
            precondition: payload.precondition, replayKeys: payload.replayKeys + [replayKey], mergedAt: now,
            undoableUntil: now + Self.undoWindow, code: payload.code)
        let signIn = MergeSignIn(
            session: entropy.sessionID(), method: payload.method, authenticatedAt: payload.authenticatedAt ?? now,
            targetSession: payload.targetSession, targetSubject: payload.targetSubject, device: context.device,
            networkHash: networks.hash(of: context, in: project),
            credentialIssuedAt: payload.credentialIssuedAt, trace: context.trace)
        let notices = MergeNotices(of: merge, emailFactory: emailFactory, from: context)
        let (account, session) = try await mappingConflicts(to: \.refusalOfMerge) {
            try await store.merge(merge, with: signIn, announcing: notices, in: project.realm)
        }
        let signedIn = try await tokens.signedIn(account, session, in: project, at: now)
        return Merged(signedIn: signedIn, plan: payload.precondition.plan, undoableUntil: merge.undoableUntil)
    }

    private func recentLogin(_ idToken: String, in project: Project) async throws -> Caller {
        let caller = try await authenticator.authenticate(idToken: idToken, in: project)
        try caller.requireRecentLogin(by: project.policy, at: clock.now())
        return caller
    }

    private func proven(_ target: MergeTarget, for app: App, in project: Project) async throws -> ProvenTarget {
        switch target {
        case .login(let idToken): return ProvenTarget(try await recentLogin(idToken, in: project))
        case .identity(let proof):
            let proof = try await resolver.resolve(proof, for: app, in: project)
            // A pending token that is only for linking does not prove control of the account that has the identity.
            guard case .any = proof.use else { throw ProviderRefusal.invalidPendingToken }
            let candidates = try await store.linkingCandidates(for: proof.identity, in: project.realm)
            guard let owner = candidates.owner else { throw MergeRefusal.targetUnknown }
            try proof.requireIssuerOfIdentity(linkedTo: owner)
            // Until a transfer to another team is completed, the identity has the subject of the former team.
            let subject = IdentityTransfer(proof.identity, of: owner)?.formerSubject ?? proof.identity.subject
            return ProvenTarget(
                account: owner, replayKeys: proof.replayKeys, method: proof.identity.provider, authenticatedAt: nil,
                session: nil, subject: subject, code: proof.identity.code,
                credentialIssuedAt: proof.identity.issuedAt)
        }
    }
}

/// The proof of the target account.
public enum MergeTarget: Sendable {
    case identity(IdentityProof)
    /// A recent login, as for the source.
    case login(idToken: String)
}

private struct ProvenTarget {
    let account: Account
    let replayKeys: [ReplayKey]
    let method: ProviderID
    let authenticatedAt: Instant?
    let session: ID<Session>?
    /// The subject of the identity that is the proof.
    let subject: String?
    /// Apple's code or refresh token that came with the proof.
    var code: SealedAppleToken?
    /// When Apple issued the credential that is the proof.
    var credentialIssuedAt: Instant?
}

extension ProvenTarget {
    /// An ID token proves an earlier login, so the merge does not make the login more recent.
    fileprivate init(_ caller: Caller) {
        self.init(
            account: caller.account, replayKeys: [], method: caller.session.method,
            authenticatedAt: caller.session.authenticatedAt, session: caller.session.id,
            subject: nil)
    }
}

/// A merge to be committed.
public struct AccountMerge: Hashable, Sendable {
    public let precondition: MergePrecondition
    public let replayKeys: [ReplayKey]
    public let mergedAt: Instant
    public let undoableUntil: Instant
    /// Apple's code or refresh token that came with the proof of the target.
    public var code: SealedAppleToken?
}

/// The sign-in of a client's merge: the session to open, and the conditions that the proof of the target must still
/// meet.
public struct MergeSignIn: Hashable, Sendable {
    /// The ID of the new session.
    public let session: ID<Session>
    /// How the target was proven.
    public let method: ProviderID
    public let authenticatedAt: Instant
    /// The session of the ID token that proved the target, if any; the merge fails if that session has ended.
    public let targetSession: ID<Session>?
    /// The subject of the identity that proved the target, if any; the merge fails if the target no longer has that
    /// identity.
    public let targetSubject: String?
    public let device: String?
    public let networkHash: [UInt8]?
    /// When Apple issued the credential that proved the target. The merge fails if the user has disconnected the app
    /// since then.
    public let credentialIssuedAt: Instant?
    public let trace: RequestTrace
}
