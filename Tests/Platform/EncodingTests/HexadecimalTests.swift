import Encoding
import Testing

@Suite("Hexadecimal")
struct HexadecimalTests {
    /// RFC 4648 §10, in lower case.
    @Test(
        "The published examples are encoded in lower case, and decoded in either case",
        arguments: [
            ("", ""), ("f", "66"), ("fo", "666f"), ("foo", "666f6f"), ("foob", "666f6f62"), ("fooba", "666f6f6261"),
            ("foobar", "666f6f626172"),
        ])
    func published(text: String, digits: String) {
        #expect(Hexadecimal.encode(Array(text.utf8)) == digits)
        #expect(Hexadecimal.decode(digits) == Array(text.utf8))
        #expect(Hexadecimal.decode(digits.uppercased()) == Array(text.utf8))
    }

    @Test("Every byte is the same after encoding and decoding, and a slice is encoded without the bytes around it")
    func everyByte() {
        let bytes = [UInt8](0...255)
        #expect(Hexadecimal.decode(Hexadecimal.encode(bytes)) == bytes)
        #expect(Hexadecimal.encode(bytes[254...]) == "feff")
    }

    @Test(
        "Text with an odd length, or with a character that is not a hexadecimal digit, is rejected",
        arguments: ["0", "abc", "0g", "0 ", " 00", "0x00", "00\n", "é", "００"])
    func rejected(text: String) {
        #expect(Hexadecimal.decode(text) == nil)
    }
}
