internal import Crypto
internal import Encoding
internal import Identity
internal import JSON

/// Verifies and reads identity tokens of an OpenID Connect provider that the operator configured. The discovery
/// document of the configured issuer contains the URL of the provider's keys.
enum GenericOpenID {
    static func verifier(
        of settings: ProviderSettings, for app: App, keyCache: JWKSCache
    ) async throws -> OIDCVerifier {
        let provider = settings.provider
        guard provider.isGenericOpenID, let issuer = settings.openID?.issuer else {
            throw ProviderRefusal.notConfigured
        }
        var verifier = OIDCVerifier(
            provider: provider, keyCache: keyCache,
            keysAddress: try await keyCache.address(ofKeysOf: issuer, provider), issuers: [issuer],
            accepting: settings, for: app)
        verifier.algorithms = [.rs256, .es256]
        verifier.needsKeyID = false
        return verifier
    }

    static func identity(
        in token: VerifiedToken, of credential: FederatedCredential, by settings: ProviderSettings
    ) throws -> VerifiedIdentity {
        guard let openID = settings.openID else { throw ProviderRefusal.notConfigured }
        let subject = try token.subject()
        try token.requireNonce(credential.rawNonce)
        let email = token.claims.text("email").flatMap(EmailAddress.init)
        return VerifiedIdentity(
            provider: settings.provider, subject: subject, audience: token.audience, issuer: openID.issuer,
            email: email, emailTrust: trust(in: email, token.claims, by: openID), profile: UserProfile(token.claims),
            rawUserInfo: token.json, nonce: credential.rawNonce ?? token.claims.nonce)
    }

    /// Returns how far the token's statement about its email address is trusted. The operator decides whether to trust
    /// the provider, because the gateway does not know how the provider verifies addresses.
    static func trust(in email: EmailAddress?, _ claims: IdentityTokenClaims, by settings: OpenIDSettings) -> EmailTrust
    {
        email != nil && settings.trustsEmail && claims["email_verified"] == .bool(true) ? .verified : .none
    }
}
