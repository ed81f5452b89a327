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
        "An invalid address is rejected",
        arguments: [
            "", "ada", "@", "ada@", "@example.com", "a@b@c", "ada @example.com", "ada@exa mple.com", "ada@example.com ",
            "ada@\n", "ada\u{0}@example.com", "\"ada\"@example.com", "ada@example..com", "ada@.example.com",
            "ada@example.com.", "ada@-example.com", "ada@example-.com", "ada@[127.0.0.1]",
            "ada@example.com,eve@example.com",
            "Ada <ada@example.com>", "dia\u{301}na@example.com", "ada@ex\u{430}mple.com", "ada@\u{130}.com",
            // A local part of 65 characters, a label of 64, and a domain of 263: each is too long.
            String(repeating: "l", count: 65) + "@example.com",
            "ada@" + String(repeating: "d", count: 64) + ".com",
            "ada@" + String(repeating: "d.", count: 130) + "com",
        ])
    func refused(text: String) {
        #expect(EmailAddress(text) == nil)
    }
}
