internal import Encoding

/// The parameter `state`: a sealed flow, and the realm that it is sealed for.
struct AuthorizationState {
    let sealed: String
    let realm: ID<Realm>

    init(sealed: String, realm: ID<Realm>) {
        self.sealed = sealed
        self.realm = realm
    }

    init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, (1...128).contains(parts[1].utf8.count) else { return nil }
        self.init(sealed: String(parts[0]), realm: ID(String(parts[1])))
    }

    var text: String { "\(sealed).\(realm.rawValue)" }
}

/// The flow that a provider's response belongs to, with its project and app.
public struct ReturnedFlow: Sendable {
    public let flow: AuthorizationFlow
    public let realm: Realm
    public let app: App
    let stored: StoredFlow

    fileprivate var receivesForm: Bool { realm.project.supportedProviders[flow.provider]?.responseMode == .form }
}

/// The secrets that a client exchanges for the result of a completed flow, once and within
/// ``AuthorizationFlows/grantLifetime``. Not to be confused with ``AppleGrant``, a stored token of Apple.
public struct FlowResultSecrets: Sendable {
    /// The value of the parameter `grant` in the URL that the client sends.
    public let grant: String
    /// `nil` if the client already has the session ID.
    public let sessionID: String?
}

extension AuthorizationFlows {
    /// Finds the flow that a provider's response belongs to.
    public func flow(of state: String) async throws -> ReturnedFlow {
        guard let parsed = AuthorizationState(state) else { throw AuthorizationRefusal.stateInvalid }
        // The state is decrypted before anything is looked up, so a forged state causes no query.
        let (flow, replayKey) = try unsealed(AuthorizationFlow.self, from: parsed.sealed, in: parsed.realm)
        guard let realm = try await configuration.realm(parsed.realm), realm.tenant?.settings.isDisabled != true
        else {
            throw AuthorizationRefusal.stateInvalid
        }
        guard let app = try await configuration.app(flow.app, realm.project.id) else {
            throw AuthorizationRefusal.appRemoved
        }
        try flow.requireTarget(of: app, in: realm)
        return ReturnedFlow(
            flow: flow, realm: realm, app: app,
            stored: StoredFlow(hash: replayKey.hash, realm: realm.id, expiresAt: replayKey.expiresAt))
    }

    /// Stores the form that a provider posted. The browser sends no cookies with this form. The request after the
    /// redirect has the flow's cookie and completes the flow.
    ///
    /// - Parameter path: the path of the request.
    public func storeResponse(
        _ response: AuthorizationResponse, of returned: ReturnedFlow, at path: String, from context: RequestContext
    ) async throws {
        try countResponse(of: returned, from: context)
        try returned.flow.requireRedirectURI(endingIn: path)
        guard returned.receivesForm, response.code.map(\.utf8.count) ?? 0 <= AuthorizationResponse.codeLengthLimit
        else { throw AuthorizationRefusal.invalidResponse }
        let sealed = try sealedTokens.encode(response, until: returned.stored.expiresAt, in: returned.realm.id)
        try await store.storeResponse(sealed, of: returned.stored)
    }

    /// Exchanges the code for the provider's tokens, verifies the identity, and stores the result for the client. If
    /// the provider does not respond before or during the exchange, the flow is released, and the same request may
    /// succeed later.
    ///
    /// - Parameters:
    ///   - response: ignored if the provider posts its response, which is then stored already.
    ///   - path: the path of the request.
    ///   - cookie: returns the value of the cookie with this name.
    public func complete(
        _ returned: ReturnedFlow, with response: AuthorizationResponse, at path: String,
        cookie: (String) -> String?, from context: RequestContext
    ) async throws -> FlowResultSecrets {
        do {
            try countResponse(of: returned, from: context)
            try requireBrowser(returned.flow, cookie: cookie)
            try returned.flow.requireRedirectURI(endingIn: path)
            let secrets = try await processResponse(response, of: returned)
            countEvent(.granted)
            return secrets
        } catch {
            switch error {
            case AuthorizationRefusal.cancelled: countEvent(.cancelled)
            case is ProviderUnreachable, AuthorizationRefusal.notVerifiable: countEvent(.unavailable)
            case is any Refusal: countEvent(.rejected)
            default: break
            }
            throw error
        }
    }

    private func countResponse(
        of returned: ReturnedFlow, from context: RequestContext
    ) throws(TooManyAttempts) {
        try limiter.count(
            .authorizationFlows(from: context.network), Policy.authorizationFlowLimit, Policy.authorizationFlowWindow,
            ID(returned.realm.project.id))
    }

    private func requireBrowser(
        _ flow: AuthorizationFlow, cookie: (String) -> String?
    ) throws(AuthorizationRefusal) {
        guard let expected = flow.cookie else { return }
        guard let value = cookie(expected.name), let hash = Base64URL.decode(expected.hash),
            secrets.areEqual(secrets.hash(value), hash)
        else {
            throw .otherBrowser
        }
    }

    private func processResponse(
        _ response: AuthorizationResponse, of returned: ReturnedFlow
    ) async throws -> FlowResultSecrets {
        guard let claimed = try await store.claim(returned.stored, requiresResponse: returned.receivesForm) else {
            throw AuthorizationRefusal.alreadyUsed
        }
        do {
            let storedResponse = try claimed.response.map {
                try unsealed(AuthorizationResponse.self, from: $0, in: returned.realm.id).content
            }
            return try await createGrant(for: returned, redeeming: returned.receivesForm ? storedResponse : response)
        } catch let error as ProviderUnreachable {
            try await store.release(returned.stored)
            throw error
        } catch let error as any Refusal {
            if claimed.response != nil { try await store.removeResponse(of: returned.stored) }
            throw error
        }
    }

    private func createGrant(
        for returned: ReturnedFlow, redeeming response: AuthorizationResponse?
    ) async throws -> FlowResultSecrets {
        let (flow, realm) = (returned.flow, returned.realm)
        guard let response else { throw AuthorizationRefusal.invalidResponse }
        guard !response.isCancelled else { throw AuthorizationRefusal.cancelled }
        if let error = response.error { throw AuthorizationRefusal(providerError: error) }
        guard let code = response.code, (1...AuthorizationResponse.codeLengthLimit).contains(code.utf8.count) else {
            throw AuthorizationRefusal.invalidResponse
        }
        // The provider may have been disabled in the meantime.
        try verifier.requireAllowed(flow.provider, returned.app, realm, flow.proofPurpose)
        // A code of the former issuer must not be sent to a new issuer.
        guard let settings = realm.settings(of: flow.provider), flow.issuer == realm.issuer(of: flow.provider)
        else { throw ProviderRefusal.notConfigured }
        // A code can be redeemed once, so everything else that may be unavailable comes first.
        try await verifier.loadKeys(flow.provider, realm)
        let tokens = try await servers.redeem(
            CodeRedemption(
                settings: settings, realm: realm.id, clientID: flow.clientID, code: Secret(code),
                redirectURI: flow.redirectURI, codeVerifier: flow.verifier, issuer: response.issuer))
        let appleToken = try appleToken(tokens, of: returned)
        if let appleToken { try await store.storeToken(appleToken, in: realm.id, at: clock.now()) }
        var identity: VerifiedIdentity
        do {
            identity = try await verified(tokens, of: returned, named: response.name)
        } catch is ProviderUnreachable {
            // The provider replaced its keys after they were loaded, and the new keys cannot be fetched. The code has
            // been redeemed, so the flow cannot be released.
            throw AuthorizationRefusal.notVerifiable
        }
        identity.appleToken = appleToken
        let result = AuthorizationResult(identity: identity, operation: flow.operation, tokens: tokens)
        return try await storeResult(result, of: returned)
    }

    /// Returns Apple's refresh token, encrypted; `nil` for another provider.
    private func appleToken(_ tokens: ProviderTokens, of returned: ReturnedFlow) throws -> SealedAppleToken? {
        guard let subject = tokens.appleSubject, let refreshToken = tokens.refreshToken else { return nil }
        let id = appleSealing.newID()
        return SealedAppleToken(
            id: id, subject: subject, clientID: returned.flow.clientID,
            ciphertext: try appleSealing.seal(Secret(refreshToken), id), redirectURI: nil,
            expiresAt: clock.now() + Self.unusedTokenLifetime, tokenType: .refreshToken)
    }

    /// Verifies the identity token. The nonce binds the token, and therefore the code, to this flow.
    private func verified(
        _ tokens: ProviderTokens, of returned: ReturnedFlow, named name: PersonName?
    ) async throws -> VerifiedIdentity {
        let (flow, realm, now) = (returned.flow, returned.realm, clock.now())
        var credential = FederatedCredential(
            provider: flow.provider, idToken: Secret(tokens.idToken), rawNonce: flow.nonce, name: name)
        let nonceKey = try sealedTokens.replayKey(ofNonce: flow.nonce, at: now, in: realm.id)
        credential.nonceIsFromGateway = nonceKey != nil
        credential.requiresNonceInToken = true
        var identity = try await verifier.verify(credential, returned.app, realm)
        identity.replayKeys += [nonceKey].compactMap(\.self)
        return identity
    }

    private func storeResult(
        _ result: AuthorizationResult, of returned: ReturnedFlow
    ) async throws -> FlowResultSecrets {
        let (grant, end) = (secrets.random(), clock.now() + Self.grantLifetime)
        let sessionID: String?
        let sessionHash: [UInt8]
        if case .app(_, let hash) = returned.flow.delivery {
            guard let known = Base64URL.decode(hash) else { throw AuthorizationRefusal.stateInvalid }
            (sessionID, sessionHash) = (nil, known)
        } else {
            let new = secrets.random()
            (sessionID, sessionHash) = (new, secrets.hash(new))
        }
        let key = FlowResultKey(
            grantHash: secrets.hash(grant), sessionHash: sessionHash, app: returned.app.id,
            realm: returned.realm.id)
        let sealed = try sealedTokens.encode(result, until: end, in: returned.realm.id)
        try await store.complete(returned.stored, with: sealed, for: key, until: end)
        return FlowResultSecrets(grant: grant, sessionID: sessionID)
    }
}
