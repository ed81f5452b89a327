import Testing

@testable import Crypto

@Suite("Password hashes")
struct PasswordHashTests {
    private let password = Array("correct horse battery staple".utf8)

    private func cheapCost() throws -> PasswordHash.Cost { try PasswordHash.Cost(memoryKiB: 8, iterations: 1) }

    @Test("A hash verifies its password and no other")
    func roundTrip() throws {
        let phc = try PasswordHash.hash(password, cost: cheapCost())
        #expect(phc.hasPrefix("$argon2id$v=19$m=8,t=1,p=1$"))
        #expect(PasswordHash.verify(password, against: phc))
        #expect(!PasswordHash.verify(Array("Correct horse battery staple".utf8), against: phc))
        #expect(!PasswordHash.verify([], against: phc))
    }

    @Test("Hashes are salted: the same password has different hashes")
    func salted() throws {
        #expect(try PasswordHash.hash(password, cost: cheapCost()) != PasswordHash.hash(password, cost: cheapCost()))
    }

    @Test(
        "A hash depends on every byte of a password, including NUL, and a password may be empty",
        arguments: [[], [0], [0, 0], [0, 1]] as [[UInt8]])
    func bytes(password: [UInt8]) throws {
        let phc = try PasswordHash.hash(password, cost: cheapCost())
        for other in [[], [0], [0, 0], [0, 1]] as [[UInt8]] {
            #expect(PasswordHash.verify(other, against: phc) == (other == password))
        }
    }

    /// Argon2 reference implementation, `test.c`, version 0x13, argon2id, one lane.
    @Test("A hash of the reference implementation is verified")
    func reference() {
        let phc = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
        #expect(PasswordHash.verify(Array("password".utf8), against: phc))
        #expect(!PasswordHash.verify(Array("Password".utf8), against: phc))
        #expect(!PasswordHash.verify(Array("password".utf8), against: phc + "\u{0}"))
    }

    /// Argon2 reference implementation, `test.c`, version 0x13, argon2i, one lane.
    @Test("A hash of Argon2i is verified and needs rehashing")
    func argon2i() throws {
        let phc = "$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8"
        #expect(PasswordHash.verify(Array("password".utf8), against: phc))
        #expect(!PasswordHash.verify(Array("Password".utf8), against: phc))
        #expect(try PasswordHash.needsRehash(phc, cost: PasswordHash.Cost(memoryKiB: 256, iterations: 2)))
    }

    @Test(
        "Text that is not a hash, or has excessive or unsupported parameters, verifies no password",
        arguments: [
            "", "$", "plain text", "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ",
            "$argon2id$v=19$m=1048577,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=4294967295,t=1,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=256,t=17,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=256,t=4294967295,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=256,t=2,p=17$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=-256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=16$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2d$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4",
            "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4$",
        ])
    func hostile(phc: String) {
        #expect(!PasswordHash.verify(Array("password".utf8), against: phc))
        #expect(Argon2Parameters(phc: phc) == nil)
    }

    @Test("A hash needs rehashing if it has another cost, number of lanes or algorithm than a new hash would have")
    func rehash() throws {
        let phc = try PasswordHash.hash(password, cost: cheapCost())
        #expect(try !PasswordHash.needsRehash(phc, cost: cheapCost()))
        #expect(try PasswordHash.needsRehash(phc, cost: PasswordHash.Cost(memoryKiB: 16, iterations: 1)))
        #expect(try PasswordHash.needsRehash(phc, cost: PasswordHash.Cost(memoryKiB: 8, iterations: 2)))
        #expect(try PasswordHash.needsRehash("$2b$10$abcdefghijklmnopqrstuv", cost: cheapCost()))
        #expect(try PasswordHash.needsRehash(phc.replacing("p=1", with: "p=2"), cost: cheapCost()))
    }

    @Test("A cost out of range is rejected", arguments: [(7, 1), (1_048_577, 1), (8, 0), (8, 17), (-1, -1)])
    func costs(memoryKiB: Int, iterations: Int) {
        #expect(throws: PasswordHash.CostOutOfRange.self) {
            try PasswordHash.Cost(memoryKiB: memoryKiB, iterations: iterations)
        }
    }
}
