import Encoding
import Foundation
import Testing

@Suite("Base64url")
struct Base64URLTests {
    /// RFC 4648 §10 without the padding, and RFC 7515 appendix C.
    @Test(
        "The published examples are encoded and decoded",
        arguments: [
            ("", []), ("Zg", Array("f".utf8)), ("Zm8", Array("fo".utf8)), ("Zm9v", Array("foo".utf8)),
            ("Zm9vYg", Array("foob".utf8)), ("Zm9vYmE", Array("fooba".utf8)), ("Zm9vYmFy", Array("foobar".utf8)),
            ("A-z_4ME", [3, 236, 255, 224, 193]),
        ] as [(String, [UInt8])])
    func published(text: String, bytes: [UInt8]) {
        #expect(Base64URL.encode(bytes) == text)
        #expect(Base64URL.decode(text) == bytes)
    }

    @Test("Bytes of every length below 200 are the same after encoding and decoding")
    func roundTrip() {
        for count in 0..<200 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 167 + 3) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    @Test(
        "Padding, whitespace, other characters, an impossible length and unused bits that are not zero are rejected",
        arguments: [
            "Zg==", "Zm8=", "=", "Zm9v=", " Zm9v", "Zm9v\n", "Zm 9v", "Zm+v", "Zm/v", "Zm9vé", "Zm.v", "Zm9v\u{0}", "Z",
            "Zm9vY", "Zh", "Zn", "Zm9", "Zm-", "A-z_4MF",
        ])
    func rejected(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}

@Suite("Base64")
struct Base64Tests {
    /// RFC 4648 §10.
    @Test(
        "The published examples are encoded and decoded",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func published(text: String, encoded: String) {
        let bytes = Array(text.utf8)
        #expect(Base64.encode(bytes) == encoded)
        #expect(Base64.encodeUnpadded(bytes) == encoded.replacing("=", with: ""))
        #expect(Base64.decode(encoded) == bytes)
        #expect(Base64.decode(encoded.replacing("=", with: "")) == bytes)
    }

    @Test("The encoded text is the same as Foundation's for every length below 200")
    func foundation() {
        for count in 0..<200 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 167 + 3) }
            #expect(Base64.encode(bytes) == Data(bytes).base64EncodedString())
        }
    }

    @Test(
        "Both alphabets are decoded, with or without padding, and unused bits are ignored",
        arguments: ["A-z_4ME", "A+z/4ME=", "A-z/4ME", "A-z_4MF="])
    func alphabets(text: String) {
        #expect(Base64.decode(text) == [3, 236, 255, 224, 193])
    }

    @Test(
        "Whitespace, other characters, padding within the text and an impossible length are rejected",
        arguments: ["Zm9v\n", "Z", "Zm9vY", "Zm=v", "Zm.v"])
    func rejected(text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
