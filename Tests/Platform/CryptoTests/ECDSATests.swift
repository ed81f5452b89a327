import Crypto
import Testing

/// Edge cases of Project Wycheproof for ECDSA, with a generated key.
@Suite("ECDSA signatures")
struct ECDSATests {
    /// The order n of P-256.
    private static let order = hex("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
    private static let zero = repeated(0, count: 32)

    private let key: PrivateKey
    private let message = Array("message".utf8)
    private let r: [UInt8]
    private let s: [UInt8]

    init() throws {
        key = try PrivateKey.generate(.es256)
        let signature = try key.sign(message)
        r = Array(signature.prefix(32))
        s = Array(signature.suffix(32))
    }

    private func isAccepted(_ signature: [UInt8]) -> Bool { key.publicKey.verifies(signature, of: message) }

    @Test("A signature is valid with s and with n - s, because ECDSA is malleable and JOSE allows both")
    func highAndLow() {
        #expect(isAccepted(r + s))
        #expect(isAccepted(r + difference(Self.order, s)))
    }

    @Test("A signature with zero, one, n or 2^256 - 1 as r or s is rejected")
    func range() {
        let edges = [Self.zero, repeated(0, count: 31) + [1], Self.order, repeated(0xff, count: 32)]
        for edge in edges {
            #expect(!isAccepted(edge + s))
            #expect(!isAccepted(r + edge))
            for other in edges { #expect(!isAccepted(edge + other)) }
        }
    }

    @Test("A signature that is not 64 bytes long is rejected", arguments: [0, 1, 32, 63, 65, 66, 96, 128])
    func lengths(count: Int) {
        #expect(!isAccepted(Array((r + s + r + s).prefix(count))))
    }

    @Test("A signature that is padded with zeros is rejected")
    func padded() {
        #expect(!isAccepted([0] + r + s))
        #expect(!isAccepted(r + s + [0]))
        #expect(!isAccepted([0] + r + [0] + s))
    }

    @Test("A signature with r and s exchanged is rejected")
    func exchanged() {
        #expect(!isAccepted(s + r))
    }

    @Test("A signature in DER is rejected")
    func der() {
        let der = [0x30, 0x44, 0x02, 0x20] + r + [0x02, 0x20] + s
        #expect(!isAccepted(der))
    }

    /// The difference of two big-endian numbers of equal length.
    private func difference(_ a: [UInt8], _ b: [UInt8]) -> [UInt8] {
        var borrow = 0
        return zip(a, b).reversed().map { a, b in
            let digit = Int(a) - Int(b) - borrow
            borrow = digit < 0 ? 1 : 0
            return UInt8(truncatingIfNeeded: digit)
        }.reversed()
    }
}
