import Identity
import Testing

@Suite("Messages of blocking functions")
struct HookMessageTests {
    @Test(
        "A message is one line of visible text, or none",
        arguments: [
            ("Only members can sign up.", "Only members can sign up."),
            ("  one\r\n\ttwo\u{2028}three ", "one two three"),
            ("a\u{202E}b\u{200B}c\u{FEFF}", "abc"),
            ("\u{0}\u{1B}[31mred", "[31mred"),
            ("日本語 ع é", "日本語 ع é"),
            (" \u{200D}\n", nil),
            ("", nil),
        ] as [(String, String?)])
    func line(message: String, text: String?) {
        #expect(HookMessage(message)?.text == text)
    }

    @Test("A long message is cut")
    func long() {
        let text = HookMessage(String(repeating: "e\u{301}", count: 10_000))?.text
        #expect(text?.unicodeScalars.count == HookMessage.lengthLimit)
    }
}
