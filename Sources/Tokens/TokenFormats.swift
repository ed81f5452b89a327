public import Crypto
internal import Encoding
public import Identity
internal import JSON

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

    /// The provider's statements about the user who signed in.
    struct SignInAttributes: Encodable {
        /// Apple's claim as the gateway first received it: 0 unsupported, 1 unknown, 2 likely real.
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
    /// `anonymous` for a session that was opened without a credential, otherwise absent.
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
    /// Adds the claims of administrators and custom tokens. They may replace only the standard claims `name` and
    /// `picture`.
    func payload(adding added: [Claims]) throws -> [UInt8] {
        guard !added.isEmpty else { return try StrictJSON.encode(self) }
        let own = try StrictJSON.decode([String: JSONValue].self, from: try StrictJSON.encode(self))
        var all: [String: JSONValue] = [:]
        for claims in added {
            all.merge(try StrictJSON.decode([String: JSONValue].self, from: Array(claims.json.utf8))) { $1 }
        }
        // Some readers ignore case, so claims that differ from standard claims only in case are removed too.
        let reservedNames = Set(own.keys.map(Claims.folded))
        all = all.filter { name, _ in
            name == "name" || name == "picture" || !reservedNames.contains(Claims.folded(name))
        }
        return try StrictJSON.encode(all.merging(own) { added, _ in added })
    }
}

/// Encodes and decodes refresh tokens: version (1 byte), key ID (4), session (16), counter (8, big-endian), in
/// version 2 the tenant ID, HMAC-SHA-256 (32), all in base64url. The MAC also covers the ID of the realm, of which the
/// token contains only the tenant ID.
enum RefreshTokenCodec {
    private static let (version, tenantVersion): (UInt8, UInt8) = (1, 2)
    private static let fixedLength = 1 + 4 + 16 + 8
    private static let macLength = 32
    /// The maximum length of a token, in characters.
    private static let lengthLimit = 256

    /// - Returns: `nil` unless `keyID` has eight hexadecimal digits and the ID of the session is a UUID.
    static func encode(_ claim: RefreshClaim, keyID: String, secret: [UInt8], in project: Project) -> String? {
        guard let key = Hexadecimal.decode(keyID), key.count == 4, let session = UUIDText.bytes(claim.session.rawValue)
        else {
            return nil
        }
        var token: [UInt8] = []
        token.reserveCapacity(fixedLength + macLength)
        token.append(project.tenant == nil ? version : tenantVersion)
        token += key
        token += session
        withUnsafeBytes(of: claim.counter.bigEndian) { token.append(contentsOf: $0) }
        if let tenant = project.tenant { token += Array(tenant.id.rawValue.utf8) }
        token += mac(of: token[...], secret: secret, in: project.realm)
        return Base64URL.encode(token)
    }

    /// - Parameter secret: returns the MAC key with an ID; `nil` rejects the token.
    static func decode(_ token: String, in project: Project, secret: (String) -> [UInt8]?) -> RefreshClaim? {
        guard let bytes = parse(token), tenant(in: bytes) == project.tenant?.id,
            let secret = secret(keyID(Array(bytes[1..<5])))
        else { return nil }
        let mac = mac(of: bytes.dropLast(macLength), secret: secret, in: project.realm)
        guard constantTimeEquals(mac, Array(bytes.suffix(macLength))) else { return nil }
        let counter = bytes[21..<29].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return RefreshClaim(session: ID(UUIDText.text(bytes[5..<21])), counter: counter)
    }

    /// The tenant that an unverified token names.
    static func tenant(namedBy token: String) -> ID<Tenant>? { parse(token).flatMap(tenant(in:)) }

    static func keyID(_ bytes: [UInt8]) -> String { Hexadecimal.encode(bytes) }

    private static func parse(_ token: String) -> [UInt8]? {
        guard token.utf8.count <= lengthLimit, let bytes = Base64URL.decode(token) else { return nil }
        let tenantLength = bytes.count - fixedLength - macLength
        switch bytes.first {
        case version where tenantLength == 0, tenantVersion where tenantLength > 0: return bytes
        default: return nil
        }
    }

    private static func tenant(in bytes: [UInt8]) -> ID<Tenant>? {
        let tenant = bytes.dropFirst(fixedLength).dropLast(macLength)
        return tenant.isEmpty ? nil : ID(String(decoding: tenant, as: UTF8.self))
    }

    private static func mac(of signed: ArraySlice<UInt8>, secret: [UInt8], in realm: ID<Realm>) -> [UInt8] {
        HMAC.sha256(key: secret, message: Array("sekisho refresh token\0\(realm.rawValue)\0".utf8) + signed)
    }
}

/// ``SealedTokens`` encrypted under the master key. Clients can neither read nor forge a token, nor use it for another
/// purpose or realm. Clients may request any number of tokens, so each token is encrypted with its own derived key.
public struct MasterKeySealedTokens: SealedTokens {
    /// The maximum length of a token, in characters.
    private static let lengthLimit = 64 * 1024

    private let box: PerMessageKeyBox
    private let nonces: IssuedNonces

    public init(masterKeys: MasterKeys) {
        box = PerMessageKeyBox(keys: masterKeys, purpose: "sealed tokens")
        nonces = IssuedNonces(masterKeys: masterKeys)
    }

    private struct Envelope<Content: Codable>: Codable {
        let content: Content
        let end: Instant
    }

    public func nonce(until end: Instant, in realm: ID<Realm>) -> IssuedNonce {
        let raw = nonces.nonce(until: end, in: realm)
        return IssuedNonce(raw: raw, sha256: Hexadecimal.encode(Digest.sha256(Array(raw.utf8))), expiresAt: end)
    }

    public func replayKey(ofNonce raw: String, at now: Instant, in realm: ID<Realm>) throws -> ReplayKey? {
        guard let end = nonces.expiry(of: raw, in: realm) else { return nil }
        guard end > now else { throw ProviderRefusal.nonce(.expired) }
        return replayKey(of: raw, until: end)
    }

    public func encode<Content: SealedTokenContent>(
        _ content: Content, until end: Instant, in realm: ID<Realm>
    ) throws -> String {
        let envelope = try StrictJSON.encode(Envelope(content: content, end: end))
        return Base64URL.encode(try box.seal(envelope, context: context(Content.self, realm)))
    }

    public func decode<Content: SealedTokenContent>(
        _ type: Content.Type, from token: String, at now: Instant, in realm: ID<Realm>
    ) throws -> (Content, ReplayKey) {
        guard token.utf8.count <= Self.lengthLimit, let sealed = Base64URL.decode(token),
            // Fails for a token that was not encrypted for this content and realm.
            let opened = try? box.open(sealed, context: context(type, realm)),
            // A payload that another release encoded differently is rejected like an expired one.
            let envelope = try? StrictJSON.decode(Envelope<Content>.self, from: opened), envelope.end > now
        else { throw ProviderRefusal.invalidPendingToken }
        return (envelope.content, replayKey(of: token, until: envelope.end))
    }

    private func replayKey(of token: String, until end: Instant) -> ReplayKey {
        ReplayKey(hash: Digest.sha256(Array(token.utf8)), expiresAt: end)
    }

    private func context<Content: SealedTokenContent>(_ type: Content.Type, _ realm: ID<Realm>) -> String {
        "sealed token/\(type.purpose)/\(realm)"
    }
}

/// Issues nonces that only this installation can create: random bytes and an expiry time with a message authentication
/// code.
///
/// Clients may request any number of nonces, so nonces are not encrypted under the master key, which may encrypt only a
/// limited number of messages (see ``SealedBox``).
///
/// Base64url of: master key ID (4 bytes) | random bytes (16) | expiry in microseconds (8) | HMAC-SHA-256, truncated to
/// 16 bytes (RFC 2104 §5).
struct IssuedNonces: Sendable {
    private static let randomLength = 16
    private static let expiryLength = 8
    private static let macLength = 16
    /// The maximum length of a text that can be a nonce, in characters. A nonce has 59.
    private static let lengthLimit = 100

    private let keys: [DerivedKey]

    init(masterKeys: MasterKeys) {
        keys = masterKeys.keys(for: "issued nonces")
    }

    func nonce(until end: Instant, in realm: ID<Realm>) -> String {
        let key = keys[0]
        let content =
            key.masterKeyID + Random.bytes(Self.randomLength)
            + (0..<Self.expiryLength).reversed().map { UInt8(truncatingIfNeeded: end.microseconds >> ($0 * 8)) }
        return Base64URL.encode(content + mac(of: content, under: key, in: realm))
    }

    /// - Returns: the expiry time; `nil` for a nonce that this installation has not issued for this realm.
    func expiry(of raw: String, in realm: ID<Realm>) -> Instant? {
        guard raw.utf8.count <= Self.lengthLimit, let bytes = Base64URL.decode(raw) else { return nil }
        let content = Array(bytes.dropLast(Self.macLength))
        guard
            keys.contains(where: { key in
                content.count == key.masterKeyID.count + Self.randomLength + Self.expiryLength
                    && content.starts(with: key.masterKeyID)
                    && constantTimeEquals(
                        Array(bytes.suffix(Self.macLength)), mac(of: content, under: key, in: realm))
            })
        else { return nil }
        return Instant(microseconds: content.suffix(Self.expiryLength).reduce(0) { $0 << 8 | Int64($1) })
    }

    private func mac(of content: [UInt8], under key: DerivedKey, in realm: ID<Realm>) -> [UInt8] {
        let message = Array("\(realm.rawValue)\u{0}".utf8) + content
        return Array(HMAC.sha256(key: key.bytes, message: message).prefix(Self.macLength))
    }
}
