/// Proofs of an identity that a user needs in a later request.
extension FederatedMethod {
    /// An identity that a user has proven, and uses in a later request.
    struct PendingIdentity: Sendable {
        let identity: VerifiedIdentity
        /// The account that has the identity.
        let owner: Account?
        /// Another account that has the address of the identity, and prevents the link.
        let sameEmail: Account?
        /// Whether the user may learn nothing about ``sameEmail``.
        let isHidden: Bool
        /// Proves the identity in the later request.
        let pendingToken: String
    }

    /// Proves an identity with which a guest keeps the guest account or signs in. Changes nothing.
    ///
    /// A response that reveals whether an account has an address that the provider did not verify is counted as a
    /// sign-up.
    func pendingIdentity(
        provenBy proof: IdentityProof, for app: App, in realm: Realm, from context: RequestContext
    ) async throws -> PendingIdentity {
        let (resolved, _) = try await resolver.resolve(proof, for: app, in: realm, from: context.network)
        guard case .any = resolved.use else { throw ProviderRefusal.invalidPendingToken }
        let isHidden = resolved.identity.hidesAccounts(in: realm)
        guard isHidden, resolved.identity.email != nil else {
            return try await pendingIdentity(resolved, isHidden, in: realm)
        }
        return try await limiter.limitingAddressProbe(from: context.network, in: realm, reveals: \.isConflict) {
            try await pendingIdentity(resolved, isHidden, in: realm)
        }
    }

    /// Proves an identity that the caller links in a later request. Changes nothing.
    ///
    /// - Returns: a pending token for the caller alone; `nil` if another account has the identity. A caller with an
    ///   older login does not learn that: the later request is rejected anyway.
    func pendingToken(
        toLink proof: IdentityProof, to caller: Caller, for app: App, in realm: Realm, from context: RequestContext
    ) async throws -> String? {
        let (resolved, _) = try await resolver.resolve(proof, for: app, in: realm, to: .link, from: context.network)
        let owner = try await store.linkingCandidates(for: resolved.identity, in: realm.id).owner
        if let owner, owner.id != caller.account.id, caller.mayLink(by: realm.policy, at: clock.now()) { return nil }
        let account = caller.account
        return try pendingToken(for: resolved, .link(to: account.id, generation: account.generation), in: realm)
    }

    /// Returns a pending token with which the owner of an account can link the identity. The owner has proven the
    /// mailbox of the account's unverified address, which has ended the account's other sessions.
    ///
    /// - Throws: ``SignInRefusal/otherAccount`` if the token is for another account;
    ///   ``ProviderRefusal/invalidPendingToken`` if it has expired.
    public func renew(
        _ pendingToken: String, for owner: Account, of app: App, in realm: Realm, from context: RequestContext
    ) async throws -> String {
        let (proof, _) = try await resolver.resolve(
            .pendingToken(pendingToken), for: app, in: realm, to: .link, from: context.network)
        guard case .link(owner.id, _) = proof.use else { throw SignInRefusal.otherAccount }
        return try self.pendingToken(for: proof, .link(to: owner.id, generation: owner.generation), in: realm)
    }

    private func pendingIdentity(
        _ proof: ResolvedProof, _ isHidden: Bool, in realm: Realm
    ) async throws -> PendingIdentity {
        let candidates = try await store.linkingCandidates(for: proof.identity, in: realm.id)
        return PendingIdentity(
            identity: proof.identity, owner: candidates.owner,
            sameEmail: realm.policy.allowsDuplicateEmails ? nil : candidates.sameEmail, isHidden: isHidden,
            pendingToken: try pendingToken(for: proof, proof.use, in: realm))
    }

    /// Creates a pending token. If another pending token proved the identity, the new one expires no later than that
    /// one, and only one of the two can be used.
    func pendingToken(
        for proof: ResolvedProof, _ use: PendingCredential.Use, in realm: Realm
    ) throws -> String {
        let end = clock.now() + Self.pendingLifetime
        return try sealedTokens.encode(
            PendingCredential(identity: proof.identity, use: use),
            until: proof.pendingTokenKey.map { min($0.expiresAt, end) } ?? end, in: realm.id)
    }
}

extension FederatedMethod.PendingIdentity {
    /// Whether the address prevents that the identity is linked.
    var isConflict: Bool { owner == nil && sameEmail != nil }
}

extension VerifiedIdentity {
    /// Whether a response must not reveal anything about the account that has the identity's address.
    func hidesAccounts(in realm: Realm) -> Bool {
        realm.policy.emailEnumerationProtection && emailTrust < .verified
    }
}
