internal import Crypto
internal import Identity
internal import JOSE

/// A refresh token, byte by byte: version (1), key id (4), session (16), counter (8, big-endian), HMAC-SHA-256 (32),
/// all in base64url. The project is under the MAC but not in the token: the API key names it.
enum RefreshTokenForm {
    private static let version: UInt8 = 1
    private static let signedCount = 1 + 4 + 16 + 8
    private static let byteCount = signedCount + 32

    static func seal(_ claim: RefreshClaim, keyID: String, secret: [UInt8], in project: ID<Project>) -> String? {
        guard let key = bytes(hex: keyID), key.count == 4, let session = UUIDText.bytes(claim.session.rawValue) else {
            return nil
        }
        var token: [UInt8] = []
        token.reserveCapacity(byteCount)
        token.append(version)
        token += key
        token += session
        withUnsafeBytes(of: claim.counter.bigEndian) { token.append(contentsOf: $0) }
        token += mac(of: token[...], secret: secret, in: project)
        return Base64URL.encode(token)
    }

    /// - Parameter secret: finds the key of an id; `nil` refuses.
    static func open(_ token: String, in project: ID<Project>, secret: (String) -> [UInt8]?) -> RefreshClaim? {
        guard token.utf8.count <= 128, let bytes = Base64URL.decode(token),
            bytes.count == byteCount, bytes[0] == version,
            let secret = secret(keyID(Array(bytes[1..<5])))
        else { return nil }
        let mac = mac(of: bytes.prefix(signedCount), secret: secret, in: project)
        guard constantTimeEquals(mac, Array(bytes.suffix(32))) else { return nil }
        let counter = bytes[21..<29].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return RefreshClaim(session: ID(UUIDText.text(bytes[5..<21])), counter: counter)
    }

    static func keyID(_ bytes: [UInt8]) -> String { Hexadecimal.text(bytes) }

    private static func mac(of signed: ArraySlice<UInt8>, secret: [UInt8], in project: ID<Project>) -> [UInt8] {
        HMAC.sha256(key: secret, message: Array("sekisho refresh token\0\(project.rawValue)\0".utf8) + signed)
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func bytes(hex text: String) -> [UInt8]? {
        let nibbles = text.utf8.compactMap { digits.firstIndex(of: $0).map(UInt8.init) }
        guard nibbles.count == text.utf8.count, nibbles.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: nibbles.count, by: 2).map { nibbles[$0] << 4 | nibbles[$0 + 1] }
    }
}
