import Identity
import Testing

@Suite("A reason")
struct ReasonTests {
    @Test(
        "A reason needs four different letters or digits, in any script",
        arguments: [
            ("staff only", true), ("社員専用", true), ("a1b2", true), ("  it reads that service's mail\n", true),
            ("", false), ("   ", false), ("\t\r\n", false), ("...", false), ("—!?…·", false), ("aaaaaaaa", false),
            ("n/a", false), ("abc", false), ("😀😃😄😁", false),
            // White space, control characters and invisible characters of Unicode.
            ("\u{A0}\u{1680}\u{2003}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}\u{85}", false),
            ("\u{0}\u{1}\u{7F}\u{9F}\u{1B}", false),
            ("\u{200B}\u{200C}\u{200D}\u{2060}\u{FEFF}\u{AD}\u{180E}\u{E0061}", false),
            // Letters without a glyph, and the blank of braille.
            ("\u{115F}\u{1160}\u{3164}\u{FFA0}\u{17B4}\u{17B5}\u{2800}", false),
        ])
    func minimum(text: String, isValid: Bool) {
        #expect(Reason(text).isValid == isValid)
    }

    @Test("A reason has at most 500 characters")
    func maximum() {
        let text = "staff" + String(repeating: "a", count: 495)
        #expect(Reason(text).isValid)
        #expect(Reason(text).text == text)
        #expect(!Reason(text + "a").isValid)
        #expect(Reason(text + String(repeating: "a", count: 10_000)).text.unicodeScalars.count == 501)
        #expect(Reason(text + String(repeating: " ", count: 10_000)).text == text)
    }

    @Test(
        "A reason is one line without control characters and directional overrides",
        arguments: [
            (" staff\r\n only\u{3000}", "staff only"), ("staff\u{1B}[2Jonly", "staff [2Jonly"),
            ("staff \u{202E}ylno", "staff ylno"), ("staff", "staff"), ("\u{2066}staff\u{2069}", "staff"),
            ("नि\u{200D}यम के लिए", "नि\u{200D}यम के लिए"),
        ])
    func oneLine(text: String, expected: String) {
        #expect(Array(Reason(text).text.utf8) == Array(expected.utf8))
        #expect(Reason(Reason(text).text) == Reason(text))
    }
}
