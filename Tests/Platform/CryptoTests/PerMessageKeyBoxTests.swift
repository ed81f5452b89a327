import Testing

@testable import Crypto

@Suite("Boxes with a key for every message")
struct PerMessageKeyBoxTests {
    private let secret = Array("state of a sign-in".utf8)
    private let context = "sealed token/authorization-flow/demo"

    /// A box whose master keys consist of 32 equal bytes.
    private func box(current: UInt8, previous: UInt8? = nil, purpose: String = "sealed tokens") throws
        -> PerMessageKeyBox
    {
        PerMessageKeyBox(
            keys: try MasterKeys(
                current: [UInt8](repeating: current, count: 32),
                previous: previous.map { [UInt8](repeating: $0, count: 32) }), purpose: purpose)
    }

    @Test(
        "A ciphertext is decrypted to its plaintext, and each ciphertext has its own salt", arguments: [0, 1, 16, 1000])
    func roundTrip(length: Int) throws {
        let box = try box(current: 1)
        let secret = Random.bytes(length)
        let sealed = try box.seal(secret, context: context)
        // Version, key ID, salt, nonce, ciphertext and tag.
        #expect(sealed.count == 1 + 4 + 16 + 12 + length + 16)
        #expect(try box.open(sealed, context: context) == secret)
        #expect(try box.seal(secret, context: context).dropFirst(5).prefix(16) != sealed.dropFirst(5).prefix(16))
    }

    @Test("A ciphertext is rejected after a change of any byte, and if it is shortened")
    func tampered() throws {
        let box = try box(current: 1)
        let sealed = try box.seal(secret, context: context)
        for index in sealed.indices {
            var altered = sealed
            altered[index] ^= 1
            #expect(throws: SealFault.self, "byte \(index)") { try box.open(altered, context: context) }
        }
        for count in 0..<sealed.count {
            #expect(throws: SealFault.self) { try box.open(Array(sealed.prefix(count)), context: context) }
        }
    }

    @Test("A ciphertext is decrypted only with its purpose, its context, and its master key, current or previous")
    func binding() throws {
        let sealed = try box(current: 1).seal(secret, context: context)
        #expect(try box(current: 2, previous: 1).open(sealed, context: context) == secret)
        #expect(throws: SealFault.unknownKey) { try box(current: 2).open(sealed, context: context) }
        #expect(throws: SealFault.tagMismatch) { try box(current: 1).open(sealed, context: context + "x") }
        #expect(throws: SealFault.tagMismatch) { try box(current: 1, purpose: "other").open(sealed, context: context) }
    }
}
