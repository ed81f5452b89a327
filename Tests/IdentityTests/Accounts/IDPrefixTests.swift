import Identity
import Testing

@Suite("What ids begin with")
struct IDPrefixTests {
    @Test(
        "ends before the next text that does not begin so",
        arguments: [
            ("a", "b"), ("az", "a{"), ("é", "ê"), ("a\u{D7FF}", "a\u{E000}"), ("a\u{10FFFF}", "b"),
            ("\u{10FFFF}\u{10FFFF}", nil), ("\u{10FFFF}", nil),
        ])
    func end(text: String, expected: String?) throws {
        let prefix = try #require(IDPrefix(text))
        #expect(prefix.end == expected)
    }

    @Test(
        "is at least one character, and no more than an id has",
        arguments: ["", "a\0", String(repeating: "a", count: 129)])
    func none(text: String) {
        #expect(IDPrefix(text) == nil)
    }
}
