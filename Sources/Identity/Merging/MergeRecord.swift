/// A merge that may be undone: the source was deleted, the target remains.
public struct MergeRecord: Hashable, Sendable {
    public let plan: MergePlan
    /// The source as it was before the merge, but without identities: ``plan`` lists these.
    public let source: Account
    /// The target's generation at the merge. It changes when all sessions of the target end; then an administrator can
    /// no longer undo the merge.
    public let targetGeneration: Int64
    /// Whether the target had a sign-in method before the merge.
    public let targetHadSignInMethod: Bool
    /// Whether the target signed in with email links before the merge.
    public let targetUsedEmailLinks: Bool
    public let mergedAt: Instant
    public let undoableUntil: Instant

    public init(
        plan: MergePlan, source: Account, targetGeneration: Int64, targetHadSignInMethod: Bool,
        targetUsedEmailLinks: Bool,
        mergedAt: Instant, undoableUntil: Instant
    ) {
        self.plan = plan
        self.source = source
        self.targetGeneration = targetGeneration
        self.targetHadSignInMethod = targetHadSignInMethod
        self.targetUsedEmailLinks = targetUsedEmailLinks
        self.mergedAt = mergedAt
        self.undoableUntil = undoableUntil
    }

    /// The target without the values that it received in the merge. It keeps a name or photo that was set later.
    ///
    /// - Parameter allowsNoSignInMethod: whether the request confirms that the target may lose its last sign-in method.
    public func targetAfterUndo(
        from target: Account, allowsNoSignInMethod: Bool, at now: Instant
    ) throws(UndoRefusal) -> Account {
        guard now < undoableUntil else { throw .tooLate }
        guard target.generation == targetGeneration else { throw .credentialsChanged }
        for moved in plan.identities {
            guard target.identity(moved.provider, subject: moved.subject) != nil else {
                throw .changedSinceMerge(.identity)
            }
        }
        var updated = target
        // An account has at most one identity of each provider, so these identities came from the source.
        updated.identities.removeAll { identity in plan.identities.contains { $0.provider == identity.provider } }
        // A passkey that the target has lost since is not missed: no other account can have it.
        updated.passkeys.removeAll { plan.passkeys.contains($0.id) }
        if plan.movesEmail { try removeMovedEmail(from: &updated) }
        if plan.movesPhoneNumber {
            guard target.phoneNumber == source.phoneNumber else { throw .changedSinceMerge(.phoneNumber) }
            updated.phoneNumber = nil
        }
        removeMovedNameAndPhoto(from: &updated)
        let losesLastSignInMethod = targetHadSignInMethod && target.hasSignInMethod && !updated.hasSignInMethod
        guard !losesLastSignInMethod || allowsNoSignInMethod else { throw .lastSignInMethod }
        return updated
    }

    /// The events of the undo.
    ///
    /// - Parameter target: the account that the source is restored from. It is not the target of the merge if that
    ///   target was later merged into this account.
    public func events(undoingFrom target: ID<Account>) -> [AccountEvent] {
        [AccountEvent(.accountMergeUndone(source: plan.source), of: target)]
    }

    func removeMovedNameAndPhoto(from target: inout Account) {
        if plan.movesDisplayName, target.displayName == source.displayName { target.displayName = nil }
        if plan.movesPhoto, target.photoURL == source.photoURL { target.photoURL = nil }
    }

    private func removeMovedEmail(from target: inout Account) throws(UndoRefusal) {
        // For a moved password, the merge stored the time of the merge as the time of the password change.
        guard target.email == source.email, target.emailIsVerified == source.emailIsVerified,
            target.passwordUpdatedAt == (source.hasPassword ? mergedAt : nil)
        else { throw .changedSinceMerge(.email) }
        target.email = nil
        target.emailIsVerified = false
        target.passwordUpdatedAt = nil
        target.usesEmailLinks = targetUsedEmailLinks
    }
}

/// Why an administrator's undo of a merge was rejected.
public enum UndoRefusal: Refusal, Hashable {
    /// There is no record of a merge of this source: there was no merge, it was undone, the record expired and was
    /// removed, or the target was deleted or merged.
    case unknown
    /// The record still exists, but ``MergeRecord/undoableUntil`` has passed.
    case tooLate
    /// The target's sessions were ended after the merge: by a password reset, a change of credentials or an
    /// administrator, or because the target passed to the verified owner of its address.
    case credentialsChanged
    /// A value that the target received in the merge was changed or removed.
    case changedSinceMerge(UniqueMember)
    /// Another account now has a value of the source that must be unique.
    case taken(UniqueMember)
    /// The target would lose its last sign-in method, and the request does not confirm it.
    case lastSignInMethod
}

extension UndoRefusal {
    public var code: ErrorCode {
        switch self {
        case .unknown: .mergeNotFound
        case .tooLate, .credentialsChanged, .changedSinceMerge: .mergeNotUndoable
        case .taken(let member): member.takenCode
        case .lastSignInMethod: .lastSignInMethod
        }
    }

    public var detail: String? {
        switch self {
        case .unknown: "No merge of this account can be undone."
        case .tooLate: "The undo period has expired."
        case .credentialsChanged: "The sessions of the target account were revoked after the merge."
        case .changedSinceMerge(let member): "The \(member.phrase) that the merge moved was changed or removed."
        case .taken: nil
        case .lastSignInMethod: EditRefusal.lastSignInMethod.detail
        }
    }
}

extension UniqueMember {
    fileprivate var phrase: String {
        switch self {
        case .id: "ID"
        case .email: "email address"
        case .phoneNumber: "phone number"
        case .identity: "identity"
        case .passkey: "passkey"
        case .userHandle: "user handle"
        }
    }
}
