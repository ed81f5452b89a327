import Identity
import Testing

@Suite("Email addresses")
struct EmailAddressTests {
    @Test(
        "A valid address is accepted and converted to lower case",
        arguments: [
            ("ada@example.com", "ada@example.com"),
            ("Ada.Lovelace+x@Example.COM", "ada.lovelace+x@example.com"),
            ("a@b", "a@b"),
            ("o'brien!#$%&*/=?^_`{|}~@x-y.example", "o'brien!#$%&*/=?^_`{|}~@x-y.example"),
            ("x@xn--bcher-kva.example", "x@xn--bcher-kva.example"),
            (String(repeating: "l", count: 64) + "@example.com", String(repeating: "l", count: 64) + "@example.com"),
        ])
    func accepted(text: String, expected: String) {
        #expect(EmailAddress(text)?.rawValue == expected)
    }

    @Test(
        "A domain that is not ASCII becomes the name to which a browser would go, in A-labels",
        arguments: [
            ("Ada@B\u{DC}CHER.example", "ada@xn--bcher-kva.example"),
            ("ada@bu\u{308}cher.example", "ada@xn--bcher-kva.example"),
            // Non-transitional: not "strasse".
            ("ada@stra\u{DF}e.example", "ada@xn--strae-oqa.example"),
            ("ada@\u{4F8B}\u{3048}\u{3002}\u{30C6}\u{30B9}\u{30C8}", "ada@xn--r8jz45g.xn--zckzah"),
            // The Cyrillic letter a and the dotted capital i do not become ASCII letters: these are other domains.
            ("ada@ex\u{430}mple.com", "ada@xn--exmple-4nf.com"), ("ada@\u{130}.com", "ada@xn--i-9bb.com"),
            // Compatibility characters stand for ASCII letters, to which every browser and mail program maps them.
            ("ada@\u{FF45}xample.com", "ada@example.com"), ("ada@example.\u{212A}r", "ada@example.kr"),
        ])
    func internationalized(text: String, expected: String) {
        #expect(EmailAddress(text)?.rawValue == expected)
        #expect(EmailAddress(expected)?.rawValue == expected)
    }

    @Test(
        "An invalid address is rejected",
        arguments: [
            "", "ada", "@", "ada@", "@example.com", "a@b@c", "ada @example.com", "ada@exa mple.com", "ada@example.com ",
            "ada@\n", "ada\u{0}@example.com", "\"ada\"@example.com", "ada@example..com", "ada@.example.com",
            "ada@example.com.", "ada@-example.com", "ada@example-.com", "ada@[127.0.0.1]",
            "ada@example.com,eve@example.com",
            "Ada <ada@example.com>", "dia\u{301}na@example.com", "ada\u{FF20}example.com",
            // Not valid in UTS #46: a symbol, a change of direction, an underscore beside a letter that is not ASCII.
            "ada@\u{2603}.example", "ada@\u{E9}\u{202E}.example", "ada@\u{E9}_b.example",
            "ada@\u{E9}.example@b.example",
            "ada@" + String(repeating: "\u{E9}", count: 64) + ".example",
            // A local part of 65 characters, a label of 64, and a domain of 263: each is too long.
            String(repeating: "l", count: 65) + "@example.com",
            "ada@" + String(repeating: "d", count: 64) + ".com",
            "ada@" + String(repeating: "d.", count: 130) + "com",
        ])
    func refused(text: String) {
        #expect(EmailAddress(text) == nil)
    }
}
