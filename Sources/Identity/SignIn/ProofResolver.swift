/// The proof of an identity in a request.
public enum IdentityProof: Sendable {
    case credential(FederatedCredential)
    /// A pending token of the gateway.
    case ticket(String)
}

/// Verifies proofs of identities: credentials of providers, and pending tokens.
struct ProofResolver: Sendable {
    let verifier: Verifier
    let tickets: any SealedTokens
    let clock: WallClock

    func proven(_ proof: IdentityProof, for app: App, in project: Project) async throws -> ResolvedProof {
        switch proof {
        case .credential(var credential):
            try verifier.admit(credential.provider, app, project)
            let brought = try mark(of: credential.rawNonce, in: project)
            credential.nonceIsOurs = brought != nil
            var identity = try await verifier.verify(credential, app, project)
            // The token may have a nonce of the gateway that the request does not contain.
            let used = identity.nonce == credential.rawNonce ? brought : try mark(of: identity.nonce, in: project)
            identity.marks += [used].compactMap(\.self)
            return ResolvedProof(identity: identity)
        case .ticket(let ticket):
            let (pending, mark) = try tickets.pending(ticket, at: clock.now(), in: project.realm)
            try verifier.admit(pending.identity.provider, app, project)
            guard pending.identity.issuer == project.issuer(of: pending.identity.provider) else {
                throw ProviderRefusal.invalidPendingToken
            }
            return ResolvedProof(identity: pending.identity, use: pending.use, ticket: mark)
        }
    }

    /// - Returns: `nil` if the gateway did not issue the nonce.
    private func mark(of nonce: String?, in project: Project) throws -> ReplayKey? {
        try nonce.flatMap { try tickets.mark(ofNonce: $0, at: clock.now(), in: project.realm) }
    }
}

/// An identity that this request has proven, with the data of its proof.
struct ResolvedProof: Sendable {
    let identity: VerifiedIdentity
    var use = PendingCredential.Use.any
    /// From the pending token that contained the identity.
    var ticket: ReplayKey?

    var isTicket: Bool { ticket != nil }
    var marks: [ReplayKey] { identity.marks + [ticket].compactMap(\.self) }

    /// An identity without an issuer was linked by an administrator before the provider was configured, or by an older
    /// release. It gets the issuer of its first sign-in. While it is linked, the issuer of its provider cannot change.
    ///
    /// - Parameter owner: the account that has the identity with this provider and subject.
    /// - Throws: ``ProviderRefusal/otherIssuer``.
    func requireIssuer(of owner: Account?) throws(ProviderRefusal) {
        let linked = owner?.identities.first { $0.provider == identity.provider && $0.subject == identity.subject }
        guard let issuer = linked?.issuer else { return }
        guard issuer == identity.issuer else { throw .otherIssuer }
    }

    /// - Throws: ``ProviderRefusal/invalidPendingToken`` unless the pending token is for this caller.
    func requireUse(by caller: Caller?) throws(ProviderRefusal) {
        guard case .link(let account, let generation) = use else { return }
        guard caller?.account.id == account, caller?.account.generation == generation else {
            throw .invalidPendingToken
        }
    }
}
