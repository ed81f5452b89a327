import Testing

@testable import Identity

@Suite("Password hashes made elsewhere")
struct PasswordSchemeTests {
    static let key = PasswordKey([UInt8](repeating: 7, count: 64))

    static func wish(_ algorithm: String, _ change: (inout PasswordScheme.Wish) -> Void = { _ in })
        -> PasswordScheme.Wish
    {
        var wish = PasswordScheme.Wish(algorithm: algorithm)
        wish.key = key
        wish.rounds = 8
        wish.memoryCost = 14
        change(&wish)
        return wish
    }

    static func scrypt(_ change: (inout PasswordScheme.Wish) -> Void = { _ in }) -> PasswordScheme.Wish {
        wish("STANDARD_SCRYPT") {
            $0.memoryCost = 1024
            $0.blockSize = 8
            $0.parallelization = 16
            $0.hashLength = 64
            change(&$0)
        }
    }

    static func stored(
        _ wish: PasswordScheme.Wish, hash: [UInt8], salt: [UInt8] = Array("NaCl".utf8)
    ) throws(PasswordHashFault) -> String {
        try KeptPasswordScheme(try PasswordScheme(wish), key: ID("k1")).stored(hash: hash.base64, salt: salt.base64)
    }

    static func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 1, count: count) }

    struct Row: CustomTestStringConvertible, Sendable {
        let wish: PasswordScheme.Wish
        let count: Int
        let prefix: String
        var testDescription: String { wish.algorithm }
    }

    @Test(
        "are stored as one text that tells how they were made, and read again",
        arguments: [
            Row(
                wish: wish("SCRYPT") { $0.saltSeparator = [7] }, count: 64,
                prefix: "$firebase-scrypt$k=k1,m=14,r=8$TmFDbAc$"),
            Row(wish: scrypt(), count: 64, prefix: "$scrypt$n=1024,r=8,p=16$TmFDbA$"),
            Row(wish: wish("PBKDF_SHA1"), count: 20, prefix: "$pbkdf2-sha1$i=8$TmFDbA$"),
            Row(wish: wish("PBKDF2_SHA256"), count: 64, prefix: "$pbkdf2-sha256$i=8$TmFDbA$"),
            Row(wish: wish("HMAC_SHA512"), count: 64, prefix: "$hmac-sha512$k=k1,o=ps$TmFDbA$"),
            Row(wish: wish("HMAC_SHA256"), count: 32, prefix: "$hmac-sha256$k=k1,o=ps$TmFDbA$"),
            Row(wish: wish("HMAC_SHA1"), count: 20, prefix: "$hmac-sha1$k=k1,o=ps$TmFDbA$"),
            Row(wish: wish("HMAC_MD5") { $0.order = .saltFirst }, count: 16, prefix: "$hmac-md5$k=k1,o=sp$TmFDbA$"),
            Row(wish: wish("MD5"), count: 16, prefix: "$md5$i=8,o=sp$TmFDbA$"),
            Row(wish: wish("SHA1"), count: 20, prefix: "$sha1$i=8,o=sp$TmFDbA$"),
            Row(wish: wish("SHA256") { $0.order = .passwordFirst }, count: 32, prefix: "$sha256$i=8,o=ps$TmFDbA$"),
            Row(wish: wish("SHA512"), count: 64, prefix: "$sha512$i=8,o=sp$TmFDbA$"),
        ])
    func texts(row: Row) throws {
        let text = try Self.stored(row.wish, hash: Self.bytes(row.count))
        #expect(text.hasPrefix(row.prefix), "\(text)")
        let read = try #require(ForeignHash(text: text))
        #expect(read.hash == Self.bytes(row.count))
        #expect(read.text == text)
    }

    @Test("of digests may come as hexadecimal digits", arguments: ["MD5", "SHA256", "HMAC_SHA1"])
    func hexadecimal(algorithm: String) throws {
        let length = ["MD5": 16, "SHA256": 32, "HMAC_SHA1": 20][algorithm] ?? 0
        let text = try Self.stored(Self.wish(algorithm), hash: Array(String(repeating: "01", count: length).utf8))
        #expect(ForeignHash(text: text)?.hash == Self.bytes(length))
    }

    struct Refused: CustomTestStringConvertible, Sendable {
        let why: String
        let wish: PasswordScheme.Wish
        var hash = PasswordSchemeTests.bytes(64)
        var salt: [UInt8] = []
        let fault: PasswordHashFault
        var testDescription: String { why }
    }

    @Test(
        "that would cost too much, or say too little, are refused",
        arguments: [
            Refused(why: "unknown", wish: wish("ROT13"), fault: .algorithmIsUnknown),
            Refused(why: "no key", wish: wish("SCRYPT") { $0.key = nil }, fault: .keyIsMissing),
            Refused(why: "empty key", wish: wish("HMAC_MD5") { $0.key = PasswordKey([]) }, fault: .keyIsMissing),
            Refused(why: "short key", wish: wish("SCRYPT") { $0.key = PasswordKey([1]) }, fault: .keyLength(16...256)),
            Refused(
                why: "long key", wish: wish("HMAC_SHA512") { $0.key = PasswordKey(bytes(1025)) },
                fault: .keyLength(1...1024)),
            Refused(why: "Firebase's rounds", wish: wish("SCRYPT") { $0.rounds = 9 }, fault: .rounds(1...8)),
            Refused(why: "no rounds", wish: wish("SCRYPT") { $0.rounds = nil }, fault: .rounds(1...8)),
            Refused(why: "Firebase's memory", wish: wish("SCRYPT") { $0.memoryCost = 15 }, fault: .memoryCost(1...14)),
            Refused(
                why: "other length than the key", wish: wish("SCRYPT"), hash: bytes(63), fault: .hashLength(64...64)),
            Refused(why: "scrypt cost", wish: scrypt { $0.memoryCost = 1 }, fault: .memoryCost(2...1_048_576)),
            Refused(
                why: "scrypt cost 2^40", wish: scrypt { $0.memoryCost = 1 << 40 }, fault: .memoryCost(2...1_048_576)),
            Refused(why: "scrypt cost 1000", wish: scrypt { $0.memoryCost = 1000 }, fault: .costIsNoPowerOfTwo),
            Refused(why: "scrypt blocks", wish: scrypt { $0.blockSize = 65 }, fault: .blockSize(1...64)),
            Refused(why: "scrypt lanes", wish: scrypt { $0.parallelization = .max }, fault: .parallelization(1...64)),
            Refused(why: "scrypt in all", wish: scrypt { $0.memoryCost = 1 << 15 }, fault: .tooCostly),
            Refused(why: "scrypt length", wish: scrypt { $0.hashLength = 257 }, fault: .hashLength(16...256)),
            Refused(why: "not dkLen", wish: scrypt { $0.hashLength = 32 }, fault: .hashLength(32...32)),
            Refused(why: "no iterations", wish: wish("PBKDF_SHA1") { $0.rounds = 0 }, fault: .rounds(1...2_000_000)),
            Refused(
                why: "iterations", wish: wish("PBKDF2_SHA256") { $0.rounds = 2_000_001 }, fault: .rounds(1...2_000_000)),
            Refused(
                why: "iterations of several blocks", wish: wish("PBKDF2_SHA256") { $0.rounds = 1_500_000 },
                fault: .rounds(1...1_000_000)),
            Refused(why: "negative rounds", wish: wish("MD5") { $0.rounds = -1 }, fault: .rounds(0...8192)),
            Refused(why: "digest rounds", wish: wish("SHA512") { $0.rounds = 8193 }, fault: .rounds(0...8192)),
            Refused(why: "digest length", wish: wish("SHA256"), fault: .hashLength(32...32)),
            Refused(why: "one byte", wish: wish("PBKDF_SHA1"), hash: [1], fault: .hashLength(16...256)),
            Refused(why: "long salt", wish: wish("SHA512"), salt: bytes(257), fault: .saltLength(0...256)),
            Refused(why: "not bcrypt's", wish: wish("BCRYPT"), fault: .unreadable),
            Refused(why: "Argon2 without parameters", wish: wish("ARGON2"), fault: .algorithmIsUnsupported),
        ])
    func refusals(row: Refused) {
        #expect(throws: row.fault) { try Self.stored(row.wish, hash: row.hash, salt: row.salt) }
    }

    @Test("of Argon2 become strings, within bounds")
    func argon2() throws {
        func stored(_ memoryKiB: Int, _ iterations: Int, isPlain: Bool = true, type: String = "ARGON2_ID") throws
            -> String
        {
            var wish = PasswordScheme.Wish(algorithm: "ARGON2")
            wish.argon2 = PasswordScheme.Argon2(
                type: type, hashLength: 32, parallelism: 4, iterations: iterations, memoryKiB: memoryKiB,
                isPlain: isPlain)
            return try Self.stored(wish, hash: Self.bytes(32), salt: Array("somesalt".utf8))
        }
        #expect(try stored(65536, 3).hasPrefix("$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$"))
        #expect(throws: PasswordHashFault.memoryCost(8...262_144)) { try stored(262_145, 1) }
        #expect(throws: PasswordHashFault.rounds(1...16)) { try stored(1024, 17) }
        #expect(throws: PasswordHashFault.tooCostly) { try stored(262_144, 5) }
        #expect(throws: PasswordHashFault.algorithmIsUnsupported) { try stored(1024, 1, isPlain: false) }
        #expect(throws: PasswordHashFault.algorithmIsUnsupported) { try stored(1024, 1, type: "ARGON2_D") }
    }

    static let bcrypt = "abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e"
    static let sha512 = String(repeating: "a", count: 86)
    static let yescrypt = String(repeating: "a", count: 43)

    @Test(
        "that tell all by themselves need nothing said",
        arguments: [
            ("$2b$10$\(bcrypt)", nil), ("$2b$15$\(bcrypt)", .rounds(4...14)), ("$2b$1$\(bcrypt)", .unreadable),
            ("$2b$10$\(bcrypt.dropLast())", .unreadable), ("$2b$10$\(bcrypt)$", .unreadable),
            ("$6$salt$\(sha512)", nil), ("$6$rounds=656000$salt$\(sha512)", nil),
            ("$6$rounds=999999999$salt$\(sha512)", .rounds(1000...1_000_000)), ("$6$salt$short", .unreadable),
            ("$y$j9T$salt$\(yescrypt)", nil), ("$y$jET$salt$\(yescrypt)", .tooCostly),
            ("$y$jzT$salt$\(yescrypt)", .tooCostly), ("$y$j9T9$salt$\(yescrypt)", .unreadable),
            ("$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4", nil),
            (
                "$argon2id$v=16$m=65536,t=3,p=4$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
                .algorithmIsUnsupported
            ),
            (
                "$argon2i$v=19$m=4294967295,t=3,p=4$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
                .memoryCost(8...262_144)
            ),
            ("$1$salt$qJH7.N4xYta3aEG/dfqo/0", .algorithmIsMissing), ("nonsense", .algorithmIsMissing),
        ] as [(String, PasswordHashFault?)])
    func encoded(text: String, fault: PasswordHashFault?) {
        let scheme = KeptPasswordScheme(.selfDescribing, key: nil)
        let stored = Result { try scheme.stored(hash: Array(text.utf8).base64, salt: nil) }
        switch fault {
        case nil: #expect((try? stored.get()) == text)
        case let fault?: #expect(throws: fault) { try stored.get() }
        }
    }

    @Test("that need a key take the one that comes along, never the one they name")
    func rekeyed() throws {
        let text = try Self.stored(Self.wish("SCRYPT"), hash: Self.bytes(64))
        let encoded = Array(text.utf8).base64
        #expect(throws: PasswordHashFault.keyIsMissing) {
            try KeptPasswordScheme(.selfDescribing, key: nil).stored(hash: encoded, salt: nil)
        }
        let kept = KeptPasswordScheme(try PasswordScheme(Self.wish("CRYPT")), key: ID("k2"))
        #expect(try kept.stored(hash: encoded, salt: nil) == text.replacing("k=k1", with: "k=k2"))
    }

    @Test(
        "beyond the bounds are not read even when they are stored",
        arguments: [
            "$scrypt$n=1073741824,r=8,p=1$TmFDbA$AQEBAQEBAQEBAQEBAQEBAQ", "$md5$i=8,o=sp$TmFDbA$AQ",
            "$pbkdf2-sha1$i=4294967295$TmFDbA$AQEBAQEBAQEBAQEBAQEBAQ", "$md5$$$", "$$$$", "",
            "$hmac-md5$o=sp$TmFDbA$AQEBAQEBAQEBAQEBAQEBAQ", "$md5$k=k1,i=8,o=sp$TmFDbA$AQEBAQEBAQEBAQEBAQEBAQ",
        ])
    func hostile(text: String) {
        #expect(ForeignHash(text: text) == nil)
    }

    @Test("and salts are taken in both alphabets, padded or not", arguments: ["+/8=", "+/8", "-_8", "-_8="])
    func base64(text: String) {
        #expect([UInt8](base64: text) == [0xfb, 0xff])
    }

    @Test("that are no base64 are refused", arguments: ["not base64!", "A", "A=B="])
    func notBase64(text: String) {
        #expect([UInt8](base64: text) == nil)
    }
}
