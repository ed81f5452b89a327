/// The changes of a merge, which deletes the source. A pure value: the commit applies the plan that the preview shows.
public struct MergePlan: Hashable, Codable, Sendable {
    public struct Moved: Hashable, Codable, Sendable {
        public let provider: ProviderID
        public let subject: String
    }

    public let source: ID<Account>
    public let target: ID<Account>
    /// Identities that move to the target.
    public let identities: [Moved]
    /// Passkeys that move to the target, with their user handles.
    public let passkeys: [ID<Passkey>]
    /// Whether the target gets the source's address, password and sign-in by email link. The address is then verified
    /// only if it was verified before.
    public let movesEmail: Bool
    public let movesPhoneNumber: Bool
    public let movesDisplayName: Bool
    public let movesPhoto: Bool
    /// Values of the source that the merge discards. A discarded display name or photo is not listed.
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
        let conflicts = source.identities.map(\.provider).filter { target.identity(of: $0) != nil }
        guard conflicts.isEmpty else { throw .providersConflict(conflicts) }
        guard source.passkeys.isEmpty || source.passkeys.count + target.passkeys.count <= Passkey.limit else {
            throw .tooManyPasskeys
        }
        self.source = source.id
        self.target = target.id
        identities = source.identities.map { Moved(provider: $0.provider, subject: $0.subject) }
        passkeys = source.passkeys.map(\.id)
        movesEmail = source.email != nil && target.email == nil
        // An account with second factors gets no number, which would be a way around them once they are removed.
        movesPhoneNumber = source.phoneNumber != nil && target.phoneNumber == nil && target.secondFactors.isEmpty
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
    /// No account has the proven identity: there is nothing to merge with, and the identity can be linked instead.
    case targetUnknown
    case accountDisabled
    /// The source's address was changed, and a link that restores the former address is still valid. Until the link
    /// expires, only an administrator may merge the account.
    case recoveryPending
    /// Both accounts have identities of these providers, and an account can have only one identity of each.
    case providersConflict([ProviderID])
    /// The target would have more than ``Passkey/limit`` passkeys.
    case tooManyPasskeys
    /// One of the accounts has a role in the console, or an invitation.
    case administrator
    /// As ``administrator``, for a caller without the scope that gives roles.
    case administratorScopeMissing
    /// The accounts have changed since the preview (the wire's dry run).
    case changed
    /// The merge token was used before, and the record of that merge no longer exists. As long as the record exists,
    /// the same token returns the first result.
    case alreadyMerged
}

extension MergeRefusal {
    public var code: ErrorCode {
        switch self {
        case .sameAccount: .mergeSameAccount
        case .targetUnknown: .userNotFound
        case .accountDisabled: .userDisabled
        case .recoveryPending: .recoveryPending
        case .providersConflict: .providerAlreadyLinked
        case .tooManyPasskeys: .passkeyLimitExceeded
        case .administrator: .operationNotAllowed
        case .administratorScopeMissing: .permissionDenied
        case .changed: .mergePreviewOutdated
        case .alreadyMerged: .mergeAlreadyDone
        }
    }

    public var detail: String? {
        switch self {
        case .sameAccount, .accountDisabled, .tooManyPasskeys: nil
        case .administrator:
            "An account of a person with a role in the console, or with an invitation, is not merged."
        case .administratorScopeMissing: ServiceKeyScope.writeAdministrators.missingScopeDetail
        case .targetUnknown: "No account has this identity. Link the identity instead."
        case .recoveryPending:
            "The email address of this account was changed recently. Merge it after the recovery link has expired, or "
                + "contact an administrator."
        case .providersConflict(let providers):
            "Both accounts have an identity of \(providers.map(\.rawValue).joined(separator: " and "))."
        case .changed: "The accounts have changed since the dry run. Request another dry run."
        case .alreadyMerged:
            "The merge token was already used, and its merge was undone or the target no longer exists."
        }
    }
}

/// Whether a merge accepts accounts with a role in the console, or with an invitation.
public enum MergedRoles: Hashable, Sendable {
    case accepted
    case rejected(MergeRefusal)
}

/// A plan, with the generations that both accounts must still have at the commit. An account gets a new generation when
/// all its sessions end.
public struct MergePrecondition: Hashable, SealedTokenContent {
    public static let purpose = "merge-precondition"
    public static let invalidRefusal: any Refusal = ProviderRefusal.invalidMergeToken

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

/// The content of a merge token, which the client keeps between preview and commit: a precondition, and the proof of
/// the target.
public struct MergeTokenPayload: Hashable, SealedTokenContent {
    public static let purpose = "merge"
    public static let invalidRefusal: any Refusal = ProviderRefusal.invalidMergeToken

    public let precondition: MergePrecondition
    public let proof: TargetProof
    /// The claims of the session that is the proof, as JSON. The new session keeps them, because blocking functions may
    /// have set them to restrict the user.
    public var claims: String?
}

/// How the user has proven control of a merge's target. The commit requires that the proof still holds.
public enum TargetProof: Hashable, Codable, Sendable {
    /// An ID token of this session. The session must still be active.
    ///
    /// - Parameters:
    ///   - secondFactor: the second factor with which it was opened.
    ///   - passkey: the passkey with which it was opened.
    case session(
        ID<Session>, method: ProviderID, authenticatedAt: Instant, secondFactor: SessionFactor?,
        passkey: ID<Passkey>?)
    /// A provider's credential. The target must still have the identity, and the user must not have disconnected the
    /// app since the credential was issued. The commit consumes the replay keys of the identity.
    case identity(VerifiedIdentity)
}

extension TargetProof {
    /// The proven identity; `nil` if an ID token is the proof.
    public var identity: VerifiedIdentity? {
        if case .identity(let identity) = self { identity } else { nil }
    }

    /// The sign-in method of the session that the merge opens.
    public var method: ProviderID {
        switch self {
        case .session(_, let method, _, _, _): method
        case .identity(let identity): identity.provider
        }
    }

    /// The second factor of the session that the merge opens.
    var secondFactor: SessionFactor? {
        if case .session(_, _, _, let secondFactor, _) = self { secondFactor } else { nil }
    }

    /// The passkey of the session that the merge opens.
    var passkey: ID<Passkey>? {
        if case .session(_, _, _, _, let passkey) = self { passkey } else { nil }
    }

    /// Whether the proof has a second factor that still counts; see ``Session/hasSecondFactor(of:)``.
    func hasSecondFactor(of target: Account) -> Bool {
        guard case .session(_, _, let authenticatedAt, let secondFactor, let passkey) = self else { return false }
        if let passkey { return target.passkey(passkey) != nil }
        return target.secondFactors.confirm(secondFactor, authenticatedAt: authenticatedAt)
    }

    /// When the user last logged in to the target; `nil` if the merge itself counts as a login. An ID token proves an
    /// earlier login, so the merge does not make the login more recent. A credential is itself a login.
    var authenticatedAt: Instant? {
        if case .session(_, _, let authenticatedAt, _, _) = self { authenticatedAt } else { nil }
    }
}
