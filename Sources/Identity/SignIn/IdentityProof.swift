/// The proof of an identity in a request.
public enum IdentityProof: Sendable {
    case credential(FederatedCredential)
    case pendingToken(String)
}

/// Verifies proofs of identities: credentials of providers, and pending tokens.
struct ProofResolver: Sendable {
    let verifier: Verifier
    let sealedTokens: any SealedTokens
    let clock: WallClock

    func resolve(_ proof: IdentityProof, for app: App, in project: Project) async throws -> ResolvedProof {
        switch proof {
        case .credential(var credential):
            try verifier.admit(credential.provider, app, project)
            let requested = try replayKey(ofNonce: credential.rawNonce, in: project)
            credential.nonceIsOurs = requested != nil
            var identity = try await verifier.verify(credential, app, project)
            // The token may have a nonce of the gateway that the request does not contain.
            let used =
                identity.nonce == credential.rawNonce
                ? requested : try replayKey(ofNonce: identity.nonce, in: project)
            identity.replayKeys += [used].compactMap(\.self)
            return ResolvedProof(identity: identity)
        case .pendingToken(let token):
            let (pending, replayKey) = try sealedTokens.decode(
                PendingCredential.self, from: token, at: clock.now(), in: project.realm)
            try verifier.admit(pending.identity.provider, app, project)
            guard pending.identity.issuer == project.issuer(of: pending.identity.provider) else {
                throw ProviderRefusal.invalidPendingToken
            }
            return ResolvedProof(identity: pending.identity, use: pending.use, pendingToken: replayKey)
        }
    }

    /// - Returns: `nil` if the gateway did not issue the nonce.
    private func replayKey(ofNonce nonce: String?, in project: Project) throws -> ReplayKey? {
        try nonce.flatMap { try sealedTokens.replayKey(ofNonce: $0, at: clock.now(), in: project.realm) }
    }
}

/// An identity that this request has proven, with the data of its proof.
struct ResolvedProof: Sendable {
    let identity: VerifiedIdentity
    var use = PendingCredential.Use.any
    /// Of the pending token that contained the identity.
    var pendingToken: ReplayKey?

    var isPendingToken: Bool { pendingToken != nil }
    var replayKeys: [ReplayKey] { identity.replayKeys + [pendingToken].compactMap(\.self) }

    /// An identity without an issuer was linked by an administrator before the provider was configured, or by an older
    /// release. It gets the issuer of its first sign-in. While it is linked, the issuer of its provider cannot change.
    ///
    /// - Parameter owner: the account that has the identity with this provider and subject.
    /// - Throws: ``ProviderRefusal/otherIssuer``.
    func requireIssuer(of owner: Account?) throws(ProviderRefusal) {
        let linked = owner?.identity(identity.provider, subject: identity.subject)
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
