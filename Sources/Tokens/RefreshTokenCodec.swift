internal import Crypto
internal import Encoding
internal import Identity

/// Encodes and decodes refresh tokens.
///
/// A token is the base64url of: version (1 byte) | key ID (4) | session (16) | counter in the session's chain of
/// refresh tokens (8, big-endian) | tenant ID (only in version 2) | HMAC-SHA-256 (32). The MAC also covers the ID of
/// the realm (the project or tenant); the token itself contains only the tenant ID.
enum RefreshTokenCodec {
    private static let (version, tenantVersion): (UInt8, UInt8) = (1, 2)
    private static let fixedLength = 1 + 4 + 16 + 8
    private static let macLength = 32
    /// The maximum length of a token, in characters.
    private static let lengthLimit = 256

    static func encode(
        _ contents: RefreshTokenContents, keyID: String, secret: [UInt8], in realm: Realm
    ) throws(UnencodableRefreshToken) -> String {
        guard let key = Hexadecimal.decode(keyID), key.count == 4,
            let session = UUIDText.bytes(contents.session.rawValue)
        else {
            throw UnencodableRefreshToken(keyID: keyID, session: contents.session)
        }
        var token: [UInt8] = []
        token.reserveCapacity(fixedLength + macLength)
        token.append(realm.tenant == nil ? version : tenantVersion)
        token += key
        token += session
        withUnsafeBytes(of: contents.counter.bigEndian) { token.append(contentsOf: $0) }
        if let tenant = realm.tenant { token += Array(tenant.id.rawValue.utf8) }
        token += mac(of: token[...], secret: secret, in: realm.id)
        return Base64URL.encode(token)
    }

    /// - Parameter secret: returns the MAC key with the given key ID; `nil` rejects the token.
    static func decode(_ token: String, in realm: Realm, secret: (String) -> [UInt8]?) -> RefreshTokenContents? {
        guard let bytes = parse(token), tenant(in: bytes) == realm.tenant?.id,
            let secret = secret(keyID(Array(bytes[1..<5])))
        else { return nil }
        let mac = mac(of: bytes.dropLast(macLength), secret: secret, in: realm.id)
        guard constantTimeEquals(mac, Array(bytes.suffix(macLength))) else { return nil }
        let counter = bytes[21..<29].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return RefreshTokenContents(session: ID(UUIDText.text(bytes[5..<21])), counter: counter)
    }

    /// Returns the tenant that an unverified token names; `nil` if it names none, or is not a refresh token.
    static func tenant(namedBy token: String) -> ID<Tenant>? { parse(token).flatMap(tenant(in:)) }

    /// Returns the key ID that an unverified token names; `nil` if it is not a refresh token.
    static func keyID(namedBy token: String) -> String? { parse(token).map { keyID(Array($0[1..<5])) } }

    static func keyID(_ bytes: [UInt8]) -> String { Hexadecimal.encode(bytes) }

    /// - Returns: the bytes of a token whose form is valid; `nil` for any other text.
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

/// The ID of the key or of the session cannot be encoded in a refresh token.
struct UnencodableRefreshToken: Error, CustomStringConvertible {
    let keyID: String
    let session: ID<Session>

    var description: String {
        "expected a key ID of eight hexadecimal digits and a UUID as session ID, got \"\(keyID)\" and \"\(session)\""
    }
}
