internal import Encoding
internal import Identity
internal import Tokens

/// Issues unsigned ID tokens and session cookies (RFC 7519 §6), as Firebase's emulator does, and accepts unsigned ID
/// tokens besides signed ones. An unsigned ID token passes the other checks of a signed one. `serve` cannot use this
/// type.
struct UnsignedTokens: TokenAuthority {
    /// Firebase's Admin SDK for Node requires this algorithm, and an empty signature.
    private static let header = Base64URL.encode(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))

    let signed: GatewayTokens

    func idToken(
        for account: Account, session: Session, in realm: Realm, at now: Instant
    ) async throws -> String {
        Self.token(try signed.idTokenPayload(for: account, session: session, in: realm, at: now))
    }

    func hookToken(_ payload: [UInt8], in realm: Realm, at now: Instant) async throws -> String {
        Self.token(payload)
    }

    func refreshToken(_ contents: RefreshTokenContents, in realm: Realm) async throws -> String {
        try await signed.refreshToken(contents, in: realm)
    }

    /// Takes the claims from the account and the session, because an unsigned ID token can contain any claims.
    func sessionCookie(
        from _: String, of caller: Caller, lasting lifetime: Duration, in realm: Realm, at now: Instant
    ) async throws -> String {
        let payload = try signed.idTokenPayload(for: caller.account, session: caller.session, in: realm, at: now)
        return Self.token(try signed.sessionCookiePayload(from: payload, lasting: lifetime, in: realm, at: now))
    }

    func read(idToken: String, in realm: Realm, at now: Instant) async throws -> IDTokenContents {
        guard case .jwt(let json) = UnsignedToken(idToken) else {
            return try await signed.read(idToken: idToken, in: realm, at: now)
        }
        let payload = try IDTokenPayload(json)
        try payload.requireIssued(by: signed.issuers, for: realm, at: now)
        return payload.contents
    }

    func read(refreshToken: String, in realm: Realm) async throws -> RefreshTokenContents {
        try await signed.read(refreshToken: refreshToken, in: realm)
    }

    /// Returns the tenant that an unverified ID token or refresh token names, or `nil` if it names none.
    static func tenant(namedBy token: String) -> ID<Tenant>? {
        guard case .jwt(let json) = UnsignedToken(token) else { return GatewayTokens.tenant(namedBy: token) }
        // A text that is not an ID token names no tenant. It is rejected later.
        return try? IDTokenPayload(json).tenant
    }

    private static func token(_ payload: [UInt8]) -> String { "\(header).\(Base64URL.encode(payload))." }
}
