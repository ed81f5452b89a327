internal import Encoding

extension Account {
    /// The address of the account after the sign-in methods `providers` are removed, and whether it is verified.
    ///
    /// The account keeps its address if the password or the email link stays, if a remaining identity has the same
    /// address, or if the address did not come from a removed method. Otherwise the account gets the address of the
    /// first remaining identity that has one. The new address is verified only if the provider of that identity is
    /// authoritative for it, whether or not the old address was verified.
    ///
    /// - Parameter providers: the removed methods; ``ProviderID/password`` stands for the password and the email link.
    public func primaryEmail(without providers: Set<ProviderID>) -> (email: EmailAddress?, isVerified: Bool) {
        let remaining = identities.filter { !providers.contains($0.provider) }
        let isFromRemovedMethod =
            providers.contains(.password)
            || identities.contains { providers.contains($0.provider) && $0.email == email }
        let isHeld =
            (hasPassword || usesEmailLinks) && !providers.contains(.password)
            || remaining.contains { $0.email == email }
        guard isFromRemovedMethod, !isHeld else { return (email, emailIsVerified) }
        guard let newPrimary = remaining.first(where: { $0.email != nil }) else { return (nil, false) }
        return (newPrimary.email, newPrimary.emailTrust == .authoritative)
    }

    /// The account without the Apple identity `subject`, whose Apple Account was deleted. If the account has the relay
    /// address of that identity, the address changes as in ``primaryEmail(without:)``, because the relay no longer
    /// forwards email. Any other address stays, because it may be the only way to recover the account.
    func afterDeletion(ofAppleAccount subject: String) -> Account {
        var account = self
        if let identity = identity(.apple, subject: subject), identity.isPrivateEmail, identity.email == email {
            (account.email, account.emailIsVerified) = primaryEmail(without: [.apple])
        }
        account.identities.removeAll { $0.provider == .apple && $0.subject.isExactly(subject) }
        return account
    }

    /// The new address of the account if its linked `identity` now has a different address.
    ///
    /// - Parameter isFree: whether no other account holds the new address.
    /// - Returns: `nil` if the account keeps its address. The address changes only if it is the identity's former relay
    ///   address, the provider is authoritative for the new address, and the account has no password and no email
    ///   links.
    public func newEmail(following identity: VerifiedIdentity, isFree: Bool) -> EmailAddress? {
        guard let before = self.identity(identity.provider, subject: identity.subject), before.isPrivateEmail,
            let new = identity.email, identity.emailTrust == .authoritative, new != before.email,
            email == before.email, !hasPassword, !usesEmailLinks, isFree
        else { return nil }
        return new
    }

    /// The address of the account after an administrator has linked `identity`, and whether the address is verified.
    ///
    /// An account that has an address keeps it, verified or not. An account without an address gets the identity's
    /// address, unless ``LinkedIdentity/emailTrust`` is ``EmailTrust/none``: a user who proves such an address later
    /// would take over the account. The new address is verified only if the provider is authoritative for it.
    public func primaryEmail(with identity: LinkedIdentity) -> (email: EmailAddress?, isVerified: Bool) {
        guard email == nil, identity.emailTrust != .none else { return (email, emailIsVerified) }
        return (identity.email, identity.email != nil && identity.emailTrust == .authoritative)
    }

    /// Whether the user can still sign in, or the backend can sign the user in.
    public var hasSignInMethod: Bool { hasSignInMethod(ignoring: []) }

    /// Whether the account has a sign-in method besides identities of `linkOnly`, which cannot sign in; see
    /// ``Realm/linkOnlyProviders``.
    public func hasSignInMethod(ignoring linkOnly: Set<ProviderID>) -> Bool {
        !signInMethods.allSatisfy(linkOnly.contains) || phoneNumber != nil || !passkeys.isEmpty || usesCustomTokens
    }
}
