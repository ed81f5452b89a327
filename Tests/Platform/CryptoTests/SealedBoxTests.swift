import Testing

@testable import Crypto

@Suite("Sealed boxes")
struct SealedBoxTests {
    private let secret = Array("-----BEGIN PRIVATE KEY-----".utf8)
    private let context = "signing_key/demo/kid-1/private"

    /// A box whose master keys consist of 32 equal bytes.
    private func box(current: UInt8, previous: UInt8? = nil) throws -> SealedBox {
        try SealedBox(
            keys: MasterKeys(
                current: repeated(current, count: 32), previous: previous.map { repeated($0, count: 32) }))
    }

    @Test("A ciphertext is decrypted to its plaintext, even if the plaintext is empty", arguments: [0, 1, 16, 1000])
    func roundTrip(length: Int) throws {
        let box = try box(current: 1)
        let secret = Random.bytes(length)
        let sealed = try box.seal(secret, context: context)
        // Version, key ID, nonce, ciphertext and tag.
        #expect(sealed.count == 1 + 4 + 12 + length + 16)
        #expect(try box.open(sealed, context: context) == secret)
        #expect(try box.seal(secret, context: context) != sealed)
    }

    @Test("A ciphertext is rejected after a change of any byte")
    func tampered() throws {
        let box = try box(current: 1)
        let sealed = try box.seal(secret, context: context)
        for index in sealed.indices {
            var altered = sealed
            altered[index] ^= 1
            let expected: SealFault =
                switch index {
                case 0: .malformed
                case 1...4: .unknownKey
                default: .tagMismatch
                }
            #expect(throws: expected, "byte \(index)") { try box.open(altered, context: context) }
        }
    }

    @Test("A shortened or lengthened ciphertext is rejected")
    func resized() throws {
        let box = try box(current: 1)
        let sealed = try box.seal(secret, context: context)
        let overhead = 1 + 4 + 12 + 16  // version, key ID, nonce and tag
        for count in 0..<sealed.count {
            #expect(throws: count < overhead ? SealFault.malformed : .tagMismatch) {
                try box.open(Array(sealed.prefix(count)), context: context)
            }
        }
        #expect(throws: SealFault.tagMismatch) { try box.open(sealed + [0], context: context) }
    }

    @Test(
        "A ciphertext is rejected with another context",
        arguments: ["", "signing_key/demo/kid-2/private", "signing_key/demo/kid-1/privat"])
    func otherContext(other: String) throws {
        let box = try box(current: 1)
        let sealed = try box.seal(secret, context: context)
        #expect(throws: SealFault.tagMismatch) { try box.open(sealed, context: other) }
    }

    @Test(
        "During a rotation, a ciphertext of the previous key is decrypted, but not reported as one of the current key")
    func rotation() throws {
        let old = try box(current: 1)
        let sealed = try old.seal(secret, context: context)
        let both = try box(current: 2, previous: 1)
        #expect(try both.open(sealed, context: context) == secret)
        #expect(!both.isSealedWithCurrentKey(sealed))
        let resealed = try both.seal(secret, context: context)
        #expect(both.isSealedWithCurrentKey(resealed))
        #expect(throws: SealFault.unknownKey) { try old.open(resealed, context: context) }
        #expect(throws: SealFault.unknownKey) { try self.box(current: 2).open(sealed, context: context) }
        #expect(!both.isSealedWithCurrentKey([]))
    }

    @Test("A master key of another length than 32 bytes is rejected", arguments: [0, 16, 31, 33])
    func keyLength(length: Int) {
        #expect(throws: MasterKeys.WrongLength.self) { try MasterKeys(current: repeated(1, count: length)) }
        #expect(throws: MasterKeys.WrongLength.self) {
            try MasterKeys(current: repeated(1, count: 32), previous: repeated(2, count: length))
        }
    }

    @Test("Descriptions and dumps do not contain the keys")
    func redacted() throws {
        let keys = try MasterKeys(current: repeated(0xAB, count: 32), previous: repeated(0xAC, count: 32))
        var text = ""
        dump(SealedBox(keys: keys), to: &text)
        text += String(reflecting: keys) + "\(keys)"
        // `dump` writes bytes in decimal: 0xAB is 171, and 0xAC is 172.
        #expect(!text.contains("171") && !text.contains("172"))
    }

    struct Vector: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var key: String, nonce: String, plaintext = "", associated = "", ciphertext = "", tag: String
    }

    /// McGrew and Viega, "The Galois/Counter Mode of Operation (GCM)", appendix B.
    @Test(
        "AES-256-GCM matches published vectors",
        arguments: [
            Vector(
                testDescription: "case 13", key: String(repeating: "00", count: 32),
                nonce: String(repeating: "00", count: 12), tag: "530f8afbc74536b9a963b4f1c4cb738b"),
            Vector(
                testDescription: "case 14", key: String(repeating: "00", count: 32),
                nonce: String(repeating: "00", count: 12), plaintext: String(repeating: "00", count: 16),
                ciphertext: "cea7403d4d606b6e074ec5d3baf39d18", tag: "d0d1c8a799996bf0265b98b5d48ab919"),
            Vector(
                testDescription: "case 16", key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
                nonce: "cafebabefacedbaddecaf888",
                plaintext: """
                    d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
                    1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
                    """,
                associated: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
                ciphertext: """
                    522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
                    8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662
                    """,
                tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
        ])
    func published(row: Vector) throws {
        let sealed = try AESGCM.seal(
            hex(row.plaintext), key: hex(row.key), nonce: hex(row.nonce), associated: hex(row.associated))
        #expect(sealed == hex(row.ciphertext) + hex(row.tag))
        let opened = AESGCM.open(sealed, key: hex(row.key), nonce: hex(row.nonce), associated: hex(row.associated))
        #expect(opened == hex(row.plaintext))
    }
}
