/// What happens when one account goes up in another. Pure: the same plan is shown before and carried out after.
public struct MergePlan: Hashable, Codable, Sendable {
    public struct Moved: Hashable, Codable, Sendable {
        public let provider: ProviderID
        public let subject: String
    }

    public let source: ID<Account>
    public let target: ID<Account>
    /// Identities that change hands.
    public let identities: [Moved]
    /// The target takes the source's address, with the password that goes with it and with what has been proven of it.
    public let movesEmail: Bool
    public let movesPhoneNumber: Bool
    public let movesDisplayName: Bool
    public let movesPhoto: Bool
    /// What the source has and nobody will have.
    public let dropped: [Dropped]

    public enum Dropped: String, Hashable, Codable, Sendable {
        case email
        case password
        case phoneNumber
        case customClaims
    }

    /// - Throws: ``MergeRefusal``.
    public init(of source: Account, into target: Account) throws(MergeRefusal) {
        guard source.id != target.id else { throw .sameAccount }
        guard !source.isDisabled, !target.isDisabled else { throw .accountDisabled }
        let collisions = source.identities.map(\.provider).filter { target.identities.map(\.provider).contains($0) }
        guard collisions.isEmpty else { throw .providersCollide(collisions) }
        self.source = source.id
        self.target = target.id
        identities = source.identities.map { Moved(provider: $0.provider, subject: $0.subject) }
        movesEmail = source.email != nil && target.email == nil
        movesPhoneNumber = source.phoneNumber != nil && target.phoneNumber == nil
        movesDisplayName = source.displayName != nil && target.displayName == nil
        movesPhoto = source.photoURL != nil && target.photoURL == nil
        let losses: [(Dropped, Bool)] = [
            (.email, source.email != nil && !movesEmail), (.password, source.hasPassword && !movesEmail),
            (.phoneNumber, source.phoneNumber != nil && !movesPhoneNumber), (.customClaims, source.customClaims != nil),
        ]
        dropped = losses.filter(\.1).map(\.0)
    }
}

/// Why two accounts were not merged.
public enum MergeRefusal: Refusal, Hashable {
    case sameAccount
    /// The proof is of an identity that no account has: there is nothing to merge with, it can simply be linked.
    case targetUnknown
    case accountDisabled
    /// The source's address was changed, and the change can still be undone. Only an administrator may merge it.
    case recoveryPending
    /// Both have an identity of these providers, and an account has one of each.
    case providersCollide([ProviderID])
    /// Not what the preview showed any more.
    case changed
    /// Carried out before, by the same token, and since then undone or past undoing.
    case carriedOut
}

extension MergeRefusal {
    public var code: ErrorCode {
        switch self {
        case .sameAccount: .mergeSameAccount
        case .targetUnknown: .userNotFound
        case .accountDisabled: .userDisabled
        case .recoveryPending: .recoveryPending
        case .providersCollide: .providerAlreadyLinked
        case .changed: .mergePreviewOutdated
        case .carriedOut: .mergeAlreadyDone
        }
    }

    public var detail: String? {
        switch self {
        case .sameAccount, .accountDisabled: nil
        case .targetUnknown: "No account has this identity; it can be linked."
        case .recoveryPending:
            "The email address of this account was changed recently. Merge it after the recovery link has expired, or "
                + "ask an administrator."
        case .providersCollide(let providers):
            "Both accounts have an identity of \(providers.map(\.rawValue).joined(separator: " and "))."
        case .changed: "The accounts have changed. Ask for a dry run again."
        case .carriedOut: "This merge was carried out; it has been undone since, or can no longer be."
        }
    }
}

/// A plan, with the accounts as it saw them.
public struct MergePrecondition: Hashable, Codable, Sendable {
    public let plan: MergePlan
    public let sourceGeneration: Int64
    public let targetGeneration: Int64

    /// - Throws: ``MergeRefusal``.
    public init(of source: Account, into target: Account) throws(MergeRefusal) {
        plan = try MergePlan(of: source, into: target)
        sourceGeneration = source.generation
        targetGeneration = target.generation
    }
}

/// Terms that both sides have proven, as a client keeps them between preview and commit.
public struct MergeTokenPayload: Hashable, Codable, Sendable {
    public let terms: MergePrecondition
    /// The proof of the target's side, used up by the commit.
    public let marks: [ReplayKey]
    /// How the target's side was proven.
    public let method: ProviderID
}
