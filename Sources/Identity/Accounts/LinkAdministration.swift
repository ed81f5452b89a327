/// Links, unlinks and moves identities, and merges two accounts of one user, for an administrator.
///
/// Throws ``IdentityRefusal``, ``MergeRefusal``, ``UndoRefusal``, and ``ProviderRefusal`` for an invalid merge token.
public struct LinkAdministration: Sendable {
    private let store: any AccountStore
    private let sealedTokens: any SealedTokens
    private let emailFactory: EmailFactory
    private let clock: WallClock

    public init(
        store: any AccountStore, sealedTokens: any SealedTokens, emailFactory: EmailFactory, clock: WallClock
    ) {
        self.store = store
        self.sealedTokens = sealedTokens
        self.emailFactory = emailFactory
        self.clock = clock
    }

    public struct Merged: Sendable {
        public let plan: MergePlan
        public let undoableUntil: Instant
    }

    public func identities(of account: ID<Account>, in realm: Realm) async throws -> [DatedIdentity] {
        guard let found = try await store.find([.id(account)], in: realm.id).first else {
            throw IdentityRefusal.accountUnknown
        }
        return found.identities.compactMap { DatedIdentity($0, of: account) }
    }

    public func apply(
        _ change: IdentityChange, by actor: AuditActor, in realm: Realm
    ) async throws -> DatedIdentity {
        try await store.apply(
            change, ignoring: realm.linkOnlyProviders, recording: realm.recording(by: actor), at: clock.now(),
            in: realm.id)
    }

    /// Previews the merge. Changes nothing.
    public func previewMerge(
        of source: ID<Account>, into target: ID<Account>, in realm: Realm
    ) async throws -> AccountMerging.Preview {
        guard source != target else { throw MergeRefusal.sameAccount }
        let accounts = try await store.find([.id(source), .id(target)], in: realm.id)
        guard let source = accounts.first(where: { $0.id == source }),
            let target = accounts.first(where: { $0.id == target })
        else { throw IdentityRefusal.accountUnknown }
        let precondition = try MergePrecondition(of: source, into: target)
        let end = clock.now() + AccountMerging.previewLifetime
        return AccountMerging.Preview(
            precondition: precondition, source: source, target: target,
            mergeToken: try sealedTokens.encode(precondition, until: end, in: realm.id))
    }

    /// Commits the previewed merge atomically. Until the merge token expires, a repeated call with it returns the same
    /// result, unless the merge has been undone or the target no longer exists.
    ///
    /// - Parameters:
    ///   - scopes: of the caller. Passkeys and factors of the source sign in to the target, so only a caller who may
    ///     give roles merges an account with a role.
    ///   - context: determines the language of the notices.
    public func merge(
        _ mergeToken: String, by actor: AuditActor, with scopes: ServiceKeyScopes, in realm: Realm,
        from context: RequestContext
    ) async throws -> Merged {
        let now = clock.now()
        let (precondition, replayKey) = try sealedTokens.decode(
            MergePrecondition.self, from: mergeToken, at: now, in: realm.id)
        let merge = AccountMerge(
            precondition: precondition, replayKeys: [replayKey], mergedAt: now,
            undoableUntil: now + AccountMerging.undoWindow)
        let notices = MergeNotices(of: merge, emailFactory: emailFactory, by: realm.policy, from: context)
        let roles: MergedRoles = scopes.allows(.writeAdministrators) ? .accepted : .rejected(.administratorScopeMissing)
        let end = try await mappingConflicts(to: \.refusalOfAdministratorsMerge) {
            try await store.merge(
                merge, roles: roles, recording: realm.recording(by: actor), announcing: notices, in: realm.id)
        }
        return Merged(plan: precondition.plan, undoableUntil: end)
    }

    /// - Returns: the account that the source had been merged into.
    public func undoMerge(
        of source: ID<Account>, allowsNoSignInMethod: Bool, by actor: AuditActor, in realm: Realm
    ) async throws -> ID<Account> {
        try await mappingConflicts(to: \.refusalOfAdministratorsUndo) {
            try await store.undoMerge(
                of: source, allowsNoSignInMethod: allowsNoSignInMethod, recording: realm.recording(by: actor),
                at: clock.now(), in: realm.id)
        }
    }
}

extension StoreConflict {
    fileprivate var refusalOfAdministratorsMerge: (any Refusal)? {
        switch self {
        case .alreadyUsed: MergeRefusal.alreadyMerged
        case .stale, .taken, .notFound, .lastSignInMethod: refusalOfMerge
        }
    }

    fileprivate var refusalOfAdministratorsUndo: (any Refusal)? {
        switch self {
        case .taken(let member): UndoRefusal.taken(member)
        case .notFound: UndoRefusal.unknown
        case .stale, .alreadyUsed, .lastSignInMethod: nil
        }
    }
}
