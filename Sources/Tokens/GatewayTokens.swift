public import Crypto
internal import Encoding
public import Identity
internal import JOSE
internal import JSON

/// A ``TokenAuthority`` that signs with the keys of each project. ID tokens are JWTs; ``RefreshTokenCodec`` encodes
/// refresh tokens.
public struct GatewayTokens: TokenAuthority {
    /// How much longer than its lifetime an ID token is accepted where several gateways run: the limit for the
    /// difference of a gateway's clock from PostgreSQL's, for the gateway that has signed the token and for the one
    /// that verifies it. Otherwise, a gateway whose clock is ahead would sign users out. A token is accepted only while
    /// its session is active, so a longer time does not weaken a revocation.
    public static let clockTolerance: Duration = .seconds(600)

    /// Returns the decrypted keys of a project.
    private let cachedKeyRing: @Sendable (ID<Project>) async throws -> KeyRing
    private let newKeyRing: @Sendable (ID<Project>) async throws -> KeyRing
    public let issuers: Issuers
    private let clock: WallClock
    private let clockTolerance: Duration
    private let verifiedTokens = VerifiedTokenCache()

    /// - Parameters:
    ///   - keyRing: returns the decrypted keys of a project, which may be cached.
    ///   - newKeyRing: returns keys that were loaded after the call, for a token whose key is not cached.
    ///   - clockTolerance: how much longer than its lifetime an ID token is accepted.
    public init(
        keyRing: @escaping @Sendable (ID<Project>) async throws -> KeyRing,
        newKeyRing: @escaping @Sendable (ID<Project>) async throws -> KeyRing, issuers: Issuers, clock: WallClock,
        clockTolerance: Duration = .zero
    ) {
        cachedKeyRing = keyRing
        self.newKeyRing = newKeyRing
        self.issuers = issuers
        self.clock = clock
        self.clockTolerance = clockTolerance
    }

    public func idToken(
        for account: Account, session: Session, in realm: Realm, at now: Instant
    ) async throws -> String {
        let key = try await cachedKeyRing(realm.project.id).idTokenSigner(at: now)
        let payload = try idTokenPayload(for: account, session: session, in: realm, at: now)
        return try JWS.sign(payload: payload, keyID: key.stored.id, with: key.privateKey)
    }

    /// Returns the payload of ``idToken(for:session:in:at:)``.
    public func idTokenPayload(
        for account: Account, session: Session, in realm: Realm, at now: Instant
    ) throws -> [UInt8] {
        let claims = IDTokenClaims(
            for: account, session: session, issuer: issuers.idTokenIssuer(of: realm.project.id), in: realm, at: now)
        return try claims.payload(adding: [account.customClaims, session.claims].compactMap { $0 })
    }

    public func hookToken(_ payload: [UInt8], in realm: Realm, at now: Instant) async throws -> String {
        let key = try await cachedKeyRing(realm.project.id).idTokenSigner(at: now)
        return try JWS.sign(payload: payload, keyID: key.stored.id, type: "hook+jwt", with: key.privateKey)
    }

    public func refreshToken(_ contents: RefreshTokenContents, in realm: Realm) async throws -> String {
        let key = try await cachedKeyRing(realm.project.id).refreshTokenSigner(at: clock.now())
        return try RefreshTokenCodec.encode(contents, keyID: key.stored.id, secret: key.secret, in: realm)
    }

    public func sessionCookie(
        from idToken: String, of _: Caller, lasting lifetime: Duration, in realm: Realm, at now: Instant
    ) async throws -> String {
        let keyRing = try await keyRing(of: realm, forIDToken: idToken)
        let payload = try sessionCookiePayload(
            from: try verify(idToken, by: keyRing, in: realm, at: now).payload, lasting: lifetime, in: realm,
            at: now)
        let key = try keyRing.idTokenSigner(at: now)
        return try JWS.sign(payload: payload, keyID: key.stored.id, type: nil, with: key.privateKey)
    }

    /// Returns the payload of a session cookie with the claims of an ID token.
    ///
    /// - Parameter payload: the payload of the ID token, from a verified token or from
    ///   ``idTokenPayload(for:session:in:at:)``.
    public func sessionCookiePayload(
        from payload: [UInt8], lasting lifetime: Duration, in realm: Realm, at now: Instant
    ) throws -> [UInt8] {
        var claims = try StrictJSON.decode(JSONObject.self, from: payload)
        claims["iss"] = .string(issuers.sessionCookieIssuer(of: realm.project.id))
        claims["iat"] = .integer(now.seconds)
        claims["exp"] = .integer(now.seconds + lifetime.components.seconds)
        return try StrictJSON.encode(claims)
    }

    public func read(idToken: String, in realm: Realm, at now: Instant) async throws -> IDTokenContents {
        let digest = VerifiedTokenCache.digest(of: idToken, in: realm.id)
        if let entry = verifiedTokens[digest], entry.expiresAt > (now - clockTolerance).seconds,
            try await cachedKeyRing(realm.project.id).idTokenKey(entry.keyID, at: now) != nil
        {
            return entry.contents
        }
        let keyRing = try await keyRing(of: realm, forIDToken: idToken)
        let (claims, _, keyID) = try verify(idToken, by: keyRing, in: realm, at: now)
        verifiedTokens.insert(
            VerifiedTokenCache.Entry(contents: claims.contents, keyID: keyID, expiresAt: claims.expiresAt),
            for: digest)
        return claims.contents
    }

    public func read(refreshToken: String, in realm: Realm) async throws -> RefreshTokenContents {
        let keyRing = try await keyRing(of: realm) { keyRing in
            RefreshTokenCodec.keyID(namedBy: refreshToken).map(keyRing.hasRefreshKey)
        }
        let now = clock.now()
        let contents = RefreshTokenCodec.decode(refreshToken, in: realm) { keyRing.refreshKey($0, at: now) }
        guard let contents else { throw TokenRefusal.invalidRefreshToken }
        return contents
    }

    /// Returns the tenant that an unverified ID token or refresh token names, or `nil` if it names none.
    public static func tenant(namedBy token: String) -> ID<Tenant>? {
        if let tenant = RefreshTokenCodec.tenant(namedBy: token) { return tenant }
        // A text that is not a token names no tenant. It is rejected later.
        guard let unverified = try? UnverifiedJWS(parsing: token) else { return nil }
        return unverified.unverified(IDTokenPayload.self)?.tenant
    }

    private func keyRing(of realm: Realm, forIDToken token: String) async throws -> KeyRing {
        try await keyRing(of: realm) { keyRing in
            // A text that is not a token names no key. It is rejected later.
            (try? UnverifiedJWS(parsing: token))?.keyID.map(keyRing.hasIDTokenKey)
        }
    }

    /// Returns the keys of a project. Loads them again if they lack the key of a token: another gateway may have signed
    /// the token with a key that was created since.
    ///
    /// - Parameter hasKey: whether a key ring has the key of the token; `nil` if the token names no key.
    private func keyRing(of realm: Realm, hasKey: (KeyRing) -> Bool?) async throws -> KeyRing {
        let cached = try await cachedKeyRing(realm.project.id)
        return hasKey(cached) == false ? try await newKeyRing(realm.project.id) : cached
    }

    /// Verifies an ID token. The error reveals only that the token is invalid, or that it belongs to another tenant.
    private func verify(
        _ idToken: String, by keyRing: KeyRing, in realm: Realm, at now: Instant
    ) throws(TokenRefusal) -> (claims: IDTokenPayload, payload: [UInt8], keyID: String) {
        let payload: [UInt8]
        let keyID: String
        do {
            let unverified = try UnverifiedJWS(parsing: idToken)
            guard let id = unverified.keyID, let key = keyRing.idTokenKey(id, at: now) else {
                throw TokenRefusal.invalidIDToken
            }
            payload = try unverified.payload(verifiedWith: key)
            keyID = id
        } catch {
            throw .invalidIDToken
        }
        let claims = try IDTokenPayload(payload)
        try claims.requireIssued(by: issuers, for: realm, at: now - clockTolerance)
        return (claims, payload, keyID)
    }
}

/// The values of `iss` in ID tokens and session cookies. The values differ, so that a session cookie cannot be used as
/// an ID token, or an ID token as a session cookie (RFC 8725 §3.12).
public enum Issuers: Sendable {
    /// Issuers under the URL of the gateway.
    ///
    /// - Parameter publicURL: without a slash at the end.
    case own(_ publicURL: String)
    /// Firebase's issuers, for clients of the emulator.
    case firebase

    /// Returns the value of `iss` in the ID tokens of a project.
    public func idTokenIssuer(of project: ID<Project>) -> String {
        switch self {
        case .own(let publicURL): "\(publicURL)/\(project)"
        case .firebase: "https://securetoken.google.com/\(project)"
        }
    }

    /// Returns the value of `iss` in the session cookies of a project.
    func sessionCookieIssuer(of project: ID<Project>) -> String {
        switch self {
        case .own(let publicURL): "\(publicURL)/\(project)/session"
        case .firebase: "https://session.firebase.google.com/\(project)"
        }
    }
}

/// The decrypted keys of one project, which sign and verify its ID tokens and refresh tokens.
public struct KeyRing: Sendable {
    struct IDTokenKey: Sendable {
        let stored: StoredKey
        let publicKey: PublicKey
        let privateKey: PrivateKey
    }

    struct RefreshKey: Sendable {
        let stored: StoredKey
        let secret: [UInt8]
    }

    /// How long a key for ID tokens is published before it signs, so that verifiers that cache the keys have fetched
    /// it. The first key of a project, and a key that replaces a leaked one, sign immediately.
    public static let publicationLead: Duration = .seconds(900)
    /// How long an ID token is accepted after its key was retired: until every gateway has loaded the keys again, and
    /// no longer signs with the retired one.
    public static let acceptanceAfterRetirement: Duration = .seconds(6)

    /// Newest first, like ``refreshKeys``.
    let idTokenKeys: [IDTokenKey]
    let refreshKeys: [RefreshKey]
    private let project: ID<Project>

    /// - Throws: ``SealFault`` if a key cannot be decrypted with `masterKeys`.
    public init(_ keys: [StoredKey], of project: ID<Project>, under masterKeys: MasterKeys) throws {
        self.project = project
        let newestFirst = keys.sorted { $0.signsFrom > $1.signsFrom }
        idTokenKeys = try newestFirst.filter { $0.purpose == .idToken }.map { key in
            let privateKey = try PrivateKey(pkcs8: try key.open(in: project, under: masterKeys))
            return IDTokenKey(stored: key, publicKey: privateKey.publicKey, privateKey: privateKey)
        }
        refreshKeys = try newestFirst.filter { $0.purpose == .refreshToken }.map { key in
            RefreshKey(stored: key, secret: try key.open(in: project, under: masterKeys))
        }
    }

    func hasIDTokenKey(_ id: String) -> Bool { idTokenKeys.contains { $0.stored.id == id } }

    func hasRefreshKey(_ id: String) -> Bool { refreshKeys.contains { $0.stored.id == id } }

    /// Returns the newest key that signs ID tokens now. If none signs yet, returns the one that signs first: the first
    /// keys of a project sign at once, even if the clock of this gateway is behind that of the gateway or command that
    /// created them.
    func idTokenSigner(at now: Instant) throws -> IDTokenKey {
        guard
            let key = idTokenKeys.first(where: { $0.stored.signs(at: now) })
                ?? idTokenKeys.last(where: { $0.stored.isTrusted(at: now) })
        else { throw NoSigningKey(purpose: .idToken, project: project) }
        return key
    }

    /// Returns the public key that verifies ID tokens with the key ID `id`; `nil` if there is none, or if it was
    /// retired more than ``acceptanceAfterRetirement`` ago.
    func idTokenKey(_ id: String, at now: Instant) -> PublicKey? {
        let time = now - Self.acceptanceAfterRetirement
        return idTokenKeys.first { $0.stored.id == id && $0.stored.isTrusted(at: time) }?.publicKey
    }

    /// Returns the newest key that signs refresh tokens now, or the first one as ``idTokenSigner(at:)`` does.
    func refreshTokenSigner(at now: Instant) throws -> RefreshKey {
        guard
            let key = refreshKeys.first(where: { $0.stored.signs(at: now) })
                ?? refreshKeys.last(where: { $0.stored.isTrusted(at: now) })
        else { throw NoSigningKey(purpose: .refreshToken, project: project) }
        return key
    }

    /// Returns the secret that verifies refresh tokens with the key ID `id`; `nil` if there is none, or if it is
    /// retired.
    func refreshKey(_ id: String, at now: Instant) -> [UInt8]? {
        refreshKeys.first { $0.stored.id == id && $0.stored.isTrusted(at: now) }?.secret
    }
}

/// The project has no key that signs now: none was created, or all are retired.
struct NoSigningKey: Error, CustomStringConvertible {
    let purpose: StoredKey.Purpose
    let project: ID<Project>

    var description: String {
        switch purpose {
        case .idToken: "project \(project) has no key that signs ID tokens now: run sekisho keys rotate-signing-key"
        case .refreshToken: "project \(project) has no key for refresh tokens now: run sekisho keys rotate-refresh-key"
        }
    }
}

extension StoredKey {
    /// Whether the key signs tokens: its start has come, and it is not retired.
    fileprivate func signs(at now: Instant) -> Bool { signsFrom <= now && isTrusted(at: now) }

    /// Whether tokens that the key has signed are valid: it is not retired.
    func isTrusted(at now: Instant) -> Bool { retiresAt.map { $0 > now } ?? true }

    /// The context that the ciphertext of a private key is bound to: its table, row and column.
    public static func context(_ id: String, in project: ID<Project>) -> String {
        "signing_key/\(project.rawValue)/\(id)/private_key"
    }

    fileprivate func open(in project: ID<Project>, under masterKeys: MasterKeys) throws -> [UInt8] {
        try SealedBox(keys: masterKeys).open(sealedPrivateKey, context: Self.context(id, in: project))
    }
}
