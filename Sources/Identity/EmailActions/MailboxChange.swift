/// The change of an account after a user has proven control of a mailbox. Every change is decided on the account as
/// it was read, and applied only while the account is unchanged.
public struct MailboxChange: Hashable, Sendable {
    public let account: Account
    public private(set) var update: AccountUpdate
    /// Identities that were linked at that time or later are unlinked.
    public var unlinksSince: Instant?
    /// Identities of these providers are unlinked, except the one that the account was created with.
    public var unlinks: Set<ProviderID> = []
    /// Recovery and removal codes that were sent earlier and end with the change.
    public var voids: VoidedRemedies?
    /// The hash of a network that becomes a known network of the account; see ``NetworkHashing``.
    public var network: [UInt8]?
    public var event: Event?
    /// Another account that holds ``email`` and never verified it. It loses the address first, as if disavowed. Otherwise
    /// an attacker who registers the owner's address would block every recovery of it.
    public var displaced: Account?

    /// The event for the outbox.
    public enum Event: Hashable, Sendable {
        case reclaimed
        case disavowed
    }

    /// Which remedies end when control of a mailbox is proven.
    public enum VoidedRemedies: Hashable, Sendable {
        case all
        /// Those that were sent to `email`, and all that were created after the first of these. The earliest remedy
        /// wins, so an intruder who has changed the address cannot invalidate what was sent to the owner before.
        ///
        /// - Parameters:
        ///   - madeAt: when the redeemed remedy was created, if a remedy is redeemed.
        ///   - addedSince: links to `email` that remove methods added earlier stay valid.
        case proven(email: EmailAddress, madeAt: Instant?, addedSince: Instant)
    }

    private static let everSince = Instant(microseconds: 0)

    private init(_ account: Account) {
        self.account = account
        update = AccountUpdate()
        email = account.email
    }

    /// The address that the account has after the change. It is verified, unless it is `nil`.
    public private(set) var email: EmailAddress? {
        get { if case .set(let email) = update.email { email } else { nil } }
        set {
            update.email = AccountUpdate.Value(newValue)
            update.emailIsVerified = newValue != nil
        }
    }

    public private(set) var endsSessions: Bool {
        get { update.sessions == .endAll }
        set { update.sessions = newValue ? .endAll : .keep }
    }

    public static func verifying(_ account: Account) -> MailboxChange { MailboxChange(account) }

    public static func changing(_ account: Account, to email: EmailAddress) -> MailboxChange {
        var change = MailboxChange(account)
        change.email = email
        change.endsSessions = true
        return change
    }

    /// Restores the address that `code` was sent to. Methods that were added after that address was replaced are
    /// removed, because they may not be the owner's.
    ///
    /// - Parameter holder: another account that has the address now.
    public static func recovering(
        _ account: Account, by code: OOBCode, removing providers: Set<ProviderID>, from holder: Account?
    ) -> MailboxChange {
        var change = MailboxChange(account)
        change.email = code.email
        change.displaced = holder?.losesAddressToOwner == true ? holder : nil
        change.endsSessions = true
        change.unlinksSince = code.createdAt
        change.unlinks = providers
        change.voids = .proven(email: code.email, madeAt: code.createdAt, addedSince: code.createdAt)
        if account.gotPassword(since: code.createdAt) { change.update.passwordHash = .remove }
        return change
    }

    /// Removes `method` and everything that was added at that time or later. The account gets back the address that
    /// `code` was sent to, or has none if another account has verified that address.
    ///
    /// - Parameter holder: another account that has the address now.
    public static func removing(
        _ method: AddedSignInMethod, from account: Account, by code: OOBCode, holder: Account?
    ) -> MailboxChange {
        let addressIsTaken = holder.map { !$0.losesAddressToOwner } ?? false
        var change = MailboxChange(account)
        change.displaced = addressIsTaken ? nil : holder
        change.email = addressIsTaken ? nil : code.email
        change.endsSessions = true
        change.unlinksSince = method.addedAt
        change.update.usesEmailLinks = account.usesEmailLinks && method.provider != .emailLink && !addressIsTaken
        change.voids = .proven(email: code.email, madeAt: code.createdAt, addedSince: method.addedAt)
        if addressIsTaken ? account.hasPassword : account.gotPassword(since: method.addedAt) {
            change.update.passwordHash = .remove
        }
        return change
    }

    /// An account whose address was never verified goes to the user who controls the mailbox; see ``reclaiming(_:)``.
    public static func resetting(
        _ account: Account, to passwordHash: String, removing providers: Set<ProviderID>, by policy: Policy
    ) -> MailboxChange {
        var change = account.emailIsVerified ? MailboxChange(account) : reclaiming(account)
        if change.voids == nil, let email = account.email {
            change.voids = .proven(email: email, madeAt: nil, addedSince: everSince)
        }
        change.unlinks = providers
        change.update.passwordHash = .set(passwordHash)
        change.endsSessions = true
        if policy.resetUnlinksIdentities { change.unlinksSince = everSince }
        return change
    }

    public static func signingIn(_ account: Account) -> MailboxChange {
        var change = account.emailIsVerified ? MailboxChange(account) : reclaiming(account)
        change.update.usesEmailLinks = true
        return change
    }

    /// Gives the caller's account the proven address. If the address changes, every other session ends.
    public static func linking(_ email: EmailAddress, to caller: Account) -> MailboxChange {
        var change = MailboxChange(caller)
        change.email = email
        change.update.usesEmailLinks = true
        change.endsSessions = caller.email != nil && caller.email != email
        return change
    }

    /// The user who controls the mailbox disavows the account: it loses the address and what belongs to the address.
    public static func disavowing(_ account: Account) -> MailboxChange {
        var change = MailboxChange(account)
        change.email = nil
        change.update.passwordHash = account.hasPassword ? .remove : nil
        change.update.usesEmailLinks = false
        change.endsSessions = true
        change.voids = .all
        change.event = .disavowed
        return change
    }

    /// The creator of the account never verified the address. Every credential of the creator is removed.
    private static func reclaiming(_ account: Account) -> MailboxChange {
        var change = MailboxChange(account)
        change.update.passwordHash = account.hasPassword ? .remove : nil
        change.unlinksSince = everSince
        change.update.phoneNumber = .remove
        change.update.forgetsInitialEmail = true
        change.update.displayName = .remove
        change.update.photoURL = .remove
        change.update.usesEmailLinks = false
        change.endsSessions = true
        change.voids = .all
        change.event = .reclaimed
        return change
    }

    /// The generation of the account for a session that is opened with this change.
    var generation: Int64 { account.generation + (endsSessions ? 1 : 0) }

    /// The identities that the account keeps, except the one that it was created with.
    var keptIdentities: [LinkedIdentity] {
        account.addedIdentities.filter { identity in
            let isLate = unlinksSince.map { since in identity.linkedAt.map { $0 >= since } ?? true } ?? false
            return !isLate && !unlinks.contains(identity.provider)
        }
    }
}

extension Account {
    fileprivate func gotPassword(since time: Instant) -> Bool { passwordUpdatedAt.map { $0 >= time } ?? false }
}

extension Account {
    /// An address that neither the account nor a provider of its identities has verified goes to the user who has proven
    /// the mailbox.
    var losesAddressToOwner: Bool {
        !emailIsVerified && !isDisabled && !identities.contains { $0.email == email && $0.emailTrust >= .verified }
    }
}

extension MailboxChange {
    /// The audit events for this change, except unlinked identities, which are known only after the SQL runs.
    public var notes: [AuditNote] {
        var notes: [AuditNote] = []
        switch event {
        case .reclaimed: notes.append(AuditNote(.reclaimed, account.id))
        case .disavowed: notes.append(AuditNote(.emailDisavowed, account.id))
        case nil:
            if email != account.email {
                notes.append(AuditNote(.emailChanged, account.id))
            } else if email != nil, !account.emailIsVerified {
                notes.append(AuditNote(.emailVerified, account.id))
            }
        }
        return account.notes(notes, for: update, endsSessions: endsSessions)
    }
}

extension Account {
    func notes(_ notes: [AuditNote], for update: AccountUpdate, endsSessions: Bool) -> [AuditNote] {
        var notes = notes
        switch update.passwordHash {
        case .set: notes.append(AuditNote(.passwordSet, id))
        case .remove where hasPassword: notes.append(AuditNote(.passwordRemoved, id))
        case .remove, nil: break
        }
        return notes.isEmpty && endsSessions ? [AuditNote(.sessionsEnded, id)] : notes
    }
}
