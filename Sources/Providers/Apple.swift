internal import Crypto
internal import Encoding
internal import Identity

extension IdentityProvider {
    /// Sign in with Apple.
    public static let apple = IdentityProvider(
        Provider(
            id: .apple, displayName: "Apple", issuers: ["https://appleid.apple.com"], issuerDomains: ["apple.com"],
            responseMode: .form, usesPKCE: false,
            scopes: ProviderScopes(base: [], optional: [.email: "email", .name: "name"], acceptsOthers: false),
            hashesNonce: true, federatedIDPrefix: "", settings: [.apple]),
        endpoints: ProviderEndpoints(
            keysURL: "https://appleid.apple.com/auth/keys",
            authorizationURL: "https://appleid.apple.com/auth/authorize", codeExchange: .apple),
        identity: Apple.identity)
}

/// Reads identity tokens of Sign in with Apple.
enum Apple {
    /// How long a replay key (the hash that marks a token as used) is stored after its token is no longer accepted.
    /// Clocks differ, so another replica may accept the token a little longer.
    private static let replayKeyMargin: Duration = .seconds(300)

    static func identity(in token: VerifiedToken, of input: IDTokenInput) throws -> VerifiedIdentity {
        let subject = try token.subject()
        let nonce = try input.requireAppleNonce(in: token.claims)
        let email = token.claims.text("email").flatMap(EmailAddress.init)
        var identity = VerifiedIdentity(
            provider: .apple, subject: subject, audience: token.audience, email: email,
            emailTrust: trust(in: email, token.claims), isPrivateEmail: isPrivate(email, token.claims),
            profile: UserProfile(name: input.credential.name), realUserStatus: realUserStatus(token.claims),
            rawUserInfo: token.json,
            nonce: input.credential.rawNonce,
            replayKeys: replayKeys(nonce: nonce, of: subject, expiresAt: token.expiresAt),
            issuedAt: try token.claims.time("iat"))
        identity.transferSubject = token.claims.text("transfer_sub").flatMap {
            OIDCVerifier.isValidSubject($0) ? $0 : nil
        }
        return identity
    }

    /// Returns how far the token's statement about its email address is trusted. An address with `email_verified` is
    /// authoritative, because Apple operates the relay addresses and has verified the other addresses.
    static func trust(in email: EmailAddress?, _ claims: IdentityTokenClaims) -> EmailTrust {
        email != nil && claims.isTrue("email_verified") ? .authoritative : .none
    }

    /// Whether the email address is a private relay address. Some genuine tokens with relay addresses lack the claim
    /// `is_private_email`, so the domain is checked too.
    static func isPrivate(_ email: EmailAddress?, _ claims: IdentityTokenClaims) -> Bool {
        guard let email else { return false }
        return claims.isTrue("is_private_email") || email.isRelay
    }

    /// Returns Apple's claim `real_user_status`: 0 (unsupported), 1 (unknown) or 2 (likely real); `nil` for any other
    /// value.
    static func realUserStatus(_ claims: IdentityTokenClaims) -> Int? {
        claims.integer("real_user_status").flatMap { (0...2).contains($0) ? Int($0) : nil }
    }

    /// Returns the replay key of a token, so that a token with a nonce can be used only once; empty for a token without
    /// a nonce. The key contains the subject, because another user's token with the same nonce is another credential.
    static func replayKeys(nonce: String?, of subject: String, expiresAt: Instant?) -> [ReplayKey] {
        guard let nonce, let expiresAt else { return [] }
        let text = "nonce of a provider's token\n\(ProviderID.apple.rawValue)\n\(subject)\n\(nonce)"
        return [
            ReplayKey(
                hash: Digest.sha256(Array(text.utf8)), expiresAt: expiresAt + OIDCVerifier.leeway + replayKeyMargin)
        ]
    }
}
