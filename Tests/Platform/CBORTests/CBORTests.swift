import CBOR
import Encoding
import Testing

@Suite("CBOR")
struct CBORTests {
    struct Accepted: CustomTestStringConvertible, Sendable {
        let hex: String
        let value: CBORValue
        var testDescription: String { hex }
    }

    /// The examples of RFC 8949 appendix A that the gateway accepts, and others.
    static let accepted: [Accepted] = [
        Accepted(hex: "00", value: .integer(0)),
        Accepted(hex: "17", value: .integer(23)),
        Accepted(hex: "1818", value: .integer(24)),
        Accepted(hex: "1903e8", value: .integer(1000)),
        Accepted(hex: "1a000f4240", value: .integer(1_000_000)),
        Accepted(hex: "1b7fffffffffffffff", value: .integer(.max)),
        Accepted(hex: "20", value: .integer(-1)),
        Accepted(hex: "3863", value: .integer(-100)),
        Accepted(hex: "390100", value: .integer(-257)),
        Accepted(hex: "3b7fffffffffffffff", value: .integer(.min)),
        // Not the shortest form.
        Accepted(hex: "1800", value: .integer(0)),
        Accepted(hex: "f4", value: .bool(false)),
        Accepted(hex: "f5", value: .bool(true)),
        Accepted(hex: "f6", value: .null),
        Accepted(hex: "40", value: .bytes([])),
        Accepted(hex: "4401020304", value: .bytes([1, 2, 3, 4])),
        Accepted(hex: "60", value: .text("")),
        Accepted(hex: "62c3bc", value: .text("\u{FC}")),
        Accepted(hex: "64f0908591", value: .text("\u{10151}")),
        Accepted(hex: "80", value: .array([])),
        Accepted(
            hex: "8301820203820405",
            value: .array([
                .integer(1), .array([.integer(2), .integer(3)]), .array([.integer(4), .integer(5)]),
            ])),
        Accepted(hex: "a0", value: .map([:])),
        Accepted(hex: "a201020304", value: .map([1: .integer(2), 3: .integer(4)])),
        Accepted(
            hex: "a26161016162820203", value: .map(["a": .integer(1), "b": .array([.integer(2), .integer(3)])])),
        Accepted(hex: "826161a161626163", value: .array([.text("a"), .map(["b": .text("c")])])),
        // Keys that are canonically equivalent, but have other bytes.
        Accepted(hex: "a262c3bc00" + "6375cc8801", value: .map(["\u{FC}": .integer(0), "u\u{308}": .integer(1)])),
        Accepted(hex: "a2010061" + "3101", value: .map([1: .integer(0), "1": .integer(1)])),
        Accepted(hex: "818181818180", value: .array([.array([.array([.array([.array([.array([])])])])])])),
        Accepted(
            hex: "98ff" + String(repeating: "00", count: 255),
            value: .array(Array(repeating: .integer(0), count: 255))),
    ]

    @Test("A value is decoded", arguments: accepted)
    func accept(row: Accepted) throws {
        #expect(try CBOR.decode(bytes(row.hex)) == row.value)
    }

    @Test("A value that is cut off anywhere is rejected", arguments: accepted)
    func truncated(row: Accepted) throws {
        let bytes = try bytes(row.hex)
        for count in bytes.indices {
            #expect(throws: CBORFault.truncated) { try CBOR.decode(Array(bytes.prefix(count))) }
        }
    }

    @Test("A value at the start of other bytes is decoded with its length", arguments: accepted)
    func prefix(row: Accepted) throws {
        let bytes = try bytes(row.hex)
        let (value, count) = try CBOR.decodePrefix(of: ([0xFF] + bytes + [0x1C, 0xFF]).dropFirst())
        #expect(value == row.value)
        #expect(count == bytes.count)
        #expect(throws: CBORFault.trailingBytes) { try CBOR.decode(bytes + [0]) }
    }

    struct Rejected: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let bytes: [UInt8]
        let fault: CBORFault

        init(_ testDescription: String, _ hex: String, _ fault: CBORFault) {
            self.testDescription = testDescription
            bytes = Hexadecimal.decode(hex) ?? []
            self.fault = fault
        }
    }

    @Test(
        "An input that decoders read differently, or that takes too much work, is rejected",
        arguments: [
            Rejected("no bytes", "", .truncated),
            Rejected("an array of 2^32 elements", "9b0000000100000000", .tooManyItems),
            Rejected("an array of 2^64 - 1 elements", "9bffffffffffffffff", .tooManyItems),
            Rejected("a map of 2^32 entries", "bb0000000100000000", .tooManyItems),
            Rejected("a map of 2^63 entries, whose items overflow", "bb8000000000000000", .tooManyItems),
            Rejected("a byte string of 2^32 bytes", "5b000000010000000000", .truncated),
            Rejected("a byte string of 2^64 - 1 bytes", "5bffffffffffffffff00", .truncated),
            Rejected("text of 2^32 bytes", "7b000000010000000000", .truncated),
            Rejected("256 elements, which are 257 items", "990100" + zeros(256), .tooManyItems),
            Rejected("128 entries, which are 257 items", "b880" + zeros(256), .tooManyItems),
            Rejected("two arrays of 150 elements", "829896" + zeros(150) + "9896" + zeros(150), .tooManyItems),
            Rejected("depth 7", "81818181818180", .tooDeep),
            Rejected("depth 1,000", String(repeating: "81", count: 1000) + "00", .tooDeep),
            Rejected("maps of depth 1,000", String(repeating: "a100", count: 1000) + "00", .tooDeep),
            Rejected("a duplicate integer key", "a201020103", .duplicateKey),
            Rejected("a duplicate integer key in two encodings", "a20102180103", .duplicateKey),
            Rejected("a duplicate text key", "a2616101616102", .duplicateKey),
            Rejected("a byte string as a key", "a1410000", .invalidKey),
            Rejected("an array as a key", "a18000", .invalidKey),
            Rejected("a map as a key", "a1a000", .invalidKey),
            Rejected("a boolean as a key", "a1f500", .invalidKey),
            Rejected("null as a key", "a1f600", .invalidKey),
            Rejected("trailing bytes", "0000", .trailingBytes),
            Rejected("a second value after a map", "a0a0", .trailingBytes),
            Rejected("an array of indefinite length", "9f00ff", .unsupported),
            Rejected("a map of indefinite length", "bf0000ff", .unsupported),
            Rejected("a byte string of indefinite length", "5f4100ff", .unsupported),
            Rejected("text of indefinite length", "7f6161ff", .unsupported),
            Rejected("a break outside of an item", "ff", .unsupported),
            Rejected("a break as an element", "8200ff", .unsupported),
            Rejected("a tag", "c11a514b67b0", .unsupported),
            Rejected("a tag on a key", "a1c10000", .unsupported),
            Rejected("a half-precision number", "f93c00", .unsupported),
            Rejected("a single-precision number", "fa47c35000", .unsupported),
            Rejected("a double-precision number", "fb3ff199999999999a", .unsupported),
            Rejected("undefined", "f7", .unsupported),
            Rejected("an unassigned simple value", "f0", .malformed),
            Rejected("reserved additional information", "1c", .malformed),
            Rejected("the integer 2^63", "1b8000000000000000", .integerOutOfRange),
            Rejected("the integer -2^63 - 1", "3b8000000000000000", .integerOutOfRange),
            Rejected("text that is not UTF-8", "61ff", .notUTF8),
            Rejected("text with a surrogate", "63eda080", .notUTF8),
            Rejected("text with an overlong character", "62c080", .notUTF8),
        ])
    func reject(row: Rejected) {
        #expect(throws: row.fault) { try CBOR.decode(row.bytes) }
    }

    @Test("An input of more than 16 KiB is rejected")
    func tooLong() throws {
        let longest = [0x59, 0x3F, 0xFD] + [UInt8](repeating: 0, count: 16 * 1024 - 3)
        #expect(try CBOR.decode(longest).bytes?.count == 16 * 1024 - 3)
        #expect(throws: CBORFault.tooLong) { try CBOR.decode(longest + [0]) }
        #expect(throws: CBORFault.tooLong) { try CBOR.decodePrefix(of: (longest + [0])[...]) }
    }

    private func bytes(_ hex: String) throws -> [UInt8] { try #require(Hexadecimal.decode(hex)) }

    private static func zeros(_ count: Int) -> String { String(repeating: "00", count: count) }
}
