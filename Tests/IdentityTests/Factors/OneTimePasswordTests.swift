import Testing

@testable import Identity

@Suite("One-time passwords")
struct OneTimePasswordTests {
    @Test("An HMAC is truncated as in the example of RFC 4226 section 5.4")
    func truncation() {
        let code: [UInt8] = [
            0x1F, 0x86, 0x98, 0x69, 0x0E, 0x02, 0xCA, 0x16, 0x61, 0x85, 0x50, 0xEF, 0x7F, 0x19, 0xDA, 0x8E, 0x94, 0x5B,
            0x55, 0x5A,
        ]
        #expect(OneTimePassword.value(ofHMAC: code) == 872_921)
    }

    @Test("Only six ASCII digits are a code; spaces between them are ignored")
    func parsing() {
        for (text, value) in [("123456", 123_456), ("012 345", 12_345), ("000000", 0)] as [(String, UInt32)] {
            #expect(OneTimePassword.parse(text) == value)
        }
        for text in ["", "12345", "1234567", "12345a", "+12345", "１２３４５６", "12345\n6"] {
            #expect(OneTimePassword.parse(text) == nil, "\(text)")
        }
    }

    @Test("Every accepted step is compared, and the last matching one counts")
    func steps() {
        var compared: [[UInt8]] = []
        let found = OneTimePassword.step(of: 872_921, at: Instant(seconds: 3000), adjacent: 2) { message in
            compared.append(message)
            return [
                0x1F, 0x86, 0x98, 0x69, 0x0E, 0x02, 0xCA, 0x16, 0x61, 0x85, 0x50, 0xEF, 0x7F, 0x19, 0xDA, 0x8E, 0x94,
                0x5B, 0x55, 0x5A,
            ]
        }
        #expect(found == 102)
        #expect(compared == (98...102).map { OneTimePassword.message(ofStep: $0) })
        #expect(OneTimePassword.message(ofStep: 258) == [0, 0, 0, 0, 0, 0, 1, 2])
        #expect(
            OneTimePassword.step(of: 1, at: Instant(seconds: 0), adjacent: 0) { _ in [UInt8](repeating: 0, count: 20) }
                == nil)
    }

    @Test("A recovery code is read without case and separators, and similar letters are digits")
    func recoveryCodes() {
        let digits = "0123456789ABCDEFGHJKMNPQ"
        #expect(RecoveryCode.text(of: digits) == "012345-6789AB-CDEFGH-JKMNPQ")
        for text in [digits, "o1234567 89abcdef-ghjkmnpq", "OI23456789ABCDEFGHJKMNPQ", "0L23456789abcdefghjkmnpq"] {
            #expect(RecoveryCode.digits(of: text) == digits)
        }
        for text in [
            "", String(digits.dropLast()), digits + "0", "é" + digits.dropFirst(), digits.replacing("Q", with: "_"),
        ] {
            #expect(RecoveryCode.digits(of: text) == nil)
        }
    }
}
