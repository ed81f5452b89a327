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

    static func identity(
        in token: VerifiedToken, of credential: FederatedCredential, in realm: Realm
    ) throws -> VerifiedIdentity {
        let subject = try token.subject()
        let nonce = try requireNonce(in: token, of: credential, in: realm)
        let email = token.claims.text("email").flatMap(EmailAddress.init)
        var identity = VerifiedIdentity(
            provider: .apple, subject: subject, audience: token.audience, email: email,
            emailTrust: trust(in: email, token.claims), isPrivateEmail: isPrivate(email, token.claims),
            profile: UserProfile(name: credential.name), realUserStatus: realUserStatus(token.claims),
            rawUserInfo: token.json,
            nonce: credential.rawNonce,
            replayKeys: replayKeys(nonce: nonce, of: subject, expiresAt: token.expiresAt),
            issuedAt: try token.claims.time("iat"))
        identity.transferSubject = token.claims.text("transfer_sub").flatMap {
            OIDCVerifier.isValidSubject($0) ? $0 : nil
        }
        return identity
    }

    /// Checks the nonce of a token.
    ///
    /// - The token must contain the SHA-256 of the request's nonce in lower-case hexadecimal, as Apple's clients send
    ///   it. Where unhashed nonces are accepted, the token may contain the nonce itself.
    /// - If only the request has a nonce, the token must state that the device does not support nonces. Even then, the
    ///   token is rejected if ``FederatedCredential/requiresNonceInToken`` is set.
    /// - If only the token has a nonce, the token is rejected.
    /// - If both lack a nonce, the policy decides.
    ///
    /// - Returns: the nonce of the token; `nil` if it has none.
    private static func requireNonce(
        in token: VerifiedToken, of credential: FederatedCredential, in realm: Realm
    ) throws(ProviderRefusal) -> String? {
        guard let claim = try token.nonce(forRequestNonce: credential.rawNonce) else {
            guard credential.rawNonce == nil else {
                // Tokens from old devices state that nonces are not supported.
                guard !credential.requiresNonceInToken, token.claims.isFalse("nonce_supported") else {
                    throw .nonce(.missingInToken)
                }
                return nil
            }
            guard !realm.policy.requiresNonce else { throw .nonce(.missing) }
            return nil
        }
        guard let raw = credential.rawNonce else { throw .nonce(.missingInRequest) }
        // On the web, Apple returns the nonce as the page sent it. An unhashed nonce is safe if the gateway issued it.
        let acceptsUnhashed =
            credential.nonceIsFromGateway || realm.settings(of: .apple)?.apple?.acceptsUnhashedNonces == true
        try VerifiedToken.requireMatch(of: claim, raw, acceptsUnhashed: acceptsUnhashed)
        return claim
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
