/// Runs a store's write and throws the refusal of the calling service in place of a ``StoreConflict``.
func refusing<Value: Sendable>(
    _ refusal: (StoreConflict) -> any Error, _ write: () async throws -> Value
) async throws -> Value {
    do {
        return try await write()
    } catch let conflict as StoreConflict {
        throw refusal(conflict)
    }
}

/// The refusal that each operation throws for a conflict. A conflict without a refusal is not translated: the operation
/// either tries again or fails with an internal error.
extension StoreConflict {
    var atSignUp: any Error { self == .taken(.email) ? SignUpRefusal.emailTaken : self }

    /// - Parameter policy: decides whether the refusal reveals that the account exists.
    func atPasswordSignIn(by policy: Policy) -> any Error {
        self == .stale ? SignInRefusal(addressIsKnown: true, policy: policy) : self
    }

    var atCustomTokenSignIn: any Error {
        switch self {
        case .stale: SignInRefusal.accountDisabled
        case .notFound: CustomTokenRefusal.invalid(.olderThanDeletion)
        case .taken, .alreadyUsed, .lastSignInMethod: self
        }
    }

    /// Also for the deletion of an account by its owner, and for the end of all its sessions.
    var atEdit: any Error {
        switch self {
        case .stale: TokenRefusal.sessionEnded
        case .taken(.email): EditRefusal.emailTaken
        case .lastSignInMethod: EditRefusal.lastSignInMethod
        case .taken, .alreadyUsed, .notFound: self
        }
    }

    var atSessionEnd: any Error { self == .notFound ? SessionRefusal.unknownSession : self }

    var atAdministration: any Error {
        switch self {
        case .taken(let member): AdministrationRefusal.taken(member)
        case .notFound: AdministrationRefusal.accountUnknown
        case .stale, .alreadyUsed, .lastSignInMethod: self
        }
    }

    var atRedemption: any Error {
        switch self {
        case .alreadyUsed, .notFound: OOBCodeRefusal.invalid
        case .taken(.email): OOBCodeRefusal.emailTaken
        case .stale, .taken, .lastSignInMethod: self
        }
    }

    var atMergeReversal: any Error { self == .stale ? self : OOBCodeRefusal.invalid }

    func atFederatedSignIn(with proof: ResolvedProof) -> any Error {
        self == .alreadyUsed ? proof.reuseRefusal : self
    }

    var atMerge: any Error {
        switch self {
        case .stale: MergeRefusal.changed
        case .alreadyUsed: ProviderRefusal.tokenAlreadyUsed
        case .taken, .notFound, .lastSignInMethod: self
        }
    }

    var atAdministratorsMerge: any Error { self == .alreadyUsed ? MergeRefusal.alreadyMerged : atMerge }

    var atAdministratorsUndo: any Error {
        switch self {
        case .taken(let member): UndoRefusal.taken(member)
        case .notFound: UndoRefusal.unknown
        case .stale, .alreadyUsed, .lastSignInMethod: self
        }
    }
}
