internal import Crypto
internal import Encoding
internal import Identity

/// Encodes refresh tokens: version (1 byte), key ID (4), session (16), counter (8, big-endian), in version 2 the tenant
/// ID, HMAC-SHA-256 (32), all in base64url. The MAC covers the project, which the API key names.
enum RefreshTokenCodec {
    private static let (version, versionOfTenants): (UInt8, UInt8) = (1, 2)
    private static let fixedCount = 1 + 4 + 16 + 8
    private static let macCount = 32
    private static let lengthLimit = 256

    static func encode(_ claim: RefreshClaim, keyID: String, secret: [UInt8], in project: Project) -> String? {
        guard let key = Hexadecimal.decode(keyID), key.count == 4, let session = UUIDText.bytes(claim.session.rawValue)
        else {
            return nil
        }
        var token: [UInt8] = []
        token.reserveCapacity(fixedCount + macCount)
        token.append(project.tenant == nil ? version : versionOfTenants)
        token += key
        token += session
        withUnsafeBytes(of: claim.counter.bigEndian) { token.append(contentsOf: $0) }
        if let tenant = project.tenant { token += Array(tenant.id.rawValue.utf8) }
        token += mac(of: token[...], secret: secret, in: project.realm)
        return Base64URL.encode(token)
    }

    /// - Parameter secret: returns the key of an ID; `nil` rejects the token.
    static func decode(_ token: String, in project: Project, secret: (String) -> [UInt8]?) -> RefreshClaim? {
        guard let bytes = parse(token), tenant(in: bytes) == project.tenant?.id,
            let secret = secret(keyID(Array(bytes[1..<5])))
        else { return nil }
        let mac = mac(of: bytes.dropLast(macCount), secret: secret, in: project.realm)
        guard constantTimeEquals(mac, Array(bytes.suffix(macCount))) else { return nil }
        let counter = bytes[21..<29].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return RefreshClaim(session: ID(UUIDText.text(bytes[5..<21])), counter: counter)
    }

    /// Does not verify the token.
    static func tenant(namedBy token: String) -> ID<Tenant>? { parse(token).flatMap(tenant(in:)) }

    static func keyID(_ bytes: [UInt8]) -> String { Hexadecimal.encode(bytes) }

    private static func parse(_ token: String) -> [UInt8]? {
        guard token.utf8.count <= lengthLimit, let bytes = Base64URL.decode(token) else { return nil }
        let tenantCount = bytes.count - fixedCount - macCount
        switch bytes.first {
        case version where tenantCount == 0, versionOfTenants where tenantCount > 0: return bytes
        default: return nil
        }
    }

    private static func tenant(in bytes: [UInt8]) -> ID<Tenant>? {
        let tenant = bytes.dropFirst(fixedCount).dropLast(macCount)
        return tenant.isEmpty ? nil : ID(String(decoding: tenant, as: UTF8.self))
    }

    private static func mac(of signed: ArraySlice<UInt8>, secret: [UInt8], in realm: ID<Realm>) -> [UInt8] {
        HMAC.sha256(key: secret, message: Array("sekisho refresh token\0\(realm.rawValue)\0".utf8) + signed)
    }
}
