import JOSE
import Testing

@Suite("Base64url")
struct Base64URLTests {
    /// RFC 4648 §10 without the padding, and RFC 7515 appendix C.
    @Test(
        "encodes and decodes as published",
        arguments: [
            ("", []), ("Zg", Array("f".utf8)), ("Zm8", Array("fo".utf8)), ("Zm9v", Array("foo".utf8)),
            ("Zm9vYg", Array("foob".utf8)), ("Zm9vYmE", Array("fooba".utf8)), ("Zm9vYmFy", Array("foobar".utf8)),
            ("A-z_4ME", [3, 236, 255, 224, 193]),
        ] as [(String, [UInt8])])
    func published(text: String, bytes: [UInt8]) {
        #expect(Base64URL.encode(bytes) == text)
        #expect(Base64URL.decode(text) == bytes)
    }

    @Test("gives back every length")
    func roundTrip() {
        for count in 0..<200 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 167 + 3) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    @Test(
        "refuses padding, whitespace, foreign letters, stray letters and bits left over",
        arguments: [
            "Zg==", "Zm8=", "=", "Zm9v=", " Zm9v", "Zm9v\n", "Zm 9v", "Zm+v", "Zm/v", "Zm9vé", "Zm.v", "Zm9v\u{0}", "Z",
            "Zm9vY", "Zh", "Zn", "Zm9", "Zm-", "A-z_4MF",
        ])
    func refused(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
