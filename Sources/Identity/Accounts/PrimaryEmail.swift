extension Account {
    /// The address an account has, and whether it is proven, once these ways in are gone.
    ///
    /// An address stays with the password that goes with it, with an identity that brings it too, and where it came
    /// from none of what is gone. Otherwise the first identity left gives its own, proven only as far as that provider's
    /// word goes: nothing unproven inherits what another address was.
    ///
    /// - Parameter providers: with ``ProviderID/password`` for a password that the account had.
    public func primaryEmail(without providers: Set<ProviderID>) -> (email: EmailAddress?, isVerified: Bool) {
        let left = identities.filter { !providers.contains($0.provider) }
        let wentAway =
            providers.contains(.password)
            || identities.contains { providers.contains($0.provider) && $0.email == email }
        let isHeld =
            (hasPassword || usesEmailLinks) && !providers.contains(.password) || left.contains { $0.email == email }
        guard wentAway, !isHeld else { return (email, emailIsVerified) }
        guard let heir = left.first(where: { $0.email != nil }) else { return (nil, false) }
        return (heir.email, heir.emailTrust == .authoritative)
    }

    /// The address an account has, and whether it is proven, once an administrator has added this way in.
    ///
    /// An account keeps its own, and what is known of it. One without takes the identity's, unless nobody has ever
    /// verified that: somebody who proves it later would have to reclaim the account.
    public func primaryEmail(with identity: LinkedIdentity) -> (email: EmailAddress?, isVerified: Bool) {
        guard email == nil, identity.emailTrust != .none else { return (email, emailIsVerified) }
        return (identity.email, identity.email != nil && identity.emailTrust == .authoritative)
    }

    /// Somebody can still sign in to it by themselves, or by their backend's word.
    public var hasWayIn: Bool { !signInMethods.isEmpty || phoneNumber != nil || usesCustomTokens }
}
