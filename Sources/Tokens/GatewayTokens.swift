public import Identity
internal import JOSE
internal import JSON

/// ``TokenAuthority`` with the keys of each project: ID tokens are JWTs, refresh tokens a ``RefreshTokenCodec``.
public struct GatewayTokens: TokenAuthority {
    private let keys: @Sendable (ID<Project>) async throws -> KeyRing
    private let issuers: Issuers
    private let clock: WallClock
    private let verifiedTokens = VerifiedTokenCache()

    public init(
        keys: @escaping @Sendable (ID<Project>) async throws -> KeyRing, issuers: Issuers, clock: WallClock
    ) {
        self.keys = keys
        self.issuers = issuers
        self.clock = clock
    }

    public func idToken(
        for account: Account, session: Session, in project: Project, at now: Instant
    ) async throws -> String {
        let key = try await keys(project.id).idTokenSigner(at: now)
        let claims = IDTokenClaims(
            for: account, session: session, issuer: issuers.idTokens(project.id), in: project, at: now)
        let payload = try claims.payload(adding: [account.customClaims, session.claims].compactMap { $0 })
        return try JWS.sign(payload: payload, keyID: key.stored.id, with: key.privateKey)
    }

    public func refreshToken(_ claim: RefreshClaim, in project: Project) async throws -> String {
        let key = try await keys(project.id).refreshKeyToSign(at: clock.now())
        guard
            let token = RefreshTokenCodec.encode(claim, keyID: key.stored.id, secret: key.secret, in: project)
        else { throw NoSigningKey() }
        return token
    }

    public func sessionCookie(
        from idToken: String, lasting lifetime: Duration, in project: Project, at now: Instant
    ) async throws -> String {
        let ring = try await keys(project.id)
        var claims = try StrictJSON.decode(
            [String: JSONValue].self, from: try verify(idToken, by: ring, in: project, at: now).payload)
        claims["iss"] = .string(issuers.sessionCookies(project.id))
        claims["iat"] = .integer(now.seconds)
        claims["exp"] = .integer(now.seconds + lifetime.components.seconds)
        let key = try ring.idTokenSigner(at: now)
        return try JWS.sign(
            payload: try StrictJSON.encode(claims), keyID: key.stored.id, type: nil, with: key.privateKey)
    }

    public func read(idToken: String, in project: Project, at now: Instant) async throws -> IDTokenClaim {
        let ring = try await keys(project.id)
        let digest = VerifiedTokenCache.digest(of: idToken, in: project.realm)
        if let entry = verifiedTokens[digest], entry.expiresAt > now.seconds,
            ring.idTokenKey(entry.keyID, at: now) != nil
        {
            return entry.claim
        }
        let (heading, _, keyID) = try verify(idToken, by: ring, in: project, at: now)
        let claim = IDTokenClaim(account: ID(heading.sub), session: ID(heading.sid))
        verifiedTokens.remember(
            VerifiedTokenCache.Entry(claim: claim, keyID: keyID, expiresAt: heading.exp), as: digest)
        return claim
    }

    public func read(refreshToken: String, in project: Project) async throws -> RefreshClaim {
        let ring = try await keys(project.id)
        let now = clock.now()
        let claim = RefreshTokenCodec.decode(refreshToken, in: project) { ring.refreshKey($0, at: now) }
        guard let claim else { throw TokenRefusal.invalidRefreshToken }
        return claim
    }

    /// The tenant that an unverified ID token or refresh token names.
    public static func tenant(namedBy token: String) -> ID<Tenant>? {
        if let tenant = RefreshTokenCodec.tenant(namedBy: token) { return tenant }
        // Other texts name no tenant and are rejected later.
        guard let unverified = try? UnverifiedJWS(parsing: token) else { return nil }
        return unverified.unverified(IDTokenHeading.self)?.firebase.tenant.map { ID($0) }
    }

    /// The caller learns only that the token is invalid, or which project it names.
    private func verify(
        _ idToken: String, by ring: KeyRing, in project: Project, at now: Instant
    ) throws(TokenRefusal) -> (heading: IDTokenHeading, payload: [UInt8], keyID: String) {
        do {
            let unverified = try UnverifiedJWS(parsing: idToken)
            guard let keyID = unverified.keyID, let key = ring.idTokenKey(keyID, at: now) else {
                throw TokenRefusal.invalidIDToken
            }
            let payload = try unverified.payload(verifiedWith: key)
            let heading = try StrictJSON.decode(IDTokenHeading.self, from: payload)
            guard heading.iss == issuers.idTokens(project.id), heading.aud == project.id.rawValue,
                heading.exp > now.seconds
            else { throw TokenRefusal.invalidIDToken }
            guard heading.firebase.tenant == project.tenant?.id.rawValue else { throw TokenRefusal.otherTenant }
            return (heading, payload, keyID)
        } catch TokenRefusal.otherTenant {
            throw .otherTenant
        } catch {
            throw .invalidIDToken
        }
    }
}

/// The claims of an ID token that the gateway uses. Administrators may have added others.
private struct IDTokenHeading: Decodable {
    let iss: String
    let aud: String
    let sub: String
    let sid: String
    let exp: Int64
    let firebase: Firebase

    struct Firebase: Decodable {
        let tenant: String?
    }
}
