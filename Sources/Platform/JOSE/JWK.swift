public import Crypto
internal import Encoding

/// A public key as JSON (RFC 7517). Ignores unknown members and the members of private keys.
public struct JWK: Codable, Hashable, Sendable {
    public let kty: String
    public let kid: String?
    public let alg: String?
    public let use: String?
    public let crv: String?
    public let x: String?
    public let y: String?
    public let n: String?
    public let e: String?

    /// - Parameter keyID: the `kid` (default: the thumbprint).
    public init(_ key: PublicKey, keyID: String? = nil) {
        kid = keyID ?? Self.thumbprint(of: key)
        alg = key.algorithm.rawValue
        use = "sig"
        switch key.parts {
        case .ec(let x, let y):
            (kty, crv, n, e) = ("EC", "P-256", nil, nil)
            (self.x, self.y) = (Base64URL.encode(x), Base64URL.encode(y))
        case .rsa(let n, let e):
            (kty, crv, x, y) = ("RSA", nil, nil, nil)
            (self.n, self.e) = (Base64URL.encode(n), Base64URL.encode(e))
        }
    }

    /// - Throws: ``Crypto/KeyFault``. A key is `unsupported` if it has a `use` other than `sig`, or an `alg` other than
    ///   the one for its type, because a key must have only one use (RFC 8725 §3.1).
    public func publicKey() throws(KeyFault) -> PublicKey {
        guard use == nil || use == "sig" else { throw .unsupported }
        let key: PublicKey
        switch (kty, crv) {
        case ("EC", "P-256"): key = try PublicKey(ec: Self.number(x), y: Self.number(y))
        case ("RSA", _): key = try PublicKey(rsa: Self.number(n), e: Self.number(e))
        default: throw .unsupported
        }
        guard alg == nil || alg == key.algorithm.rawValue else { throw .unsupported }
        return key
    }

    /// Returns the thumbprint of a key (RFC 7638) with SHA-256, in base64url; 43 characters.
    public static func thumbprint(of key: PublicKey) -> String {
        let members =
            switch key.parts {
            case .ec(let x, let y):
                #"{"crv":"P-256","kty":"EC","x":"\#(Base64URL.encode(x))","y":"\#(Base64URL.encode(y))"}"#
            case .rsa(let n, let e):
                #"{"e":"\#(Base64URL.encode(e))","kty":"RSA","n":"\#(Base64URL.encode(n))"}"#
            }
        return Base64URL.encode(Digest.sha256(Array(members.utf8)))
    }

    private static func number(_ text: String?) throws(KeyFault) -> [UInt8] {
        guard let text, let number = Base64URL.decode(text) else { throw .malformed }
        return number
    }
}

/// A JWK Set (RFC 7517 §5).
public struct JWKSet: Codable, Hashable, Sendable {
    public let keys: [JWK]

    public init(keys: [JWK]) { self.keys = keys }

    /// Skips elements that are not keys, as §5 recommends, so that the keys beside an unknown element remain usable.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        guard try members.nestedUnkeyedContainer(forKey: .keys).count ?? 0 <= Self.keyLimit else {
            throw DecodingError.dataCorruptedError(
                forKey: .keys, in: members, debugDescription: "more than \(Self.keyLimit) keys")
        }
        keys = try members.decode([Element].self, forKey: .keys).compactMap(\.key)
    }

    /// The maximum number of keys in a set that is decoded. Large providers have about twenty.
    private static let keyLimit = 200

    private struct Element: Decodable {
        let key: JWK?

        init(from decoder: any Decoder) {
            // The error does not matter: unknown elements are skipped.
            key = try? JWK(from: decoder)
        }
    }
}
