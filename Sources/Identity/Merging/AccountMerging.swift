/// Merges two accounts of one user: the source is deleted, the target remains. The user proves control of both: of the
/// source by an ID token, of the target by a credential or another ID token.
///
/// Throws ``MergeRefusal``, and the errors of ``FederatedMethod``.
public struct AccountMerging: Sendable {
    /// Lifetime of a preview's merge token.
    public static let previewLifetime: Duration = .seconds(600)
    /// How long a merge can be undone.
    public static let undoWindow: Duration = .seconds(7 * 86_400)

    private let federated: FederatedMethod

    public init(_ federated: FederatedMethod) {
        self.federated = federated
    }

    public struct Preview: Sendable {
        let precondition: MergePrecondition
        let source: Account
        let target: Account
        /// The token with which the client commits the plan.
        public let mergeToken: String

        public var plan: MergePlan { precondition.plan }
    }

    public struct Merged: Sendable {
        public let signedIn: SignedIn
        public let plan: MergePlan
        public let undoableUntil: Instant
    }

    /// Previews the merge. Changes and consumes nothing, except a server auth code (see ``ServerAuthCodes``).
    public func preview(
        idToken: String, into target: MergeTarget, for app: App, in realm: Realm, from context: RequestContext
    ) async throws -> Preview {
        let caller = try await federated.authenticator.authenticate(idToken: idToken, in: realm)
        return try await preview(of: caller, into: target, for: app, in: realm, from: context)
    }

    /// Previews the merge of the caller's account, the source.
    func preview(
        of caller: Caller, into target: MergeTarget, for app: App, in realm: Realm, from context: RequestContext
    ) async throws -> Preview {
        let source = try requiringRecentLogin(caller, in: realm).account
        let target = try await proven(target, for: app, in: realm, from: context.network)
        guard try await !federated.store.hasRecoveryCode(source.id, at: federated.clock.now(), in: realm.id) else {
            throw MergeRefusal.recoveryPending
        }
        let payload = MergeTokenPayload(
            precondition: try MergePrecondition(of: source, into: target.account), proof: target.proof,
            claims: target.claims?.json)
        let end = federated.clock.now() + Self.previewLifetime
        return Preview(
            precondition: payload.precondition, source: source, target: target.account,
            mergeToken: try federated.sealedTokens.encode(payload, until: end, in: realm.id))
    }

    /// Commits the previewed merge atomically, and signs the user in to the target.
    public func commit(
        idToken: String, mergeToken: String, in realm: Realm, from context: RequestContext
    ) async throws -> Merged {
        let caller = try await federated.authenticator.authenticate(idToken: idToken, in: realm)
        return try await commit(mergeToken, by: caller, in: realm, from: context)
    }

    /// Commits the merge of the caller's account, the source.
    func commit(
        _ mergeToken: String, by caller: Caller, in realm: Realm, from context: RequestContext
    ) async throws -> Merged {
        let now = federated.clock.now()
        let (payload, replayKey) = try federated.sealedTokens.decode(
            MergeTokenPayload.self, from: mergeToken, at: now, in: realm.id)
        let (precondition, proof) = (payload.precondition, payload.proof)
        _ = try requiringRecentLogin(caller, in: realm)
        guard caller.account.id == precondition.plan.source else { throw ProviderRefusal.invalidMergeToken }
        for account in [precondition.plan.source, precondition.plan.target] {
            try federated.limiter.countCredentialChange(of: account, in: realm)
        }
        if proof.identity != nil { try requireNoHook(in: realm) }
        let merge = AccountMerge(
            precondition: precondition, replayKeys: (proof.identity?.replayKeys ?? []) + [replayKey], mergedAt: now,
            undoableUntil: now + Self.undoWindow)
        var change = CallerChange(
            caller: caller, method: proof.method, authenticatedAt: proof.authenticatedAt,
            credentialIssuedAt: proof.identity?.issuedAt, merge: precondition,
            secondFactor: .replace(proof.secondFactor), passkey: .replace(proof.passkey))
        change.mergedClaims = payload.claims.map { Claims(json: $0) }
        let signedIn = try await federated.completion.renewSession(change, in: realm, from: context) { session in
            let signIn = MergeSignIn(
                newSession: session, proof: proof, secondFactors: realm.policy.secondFactors,
                recording: realm.recording(by: .user(context.trace)))
            let notices = MergeNotices(
                of: merge, emailFactory: federated.emailFactory, by: realm.policy, from: context)
            return try await mappingConflicts(to: \.refusalOfMerge) {
                try await federated.store.merge(merge, with: signIn, announcing: notices, in: realm.id)
            }
        }
        return Merged(signedIn: signedIn, plan: precondition.plan, undoableUntil: merge.undoableUntil)
    }

    /// - Throws: ``EditRefusal/deletionNotAllowed`` if clients may not delete accounts, because a merge deletes one.
    private func requiringRecentLogin(_ caller: Caller, in realm: Realm) throws -> Caller {
        guard realm.policy.allowsDeletion else { throw EditRefusal.deletionNotAllowed }
        try caller.requireRecentLogin(by: realm.policy, at: federated.clock.now())
        return caller
    }

    private func proven(
        _ target: MergeTarget, for app: App, in realm: Realm, from network: ClientNetwork
    ) async throws -> (account: Account, proof: TargetProof, claims: Claims?) {
        switch target {
        case .login(let idToken):
            return try proven(
                by: try await federated.authenticator.authenticate(idToken: idToken, in: realm), in: realm)
        case .session(let caller): return try proven(by: caller, in: realm)
        case .identity(let proof):
            try requireNoHook(in: realm)
            let proof = try await federated.resolver.resolve(proof, for: app, in: realm, from: network).proof
            // A pending token that is only for linking does not prove control of the account that has the identity.
            guard case .any = proof.use else { throw ProviderRefusal.invalidPendingToken }
            let candidates = try await federated.store.linkingCandidates(for: proof.identity, in: realm.id)
            guard let owner = candidates.owner else { throw MergeRefusal.targetUnknown }
            try proof.requireSameIssuer(asIdentityOf: owner)
            try proof.requireValidToken(ofIdentityOf: owner)
            guard !owner.hasSuspended(proof.identity) else { throw LinkRefusal.accountDisabled }
            // A credential alone is only the first factor of an account that second factors or passkeys protect.
            guard !realm.policy.secondFactors.demandsProof(of: owner) else { throw EditRefusal.loginTooOld }
            return (owner, .identity(proof.identity), nil)
        }
    }

    private func proven(
        by caller: Caller, in realm: Realm
    ) throws -> (account: Account, proof: TargetProof, claims: Claims?) {
        let session = try requiringRecentLogin(caller, in: realm).session
        let proof = TargetProof.session(
            session.id, method: session.method, authenticatedAt: session.authenticatedAt,
            secondFactor: session.secondFactor, passkey: session.passkey)
        return (caller.account, proof, session.claims)
    }

    /// A merge asks no blocking function, and a credential as proof would sign in past `beforeSignIn`. With such a
    /// function, the user signs in to the target first, and the ID token is the proof.
    private func requireNoHook(in realm: Realm) throws(EditRefusal) {
        guard realm.project.blockingFunctions.triggers[.beforeSignIn] == nil else { throw .loginTooOld }
    }
}

/// The proof of the target account.
public enum MergeTarget: Sendable {
    case identity(IdentityProof)
    /// A recent login, as for the source.
    case login(idToken: String)
    /// The session of a login on a page, which must be recent too.
    case session(Caller)
}

/// A merge to be committed.
public struct AccountMerge: Hashable, Sendable {
    public let precondition: MergePrecondition
    public let replayKeys: [ReplayKey]
    public let mergedAt: Instant
    public let undoableUntil: Instant
}

extension AccountMerge {
    public var events: [AccountEvent] {
        let plan = precondition.plan
        return [AccountEvent(.accountMerged(source: plan.source), of: plan.target)]
    }
}

/// The sign-in of a client's merge: the session to open, and the proof of the target.
public struct MergeSignIn: Hashable, Sendable {
    public let newSession: NewSession
    public let proof: TargetProof
    public let secondFactors: SecondFactorPolicy
    public let recording: EventRecording
}

extension MergeSignIn {
    /// Whether the proof is sufficient for the target as it is at the commit, before it receives the source's passkeys.
    /// The target may have got a second factor or a passkey since the preview, or lost the one of the proof.
    public func proves(_ target: Account) -> Bool {
        !secondFactors.demandsProof(of: target) || proof.hasSecondFactor(of: target)
    }
}

extension StoreConflict {
    var refusalOfMerge: (any Refusal)? {
        switch self {
        // The transfer of an Apple identity can need a subject or an address that another account has received.
        case .stale, .taken: MergeRefusal.changed
        case .alreadyUsed: ProviderRefusal.tokenAlreadyUsed
        case .notFound, .lastSignInMethod: nil
        }
    }
}
