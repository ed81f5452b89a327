import Encoding
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
        #expect(FormDecoder.decode(Array(text.utf8))?.flatMap { [$0.name.rawValue, $0.value] } == expected)
    }

    @Test(
        "Invalid escapes and text that is not UTF-8 are rejected",
        arguments: ["a=%", "a=%4", "a=%zz", "%f=1", "a=%FF", "a=%C0%AF", "a=%ED%A0%80"])
    func rejects(text: String) {
        #expect(FormDecoder.decode(Array(text.utf8))?.count == nil)
    }

    @Test("More than 128 combining characters in a row are rejected, in names and in values")
    func combiningCharacters() {
        let run = String(repeating: "%CC%81", count: 128)
        #expect(FormDecoder.decode(Array("a\(run)=\(run)a\(run)".utf8))?.count == 1)
        for text in ["a\(run)%CD%85=1", "a=\(run)%CD%85"] {
            #expect(FormDecoder.decode(Array(text.utf8))?.count == nil)
        }
    }

    @Test("Canonically equivalent names are different names")
    func names() {
        let pairs = FormDecoder.decode(Array("%E2%84%AA=1&K=2".utf8))
        #expect(pairs?.first { $0.name == "K" }?.value == "2")
    }

    @Test("At most a hundred pairs are accepted")
    func bounded() {
        let hundred = Array(repeating: "a=1", count: 100).joined(separator: "&")
        #expect(FormDecoder.decode(Array(hundred.utf8))?.count == 100)
        #expect(FormDecoder.decode(Array((hundred + "&a=1").utf8))?.count == nil)
    }
}
