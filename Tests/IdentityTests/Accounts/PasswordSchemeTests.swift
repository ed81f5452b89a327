import Encoding
import Testing

@testable import Identity

@Suite("Imported password hashes")
struct PasswordSchemeTests {
    static let key = PasswordKey([UInt8](repeating: 7, count: 64))

    static func input(_ algorithm: String, _ change: (inout PasswordScheme.Input) -> Void = { _ in })
        -> PasswordScheme.Input
    {
        var input = PasswordScheme.Input(algorithm: algorithm)
        input.key = key
        input.rounds = 8
        input.memoryCost = 14
        change(&input)
        return input
    }

    static func scrypt(_ change: (inout PasswordScheme.Input) -> Void = { _ in }) -> PasswordScheme.Input {
        input("STANDARD_SCRYPT") {
            $0.memoryCost = 1024
            $0.blockSize = 8
            $0.parallelization = 16
            $0.hashLength = 64
            change(&$0)
        }
    }

    static func stored(
        _ input: PasswordScheme.Input, hash: [UInt8], salt: [UInt8] = Array("NaCl".utf8)
    ) throws(PasswordHashRefusal) -> String {
        try StoredPasswordScheme(try PasswordScheme(input), key: ID("k1")).stored(
            hash: Base64.encode(hash), salt: Base64.encode(salt))
    }

    static func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 1, count: count) }

    struct Row: CustomTestStringConvertible, Sendable {
        let input: PasswordScheme.Input
        let hashLength: Int
        /// The beginning of the stored text. `TmFDbA` is the salt `NaCl` in base64, and `TmFDbAc` is the salt with the
        /// separator.
        let prefix: String
        var testDescription: String { input.algorithm }
    }

    @Test(
        "An imported hash is stored as one text with its parameters, and can be read again",
        arguments: [
            Row(
                input: input("SCRYPT") { $0.saltSeparator = [7] }, hashLength: 64,
                prefix: "$firebase-scrypt$k=k1,m=14,r=8$TmFDbAc$"),
            Row(input: scrypt(), hashLength: 64, prefix: "$scrypt$n=1024,r=8,p=16$TmFDbA$"),
            Row(input: input("PBKDF_SHA1"), hashLength: 20, prefix: "$pbkdf2-sha1$i=8$TmFDbA$"),
            Row(input: input("PBKDF2_SHA256"), hashLength: 64, prefix: "$pbkdf2-sha256$i=8$TmFDbA$"),
            Row(input: input("HMAC_SHA512"), hashLength: 64, prefix: "$hmac-sha512$k=k1,o=ps$TmFDbA$"),
            Row(input: input("HMAC_SHA256"), hashLength: 32, prefix: "$hmac-sha256$k=k1,o=ps$TmFDbA$"),
            Row(input: input("HMAC_SHA1"), hashLength: 20, prefix: "$hmac-sha1$k=k1,o=ps$TmFDbA$"),
            Row(
                input: input("HMAC_MD5") { $0.order = .saltFirst }, hashLength: 16,
                prefix: "$hmac-md5$k=k1,o=sp$TmFDbA$"),
            Row(input: input("MD5"), hashLength: 16, prefix: "$md5$i=8,o=sp$TmFDbA$"),
            Row(input: input("SHA1"), hashLength: 20, prefix: "$sha1$i=8,o=sp$TmFDbA$"),
            Row(
                input: input("SHA256") { $0.order = .passwordFirst }, hashLength: 32,
                prefix: "$sha256$i=8,o=ps$TmFDbA$"),
            Row(input: input("SHA512"), hashLength: 64, prefix: "$sha512$i=8,o=sp$TmFDbA$"),
        ])
    func texts(row: Row) throws {
        let text = try Self.stored(row.input, hash: Self.bytes(row.hashLength))
        #expect(text.hasPrefix(row.prefix), "\(text)")
        let read = try #require(ForeignHash(text: text))
        #expect(read.hash == Self.bytes(row.hashLength))
        #expect(read.text == text)
    }

    @Test("A digest can be imported in hexadecimal", arguments: ["MD5", "SHA256", "HMAC_SHA1"])
    func hexadecimal(algorithm: String) throws {
        let length = ["MD5": 16, "SHA256": 32, "HMAC_SHA1": 20][algorithm] ?? 0
        let text = try Self.stored(Self.input(algorithm), hash: Array(String(repeating: "01", count: length).utf8))
        #expect(ForeignHash(text: text)?.hash == Self.bytes(length))
    }

    struct Refused: CustomTestStringConvertible, Sendable {
        let why: String
        let input: PasswordScheme.Input
        var hash = PasswordSchemeTests.bytes(64)
        var salt: [UInt8] = []
        let refusal: PasswordHashRefusal
        var testDescription: String { why }
    }

    @Test(
        "A hash that costs too much, or has missing or invalid parameters, is rejected",
        arguments: [
            Refused(why: "unknown algorithm", input: input("ROT13"), refusal: .algorithmIsUnknown),
            Refused(why: "no key", input: input("SCRYPT") { $0.key = nil }, refusal: .keyIsMissing),
            Refused(why: "empty key", input: input("HMAC_MD5") { $0.key = PasswordKey([]) }, refusal: .keyIsMissing),
            Refused(
                why: "short key", input: input("SCRYPT") { $0.key = PasswordKey([1]) }, refusal: .keyLength(16...256)),
            Refused(
                why: "long key", input: input("HMAC_SHA512") { $0.key = PasswordKey(bytes(1025)) },
                refusal: .keyLength(1...1024)),
            Refused(
                why: "too many rounds for Firebase's scrypt", input: input("SCRYPT") { $0.rounds = 9 },
                refusal: .rounds(1...8)),
            Refused(
                why: "no rounds for Firebase's scrypt", input: input("SCRYPT") { $0.rounds = nil },
                refusal: .rounds(1...8)),
            Refused(
                why: "too much memory for Firebase's scrypt", input: input("SCRYPT") { $0.memoryCost = 15 },
                refusal: .memoryCost(1...14)),
            Refused(
                why: "hash of another length than the key", input: input("SCRYPT"), hash: bytes(63),
                refusal: .hashLength(64...64)),
            Refused(why: "scrypt cost 1", input: scrypt { $0.memoryCost = 1 }, refusal: .memoryCost(2...1_048_576)),
            Refused(
                why: "scrypt cost 2^40", input: scrypt { $0.memoryCost = 1 << 40 }, refusal: .memoryCost(2...1_048_576)),
            Refused(
                why: "a cost that scrypt does not define for blocks of size 1",
                input: scrypt { ($0.memoryCost, $0.blockSize, $0.parallelization) = (65_536, 1, 1) },
                refusal: .memoryCost(2...32_768)),
            Refused(why: "scrypt cost 1000", input: scrypt { $0.memoryCost = 1000 }, refusal: .costIsNotPowerOfTwo),
            Refused(
                why: "too large a block of scrypt", input: scrypt { $0.blockSize = 65 }, refusal: .blockSize(1...64)),
            Refused(
                why: "too much parallelization of scrypt", input: scrypt { $0.parallelization = .max },
                refusal: .parallelization(1...64)),
            Refused(
                // 2^18 * 8 / 8 KiB are 256 MiB.
                why: "too much memory for scrypt",
                input: scrypt {
                    $0.memoryCost = 1 << 18
                    $0.parallelization = 1
                }, refusal: .memory(limitKiB: 131_072)),
            Refused(
                // 2^15 * 8 * 8 is 2^21, with only 32 MiB of memory.
                why: "too much work for scrypt in all lanes together",
                input: scrypt {
                    $0.memoryCost = 1 << 15
                    $0.parallelization = 8
                }, refusal: .scryptWork(limit: 1_048_576)),
            Refused(why: "long hash of scrypt", input: scrypt { $0.hashLength = 257 }, refusal: .hashLength(16...256)),
            Refused(
                why: "hash of another length than dkLen", input: scrypt { $0.hashLength = 32 },
                refusal: .hashLength(32...32)),
            Refused(
                why: "no iterations", input: input("PBKDF_SHA1") { $0.rounds = 0 }, refusal: .rounds(1...2_000_000)),
            Refused(
                why: "too many iterations", input: input("PBKDF2_SHA256") { $0.rounds = 2_000_001 },
                refusal: .rounds(1...2_000_000)),
            Refused(
                // A hash of 64 bytes consists of two blocks of SHA-256. Therefore the limit is half as high.
                why: "too many iterations of two blocks", input: input("PBKDF2_SHA256") { $0.rounds = 1_500_000 },
                refusal: .rounds(1...1_000_000)),
            Refused(why: "negative rounds", input: input("MD5") { $0.rounds = -1 }, refusal: .rounds(0...8192)),
            Refused(
                why: "too many digest rounds", input: input("SHA512") { $0.rounds = 8193 }, refusal: .rounds(0...8192)),
            Refused(
                why: "hash of another length than the digest", input: input("SHA256"), refusal: .hashLength(32...32)),
            Refused(why: "hash of one byte", input: input("PBKDF_SHA1"), hash: [1], refusal: .hashLength(16...256)),
            Refused(why: "long salt", input: input("SHA512"), salt: bytes(257), refusal: .saltLength(0...256)),
            Refused(why: "not a bcrypt hash", input: input("BCRYPT"), refusal: .unreadable),
            Refused(why: "Argon2 without parameters", input: input("ARGON2"), refusal: .algorithmIsUnsupported),
        ])
    func refusals(row: Refused) {
        #expect(throws: row.refusal) { try Self.stored(row.input, hash: row.hash, salt: row.salt) }
    }

    @Test("A raw Argon2 hash is stored as an encoded string if its parameters are accepted")
    func argon2() throws {
        func stored(
            _ memoryKiB: Int, _ iterations: Int, isVersion13WithoutAssociatedData: Bool = true,
            type: String = "ARGON2_ID"
        ) throws -> String {
            var input = PasswordScheme.Input(algorithm: "ARGON2")
            input.argon2 = PasswordScheme.Argon2(
                type: type, hashLength: 32, parallelism: 4, iterations: iterations, memoryKiB: memoryKiB,
                isVersion13WithoutAssociatedData: isVersion13WithoutAssociatedData)
            return try Self.stored(input, hash: Self.bytes(32), salt: Array("somesalt".utf8))
        }
        #expect(try stored(65536, 3).hasPrefix("$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$"))
        #expect(throws: PasswordHashRefusal.memoryCost(8...131_072)) { try stored(131_073, 1) }
        // 4 lanes need 8 KiB each.
        #expect(throws: PasswordHashRefusal.memoryCost(32...131_072)) { try stored(31, 1) }
        #expect(throws: PasswordHashRefusal.rounds(1...16)) { try stored(1024, 17) }
        #expect(throws: PasswordHashRefusal.argon2Work(limit: 1_048_576)) { try stored(131_072, 9) }
        #expect(throws: PasswordHashRefusal.algorithmIsUnsupported) {
            try stored(1024, 1, isVersion13WithoutAssociatedData: false)
        }
        #expect(throws: PasswordHashRefusal.algorithmIsUnsupported) { try stored(1024, 1, type: "ARGON2_D") }
    }

    // The hashes in encoded texts. Only their characters and lengths matter.
    static let bcrypt = "abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e"
    static let sha512 = String(repeating: "a", count: 86)
    static let yescrypt = String(repeating: "a", count: 43)

    @Test(
        "An encoded hash is stored unchanged if its format and parameters are accepted",
        arguments: [
            ("$2b$14$\(bcrypt)", nil), ("$2b$15$\(bcrypt)", .rounds(4...14)), ("$2b$1$\(bcrypt)", .unreadable),
            ("$2b$10$\(bcrypt.dropLast())", .unreadable), ("$2b$10$\(bcrypt)$", .unreadable),
            ("$6$salt$\(sha512)", nil), ("$6$rounds=656000$salt$\(sha512)", nil),
            ("$6$rounds=656001$salt$\(sha512)", .rounds(1000...656_000)), ("$6$salt$short", .unreadable),
            // `j9T` encodes the cost of yescrypt. `jCT` needs 128 MiB, `jDT` and `jzT` need more.
            ("$y$j9T$salt$\(yescrypt)", nil), ("$y$jCT$salt$\(yescrypt)", nil),
            ("$y$jDT$salt$\(yescrypt)", .memory(limitKiB: 131_072)),
            ("$y$jzT$salt$\(yescrypt)", .memory(limitKiB: 131_072)), ("$y$j9T9$salt$\(yescrypt)", .unreadable),
            ("$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4", nil),
            (
                "$argon2id$v=16$m=65536,t=3,p=4$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
                .algorithmIsUnsupported
            ),
            (
                "$argon2i$v=19$m=4294967295,t=3,p=4$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
                .memoryCost(8...131_072)
            ),
            ("$1$salt$qJH7.N4xYta3aEG/dfqo/0", .algorithmIsMissing), ("nonsense", .algorithmIsMissing),
        ] as [(String, PasswordHashRefusal?)])
    func encoded(text: String, refusal: PasswordHashRefusal?) {
        let scheme = StoredPasswordScheme(.selfDescribing, key: nil)
        let stored = Result { try scheme.stored(hash: Base64.encode(Array(text.utf8)), salt: nil) }
        switch refusal {
        case nil: #expect((try? stored.get()) == text)
        case let refusal?: #expect(throws: refusal) { try stored.get() }
        }
    }

    /// Defaults of other systems, or what their documents recommend.
    @Test(
        "The costs that other systems use by default are accepted",
        arguments: [
            ("scrypt, recommended by OWASP", scryptInput(17, 1)),
            ("scrypt of Django", scryptInput(14, 5)),
            ("PBKDF2, two million rounds", input("PBKDF2_SHA256") { $0.rounds = 2_000_000 }),
            ("Firebase", input("SCRYPT")), ("Argon2 of 128 MiB", argon2Input(131_072, 4)),
            ("Argon2 of PHP", argon2Input(65_536, 4)),
        ] as [(String, PasswordScheme.Input)])
    func defaults(name: String, input: PasswordScheme.Input) throws {
        let length = input.algorithm == "SCRYPT" ? 64 : 32
        #expect(throws: Never.self) {
            try Self.stored(input, hash: Self.bytes(length), salt: Array("somesalt".utf8))
        }
    }

    static func scryptInput(_ logCost: Int, _ parallelization: Int) -> PasswordScheme.Input {
        scrypt {
            $0.memoryCost = 1 << logCost
            $0.parallelization = parallelization
            $0.hashLength = 32
        }
    }

    static func argon2Input(_ memoryKiB: Int, _ iterations: Int) -> PasswordScheme.Input {
        input("ARGON2") {
            $0.argon2 = PasswordScheme.Argon2(
                type: "ARGON2_ID", hashLength: 32, parallelism: 4, iterations: iterations, memoryKiB: memoryKiB,
                isVersion13WithoutAssociatedData: true)
        }
    }

    @Test("A hash that needs a key gets the key of the import, and not the key that it names")
    func rekeyed() throws {
        let text = try Self.stored(Self.input("SCRYPT"), hash: Self.bytes(64))
        let encoded = Base64.encode(Array(text.utf8))
        #expect(throws: PasswordHashRefusal.keyIsMissing) {
            try StoredPasswordScheme(.selfDescribing, key: nil).stored(hash: encoded, salt: nil)
        }
        let scheme = StoredPasswordScheme(try PasswordScheme(Self.input("CRYPT")), key: ID("k2"))
        #expect(try scheme.stored(hash: encoded, salt: nil) == text.replacing("k=k1", with: "k=k2"))
    }

    @Test(
        "A stored text that is malformed or exceeds a limit is rejected",
        arguments: [
            "$scrypt$n=1073741824,r=8,p=1$TmFDbA$AQEBAQEBAQEBAQEBAQEBAQ", "$md5$i=8,o=sp$TmFDbA$AQ",
            "$pbkdf2-sha1$i=4294967295$TmFDbA$AQEBAQEBAQEBAQEBAQEBAQ", "$md5$$$", "$$$$", "",
            "$hmac-md5$o=sp$TmFDbA$AQEBAQEBAQEBAQEBAQEBAQ", "$md5$k=k1,i=8,o=sp$TmFDbA$AQEBAQEBAQEBAQEBAQEBAQ",
        ])
    func hostile(text: String) {
        #expect(ForeignHash(text: text) == nil)
    }
}
