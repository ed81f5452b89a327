/// A merge that may be undone.
public struct MergeRecord: Hashable, Sendable {
    public let plan: MergePlan
    /// As it was; its identities are in the plan.
    public let source: Account
    /// Of the target, at the merge and ever since.
    public let targetGeneration: Int64
    public let targetHadWayIn: Bool
    public let targetUsedEmailLinks: Bool
    public let mergedAt: Instant
    public let undoableUntil: Instant

    public init(
        plan: MergePlan, source: Account, targetGeneration: Int64, targetHadWayIn: Bool, targetUsedEmailLinks: Bool,
        mergedAt: Instant, undoableUntil: Instant
    ) {
        self.plan = plan
        self.source = source
        self.targetGeneration = targetGeneration
        self.targetHadWayIn = targetHadWayIn
        self.targetUsedEmailLinks = targetUsedEmailLinks
        self.mergedAt = mergedAt
        self.undoableUntil = undoableUntil
    }

    /// The target without what it got by the merge. Of a name or picture it keeps what it got since.
    ///
    /// - Parameter leavesNoWayIn: it is meant if nobody can sign in to the target any more.
    public func undone(
        from target: Account, leavesNoWayIn: Bool, at now: Instant
    ) throws(UndoRefusal) -> Account {
        guard now < undoableUntil else { throw .tooLate }
        guard target.generation == targetGeneration else { throw .credentialsChanged }
        for moved in plan.identities {
            guard target.identities.contains(where: { $0.provider == moved.provider && $0.subject == moved.subject })
            else { throw .movedOn(.identity) }
        }
        var rest = target
        rest.identities.removeAll { identity in plan.identities.contains { $0.provider == identity.provider } }
        if plan.movesEmail { try takeEmail(from: &rest) }
        if plan.movesPhoneNumber {
            guard target.phoneNumber == source.phoneNumber else { throw .movedOn(.phoneNumber) }
            rest.phoneNumber = nil
        }
        takeNameAndPhoto(from: &rest)
        let losesWayIn = targetHadWayIn && target.hasWayIn && !rest.hasWayIn
        guard !losesWayIn || leavesNoWayIn else { throw .lastSignInMethod }
        return rest
    }

    func takeNameAndPhoto(from target: inout Account) {
        if plan.movesDisplayName, target.displayName == source.displayName { target.displayName = nil }
        if plan.movesPhoto, target.photoURL == source.photoURL { target.photoURL = nil }
    }

    private func takeEmail(from target: inout Account) throws(UndoRefusal) {
        guard target.email == source.email, target.emailIsVerified == source.emailIsVerified,
            target.passwordUpdatedAt == (source.hasPassword ? mergedAt : nil)
        else { throw .movedOn(.email) }
        target.email = nil
        target.emailIsVerified = false
        target.passwordUpdatedAt = nil
        target.usesEmailLinks = targetUsedEmailLinks
    }
}

/// Why a merge stays.
public enum UndoRefusal: Refusal, Hashable {
    /// There is none of this source: never was, undone already, or gone with the target.
    case unknown
    case tooLate
    /// The target's sessions have been ended since: by a reset, a reclaim, new credentials, or an administrator.
    case credentialsChanged
    /// The target no longer has it as it came with the merge.
    case movedOn(UniqueMember)
    /// Somebody has taken meanwhile what the source had.
    case taken(UniqueMember)
    /// Nobody could sign in to the target any more, and the request does not say that this is meant.
    case lastSignInMethod
}

extension UndoRefusal {
    public var code: ErrorCode {
        switch self {
        case .unknown: .mergeNotFound
        case .tooLate, .credentialsChanged, .movedOn: .mergeNotUndoable
        case .taken(let member): member.takenCode
        case .lastSignInMethod: .lastSignInMethod
        }
    }

    public var detail: String? {
        switch self {
        case .unknown: "No merge of this account can be undone."
        case .tooLate: "The undo period has expired."
        case .credentialsChanged: "The sessions of the account that stayed have been ended since."
        case .movedOn(let member): "The \(member.phrase) that the merge moved was changed or removed."
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
        }
    }
}
