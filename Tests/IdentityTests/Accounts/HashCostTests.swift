import Encoding
import Testing

@testable import Identity

@Suite("Costs of password hashes")
struct HashCostTests {
    /// The most expensive accepted hash of a scheme.
    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let text: String
        /// A more expensive hash.
        let tooExpensive: String?
        /// Whether each round hashes the password again.
        var growsWithPassword = false
    }

    /// On the machine of the measurements, 1.6 seconds.
    private static let workLimit = 4_200_000
    /// The longest password that sign-in accepts, and the longest one that libcrypt hashes, in bytes.
    private static let passwordLengths = [Policy.maximumPasswordLength, 511, 8]

    private static func digest(_ length: Int) -> String {
        "TmFDbA$" + Base64.encode([UInt8](repeating: 1, count: length)).prefix { $0 != "=" }
    }

    private static let salt = "c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
    private static let bcrypt = "abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e"
    private static let crypt43 = String(repeating: "a", count: 43)

    private static let rows = [
        Row(
            testDescription: "MD5", text: "$md5$i=8192,o=sp$\(digest(16))",
            tooExpensive: "$md5$i=8193,o=sp$\(digest(16))",
            growsWithPassword: true),
        Row(
            testDescription: "SHA-512", text: "$sha512$i=8192,o=sp$\(digest(64))",
            tooExpensive: "$sha512$i=8193,o=sp$\(digest(64))"),
        Row(testDescription: "HMAC", text: "$hmac-sha512$k=k1,o=ps$\(digest(64))", tooExpensive: nil),
        Row(
            testDescription: "PBKDF2", text: "$pbkdf2-sha512$i=2000000$\(digest(64))",
            tooExpensive: "$pbkdf2-sha512$i=2000001$\(digest(64))"),
        Row(
            testDescription: "PBKDF2 of several blocks", text: "$pbkdf2-sha256$i=250000$\(digest(256))",
            tooExpensive: "$pbkdf2-sha256$i=250001$\(digest(256))"),
        Row(
            testDescription: "scrypt", text: "$scrypt$n=131072,r=8,p=1$\(digest(64))",
            tooExpensive: "$scrypt$n=131072,r=8,p=2$\(digest(64))"),
        Row(
            testDescription: "Firebase's scrypt", text: "$firebase-scrypt$k=k1,m=14,r=8$\(digest(64))",
            tooExpensive: "$firebase-scrypt$k=k1,m=15,r=8$\(digest(64))"),
        Row(testDescription: "bcrypt", text: "$2b$14$\(bcrypt)", tooExpensive: "$2b$15$\(bcrypt)"),
        Row(
            testDescription: "Argon2", text: "$argon2id$v=19$m=131072,t=8,p=1$\(salt)",
            tooExpensive: "$argon2id$v=19$m=131072,t=9,p=1$\(salt)"),
        Row(testDescription: "yescrypt", text: "$y$jCT$salt$\(crypt43)", tooExpensive: "$y$jDT$salt$\(crypt43)"),
        Row(
            testDescription: "SHA-256-crypt", text: "$5$rounds=656000$salt$\(crypt43)",
            tooExpensive: "$5$rounds=656001$salt$\(crypt43)", growsWithPassword: true),
        Row(
            testDescription: "SHA-512-crypt", text: "$6$rounds=656000$salt$\(crypt43)\(crypt43)",
            tooExpensive: "$6$rounds=656001$salt$\(crypt43)\(crypt43)", growsWithPassword: true),
    ]

    /// - Returns: `nil` if the hash is not accepted.
    private static func work(_ text: String, passwordLength: Int) -> Int? {
        if let foreign = ForeignHash(text: text) {
            return foreign.method.cost(hashLength: foreign.hash.count, passwordLength: passwordLength).work
        }
        return (try? EncodedHash(text))?.cost(passwordLength: passwordLength).work
    }

    @Test("No accepted hash takes more than the limit, however long the password is", arguments: rows)
    func limit(row: Row) throws {
        for length in Self.passwordLengths {
            #expect(try #require(Self.work(row.text, passwordLength: length)) <= Self.workLimit)
        }
        if let text = row.tooExpensive { #expect(Self.work(text, passwordLength: 8) == nil) }
    }

    @Test("The cost grows with the password only if each round hashes the password again", arguments: rows)
    func growth(row: Row) throws {
        let (long, short) = (Self.work(row.text, passwordLength: 511), Self.work(row.text, passwordLength: 8))
        #expect((try #require(long) > (try #require(short))) == row.growsWithPassword)
    }
}
