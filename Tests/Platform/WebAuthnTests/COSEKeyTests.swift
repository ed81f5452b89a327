import CBOR
import Crypto
import Encoding
import Testing
import WebAuthn
import WebAuthnSupport

@Suite("COSE keys")
struct COSEKeyTests {
    /// The base point of P-256, whose private key is 1.
    static let x256 = bytes("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296")
    static let y256 = bytes("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5")
    /// The base point of P-384.
    static let x384 = bytes(
        "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7")
    static let y384 = bytes(
        "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f")
    /// The public key of RFC 8032 §7.1, test 1.
    static let ed25519 = bytes("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")

    static let es256: [CBORKey: CBORValue] = [
        1: .integer(2), 3: .integer(-7), -1: .integer(1), -2: .bytes(x256), -3: .bytes(y256),
    ]
    static let es384: [CBORKey: CBORValue] = [
        1: .integer(2), 3: .integer(-35), -1: .integer(2), -2: .bytes(x384), -3: .bytes(y384),
    ]
    static let eddsa: [CBORKey: CBORValue] = [
        1: .integer(1), 3: .integer(-8), -1: .integer(6), -2: .bytes(ed25519),
    ]

    static func rs256(bits: Int = 2048, e: [UInt8] = [1, 0, 1]) -> [CBORKey: CBORValue] {
        var n = [UInt8](repeating: 0xFF, count: (bits + 7) / 8)
        n[0] >>= UInt8(n.count * 8 - bits)
        return [1: .integer(3), 3: .integer(-257), -1: .bytes(n), -2: .bytes(e)]
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let map: [CBORKey: CBORValue]
        let fault: WebAuthnFault?

        init(_ testDescription: String, _ map: [CBORKey: CBORValue], _ fault: WebAuthnFault?) {
            self.testDescription = testDescription
            self.map = map
            self.fault = fault
        }

        init(
            _ testDescription: String, _ map: [CBORKey: CBORValue], changing changes: [CBORKey: CBORValue],
            _ fault: WebAuthnFault? = .publicKeyInvalid
        ) {
            self.init(testDescription, map.merging(changes) { $1 }, fault)
        }

        init(_ testDescription: String, _ map: [CBORKey: CBORValue], removing key: CBORKey) {
            self.init(testDescription, map.filter { $0.key != key }, .publicKeyInvalid)
        }
    }

    @Test(
        "A key has exactly the parameters of its algorithm, and is valid",
        arguments: [
            Row("ES256", es256, nil),
            Row("ES384", es384, nil),
            Row("EdDSA", eddsa, nil),
            Row("RS256, 2048 bits", rs256(), nil),
            Row("RS256, 4096 bits", rs256(bits: 4096), nil),
            Row("RS256 with the exponent 3", rs256(e: [3]), nil),
            Row("no parameter", [:], .publicKeyInvalid),
            Row("no algorithm", es256, removing: 3),
            Row("an algorithm that is text", es256, changing: [3: .text("ES256")]),
            Row("ES512", es256, changing: [3: .integer(-36)], .algorithmNotOffered),
            Row("RS1", rs256(), changing: [3: .integer(-65535)], .algorithmNotOffered),
            Row("PS256", rs256(), changing: [3: .integer(-37)], .algorithmNotOffered),
            Row("an algorithm beyond Int32", es256, changing: [3: .integer(.min)], .algorithmNotOffered),
            Row("no key type", es256, removing: 1),
            Row("another key type", es256, changing: [1: .integer(1)]),
            Row("another curve", es256, changing: [-1: .integer(2)]),
            Row("no y", es256, removing: -3),
            Row("a compressed point", es256, changing: [-3: .bool(true)]),
            Row("another parameter", es256, changing: [4: .array([.integer(2)])]),
            Row("a private key", es256, changing: [-4: .bytes([1])]),
            Row("a key ID", es256, changing: [2: .bytes([1])]),
            Row("x of 31 bytes", es256, changing: [-2: .bytes(Array(x256.dropLast()))]),
            Row("x of 33 bytes", es256, changing: [-2: .bytes([0] + x256)]),
            Row("a point that is not on the curve", es256, changing: [-3: .bytes(x256)]),
            Row("the point 0, 0", es256, changing: [-2: .bytes(zeros(32)), -3: .bytes(zeros(32))]),
            Row("a point of P-384 for ES256", es384, changing: [3: .integer(-7)]),
            Row("a point of P-256 for ES384", es256, changing: [3: .integer(-35)]),
            Row("an ES384 point that is not on the curve", es384, changing: [-3: .bytes(x384)]),
            Row("RSA parameters for ES256", rs256(), changing: [3: .integer(-7)]),
            Row("Ed25519 of 31 bytes", eddsa, changing: [-2: .bytes(Array(ed25519.dropLast()))]),
            Row("Ed25519 with y", eddsa, changing: [-3: .bytes(ed25519)]),
            Row("X25519", eddsa, changing: [-1: .integer(4)]),
            Row("Ed448", eddsa, changing: [-1: .integer(7)]),
            Row("an Ed25519 point of small order", eddsa, changing: [-2: .bytes([1] + zeros(31))]),
            Row("an Ed25519 point of order 4", eddsa, changing: [-2: .bytes(zeros(32))]),
            Row("an Ed25519 point that is not canonical", eddsa, changing: [-2: .bytes(ones(32))]),
            Row("RS256, 2047 bits", rs256(bits: 2047), .publicKeyInvalid),
            Row("RS256, 1024 bits", rs256(bits: 1024), .publicKeyInvalid),
            Row("RS256, 4097 bits", rs256(bits: 4097), .publicKeyInvalid),
            Row("RS256, 8192 bits", rs256(bits: 8192), .publicKeyInvalid),
            Row("RS256 with the exponent 1", rs256(e: [1]), .publicKeyInvalid),
            Row("RS256 with the exponent 2", rs256(e: [2]), .publicKeyInvalid),
            Row("RS256 with the exponent 0", rs256(e: [0]), .publicKeyInvalid),
            Row("RS256 with an even exponent", rs256(e: [1, 0, 0]), .publicKeyInvalid),
            Row("RS256 with a leading zero in the exponent", rs256(e: [0, 1, 0, 1]), .publicKeyInvalid),
            Row("RS256 with an exponent of 9 bytes", rs256(e: ones(9)), .publicKeyInvalid),
            Row("RS256 without modulus", rs256(), changing: [-1: .bytes([])]),
            Row("RS256 with an even modulus", rs256(), changing: [-1: .bytes(ones(255) + [0xFE])]),
            Row("RS256 with a leading zero", rs256(), changing: [-1: .bytes([0] + ones(256))]),
        ])
    func keys(row: Row) throws {
        let encoded = CBOREncoder.encode(.map(row.map))
        if let fault = row.fault {
            #expect(throws: fault) { try COSEKey(decoding: encoded) }
        } else {
            #expect(try COSEKey(decoding: encoded).encoded == encoded)
        }
    }

    @Test("Bytes that are not one map are rejected")
    func encoding() {
        let encoded = CBOREncoder.encode(.map(Self.es256))
        let others: [[UInt8]] = [
            [], encoded + [0], Array(encoded.dropLast()), [0xA1, 3, 0x26, 0], CBOREncoder.encode(.array([])),
        ]
        for encoded in others {
            #expect(throws: WebAuthnFault.publicKeyInvalid) { try COSEKey(decoding: encoded) }
        }
    }

    @Test("The algorithms are offered in the order of preference, and ES384 is not")
    func offered() {
        #expect(COSEAlgorithm.offered.map(\.rawValue) == [-8, -7, -257])
    }

    private static func bytes(_ hex: String) -> [UInt8] { Hexadecimal.decode(hex) ?? [] }

    private static func ones(_ count: Int) -> [UInt8] { [UInt8](repeating: 0xFF, count: count) }

    private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
