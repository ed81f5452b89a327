import Identity
import Testing

@Suite("The range of IDs with a prefix")
struct IDPrefixTests {
    @Test(
        "The range of IDs with a prefix ends before the first greater text without the prefix",
        arguments: [
            ("a", "b"), ("az", "a{"), ("é", "ê"), ("a\u{D7FF}", "a\u{E000}"), ("a\u{10FFFF}", "b"),
            ("\u{10FFFF}\u{10FFFF}", nil), ("\u{10FFFF}", nil),
        ])
    func end(text: String, expected: String?) throws {
        let prefix = try #require(IDPrefix(text))
        #expect(prefix.end == expected)
    }

    @Test(
        "A prefix is rejected if it is empty, contains NUL or is longer than an ID",
        arguments: ["", "a\0", String(repeating: "a", count: 129)])
    func rejected(text: String) {
        #expect(IDPrefix(text) == nil)
    }
}
