public import Crypto
internal import Encoding
public import JSON

/// A token before it is signed. The defaults are valid, so a test changes only the properties that matter to it.
public struct TokenDraft: Sendable {
    public enum Signature: Sendable {
        case genuine
        /// Signed with a key that the provider does not publish.
        case by(PrivateKey)
        /// A valid signature with one bit flipped.
        case altered
        /// An empty signature.
        case missing
    }

    /// The algorithm in the header. It does not affect the signature.
    public var algorithm = "RS256"
    public var keyID: String?
    public var type: String?
    public var claims: JSONObject
    public var signature = Signature.genuine
    /// Whether the key ID precedes the algorithm, as in Apple's tokens but not in Google's.
    private let headerBeginsWithKeyID: Bool
    private let key: PrivateKey

    init(claims: JSONObject, key: SigningKeys.Named, type: String?, headerBeginsWithKeyID: Bool) {
        self.claims = claims
        self.key = key.key
        keyID = key.id
        self.type = type
        self.headerBeginsWithKeyID = headerBeginsWithKeyID
    }

    /// Returns the signed token in compact serialization (RFC 7515 §7.1).
    ///
    /// - Parameter change: changes the draft before it is signed.
    func signed(changing change: (inout TokenDraft) throws -> Void = { _ in }) throws -> String {
        var draft = self
        try change(&draft)
        return try draft.serialized
    }

    private var serialized: String {
        get throws {
            let input = Base64URL.encode(try header) + "." + Base64URL.encode(try StrictJSON.encode(claims))
            return input + "." + Base64URL.encode(try signature(of: Array(input.utf8)))
        }
    }

    private var header: [UInt8] {
        get throws {
            let algorithm = [("alg", Optional(algorithm))]
            let keyID = [("kid", keyID)]
            let members = (headerBeginsWithKeyID ? keyID + algorithm : algorithm + keyID) + [("typ", type)]
            let texts = try members.compactMap { name, value in
                try value.map { try "\"\(name)\":" + StrictJSON.text($0) }
            }
            return Array("{\(texts.joined(separator: ","))}".utf8)
        }
    }

    private func signature(of input: [UInt8]) throws -> [UInt8] {
        switch signature {
        case .genuine: return try key.sign(input)
        case .by(let other): return try other.sign(input)
        case .missing: return []
        case .altered:
            var signature = try key.sign(input)
            signature[signature.count / 2] ^= 1
            return signature
        }
    }
}

/// Returns the left half of the SHA-256 of `text` in base64url: the value of `at_hash` and `c_hash` (OpenID Connect
/// Core 1.0 §3.1.3.6, §3.3.2.11).
func halfHash(_ text: String) -> JSONValue {
    .string(Base64URL.encode(Array(Digest.sha256(Array(text.utf8)).prefix(16))))
}
