import Encoding
import Testing

@Suite("Percent-encoding")
struct PercentEncodingTests {
    /// RFC 3986 §2.3 and §2.5.
    @Test(
        "Unreserved characters are kept, and the UTF-8 of others is encoded",
        arguments: [
            ("", ""), ("AZaz09-._~", "AZaz09-._~"), ("a b", "a%20b"), ("À", "%C3%80"), ("ア", "%E3%82%A2"),
            ("/?#[]@!$&'()*+,;=%", "%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%25"),
        ])
    func encode(text: String, encoded: String) {
        #expect(PercentEncoding.encode(text) == encoded)
        #expect(PercentEncoding.decode(encoded.utf8) == text)
    }

    @Test("Hexadecimal digits in lower case are decoded")
    func lowerCase() {
        #expect(PercentEncoding.decode("%c3%80%2f".utf8) == "À/")
    }

    @Test("Characters that the caller allows are kept")
    func kept() {
        #expect(PercentEncoding.encode("/a b/c", keeping: "/") == "/a%20b/c")
    }

    @Test("The names and values of a form are encoded, in order")
    func fields() {
        #expect(PercentEncoding.encode(form: []) == "")
        #expect(
            PercentEncoding.encode(form: [("b", "1 &=+"), ("a", ""), ("a&", "é")]) == "b=1%20%26%3D%2B&a=&a%26=%C3%A9")
    }

    @Test("A plus sign is decoded as a space in forms only")
    func form() {
        #expect(PercentEncoding.decode("a+b%2B".utf8) == "a+b+")
        #expect(PercentEncoding.decode("a+b%2B".utf8, plusIsSpace: true) == "a b+")
    }

    @Test(
        "Incomplete escapes and text that is not UTF-8 are rejected",
        arguments: ["%", "%4", "a%", "%4g", "%g4", "%ff", "%C3"])
    func rejected(text: String) {
        #expect(PercentEncoding.decode(text.utf8) == nil)
    }
}
