/// The change of an account after a user has proven control of a mailbox. Each change is computed from the account as
/// it was read, and is applied only if the account has not changed since.
public struct MailboxChange: Hashable, Sendable {
    public let account: Account
    public private(set) var update: AccountUpdate
    /// What is removed because of the time when it was added. Only some changes remove factors, because control of the
    /// mailbox alone must not bypass them.
    public private(set) var removedAdditions: Additions?
    /// Identities of these providers are unlinked. They are among the ``Account/removableIdentities(byOwnerOf:)``.
    public private(set) var unlinkedProviders: Set<ProviderID> = []
    /// These passkeys are removed too.
    public private(set) var removedPasskeys: Set<ID<Passkey>> = []
    /// Whether the user has selected sign-in methods, even if the account has lost them since the page was shown.
    public private(set) var removesSelection = false
    /// Which codes that recover an address or remove a sign-in method the change invalidates; `nil` if it invalidates
    /// none of them.
    public var voidedRemedies: VoidedRemedies?
    /// Whether the account loses its owner or its address; `nil` for every other change.
    private(set) var loss: Loss?
    /// Another account that has the address ``email`` and never verified it. That account loses the address first, as
    /// after ``disavowing(_:)``. Otherwise an attacker who registers the address would prevent the owner from
    /// recovering it.
    public var accountLosingAddress: Account?

    enum Loss: Hashable, Sendable {
        case reclaimed
        case disavowed
    }

    /// The remedies that become invalid when control of a mailbox is proven. Here, a remedy is a code that recovers an
    /// address or removes a sign-in method. Codes that undo a merge stay valid.
    ///
    /// The change voids every remedy that was created since the first one was sent to ``email``. Earlier remedies stay
    /// valid; see ``EarlierMailbox``. Otherwise an attacker who has changed the address could invalidate the emails
    /// that the owner received before.
    public struct VoidedRemedies: Hashable, Sendable {
        /// The address of the proven mailbox.
        public let email: EmailAddress
        /// The creation time of the redeemed code if it is a remedy that was sent to ``email``, otherwise `nil`. The
        /// redeemed code may be the first remedy, but is no longer stored.
        public var redeemedCodeCreatedAt: Instant?
        /// Removal links that were sent to ``email`` stay valid if their sign-in method was added before this time.
        public var methodsKeptBefore = Instant(microseconds: 0)
        /// Whether links to ``email`` that remove a second factor stay valid. If the change keeps the factors, the
        /// owner could not remove a factor of an attacker without them.
        public var keepsFactorRemedies = false
        /// The sign-in methods whose removal links to ``email`` stay valid, because the change keeps them, and its
        /// notice has no new links that remove them.
        public var keptProviders: [ProviderID] = []
    }

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

    /// Verifies the account's address.
    ///
    /// - Parameter selection: the sign-in methods that the user did not add. If there are any, the change also removes
    ///   the password, the passkeys and the telephone number, and ends all sessions. The attacker who added the
    ///   selected methods may have added these too.
    public static func verifying(_ account: Account, removing selection: MethodSelection = .none) -> MailboxChange {
        var change = MailboxChange(account)
        change.disown(selection)
        return change
    }

    /// - Parameter selection: as in ``verifying(_:removing:)``.
    public static func changing(
        _ account: Account, to email: EmailAddress, removing selection: MethodSelection = .none
    ) -> MailboxChange {
        var change = MailboxChange(account)
        change.email = email
        change.update.endsSessions = true
        change.disown(selection)
        return change
    }

    private mutating func remove(_ additions: Additions) {
        removedAdditions = additions
        if account.phoneNumber != nil, additions.includes(.phoneNumber, addedAt: account.phoneAddedAt) {
            update.phoneNumber = .remove
        }
    }

    /// Removes the selected methods that the owner of the proven mailbox may remove.
    private mutating func remove(_ selection: MethodSelection) {
        unlinkedProviders = selection.providers.intersection(
            account.removableIdentities(byOwnerOf: email).map(\.provider))
        // If a selected passkey is gone, its user may have replaced it since the page was shown, so all of them go.
        let passkeys = Set(account.passkeys.map(\.id))
        removedPasskeys = selection.passkeys.isSubset(of: passkeys) ? selection.passkeys : passkeys
        if selection.includesPhoneNumber, account.phoneNumber != nil { update.phoneNumber = .remove }
        removesSelection = selection != .none
    }

    /// Removes the methods that the user disowns while confirming the address.
    private mutating func disown(_ selection: MethodSelection) {
        remove(selection)
        guard removesSelection, let email else { return }
        if account.hasPassword { update.passwordHash = .remove }
        // The attacker who added the selected methods may have added these too.
        remove(Additions.all([.passkeys, .phoneNumber]))
        update.endsSessions = true
        voidedRemedies = VoidedRemedies(email: email, keepsFactorRemedies: true)
    }

    /// Restores the address that `code` was sent to. Removes the identities, the passkeys and the password that were
    /// added after that address was replaced, because they may not be the owner's.
    ///
    /// - Parameter otherHolder: another account that has the address now.
    public static func recovering(
        _ account: Account, by code: OOBCode, removing selection: MethodSelection, from otherHolder: Account?
    ) -> MailboxChange {
        var change = MailboxChange(account)
        change.email = code.email
        change.accountLosingAddress = otherHolder?.losesAddressToOwner == true ? otherHolder : nil
        change.update.endsSessions = true
        change.remove(Additions(since: code.createdAt))
        change.remove(selection)
        change.voidedRemedies = VoidedRemedies(
            email: code.email, redeemedCodeCreatedAt: code.createdAt, methodsKeptBefore: code.createdAt)
        if account.passwordWasSet(since: code.createdAt) { change.update.passwordHash = .remove }
        return change
    }

    /// Removes `method`, which may be a second factor, and the factors, identities, passkeys and password that were
    /// added at the same time or later. The account gets back the address that `code` was sent to. If another account
    /// keeps that address (see ``Account/losesAddressToOwner``), `account` has no address and no password afterwards.
    ///
    /// - Parameter otherHolder: another account that has the address now.
    public static func removing(
        _ method: AddedSignInMethod, from account: Account, by code: OOBCode, otherHolder: Account?
    ) -> MailboxChange {
        let addressIsTaken = otherHolder.map { !$0.losesAddressToOwner } ?? false
        var change = MailboxChange(account)
        change.accountLosingAddress = addressIsTaken ? nil : otherHolder
        change.email = addressIsTaken ? nil : code.email
        change.update.endsSessions = true
        change.remove(Additions(since: method.addedAt))
        change.update.usesEmailLinks = account.usesEmailLinks && method.provider != .emailLink && !addressIsTaken
        change.voidedRemedies = VoidedRemedies(
            email: code.email, redeemedCodeCreatedAt: code.createdAt, methodsKeptBefore: method.addedAt)
        if addressIsTaken ? account.hasPassword : account.passwordWasSet(since: method.addedAt) {
            change.update.passwordHash = .remove
        }
        let isNumber = method.provider == .phone && method.subject == account.phoneNumber?.rawValue
        if isNumber { change.update.phoneNumber = .remove }
        return change
    }

    /// Sets a new password. An account with an unverified address is first reclaimed for the user who controls the
    /// mailbox; see ``reclaiming(_:)``.
    public static func resetting(
        _ account: Account, to passwordHash: String, removing selection: MethodSelection, by policy: Policy
    ) -> MailboxChange {
        var change = account.emailIsVerified ? MailboxChange(account) : reclaiming(account)
        if policy.resetUnlinksIdentities, change.removedAdditions == nil {
            change.remove(Additions.all([.identities, .passkeys]))
        }
        let removedKinds = change.removedAdditions?.kinds ?? []
        change.voidedRemedies = account.email.map {
            VoidedRemedies(email: $0, keepsFactorRemedies: !removedKinds.contains(.factors))
        }
        change.remove(selection)
        change.update.passwordHash = .set(passwordHash)
        change.update.endsSessions = true
        if !removedKinds.contains(.passkeys) { change.voidedRemedies?.keptProviders.append(.passkey) }
        if change.update.phoneNumber == nil { change.voidedRemedies?.keptProviders.append(.phone) }
        return change
    }

    /// Records that the account signs in by email link. An account with an unverified address is first reclaimed, as by
    /// ``resetting(_:to:removing:by:)``.
    public static func signingIn(_ account: Account) -> MailboxChange {
        var change = account.emailIsVerified ? MailboxChange(account) : reclaiming(account)
        change.update.usesEmailLinks = true
        return change
    }

    /// Gives the caller's account the proven address. Every earlier session ends if this address replaces another one,
    /// or if the account gets a password: another person may hold a session of the guest.
    ///
    /// - Parameter passwordHash: the password with which the account signs in; `nil` if it signs in by email links.
    public static func linking(
        _ email: EmailAddress, passwordHash: String? = nil, to account: Account, endsSessions: Bool = false
    ) -> MailboxChange {
        var change = MailboxChange(account)
        change.email = email
        if let passwordHash {
            change.update.passwordHash = .set(passwordHash)
        } else {
            change.update.usesEmailLinks = true
        }
        change.update.endsSessions = endsSessions || passwordHash != nil || change.replacesAddress
        return change
    }

    /// Whether the account gets another address in place of its own.
    var replacesAddress: Bool { account.email != nil && account.email != email }

    /// The user who controls the mailbox disavows the account ("this was not me"), or gets a new account with the
    /// address. The account loses the address, the password, the sign-in by email link and the passkeys.
    /// Ends every session.
    public static func disavowing(_ account: Account) -> MailboxChange {
        var change = MailboxChange(account)
        change.email = nil
        change.update.passwordHash = account.hasPassword ? .remove : nil
        change.update.usesEmailLinks = false
        change.remove(Additions.all([.passkeys]))
        change.update.endsSessions = true
        change.voidedRemedies = account.email.map { VoidedRemedies(email: $0) }
        change.loss = .disavowed
        return change
    }

    /// Gives an account whose address was never verified to the user who has proven the mailbox. Removes everything
    /// that the creator of the account added: ``Account/initialEmail``, password, email links, phone number,
    /// identities, passkeys, name and photo. Ends every session.
    ///
    /// The caller makes sure that there is no ``EarlierMailbox``, so that the change voids no remedy of another
    /// mailbox.
    private static func reclaiming(_ account: Account) -> MailboxChange {
        var change = MailboxChange(account)
        change.update = .reclaim
        change.email = account.email
        change.removedAdditions = .everything
        change.voidedRemedies = account.email.map { VoidedRemedies(email: $0) }
        change.loss = .reclaimed
        return change
    }

    /// The generation of the account after the change: that of a session which the change opens.
    var generation: Int64 { account.generation + (update.endsSessions ? 1 : 0) }

    /// The identities that the account keeps although they may not be the owner's.
    var remainingRemovableIdentities: [LinkedIdentity] {
        account.removableIdentities(byOwnerOf: email).filter { identity in
            let isTooLate = removedAdditions?.includes(.identities, addedAt: identity.linkedAt) == true
            return !isTooLate && !unlinkedProviders.contains(identity.provider)
        }
    }
}

extension Account {
    /// The methods that a password reset removes from an account whose address is verified, because the policy says so.
    /// The page lists them before the user resets the password.
    public func methodsRemovedByReset(by policy: Policy) -> [ProviderID] {
        guard policy.resetUnlinksIdentities, emailIsVerified else { return [] }
        return identities.map(\.provider) + (passkeys.isEmpty ? [] : [.passkey])
    }

    fileprivate func passwordWasSet(since time: Instant) -> Bool { passwordUpdatedAt.map { $0 >= time } ?? false }
}

extension Account {
    /// Whether the account loses its address to a user who has proven control of the mailbox: the account is not
    /// disabled, and neither the gateway nor a provider of the account's identities has verified the address.
    var losesAddressToOwner: Bool { provenEmail == nil && !isDisabled }
}

extension MailboxChange {
    /// The events of this change.
    ///
    /// - Parameter unlinked: the providers whose identities the change has removed. They are known only after the
    ///   statement that removes the identities.
    public func events(unlinking unlinked: [ProviderID]) -> [AccountEvent] {
        let changes: [AccountEvent.Change] =
            switch loss {
            case .reclaimed: [.accountReclaimed(by: nil)]
            case .disavowed: [.emailDisavowed]
            case nil where email != account.email: [.emailChanged(by: nil)]
            case nil: email != nil && !account.emailIsVerified ? [.emailVerified] : []
            }
        return AccountEvent.unlinking(unlinked, from: account.id)
            + account.events(changes, addingPasswordOrSessionsOf: update)
    }
}

extension Account {
    /// Returns the events of `changes`, and the event about the password if `update` changes the password. If there is
    /// no event at all, but the sessions end, returns the event about ended sessions.
    func events(_ changes: [AccountEvent.Change], addingPasswordOrSessionsOf update: AccountUpdate) -> [AccountEvent] {
        var changes = changes
        switch update.passwordHash {
        case .set: changes.append(.passwordChanged)
        case .remove where hasPassword: changes.append(.passwordRemoved)
        case .remove, nil: break
        }
        if update.phoneNumber == .remove, phoneNumber != nil { changes.append(.phoneRemoved) }
        if changes.isEmpty, update.endsSessions { changes.append(.sessionRevoked(nil)) }
        return changes.map { AccountEvent($0, of: id) }
    }
}
