internal import Encoding

/// The effect of the link in the notice of a merge: the source is restored with everything that no third account has
/// now. The source also gets back an address that a third account has but never verified; see ``accountLosingAddress``.
///
/// The user who opens the link has proven the source's address. Therefore no later change of the target can prevent the
/// undo; only a deletion of the target can. The target keeps everything that did not come from the source.
/// ``MergeRecord/targetAfterUndo(from:allowsNoSignInMethod:at:)`` is the administrator's undo. That undo is rejected if
/// the target has changed, whereas the link restores as much as possible.
public struct MergeReversal: Hashable, Sendable {
    /// Whether the source gets back its address and the password that it had.
    public let returnsEmail: Bool
    /// Whether the source gets back its password, if it gets back its address. A young password does not return,
    /// because the merge has deleted the link that could remove it; but no link could remove that of the account's
    /// creation.
    public let returnsPassword: Bool
    public let returnsPhoneNumber: Bool
    /// Identities that move back from the target.
    public let movedBack: [MergePlan.Moved]
    /// Identities that no account has now. They are linked to the source again, except those of a generic OpenID
    /// provider whose issuer has changed. The credential state of an Apple identity is not restored.
    public let recreated: [MergePlan.Moved]
    /// The target after the reversal; `nil` if the target loses no address, phone number, passkey or identity. In that
    /// case, the target also keeps its name and photo, and its sessions continue.
    public let target: Account?
    /// Whether the target loses the address, and with it its current password.
    public let targetLosesEmail: Bool
    /// Another account that has the source's address but never verified it. That account loses the address, because the
    /// user who opens the link has proven control of the mailbox.
    public let accountLosingAddress: Account?
    /// Second factors, passkeys and the telephone number of the source that are removed; earlier ones return. The merge
    /// has deleted the links that could remove them. A factor of an attacker would therefore keep the owner out, and a
    /// passkey or number of an attacker would stay.
    public let removedAdditions: Additions

    /// - Parameter holders: every account that has the address, the phone number or an identity of the source now,
    ///   including the target.
    public init(of merge: MergeRecord, from target: Account, among holders: [Account]) {
        let (plan, source) = (merge.plan, merge.source)
        removedAdditions = Additions(
            of: [.factors, .passkeys, .phoneNumber], since: merge.mergedAt - Policy.removalLinkLifetime)
        let start = merge.mergedAt - Policy.removalLinkLifetime
        returnsPassword = source.passwordUpdatedAt.map { $0 < start || $0 <= source.createdAt } ?? true
        let emailHolder = holders.first { $0.email != nil && $0.email == source.email }
        let isUnverifiedElsewhere = emailHolder?.losesAddressToOwner ?? false
        targetLosesEmail = emailHolder?.id == target.id
        returnsEmail = source.email != nil && (emailHolder == nil || targetLosesEmail || isUnverifiedElsewhere)
        accountLosingAddress = targetLosesEmail || !isUnverifiedElsewhere ? nil : emailHolder

        let phoneHolder = holders.first { $0.phoneNumber != nil && $0.phoneNumber == source.phoneNumber }
        let targetLosesPhoneNumber = plan.movesPhoneNumber && phoneHolder?.id == target.id
        let numberIsOld = !removedAdditions.includes(.phoneNumber, addedAt: source.phoneAddedAt)
        returnsPhoneNumber =
            source.phoneNumber != nil && numberIsOld && (phoneHolder == nil || targetLosesPhoneNumber)

        movedBack = plan.identities.filter { target.identity($0.provider, subject: $0.subject) != nil }
        recreated = plan.identities.filter { moved in
            !holders.contains { $0.identity(moved.provider, subject: moved.subject) != nil }
        }
        let remainingPasskeys = target.passkeys.filter { !plan.passkeys.contains($0.id) }
        let losesPasskeys = remainingPasskeys.count < target.passkeys.count
        guard targetLosesEmail || targetLosesPhoneNumber || losesPasskeys || !movedBack.isEmpty else {
            self.target = nil
            return
        }
        var updated = target
        updated.passkeys = remainingPasskeys
        for moved in movedBack {
            updated.identities.removeAll { $0.provider == moved.provider && $0.subject.isExactly(moved.subject) }
        }
        if targetLosesEmail {
            updated.email = nil
            updated.emailIsVerified = false
            updated.passwordUpdatedAt = nil
            updated.usesEmailLinks = false
        }
        if targetLosesPhoneNumber { updated.phoneNumber = nil }
        merge.removeMovedNameAndPhoto(from: &updated)
        self.target = updated
    }
}

/// A code to be consumed for the undo of a merge.
public struct MergeUndoing: Hashable, Sendable {
    public let code: OOBCode
    /// The hash of the code that sets a new password for the source; `nil` if the project does not allow passwords.
    public let resetHash: [UInt8]?
    public let resetExpiresAt: Instant
    public let recording: EventRecording
    public let undoneAt: Instant

    public init(
        code: OOBCode, resetHash: [UInt8]?, resetExpiresAt: Instant, recording: EventRecording, undoneAt: Instant
    ) {
        self.code = code
        self.resetHash = resetHash
        self.resetExpiresAt = resetExpiresAt
        self.recording = recording
        self.undoneAt = undoneAt
    }

    /// The code that sets a new password for the restored `source`.
    ///
    /// - Returns: `nil` if there is no ``resetHash``, or if the source did not get its address back.
    public func resetCode(of source: Account) -> OOBCode? {
        guard let resetHash, source.email == code.email else { return nil }
        return OOBCode(
            hash: resetHash, purpose: .resetPassword, account: source.id, generation: source.generation,
            email: code.email, createdAt: undoneAt, expiresAt: resetExpiresAt)
    }
}
