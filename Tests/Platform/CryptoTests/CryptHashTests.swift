import Testing

@testable import Crypto

@Suite("Hashes of crypt(3)")
struct CryptHashTests {
    /// Hashes of "correct horse" by Python's `crypt`.
    static let hashes = [
        "$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e",
        "$2y$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e",
        "$2a$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e",
        "$5$rounds=1000$saltstring$95Bg/RfV2QriLpMdLPHK9el0Ighm6E3CBqMKzZKgCa2",
        "$6$saltstring$.r0X7ub5wGR2v4Xz7svCIozfnlorFh19V89t8KC9Umd81uGhFgsyTRNyzQDXDIm17fFcR9z3z7oBNdsyYBbtm/",
        "$y$j9T$F5Jx5fExrKuPp53xLKQ..1$zwtVrjrUCmXcyLTs6oxLTQlzifSUkF8RHJ./tK5KU79",
    ]

    @Test("A hash verifies its password and no other, and a shortened hash verifies none", arguments: hashes)
    func verify(text: String) {
        let password = Array("correct horse".utf8)
        #expect(CryptHash.verify(password, against: text))
        #expect(!CryptHash.verify(Array("Correct horse".utf8), against: text))
        #expect(!CryptHash.verify([], against: text))
        #expect(!CryptHash.verify(password, against: String(text.dropLast())))
    }

    @Test("Passwords and hashes with a NUL are rejected", arguments: hashes)
    func nul(text: String) {
        #expect(!CryptHash.verify(Array("correct horse\u{0}battery".utf8), against: text))
        #expect(!CryptHash.verify(Array("correct horse".utf8), against: text + "\u{0}"))
    }

    @Test("A hash of an unknown format verifies no password", arguments: ["", "*0", "$", "plain", "$9$a$b", "x"])
    func unreadable(text: String) {
        #expect(!CryptHash.verify(Array("correct horse".utf8), against: text))
    }
}
