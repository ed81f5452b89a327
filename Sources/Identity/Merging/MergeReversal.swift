/// The effect of the link in a merge's notice: the source is restored with what belonged to it, in any state of the
/// target.
///
/// The holder of the link has proven the source's address. Therefore no later action of the target's owner can prevent
/// the undo, and the target keeps everything of its own. ``MergeRecord/undone(from:allowsNoSignInMethod:at:)`` is the
/// administrator's undo, which is rejected where this one undoes what is still possible.
public struct MergeReversal: Hashable, Sendable {
    /// Whether the source gets back its address and the password that it had.
    public let returnsEmail: Bool
    public let returnsPhoneNumber: Bool
    /// Identities that move back from the target.
    public let taken: [MergePlan.Moved]
    /// Identities that no account has now. They are linked again as before.
    public let relinked: [MergePlan.Moved]
    /// The target without what it returns; `nil` if it returns nothing, and then its sessions continue.
    public let target: Account?
    /// Whether the target returns the address, and with it its present password.
    public let targetLosesEmail: Bool
    /// An account that has the source's address but never verified it. The holder of the link has.
    public let disavowed: Account?

    /// - Parameter holders: every account that has an address, number or identity of the source now, including the
    ///   target.
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

        taken = plan.identities.filter { target.identity($0.provider, subject: $0.subject) != nil }
        relinked = plan.identities.filter { moved in
            !holders.contains { $0.identity(moved.provider, subject: moved.subject) != nil }
        }
        guard targetLosesEmail || targetLosesPhoneNumber || !taken.isEmpty else {
            self.target = nil
            return
        }
        var rest = target
        for moved in taken {
            rest.identities.removeAll { $0.provider == moved.provider && $0.subject == moved.subject }
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

/// A code to be consumed for the undo of a merge.
public struct MergeUndoing: Hashable, Sendable {
    public let code: OOBCode
    /// The code that sets a new password for the source; `nil` if the project does not allow passwords.
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

    /// - Parameter source: the restored account.
    /// - Returns: `nil` if the source did not get its address back.
    public func reset(of source: Account) -> OOBCode? {
        guard let resetHash, source.email == code.email else { return nil }
        return OOBCode(
            hash: resetHash, purpose: .resetPassword, account: source.id, generation: source.generation,
            email: code.email, createdAt: undoneAt, expiresAt: resetExpiresAt)
    }
}
