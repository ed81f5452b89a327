extension AuthorizationFlows {
    /// Returns the result for a client that presents both secrets of a flow of its own app. The sign-in that follows
    /// consumes the grant, so a request that fails before that can be repeated.
    public func redeem(
        grant: String, sessionID: String?, for app: App, in project: Project
    ) async throws -> RedeemedAuthorization {
        guard let sessionID, !sessionID.isEmpty else { throw AuthorizationRefusal.missingSessionID }
        let key = GrantKey(
            grantHash: secrets.hash(grant), sessionHash: secrets.hash(sessionID), app: app.id, realm: project.realm)
        guard let sealed = try await store.result(for: key, at: clock.now()) else {
            throw AuthorizationRefusal.invalidGrant
        }
        let result: AuthorizationResult
        do {
            result = try unsealed(AuthorizationResult.self, from: sealed, in: project.realm).content
        } catch AuthorizationRefusal.stateInvalid {
            throw AuthorizationRefusal.invalidGrant
        }
        // A pending token that contains the result has the same replay key.
        let end = clock.now() + Self.grantLifetime + FederatedSignIn.pendingLifetime
        return RedeemedAuthorization(result: result, replayKey: ReplayKey(hash: key.grantHash, expiresAt: end))
    }

    func unsealed<Content: SealedTokenContent>(
        _ type: Content.Type, from text: String, in realm: ID<Realm>
    ) throws -> (content: Content, ReplayKey) {
        do {
            return try sealedTokens.decode(type, from: text, at: clock.now(), in: realm)
        } catch ProviderRefusal.invalidPendingToken {
            throw AuthorizationRefusal.stateInvalid
        }
    }
}

extension AuthorizationRefusal {
    /// The error in the URL that a client presents; `unknown` if the gateway cannot have written it.
    public init(reported error: String) {
        let isErrorCode =
            (1...64).contains(error.utf8.count) && error.utf8.allSatisfy { (0x41...0x5A).contains($0) || $0 == 0x5F }
        self = .failed(isErrorCode ? error : "unknown")
    }

    /// The provider's error; `unknown` unless it consists of lower-case letters and underscores, like OAuth's error
    /// codes (RFC 6749 §4.1.2.1). Any client can write the parameter.
    init(providerError error: String) {
        let isErrorCode = (1...64).contains(error.utf8.count) && error.utf8.allSatisfy { (0x5F...0x7A).contains($0) }
        self = .providerError(isErrorCode ? error : "unknown")
    }
}
