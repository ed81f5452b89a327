extension AuthorizationFlows {
    /// Returns the result of a flow to a client that presents the flow's grant and session ID (see
    /// ``FlowResultSecrets``). The flow must belong to the client's app and realm. The sign-in that follows consumes
    /// the grant, so a request that fails before the sign-in can be repeated.
    ///
    /// - Throws: ``AuthorizationRefusal/missingSessionID``, ``AuthorizationRefusal/invalidGrant``.
    public func redeem(
        grant: String, sessionID: String?, for app: App, in realm: Realm
    ) async throws -> RedeemedAuthorization {
        guard let sessionID, !sessionID.isEmpty else { throw AuthorizationRefusal.missingSessionID }
        let key = FlowResultKey(
            grantHash: secrets.hash(grant), sessionHash: secrets.hash(sessionID), app: app.id, realm: realm.id)
        guard let sealed = try await store.result(for: key, at: clock.now()) else {
            throw AuthorizationRefusal.invalidGrant
        }
        let result: AuthorizationResult
        do {
            result = try unsealed(AuthorizationResult.self, from: sealed, in: realm.id).content
        } catch AuthorizationRefusal.stateInvalid {
            throw AuthorizationRefusal.invalidGrant
        }
        // If the sign-in needs another step, its pending token contains this replay key and may be used later.
        let end = clock.now() + Self.grantLifetime + FederatedMethod.pendingLifetime
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
    /// The sign-in in the browser failed. The gateway put the error into the URL that it redirected the browser to, and
    /// the client sends that URL.
    ///
    /// - Parameter error: replaced by `unknown` unless it has 1 to 64 characters: capital letters and underscores.
    public init(reported error: String) {
        self = .failed(Self.isName(error, of: UInt8(ascii: "A")...UInt8(ascii: "Z")) ? error : "unknown")
    }

    /// The provider responded with an error.
    ///
    /// - Parameter error: replaced by `unknown` unless it has 1 to 64 characters: lower-case letters and underscores,
    ///   as in OAuth's error codes (RFC 6749 §4.1.2.1). Any client can write the parameter.
    init(providerError error: String) {
        self = .providerError(Self.isName(error, of: UInt8(ascii: "a")...UInt8(ascii: "z")) ? error : "unknown")
    }

    /// Whether `text` has 1 to 64 characters: `letters` and underscores.
    private static func isName(_ text: String, of letters: ClosedRange<UInt8>) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { letters.contains($0) || $0 == UInt8(ascii: "_") }
    }
}
