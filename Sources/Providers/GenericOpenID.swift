internal import Crypto
internal import Encoding
internal import Identity
internal import JSON

/// Verifies identity tokens of an OpenID Connect provider that the operator configured. The discovery document of the
/// configured issuer contains the URL of the provider's keys.
struct GenericOpenID: Sendable {
    let keyCache: JWKSCache

    func verify(_ input: IDTokenInput) async throws -> VerifiedIdentity {
        guard let settings = input.settings.openID else { throw ProviderRefusal.notConfigured }
        let provider = input.settings.provider
        let verifier = OIDCVerifier(
            provider: provider, keyCache: keyCache,
            keysAddress: try await keyCache.address(ofKeysOf: settings.issuer, provider),
            issuers: [settings.issuer], audiences: input.audiences, authorizedParties: input.authorizedParties,
            algorithms: [.rs256, .es256], needsKeyID: false)
        let token = try await verifier.verify(input.idToken, at: input.now)
        let subject = try token.subject()
        try input.requireNonce(in: token.claims)
        let email = token.claims.text("email").flatMap(EmailAddress.init)
        return VerifiedIdentity(
            provider: provider, subject: subject, audience: token.audience, issuer: settings.issuer, email: email,
            emailTrust: Self.trust(in: email, token.claims, by: settings), profile: UserProfile(token.claims),
            rawUserInfo: token.json,
            nonce: input.credential.rawNonce ?? token.claims.nonce)
    }

    /// Returns how far the token's statement about its email address is trusted. The operator decides whether to trust
    /// the provider, because the gateway does not know how the provider verifies addresses.
    static func trust(in email: EmailAddress?, _ claims: IdentityTokenClaims, by settings: OpenIDSettings) -> EmailTrust
    {
        email != nil && settings.trustsEmail && claims["email_verified"] == .bool(true) ? .verified : .none
    }
}
