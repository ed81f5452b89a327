/// What the link in a merge's notice does: the source comes back with what was its own, whatever became of the target.
///
/// The holder of the link has proven the source's address. So nothing that the target's owner did since can prevent it,
/// and nothing that is the target's own changes hands. ``MergeRecord/undone(from:leavesNoWayIn:at:)`` is the
/// administrator's way, which refuses where this one does what is left to do.
public struct MergeReversal: Hashable, Sendable {
    /// The source gets its address, and with it the password that it had.
    public let returnsEmail: Bool
    public let returnsPhoneNumber: Bool
    /// Identities that the target gives back.
    public let taken: [MergePlan.Moved]
    /// Identities that no account has any more. They are linked again as they were.
    public let relinked: [MergePlan.Moved]
    /// The target without what it gives back; `nil` if it gives nothing back, and then its sessions go on.
    public let target: Account?
    /// The target gives the address back, and with it whatever password it has.
    public let targetLosesEmail: Bool
    /// Has the source's address, but never verified it: the holder of the link has.
    public let disavowed: Account?

    /// - Parameter holders: every account that has an address, a number or an identity of the source now, the target
    ///   included.
    public init(of merge: MergeRecord, from target: Account, among holders: [Account]) {
        let (plan, source) = (merge.plan, merge.source)
        let emailHolder = holders.first { $0.email != nil && $0.email == source.email }
        let isSquatted = emailHolder?.losesAddressToOwner ?? false
        targetLosesEmail = emailHolder?.id == target.id
        returnsEmail = source.email != nil && (emailHolder == nil || targetLosesEmail || isSquatted)
        disavowed = targetLosesEmail || !isSquatted ? nil : emailHolder

        let phoneHolder = holders.first { $0.phoneNumber != nil && $0.phoneNumber == source.phoneNumber }
        let targetLosesPhoneNumber = plan.movesPhoneNumber && phoneHolder?.id == target.id
        returnsPhoneNumber = source.phoneNumber != nil && (phoneHolder == nil || targetLosesPhoneNumber)

        taken = plan.identities.filter(target.has)
        relinked = plan.identities.filter { identity in !holders.contains { $0.has(identity) } }
        guard targetLosesEmail || targetLosesPhoneNumber || !taken.isEmpty else {
            self.target = nil
            return
        }
        var rest = target
        rest.identities.removeAll { identity in
            plan.identities.contains { $0.provider == identity.provider && $0.subject == identity.subject }
        }
        if targetLosesEmail {
            rest.email = nil
            rest.emailIsVerified = false
            rest.passwordUpdatedAt = nil
            rest.usesEmailLinks = false
        }
        if targetLosesPhoneNumber { rest.phoneNumber = nil }
        merge.takeNameAndPhoto(from: &rest)
        self.target = rest
    }
}

extension Account {
    fileprivate func has(_ identity: MergePlan.Moved) -> Bool {
        identities.contains { $0.provider == identity.provider && $0.subject == identity.subject }
    }
}

/// A link's code on its way to undo a merge.
public struct MergeUndoing: Hashable, Sendable {
    public let code: OOBCode
    /// Of a code that sets a new password for the source; `nil` where the project allows no passwords.
    public let resetHash: [UInt8]?
    public let resetExpiresAt: Instant
    public let trace: RequestTrace
    public let undoneAt: Instant

    public init(code: OOBCode, resetHash: [UInt8]?, resetExpiresAt: Instant, trace: RequestTrace, undoneAt: Instant) {
        self.code = code
        self.resetHash = resetHash
        self.resetExpiresAt = resetExpiresAt
        self.trace = trace
        self.undoneAt = undoneAt
    }

    /// - Parameter source: as it came back.
    /// - Returns: `nil` if it has not got the address back.
    public func reset(of source: Account) -> OOBCode? {
        guard let resetHash, source.email == code.email else { return nil }
        return OOBCode(
            hash: resetHash, purpose: .resetPassword, account: source.id, generation: source.generation,
            email: code.email, createdAt: undoneAt, expiresAt: resetExpiresAt)
    }
}
