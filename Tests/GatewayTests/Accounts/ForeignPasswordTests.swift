import Crypto
import FoundationEssentials
import Identity
import Postgres
import Storage
import Testing

@testable import Gateway
@testable import Support

/// Hashes of other systems, imported and then used to sign in.
@Suite("Imported password hashes", .serialized)
struct ForeignPasswordTests {
    /// The example in the README of github.com/firebase/scrypt.
    static let firebase: [String: JSON] = [
        "hashAlgorithm": "SCRYPT", "rounds": 8, "memoryCost": 14, "saltSeparator": "Bw==",
        "signerKey": "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
    ]
    static let user1: [String: JSON] = [
        "localId": "ada", "email": "ada@example.com", "salt": "42xEC-ixf3L2lw==",
        "passwordHash":
            "lSrfV15cpx95_sZS2W9c9Kp6i_LVgQNDNC_qzrCnh1SAyZvqmZqAjTdn3aoItz-VHjoZilo78198JAdRuid5lQ",
    ]

    static func base64(hex: String) -> JSON {
        let digits = hex.compactMap(\.hexDigitValue)
        return .string(
            Data(stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
                .base64EncodedString())
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        let scheme: [String: JSON]
        let hash: JSON
        var salt: String?
        let password: String
        var testDescription: String { name }
    }

    /// The Firebase example above; scrypt and PBKDF2 with SHA-256 from RFC 7914 (§12 and §11); PBKDF2 with SHA-1 from
    /// RFC 6070; bcrypt by Python's `crypt`; Argon2 from the tests of its reference implementation.
    static let rows = [
        Row(
            name: "Firebase", scheme: firebase, hash: user1["passwordHash"] ?? .null, salt: "42xEC-ixf3L2lw==",
            password: "user1password"),
        Row(
            name: "scrypt",
            scheme: [
                "hashAlgorithm": "STANDARD_SCRYPT", "cpuMemCost": 1024, "blockSize": 8, "parallelization": 16,
                "dkLen": 64,
            ],
            hash: base64(
                hex: "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                    + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"),
            salt: "TmFDbA", password: "password"),
        Row(
            name: "PBKDF2 with SHA-1", scheme: ["hashAlgorithm": "PBKDF_SHA1", "rounds": 4096],
            hash: base64(hex: "4b007901b765489abead49d926f721d065a429c1"), salt: "c2FsdA", password: "password"),
        Row(
            name: "PBKDF2 with SHA-256", scheme: ["hashAlgorithm": "PBKDF2_SHA256", "rounds": "1"],
            hash: base64(
                hex: "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
                    + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"),
            salt: "c2FsdA", password: "passwd"),
        Row(
            name: "bcrypt", scheme: ["hashAlgorithm": "BCRYPT"],
            hash: .string(
                Data("$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e".utf8).base64EncodedString()),
            password: "correct horse"),
        Row(
            name: "Argon2", scheme: [:],
            hash: .string(
                Data("$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4".utf8)
                    .base64EncodedString()), password: "password"),
    ]

    @Test(
        "Imported hashes verify only the correct password, and are replaced by Argon2id at the first sign-in",
        arguments: rows)
    func signIn(row: Row) async throws {
        let gateway = try await TestGateway.withServiceKey()
        var user: [String: JSON] = ["localId": "ada", "email": "ada@example.com", "passwordHash": row.hash]
        user["salt"] = row.salt.map { .string($0) }
        let body = row.scheme.merging(["users": [.object(user)]]) { $1 }
        #expect(try await gateway.administerAccounts(":batchCreate", .object(body)).json["error"] == nil)
        let imported = try await gateway.storedPasswordHash(of: "ada")
        #expect(try await gateway.signIn(password: row.password + "x").outcome == "400 INVALID_PASSWORD")
        #expect(try await gateway.storedPasswordHash(of: "ada") == imported)
        #expect(try await gateway.signIn(password: row.password).json["localId"] == "ada")
        let replacement = try #require(try await gateway.storedPasswordHash(of: "ada"))
        // The cost that `TestGateway` sets.
        #expect(replacement.hasPrefix("$argon2id$v=19$m=8,t=1,p=1$"))
        #expect(try await gateway.signIn(password: row.password).json["localId"] == "ada")
        #expect(try await gateway.signIn(password: row.password + "x").outcome == "400 INVALID_PASSWORD")
        #expect(try await gateway.storedPasswordHash(of: "ada") == replacement)
    }

    @Test("An imported signer key is stored encrypted and only once, and can be re-encrypted with a new master key")
    func keys() async throws {
        let gateway = try await TestGateway.withServiceKey()
        for id in ["ada", "bob"] {
            let user = Self.user1.merging(["localId": .string(id), "email": .string("\(id)@example.com")]) { $1 }
            let answer = try await gateway.administerAccounts(
                ":batchCreate", .object(Self.firebase.merging(["users": [.object(user)]]) { $1 }))
            #expect(answer.json["error"] == nil)
        }
        let store = PasswordKeyStore(pool: gateway.database.pool)
        let stored = try await store.all()
        #expect(stored.count == 1)
        let key = try #require(Data(base64Encoded: Self.firebase["signerKey"]?.string ?? ""))
        #expect(!(stored[0].sealed.contains(Array(key.prefix(8)))))
        let both = try MasterKeys(current: TestGateway.newMasterKey, previous: TestGateway.masterKey)
        let (column, box) = (Reencryption.passwordKeys(in: store), SealedBox(keys: both))
        #expect(try await column.reencrypt(with: box) == 1)
        #expect(try await column.reencrypt(with: box) == 0)
        let newOnly = try MasterKeys(current: TestGateway.newMasterKey)
        let keys = PasswordKeys.sealed(in: store, under: newOnly, clock: gateway.clock.wallClock)
        #expect(try await keys.find(stored[0].id)?.bytes == Array(key))
    }

    @Test(
        "An import with invalid hash parameters is rejected as a whole",
        arguments: [
            (["hashAlgorithm": "ROT13"], "400 INVALID_HASH_ALGORITHM"),
            (["hashAlgorithm": "SCRYPT", "rounds": 8, "memoryCost": 14], "400 EMPTY_HASH_KEY"),
            (["rounds": 9], "400 INVALID_HASH_ROUNDS : rounds must be 1 to 8"),
            (["memoryCost": 40], "400 INVALID_HASH_MEMORY_COSTS : the memory cost must be 1 to 14"),
            (["signerKey": "AAAA"], "400 INVALID_HASH_PARAMETER : signerKey must have 16 to 256 bytes"),
            (["rounds": "x"], "400 Invalid JSON payload received. /rounds must be an integer"),
            (["signerKey": "?"], "400 Invalid JSON payload received. /signerKey must be base64"),
            (["hashAlgorithm": "ARGON2"], "501 OPERATION_NOT_ALLOWED : hashAlgorithm is not implemented."),
        ] as [([String: JSON], String)])
    func parameters(change: [String: JSON], expected: String) async throws {
        let gateway = try await TestGateway.withServiceKey()
        // A row without `hashAlgorithm` changes one of the parameters of the Firebase example.
        let base = change["hashAlgorithm"] == nil ? Self.firebase : [:]
        let body = base.merging(change) { $1 }.merging(["users": [.object(Self.user1)]]) { $1 }
        #expect(try await gateway.administerAccounts(":batchCreate", .object(body)).outcome == expected)
        let count = try await gateway.administerAccounts(":query", ["returnUserInfo": false])
        #expect(count.json == ["recordsCount": "0"])
    }

    @Test(
        "An entry with an invalid hash or salt is reported, and the others are stored",
        arguments: [
            (["passwordHash": "?"], "passwordHash and salt must be base64"),
            (["salt": "?"], "passwordHash and salt must be base64"),
            (["passwordHash": "AAAA"], "passwordHash must have 64 bytes"),
            (["salt": .string(String(repeating: "A", count: 400))], "salt must have 0 to 256 bytes"),
        ] as [([String: JSON], String)])
    func entries(change: [String: JSON], message: String) async throws {
        let gateway = try await TestGateway.withServiceKey()
        let bad = Self.user1.merging(change) { $1 }
        let good: JSON = ["localId": "good"]
        let answer = try await gateway.administerAccounts(
            ":batchCreate", .object(Self.firebase.merging(["users": [good, .object(bad)]]) { $1 }))
        #expect(answer.json["error"] == [["index": 1, "message": .string(message)]])
        #expect(try await gateway.accountSeenByAdmin("good")["localId"] == "good")
    }
}
