public import Crypto
internal import Encoding
public import JSON

/// A token about to be signed: valid as it stands, for a test to change one thing in it.
public struct TokenDraft: Sendable {
    public enum Signature: Sendable {
        case genuine
        /// Of a key that the provider does not publish.
        case by(PrivateKey)
        /// Genuine, then one bit changed.
        case altered
        /// Nothing after the last dot.
        case missing
    }

    /// What the header says; the signature is RS256 in any case.
    public var algorithm = "RS256"
    public var keyID: String?
    public var type: String?
    public var claims: [String: JSONValue]
    public var signature = Signature.genuine
    /// Apple writes the key id before the algorithm, Google after.
    private let beginsWithKeyID: Bool
    private let key: PrivateKey

    init(claims: [String: JSONValue], key: SigningKeys.Named, type: String?, beginsWithKeyID: Bool) {
        self.claims = claims
        self.key = key.key
        keyID = key.id
        self.type = type
        self.beginsWithKeyID = beginsWithKeyID
    }

    func compact(changing change: (inout TokenDraft) throws -> Void) throws -> String {
        var draft = self
        try change(&draft)
        return try draft.compact
    }

    private var compact: String {
        get throws {
            let input = Base64URL.encode(try header) + "." + Base64URL.encode(try StrictJSON.encode(claims))
            return input + "." + Base64URL.encode(try signature(of: Array(input.utf8)))
        }
    }

    private var header: [UInt8] {
        get throws {
            let algorithm = [("alg", Optional(algorithm))]
            let keyID = [("kid", keyID)]
            let members = (beginsWithKeyID ? keyID + algorithm : algorithm + keyID) + [("typ", type)]
            let texts = try members.compactMap { name, value in
                try value.map { "\"\(name)\":" + String(decoding: try StrictJSON.encode($0), as: UTF8.self) }
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

/// The left half of a SHA-256, as `at_hash` and `c_hash` are (OpenID Connect Core 1.0 §3.1.3.6).
func halfHash(_ text: String) -> JSONValue {
    .string(Base64URL.encode(Array(Digest.sha256(Array(text.utf8)).prefix(16))))
}
