internal import Encoding

/// The password hashing scheme of an import.
public struct PasswordScheme: Sendable {
    enum Method: Hashable, Sendable {
        /// - Parameter separator: is appended to every salt.
        case foreign(HashMethod, separator: [UInt8])
        /// Raw Argon2 hashes. The stored form is a string with these parameters.
        case argon2(variant: String, memoryKiB: Int, iterations: Int, lanes: Int)
        /// Self-describing strings of one family; `nil` accepts every family.
        case selfDescribing(family: EncodedHash.Family?)
    }

    let method: Method
    public let key: PasswordKey?
    /// The required length of each hash in bytes, if the import states one.
    let hashLength: Int?

    init(_ method: Method, key: PasswordKey? = nil, hashLength: Int? = nil) {
        self.method = method
        self.key = key
        self.hashLength = hashLength
    }

    /// The scheme of an import without parameters, which accepts only self-describing hashes.
    public static let selfDescribing = PasswordScheme(.selfDescribing(family: nil))

    /// Returns the text to store for one password.
    ///
    /// - Parameters:
    ///   - hash: as it was exported; the hexadecimal digits of a digest or HMAC are decoded.
    ///   - key: the ID of the stored ``PasswordKey``; `nil` if the scheme has no key.
    func stored(hash: [UInt8], salt: [UInt8], key: ID<PasswordKey>?) throws(PasswordHashRefusal) -> String {
        // A self-describing hash states its own parameters. Therefore every scheme accepts it, except a scheme for
        // another family.
        if hash.first == UInt8(ascii: "$"), let text = String(validating: hash, as: UTF8.self) {
            if let known = try Self.selfDescribed(text, key: key) {
                if case .selfDescribing(family: let family?) = method, known.family != family { throw .unreadable }
                return known.text
            }
        }
        switch method {
        case .foreign(let method, let separator):
            if let hashLength, hash.count != hashLength { throw .hashLength(hashLength...hashLength) }
            let rawHash = method.rawBytes(of: hash)
            if case .firebaseScrypt = method, let length = self.key?.bytes.count, rawHash.count != length {
                throw .hashLength(length...length)
            }
            return try ForeignHash(method, key: method.needsKey ? key : nil, salt: salt + separator, hash: rawHash).text
        case .argon2(let variant, let memoryKiB, let iterations, let lanes):
            if let hashLength, hash.count != hashLength { throw .hashLength(hashLength...hashLength) }
            let (salt, hash) = (Base64.encodeUnpadded(salt), Base64.encodeUnpadded(hash))
            return try EncodedHash(
                "$\(variant)$v=19$m=\(memoryKiB),t=\(iterations),p=\(lanes)$\(salt)$\(hash)"
            ).text
        case .selfDescribing(family: nil): throw .algorithmIsMissing
        case .selfDescribing: throw .unreadable
        }
    }

    /// Checks a self-describing hash.
    ///
    /// - Returns: the text to store, and the family; `nil` if `text` is not a self-describing hash of a known kind.
    private static func selfDescribed(
        _ text: String, key: ID<PasswordKey>?
    ) throws(PasswordHashRefusal) -> (text: String, family: EncodedHash.Family?)? {
        if let hash = ForeignHash(text: text) { return (try hash.keyed(by: key).text, nil) }
        let known = ["$2a$", "$2b$", "$2y$", "$argon2i", "$5$", "$6$", "$y$"]
        guard known.contains(where: text.hasPrefix) else { return nil }
        let encoded = try EncodedHash(text)
        return (encoded.text, encoded.family)
    }
}

extension HashMethod {
    /// Decodes hexadecimal digits. Firebase exports MD5 digests in this form, so it is accepted for all digests.
    fileprivate func rawBytes(of hash: [UInt8]) -> [UInt8] {
        switch self {
        case .digest(let function, _, _), .hmac(let function, _):
            hash.count == 2 * function.length ? Hexadecimal.decode(hash) ?? hash : hash
        case .pbkdf2, .scrypt, .firebaseScrypt: hash
        }
    }
}

/// A ``PasswordScheme`` whose key is stored.
public struct StoredPasswordScheme: Sendable {
    let scheme: PasswordScheme
    let key: ID<PasswordKey>?

    /// - Parameter key: the ID under which the scheme's key is stored; required if the scheme has a key.
    public init(_ scheme: PasswordScheme, key: ID<PasswordKey>?) {
        self.scheme = scheme
        self.key = key
    }

    /// Returns the text to store for one password.
    ///
    /// - Parameters:
    ///   - hash: in base64, as an export or a client writes it.
    ///   - salt: in base64; `nil` for none.
    public func stored(hash: String, salt: String?) throws(PasswordHashRefusal) -> String {
        guard let hash = Base64.decode(hash), let salt = Base64.decode(salt ?? "") else { throw .notBase64 }
        return try scheme.stored(hash: hash, salt: salt, key: key)
    }
}
