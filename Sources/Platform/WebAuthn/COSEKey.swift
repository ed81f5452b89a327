internal import CBOR
internal import Crypto

/// A signature algorithm of COSE (RFC 9053, RFC 8812); the raw value is its number in IANA's registry.
public enum COSEAlgorithm: Int, Sendable, CaseIterable {
    /// ECDSA over P-256 with SHA-256.
    case es256 = -7
    /// EdDSA over Ed25519.
    case eddsa = -8
    /// ECDSA over P-384 with SHA-384.
    case es384 = -35
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    case rs256 = -257

    /// The algorithms that the gateway offers for new passkeys, the preferred one first.
    public static let offered: [COSEAlgorithm] = [.eddsa, .es256, .rs256]
}

/// The public key of a passkey (RFC 9052 §7). Has exactly the parameters that its algorithm requires (WebAuthn Level 3
/// §6.5.1.1).
public struct COSEKey: Sendable, Equatable {
    /// The bytes that the authenticator sent.
    public let encoded: [UInt8]
    public let algorithm: COSEAlgorithm
    private let key: CredentialKey

    /// - Throws: ``WebAuthnFault/algorithmNotOffered`` for an algorithm that is not a ``COSEAlgorithm``;
    ///   ``WebAuthnFault/publicKeyInvalid`` for any other key that cannot verify signatures.
    public init(decoding encoded: [UInt8]) throws(WebAuthnFault) {
        // The fault of the decoder does not matter, as in `AuthenticatorData`.
        guard let map = (try? CBOR.decode(encoded))?.map else { throw .publicKeyInvalid }
        try self.init(encoded: encoded, map: map, algorithm: Self.algorithm(of: map))
    }

    /// - Parameter algorithm: of the key, as ``algorithm(of:)`` says.
    init(encoded: [UInt8], map: [CBORKey: CBORValue], algorithm: COSEAlgorithm) throws(WebAuthnFault) {
        do {
            key = try CredentialKey(Self.parts(of: map, algorithm: algorithm))
        } catch {
            throw .publicKeyInvalid
        }
        self.encoded = encoded
        self.algorithm = algorithm
    }

    static func algorithm(of map: [CBORKey: CBORValue]) throws(WebAuthnFault) -> COSEAlgorithm {
        guard let number = map[Label.algorithm]?.integer else { throw .publicKeyInvalid }
        guard let algorithm = Int(exactly: number).flatMap(COSEAlgorithm.init) else { throw .algorithmNotOffered }
        return algorithm
    }

    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool { key.verifies(signature, of: message) }

    /// The labels of a key's parameters (RFC 9052 §7.1, RFC 9053 §7, RFC 8230 §4). RSA keys use -1 and -2 for other
    /// parameters than keys on a curve.
    private enum Label {
        static let keyType: CBORKey = 1
        static let algorithm: CBORKey = 3
        static let curve: CBORKey = -1
        static let x: CBORKey = -2
        static let y: CBORKey = -3
        static let modulus: CBORKey = -1
        static let exponent: CBORKey = -2
    }

    private static func parts(of map: [CBORKey: CBORValue], algorithm: COSEAlgorithm) throws(KeyFault)
        -> CredentialKey.Parts
    {
        /// The byte strings that are the value of these labels, if the map has no other entries besides `others`.
        func numbers(_ labels: [CBORKey], others: [CBORKey: Int64]) throws(KeyFault) -> [[UInt8]] {
            let numbers = labels.compactMap { map[$0]?.bytes }
            guard
                numbers.count == labels.count, map.count == labels.count + others.count + 1,
                others.allSatisfy({ map[$0.key]?.integer == $0.value })
            else { throw .malformed }
            return numbers
        }
        // The numbers of key types and curves are those of RFC 9053 §7 and RFC 8230 §4.
        switch algorithm {
        case .es256:
            let point = try numbers([Label.x, Label.y], others: [Label.keyType: 2, Label.curve: 1])
            return .p256(x: point[0], y: point[1])
        case .es384:
            let point = try numbers([Label.x, Label.y], others: [Label.keyType: 2, Label.curve: 2])
            return .p384(x: point[0], y: point[1])
        case .eddsa:
            return .ed25519(try numbers([Label.x], others: [Label.keyType: 1, Label.curve: 6])[0])
        case .rs256:
            let key = try numbers([Label.modulus, Label.exponent], others: [Label.keyType: 3])
            // RFC 8230 §4 permits no leading zeros.
            guard key[0].count <= 512, key[0].first != 0, key[1].first != 0 else { throw .unsupported }
            return .rsa(n: key[0], e: key[1])
        }
    }
}
