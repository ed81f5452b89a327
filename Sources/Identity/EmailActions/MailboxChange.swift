/// The change of an account after a user has proven control of a mailbox. Each change is computed from the account as
/// it was read, and is applied only if the account has not changed since.
public struct MailboxChange: Hashable, Sendable {
    public let account: Account
    public private(set) var update: AccountUpdate
    /// Identities that were linked at this time or later are unlinked.
    public var unlinkedSince: Instant?
    /// Identities of these providers are unlinked, except those that were linked at the creation of the account.
    public var unlinkedProviders: Set<ProviderID> = []
    /// The recovery and removal codes that the change invalidates; `nil` if it invalidates none.
    public var voidedRemedies: VoidedRemedies?
    /// The hash of a network that becomes a known network of the account; see ``NetworkHashing``.
    public var networkHash: [UInt8]?
    public var event: Event?
    /// Another account that holds ``email`` and never verified it. That account loses the address first, as after
    /// ``disavowing(_:)``. Otherwise an attacker who registers the address would prevent the owner from recovering it.
    public var displaced: Account?

    /// The event for the outbox.
    public enum Event: Hashable, Sendable {
        case reclaimed
        case disavowed
    }

    /// The recovery and removal codes that become invalid when control of a mailbox is proven. Codes that undo a merge
    /// stay valid.
    public enum VoidedRemedies: Hashable, Sendable {
        case all
        /// The codes that were sent to `email`, and all that were created after the first of those. Earlier codes stay
        /// valid, so that an attacker who has changed the address cannot invalidate the emails that the owner received
        /// before.
        ///
        /// - Parameters:
        ///   - createdAt: when the redeemed code was created, if it is a recovery or removal code that was sent to
        ///     `email`; otherwise `nil`. The redeemed code may be the first one, but is no longer stored.
        ///   - addedSince: links to `email` that remove sign-in methods added before this time stay valid.
        case proven(email: EmailAddress, createdAt: Instant?, addedSince: Instant)
    }

    /// Earlier than every stored time, so that a limit with this value includes everything.
    private static let epoch = Instant(microseconds: 0)

    private init(_ account: Account) {
        self.account = account
        update = AccountUpdate()
        email = account.email
    }

    /// The address of the account after the change; `nil` if it has none. Setting an address also marks it as verified.
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

    /// Restores the address that `code` was sent to. Identities that were linked, and a password that was set, after
    /// that address was replaced are removed, because they may not be the owner's.
    ///
    /// - Parameter holder: another account that has the address now.
    public static func recovering(
        _ account: Account, by code: OOBCode, unlinking providers: Set<ProviderID>, from holder: Account?
    ) -> MailboxChange {
        var change = MailboxChange(account)
        change.email = code.email
        change.displaced = holder?.losesAddressToOwner == true ? holder : nil
        change.endsSessions = true
        change.unlinkedSince = code.createdAt
        change.unlinkedProviders = providers
        change.voidedRemedies = .proven(email: code.email, createdAt: code.createdAt, addedSince: code.createdAt)
        if account.passwordWasSet(since: code.createdAt) { change.update.passwordHash = .remove }
        return change
    }

    /// Removes `method`, and the identities and the password that were added at the same time or later. The account
    /// gets back the address that `code` was sent to. If another account keeps that address (see
    /// ``Account/losesAddressToOwner``), the account has no address and no password afterwards.
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
        change.unlinkedSince = method.addedAt
        change.update.usesEmailLinks = account.usesEmailLinks && method.provider != .emailLink && !addressIsTaken
        change.voidedRemedies = .proven(email: code.email, createdAt: code.createdAt, addedSince: method.addedAt)
        if addressIsTaken ? account.hasPassword : account.passwordWasSet(since: method.addedAt) {
            change.update.passwordHash = .remove
        }
        return change
    }

    /// Sets a new password. An account with an unverified address is first reclaimed for the user who controls the
    /// mailbox; see ``reclaiming(_:)``.
    public static func resetting(
        _ account: Account, to passwordHash: String, unlinking providers: Set<ProviderID>, by policy: Policy
    ) -> MailboxChange {
        var change = account.emailIsVerified ? MailboxChange(account) : reclaiming(account)
        if change.voidedRemedies == nil, let email = account.email {
            change.voidedRemedies = .proven(email: email, createdAt: nil, addedSince: epoch)
        }
        change.unlinkedProviders = providers
        change.update.passwordHash = .set(passwordHash)
        change.endsSessions = true
        if policy.resetUnlinksIdentities { change.unlinkedSince = epoch }
        return change
    }

    /// Records that the account signs in by email link. An account with an unverified address is first reclaimed, as by
    /// ``resetting(_:to:unlinking:by:)``.
    public static func signingIn(_ account: Account) -> MailboxChange {
        var change = account.emailIsVerified ? MailboxChange(account) : reclaiming(account)
        change.update.usesEmailLinks = true
        return change
    }

    /// Gives the caller's account the proven address. If this address replaces another one, every earlier session ends.
    public static func linking(_ email: EmailAddress, to account: Account) -> MailboxChange {
        var change = MailboxChange(account)
        change.email = email
        change.update.usesEmailLinks = true
        change.endsSessions = account.email != nil && account.email != email
        return change
    }

    /// The user who controls the mailbox disavows the account: it loses the address, the password and the sign-in by
    /// email link. Ends every session, and invalidates all recovery and removal codes.
    public static func disavowing(_ account: Account) -> MailboxChange {
        var change = MailboxChange(account)
        change.email = nil
        change.update.passwordHash = account.hasPassword ? .remove : nil
        change.update.usesEmailLinks = false
        change.endsSessions = true
        change.voidedRemedies = .all
        change.event = .disavowed
        return change
    }

    /// Removes the password, email link, phone number, identities, name and photo of the creator of the account, who
    /// never verified the address, and ``Account/initialEmail``. Ends every session, and invalidates all recovery and
    /// removal codes.
    private static func reclaiming(_ account: Account) -> MailboxChange {
        var change = MailboxChange(account)
        change.update.passwordHash = account.hasPassword ? .remove : nil
        change.unlinkedSince = epoch
        change.update.phoneNumber = .remove
        change.update.removesInitialEmail = true
        change.update.displayName = .remove
        change.update.photoURL = .remove
        change.update.usesEmailLinks = false
        change.endsSessions = true
        change.voidedRemedies = .all
        change.event = .reclaimed
        return change
    }

    /// The generation of the account for a session that is opened with this change.
    var generation: Int64 { account.generation + (endsSessions ? 1 : 0) }

    /// The identities that the account keeps, except those that were linked at its creation.
    var remainingAddedIdentities: [LinkedIdentity] {
        account.addedIdentities.filter { identity in
            let isLate = unlinkedSince.map { since in identity.linkedAt.map { $0 >= since } ?? true } ?? false
            return !isLate && !unlinkedProviders.contains(identity.provider)
        }
    }
}

extension Account {
    fileprivate func passwordWasSet(since time: Instant) -> Bool { passwordUpdatedAt.map { $0 >= time } ?? false }
}

extension Account {
    /// Whether the account loses its address to a user who has proven control of the mailbox: the account is not
    /// disabled, and neither the gateway nor a provider of the account's identities has verified the address.
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
    /// Returns `notes` with the audit event about the password, if `update` changes it. If there is no event at all, but
    /// the sessions end, returns the event for ended sessions.
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
