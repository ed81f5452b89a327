extension Account {
    /// The address of the account after these sign-in methods are removed, and whether it is verified.
    ///
    /// The account keeps its address if the password stays, if another identity has the same address, or if the address
    /// did not come from a removed method. Otherwise the first remaining identity supplies its address, which is
    /// verified only as far as that provider is trusted: a new address never inherits the verification of the old one.
    ///
    /// - Parameter providers: with ``ProviderID/password`` if the password is removed.
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

    /// The address of the account after an administrator has added this sign-in method, and whether it is verified.
    ///
    /// An account keeps its own address and its verification. An account without address takes the identity's, unless
    /// it is unverified: a person who verifies it later would have to reclaim the account.
    public func primaryEmail(with identity: LinkedIdentity) -> (email: EmailAddress?, isVerified: Bool) {
        guard email == nil, identity.emailTrust != .none else { return (email, emailIsVerified) }
        return (identity.email, identity.email != nil && identity.emailTrust == .authoritative)
    }

    /// Whether the user can still sign in, or the backend can sign the user in.
    public var hasSignInMethod: Bool { hasSignInMethod(ignoring: []) }

    /// Whether a sign-in method remains if identities of `linkOnly` cannot sign in; see ``Project/linkOnlyProviders``.
    public func hasSignInMethod(ignoring linkOnly: Set<ProviderID>) -> Bool {
        !signInMethods.allSatisfy(linkOnly.contains) || phoneNumber != nil || usesCustomTokens
    }
}
