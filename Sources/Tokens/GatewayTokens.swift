public import Identity
internal import JOSE
internal import JSONText

/// ``TokenAuthority`` with the keys of each project: ID tokens are JWTs, refresh tokens a ``RefreshTokenForm``.
public struct GatewayTokens: TokenAuthority {
    private let keys: @Sendable (ID<Project>) async throws -> KeyRing
    private let issuer: @Sendable (ID<Project>) -> String
    private let clock: WallClock

    public init(
        keys: @escaping @Sendable (ID<Project>) async throws -> KeyRing,
        issuer: @escaping @Sendable (ID<Project>) -> String, clock: WallClock
    ) {
        self.keys = keys
        self.issuer = issuer
        self.clock = clock
    }

    public func idToken(
        for account: Account, session: Session, in project: Project, at now: Instant
    ) async throws -> String {
        let key = try await keys(project.id).idTokenSigner(at: now)
        let claims = IDTokenClaims(
            for: account, session: session, issuer: issuer(project.id), in: project, at: now)
        let payload = try claims.payload(adding: [account.customClaims, session.claims].compactMap { $0 })
        return try JWS.sign(payload: payload, keyID: key.stored.id, with: key.privateKey)
    }

    public func refreshToken(_ claim: RefreshClaim, in project: Project) async throws -> String {
        let key = try await keys(project.id).refreshKeyToSign(at: clock.now())
        guard
            let token = RefreshTokenForm.seal(claim, keyID: key.stored.id, secret: key.secret, in: project.id)
        else { throw NoSigningKey() }
        return token
    }

    public func read(idToken: String, in project: Project, at now: Instant) async throws -> IDTokenClaim {
        let ring = try await keys(project.id)
        guard let claims = claims(of: idToken, by: ring, at: now), claims.iss == issuer(project.id),
            claims.aud == project.id.rawValue, claims.exp > now.seconds
        else { throw TokenRefusal.invalidIDToken }
        return IDTokenClaim(account: ID(claims.sub), session: ID(claims.sid))
    }

    public func read(refreshToken: String, in project: Project) async throws -> RefreshClaim {
        let ring = try await keys(project.id)
        let now = clock.now()
        let claim = RefreshTokenForm.open(refreshToken, in: project.id) { ring.refreshKey($0, at: now) }
        guard let claim else { throw TokenRefusal.invalidRefreshToken }
        return claim
    }

    /// - Returns: `nil` whatever is wrong: the caller is told no more than that the token is invalid.
    private func claims(of idToken: String, by ring: KeyRing, at now: Instant) -> IDTokenClaims? {
        do {
            let unverified = try UnverifiedJWS(parsing: idToken)
            guard let keyID = unverified.keyID, let key = ring.idTokenKey(keyID, at: now) else { return nil }
            return try StrictJSON.decode(IDTokenClaims.self, from: try unverified.payload(verifiedWith: key))
        } catch {
            return nil
        }
    }
}
