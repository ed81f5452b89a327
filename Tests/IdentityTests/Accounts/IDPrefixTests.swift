import Identity
import Testing

@Suite("The range of IDs with a prefix")
struct IDPrefixTests {
    @Test(
        "ends before the next text without the prefix",
        arguments: [
            ("a", "b"), ("az", "a{"), ("é", "ê"), ("a\u{D7FF}", "a\u{E000}"), ("a\u{10FFFF}", "b"),
            ("\u{10FFFF}\u{10FFFF}", nil), ("\u{10FFFF}", nil),
        ])
    func end(text: String, expected: String?) throws {
        let prefix = try #require(IDPrefix(text))
        #expect(prefix.end == expected)
    }

    @Test(
        "needs one character, and at most as many as an ID has",
        arguments: ["", "a\0", String(repeating: "a", count: 129)])
    func none(text: String) {
        #expect(IDPrefix(text) == nil)
    }
}
