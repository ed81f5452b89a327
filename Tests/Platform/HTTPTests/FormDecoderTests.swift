import HTTP
import Testing

@Suite("Form decoder")
struct FormDecoderTests {
    @Test(
        "Pairs are returned in order, and percent-decoded once",
        arguments: [
            ("", []),
            ("a=1&b=2", ["a", "1", "b", "2"]),
            ("a=1&a=2", ["a", "1", "a", "2"]),
            ("a", ["a", ""]),
            ("=", ["", ""]),
            ("a==b", ["a", "=b"]),
            ("&&a=1&", ["a", "1"]),
            ("a+b=c+d%2B", ["a b", "c d+"]),
            ("id_token=x.y%2Dz&providerId=apple.com", ["id_token", "x.y-z", "providerId", "apple.com"]),
            ("n=%C3%A9%e2%82%ac", ["n", "é€"]),
            ("n=%2525", ["n", "%25"]),
            ("n=%00", ["n", "\0"]),
        ] as [(String, [String])])
    func decodes(text: String, expected: [String]) {
        #expect(FormDecoder.decode(Array(text.utf8))?.flatMap { [$0.0, $0.1] } == expected)
    }

    @Test(
        "Invalid escapes and text that is not UTF-8 are rejected",
        arguments: ["a=%", "a=%4", "a=%zz", "%f=1", "a=%FF", "a=%C0%AF", "a=%ED%A0%80"])
    func rejects(text: String) {
        #expect(FormDecoder.decode(Array(text.utf8))?.count == nil)
    }

    @Test("At most a hundred pairs are accepted")
    func bounded() {
        let hundred = Array(repeating: "a=1", count: 100).joined(separator: "&")
        #expect(FormDecoder.decode(Array(hundred.utf8))?.count == 100)
        #expect(FormDecoder.decode(Array((hundred + "&a=1").utf8))?.count == nil)
    }
}
