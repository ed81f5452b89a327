internal import Encoding

/// The proof of an identity in a request.
public enum IdentityProof: Sendable {
    case credential(FederatedCredential)
    case pendingToken(String)
    /// The result of a sign-in in a browser.
    case authorization(RedeemedAuthorization)
}

/// The provider's tokens in the response to the app. They come from the provider's token endpoint, or from the app's
/// own request.
public struct ProviderTokens: Hashable, Codable, Sendable {
    public let idToken: String
    public let accessToken: String?
    public let refreshToken: String?
    /// The lifetime of the access token in seconds.
    public let expiresIn: Int64?
    /// The `sub` of Apple's identity token, as Apple's token endpoint returned it; `nil` for another provider.
    public let appleSubject: String?

    public init(
        idToken: String, accessToken: String? = nil, refreshToken: String? = nil, expiresIn: Int64? = nil,
        appleSubject: String? = nil
    ) {
        self.idToken = idToken
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresIn = expiresIn
        self.appleSubject = appleSubject
    }

    public var withoutRefreshToken: ProviderTokens {
        ProviderTokens(idToken: idToken, accessToken: accessToken, expiresIn: expiresIn, appleSubject: appleSubject)
    }
}

/// Verifies credentials of identity providers.
public struct Verifier: Sendable {
    /// Verifies a credential, and returns its identity. Must not be called inside a database transaction. The provider
    /// must be one that ``requireAllowed`` accepts. Throws ``ProviderRefusal``, or ``ProviderUnreachable`` if the
    /// provider did not respond.
    public var verify:
        @Sendable (_ credential: FederatedCredential, _ app: App, _ realm: Realm) async throws -> VerifiedIdentity
    /// Throws unless the app may use an identity of that provider for that purpose, e.g. to sign in.
    public var requireAllowed:
        @Sendable (_ provider: ProviderID, _ app: App, _ realm: Realm, LoginServices.Purpose)
            throws(ProviderRefusal)
            -> Void
    /// Fetches the provider's keys, unless they are cached. Throws ``ProviderRefusal``, or ``ProviderUnreachable``.
    public var loadKeys: @Sendable (_ provider: ProviderID, _ realm: Realm) async throws -> Void

    public init(
        verify: @escaping @Sendable (FederatedCredential, App, Realm) async throws -> VerifiedIdentity,
        requireAllowed:
            @escaping @Sendable (ProviderID, App, Realm, LoginServices.Purpose) throws(ProviderRefusal) -> Void =
            LoginServices.require(_:for:in:to:),
        loadKeys: @escaping @Sendable (ProviderID, Realm) async throws -> Void
    ) {
        self.verify = verify
        self.requireAllowed = requireAllowed
        self.loadKeys = loadKeys
    }
}

/// Verifies proofs of identities: credentials of providers, pending tokens, and results of sign-ins in a browser.
public struct ProofResolver: Sendable {
    private let verifier: Verifier
    private let sealedTokens: any SealedTokens
    private let appleSealing: AppleGrantSealing
    private let serverAuthCodes: ServerAuthCodes
    private let clock: WallClock

    public init(
        verifier: Verifier, sealedTokens: any SealedTokens, appleSealing: AppleGrantSealing,
        serverAuthCodes: ServerAuthCodes, clock: WallClock
    ) {
        self.verifier = verifier
        self.serverAuthCodes = serverAuthCodes
        self.sealedTokens = sealedTokens
        self.appleSealing = appleSealing
        self.clock = clock
    }

    /// Verifies a proof. A server auth code is used up by this, even if the sign-in is rejected later.
    ///
    /// - Parameter network: the client's, for rate limits.
    /// - Returns: the proven identity, and the provider's tokens for the response to the app; no tokens if the proof is
    ///   a pending token or has no ID token.
    func resolve(
        _ proof: IdentityProof, for app: App, in realm: Realm, to purpose: LoginServices.Purpose = .signIn,
        from network: ClientNetwork
    ) async throws -> (proof: ResolvedProof, tokens: ProviderTokens?) {
        switch proof {
        case .credential(let credential):
            try verifier.requireAllowed(credential.provider, app, realm, purpose)
            return try await resolve(credential, for: app, in: realm, from: network)
        case .pendingToken(let token):
            let (pending, replayKey) = try sealedTokens.decode(
                PendingCredential.self, from: token, at: clock.now(), in: realm.id)
            try requireStillAllowed(
                pending.identity, for: app, in: realm, to: purpose, ifOtherIssuer: ProviderRefusal.invalidPendingToken)
            var identity = try accepted(pending.identity, for: app, in: realm)
            identity.replayKeys.append(replayKey)
            return (ResolvedProof(identity: identity, use: pending.use, pendingTokenKey: replayKey), nil)
        case .authorization(let redeemed):
            let proven = redeemed.result.identity
            try requireStillAllowed(
                proven, for: app, in: realm, to: purpose, ifOtherIssuer: AuthorizationRefusal.invalidGrant)
            var identity = try accepted(proven, for: app, in: realm)
            identity.replayKeys.append(redeemed.replayKey)
            return (ResolvedProof(identity: identity, isFromBrowser: true), redeemed.tokens)
        }
    }

    private func resolve(
        _ credential: FederatedCredential, for app: App, in realm: Realm, from network: ClientNetwork
    ) async throws -> (proof: ResolvedProof, tokens: ProviderTokens?) {
        let nonceKey = try replayKey(ofNonce: credential.rawNonce, in: realm)
        guard let code = credential.codeInsteadOfIDToken(in: realm) else {
            return (try await verified(credential, nonceKey, for: app, in: realm), credential.tokens)
        }
        let tokens = try await serverAuthCodes.redeem(code, of: credential.provider, for: app, in: realm, from: network)
        var credential = credential
        credential.idToken = Secret(tokens.idToken)
        do {
            return (try await verified(credential, nonceKey, for: app, in: realm), tokens)
        } catch is ProviderUnreachable {
            // The provider replaced its keys after they were loaded. The code has been redeemed, so a retry of the
            // request would fail.
            throw AuthorizationRefusal.notVerifiable
        }
    }

    /// Verifies the ID token of a credential.
    ///
    /// - Parameter requestNonceKey: the replay key of the credential's nonce; `nil` if the gateway did not issue it.
    private func verified(
        _ credential: FederatedCredential, _ requestNonceKey: ReplayKey?, for app: App, in realm: Realm
    ) async throws -> ResolvedProof {
        var credential = credential
        credential.nonceIsFromGateway = requestNonceKey != nil
        var identity = try accepted(await verifier.verify(credential, app, realm), for: app, in: realm)
        // A token may contain a nonce of the gateway that the request does not contain. That nonce is consumed too.
        // Exception: Firebase's SDKs send the tokens of some providers a second time, in a request without the nonce.
        // Therefore these are accepted without consuming the nonce if the request contains none.
        let mayBeSecondUse =
            credential.rawNonce == nil
            && realm.project.supportedProviders[credential.provider]?.isSentAgainWithoutNonce == true
        let consumedKey =
            identity.nonce.map { ByteText($0) } == credential.rawNonce.map { ByteText($0) } || mayBeSecondUse
            ? requestNonceKey : try replayKey(ofNonce: identity.nonce, in: realm)
        if let consumedKey { identity.replayKeys.append(consumedKey) }
        // A sign-in must not fail because of Apple's code.
        if identity.provider == .apple, let code = credential.authorizationCode, code.isStorable {
            identity.appleToken = try sealed(code, of: identity)
        }
        return ResolvedProof(identity: identity)
    }

    /// Requires that an app may still use an identity that was proven a few minutes ago.
    ///
    /// - Parameter refusal: the error if the provider's issuer has changed since then.
    func requireStillAllowed(
        _ identity: VerifiedIdentity, for app: App, in realm: Realm, to purpose: LoginServices.Purpose,
        ifOtherIssuer refusal: any Refusal
    ) throws {
        try verifier.requireAllowed(identity.provider, app, realm, purpose)
        guard identity.issuer == realm.issuer(of: identity.provider) else { throw refusal }
    }

    /// Returns the parts of an identity that `app` may use. If the app offers the provider only to link, the address is
    /// not trusted.
    ///
    /// - Throws: ``ProviderRefusal/hostedDomain(expected:seen:)``.
    private func accepted(
        _ identity: VerifiedIdentity, for app: App, in realm: Realm
    ) throws(ProviderRefusal) -> VerifiedIdentity {
        try realm.requireHostedDomain(of: identity)
        var accepted = identity.limited(to: app.settings.requestedScopes, by: realm.policy)
        if app.linkOnlyProviders(in: realm).contains(identity.provider) { accepted.emailTrust = .none }
        return accepted
    }

    /// Returns the encrypted authorization code of an Apple credential.
    private func sealed(_ code: AuthorizationCode, of identity: VerifiedIdentity) throws -> SealedAppleToken {
        let id = appleSealing.newID()
        return SealedAppleToken(
            id: id, subject: identity.subject, clientID: identity.audience,
            ciphertext: try appleSealing.seal(code.code, id), redirectURI: code.redirectURI,
            expiresAt: clock.now() + AuthorizationCode.lifetime)
    }

    /// - Returns: `nil` if the gateway did not issue the nonce.
    private func replayKey(ofNonce nonce: String?, in realm: Realm) throws -> ReplayKey? {
        try nonce.flatMap { try sealedTokens.replayKey(ofNonce: $0, at: clock.now(), in: realm.id) }
    }
}

extension FederatedCredential {
    /// The code to redeem, if the provider accepts it in place of an ID token. A code beside an ID token is not used,
    /// so the app's backend can redeem it.
    fileprivate func codeInsteadOfIDToken(in realm: Realm) -> AuthorizationCode? {
        guard idToken == nil, realm.project.supportedProviders[provider]?.acceptsServerAuthCodes == true else {
            return nil
        }
        return authorizationCode
    }

    /// The tokens of the request.
    fileprivate var tokens: ProviderTokens? {
        idToken.map { ProviderTokens(idToken: $0.expose(), accessToken: accessToken?.expose()) }
    }
}

/// An identity that this request has proven, with the data of its proof.
struct ResolvedProof: Hashable, Codable, Sendable {
    /// Its ``VerifiedIdentity/replayKeys`` are those of the whole proof.
    let identity: VerifiedIdentity
    var use = PendingCredential.Use.any
    /// The replay key of the pending token that contained the identity.
    var pendingTokenKey: ReplayKey?
    /// Whether the identity comes from a sign-in in a browser.
    var isFromBrowser = false

    /// The error for a proof that was used before.
    var reuseRefusal: any Refusal {
        if isFromBrowser { return AuthorizationRefusal.invalidGrant }
        return pendingTokenKey == nil ? ProviderRefusal.nonce(.alreadyUsed) : .tokenAlreadyUsed
    }

    /// Requires that the identity that is linked to `owner` has the issuer of the proven identity, or no issuer. An
    /// identity without an issuer was linked by an administrator before the provider was configured, or by an older
    /// release. It gets the issuer of its first sign-in. Until then, it counts as having the issuer in the provider's
    /// settings: like every identity with that issuer, it blocks a change of the issuer, or is unlinked by the change.
    ///
    /// - Parameter owner: the account that has the identity with this provider and subject.
    /// - Throws: ``ProviderRefusal/otherIssuer``.
    func requireSameIssuer(asIdentityOf owner: Account?) throws(ProviderRefusal) {
        let linked = owner?.identity(identity.provider, subject: identity.subject)
        guard let issuer = linked?.issuer else { return }
        guard issuer == identity.issuer else { throw .otherIssuer }
    }

    /// - Throws: ``ProviderRefusal/voidCredential`` if the provider has ended all sessions of the user since it issued
    ///   the token.
    func requireValidToken(ofIdentityOf owner: Account?) throws(ProviderRefusal) {
        let linked = owner?.identity(identity.provider, subject: identity.subject)
        guard let voidBefore = linked?.credentialsVoidBefore, let issuedAt = identity.tokenIssuedAt else { return }
        guard issuedAt >= voidBefore else { throw .voidCredential }
    }

    /// - Throws: ``ProviderRefusal/invalidPendingToken`` unless the pending token is for this caller.
    func requireUse(by caller: Caller?) throws(ProviderRefusal) {
        guard case .link(let account, let generation) = use else { return }
        guard caller?.account.id == account, caller?.account.generation == generation else {
            throw .invalidPendingToken
        }
    }
}

/// The content of a pending token: a verified identity that could not be used yet, because that would be unsafe or
/// ambiguous.
public struct PendingCredential: Hashable, SealedTokenContent {
    public enum Use: Hashable, Codable, Sendable {
        /// As valid as the credential itself: to sign in, link, or merge.
        case any
        /// Only for linking to this account by its owner, while the account still has this generation: until a change
        /// ends all its sessions.
        case link(to: ID<Account>, generation: Int64)
    }

    public static let purpose = "pending-credential"

    public let identity: VerifiedIdentity
    public let use: Use
}
