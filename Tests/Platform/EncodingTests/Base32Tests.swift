import Encoding
import Testing

@Suite("Base32")
struct Base32Tests {
    @Test(
        "Encodes and decodes the vectors of RFC 4648 section 10, without padding",
        arguments: [
            ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI"),
        ])
    func vectors(plain: String, encoded: String) {
        #expect(Base32.encode(Array(plain.utf8)) == encoded)
        #expect(Base32.decode(encoded) == Array(plain.utf8))
        #expect(Base32.decode(encoded.lowercased()) == Array(plain.utf8))
    }

    @Test(
        "Rejects other characters, impossible lengths, and surplus bits",
        arguments: ["M", "MZX", "MZXW6Y", "MY======", "M1", "MZ", "é", "MZXW6YTBOI\n"])
    func invalid(text: String) {
        #expect(Base32.decode(text) == nil)
    }

    @Test("Crockford's digits have no I, L, O and U")
    func crockford() {
        #expect(Base32.encode([0, 68, 50, 20, 199], .crockford) == "01234567")
        #expect(Base32.encode([255, 255, 255, 255, 255], .crockford) == "ZZZZZZZZ")
    }
}
