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

/// The payload of ID tokens: Firebase's claims, and `sid`, the session (OpenID Connect Front-Channel Logout §3).
struct IDTokenClaims: Encodable {
    struct Firebase: Encodable {
        let identities: [String: [String]]
        let signInProvider: String
        let tenant: String?
        let signInAttributes: SignInAttributes?

        enum CodingKeys: String, CodingKey {
            case identities, tenant
            case signInAttributes = "sign_in_attributes"
            case signInProvider = "sign_in_provider"
        }
    }

    /// What the provider of the session's sign-in stated about the user.
    struct SignInAttributes: Encodable {
        /// Apple's claim, as at the user's first sign-in: 0 unsupported, 1 unknown, 2 likely real.
        let realUserStatus: Int

        enum CodingKeys: String, CodingKey {
            case realUserStatus = "real_user_status"
        }

        /// - Returns: `nil` unless the session was opened with an Apple identity that has the status.
        init?(of session: Session, of account: Account) {
            guard session.method == .apple,
                let status = account.identities.lazy.filter({ $0.provider == .apple }).compactMap(\.realUserStatus)
                    .first
            else { return nil }
            realUserStatus = status
        }
    }

    let iss: String
    let aud: String
    let sub: String
    let sid: String
    let iat: Int64
    let exp: Int64
    let authTime: Int64
    let userID: String
    let name: String?
    let picture: String?
    let email: String?
    let emailVerified: Bool?
    let phoneNumber: String?
    /// `anonymous` for accounts without a credential, absent for all others.
    let providerID: String?
    let firebase: Firebase

    enum CodingKeys: String, CodingKey {
        case iss, aud, sub, sid, iat, exp, name, picture, email, firebase
        case authTime = "auth_time"
        case userID = "user_id"
        case emailVerified = "email_verified"
        case phoneNumber = "phone_number"
        case providerID = "provider_id"
    }

    init(for account: Account, session: Session, issuer: String, in project: Project, at now: Instant) {
        iss = issuer
        aud = project.id.rawValue
        sub = account.id.rawValue
        sid = session.id.rawValue
        iat = now.seconds
        exp = now.seconds + project.policy.idTokenLifetime.components.seconds
        authTime = session.authenticatedAt.seconds
        userID = account.id.rawValue
        name = account.displayName
        picture = account.photoURL
        email = account.email?.rawValue
        emailVerified = account.email == nil ? nil : account.emailIsVerified
        phoneNumber = account.phoneNumber
        providerID = session.method == .anonymous ? session.method.rawValue : nil
        var identities = Dictionary(grouping: account.identities, by: \.provider.rawValue)
            .mapValues { $0.map(\.subject) }
        if let email = account.email { identities["email"] = [email.rawValue] }
        if let phoneNumber = account.phoneNumber { identities["phone"] = [phoneNumber] }
        firebase = Firebase(
            identities: identities, signInProvider: session.method.rawValue, tenant: project.tenant?.id.rawValue,
            signInAttributes: SignInAttributes(of: session, of: account))
    }
}

extension IDTokenClaims {
    /// Adds the claims of administrators and custom tokens. Of the standard claims, they may replace only name and picture.
    func payload(adding added: [Claims]) throws -> [UInt8] {
        guard !added.isEmpty else { return try StrictJSON.encode(self) }
        let own = try StrictJSON.decode([String: JSONValue].self, from: try StrictJSON.encode(self))
        var all: [String: JSONValue] = [:]
        for claims in added {
            all.merge(try StrictJSON.decode([String: JSONValue].self, from: Array(claims.json.utf8))) { $1 }
        }
        // Some readers ignore case, so claims that differ from standard claims only in case are dropped too.
        let ours = Set(own.keys.map(Claims.folded))
        all = all.filter { name, _ in name == "name" || name == "picture" || !ours.contains(Claims.folded(name)) }
        return try StrictJSON.encode(all.merging(own) { added, _ in added })
    }
}

/// The values of `iss` in ID tokens and session cookies. They differ, so that one cannot be used as the other
/// (RFC 8725 §3.12).
public struct Issuers: Sendable {
    let idTokens: @Sendable (ID<Project>) -> String
    let sessionCookies: @Sendable (ID<Project>) -> String

    /// Issuers under the URL of the gateway.
    ///
    /// - Parameter publicURL: without a slash at the end.
    public static func own(_ publicURL: String) -> Issuers {
        Issuers(idTokens: { "\(publicURL)/\($0)" }, sessionCookies: { "\(publicURL)/\($0)/session" })
    }

    /// Firebase's issuers, for clients of the emulator.
    public static let firebase = Issuers(
        idTokens: { "https://securetoken.google.com/\($0)" },
        sessionCookies: { "https://session.firebase.google.com/\($0)" })

    /// The issuer of ID tokens.
    public func idToken(_ project: ID<Project>) -> String { idTokens(project) }
}
