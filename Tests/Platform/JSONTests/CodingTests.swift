import Encoding
import Foundation
import Testing

@testable import JSON

@Suite("Strict JSON as Codable")
struct CodingTests {
    private struct TokenInput: Codable, Equatable {
        var grantType: String
        var count: Int?
    }

    @Test("Strict JSON is decoded, and unknown members are ignored")
    func decodes() throws {
        let input = try StrictJSON.decode(TokenInput.self, from: Array(#"{"grantType":"a","count":2,"other":[]}"#.utf8))
        #expect(input == TokenInput(grantType: "a", count: 2))
    }

    @Test(
        "An ASCII name is converted to camel case, and a name with other characters stays unchanged",
        arguments: [
            ("photo_url", "photoUrl"), ("photoURL", "photoUrl"), ("PhotoURL", "photoUrl"), ("photoUrl", "photoUrl"),
            ("PHOTO_URL", "photoUrl"), ("URLOfPhoto", "urlOfPhoto"), ("ID", "id"), ("idToken", "idToken"),
            ("_id__token_", "idToken"), ("sha256_hash", "sha256Hash"), ("", ""), ("_", ""), ("größe_x", "größe_x"),
        ])
    func anyCase(name: String, camelCased: String) {
        #expect(ByteText(name).camelCased.rawValue == camelCased)
    }

    @Test("Names in snake case are decoded only if the caller asks for it, and names in camel case always")
    func snakeCase() throws {
        for text in [#"{"grant_type":"a"}"#, #"{"grantType":"a"}"#] {
            let input = try StrictJSON.decode(TokenInput.self, from: Array(text.utf8), camelCasesNames: true)
            #expect(input.grantType == "a")
        }
        #expect(throws: DecodingError.self) {
            try StrictJSON.decode(TokenInput.self, from: Array(#"{"grant_type":"a"}"#.utf8))
        }
    }

    @Test("Duplicate members and values of the wrong type are rejected")
    func rejects() {
        #expect(throws: JSONFault.duplicateMember) {
            try StrictJSON.decode(TokenInput.self, from: Array(#"{"grantType":"a","grantType":"b"}"#.utf8))
        }
        #expect(throws: DecodingError.self) { try StrictJSON.decode(TokenInput.self, from: Array("[]".utf8)) }
    }

    @Test("A number beyond the range of Double is valid JSON but cannot be decoded as a Double")
    func hugeNumber() throws {
        try StrictJSON.check(Array("1e999".utf8))
        #expect(throws: DecodingError.self) { try StrictJSON.decode(Double.self, from: Array("1e999".utf8)) }
    }

    @Test("JSON is encoded with sorted names and unescaped slashes, and the output is strict JSON")
    func encodes() throws {
        let bytes = try StrictJSON.encode(["b": "https://a/b", "a": "\u{1}\"é😀\\"])
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"a":"\u0001\"é😀\\","b":"https://a/b"}"#)
        try StrictJSON.check(bytes)
    }

    private struct Sample: Encodable, Sendable {
        var name: String?
        var nested: [Sample] = []
        var numbers: [Double] = []
        var flag = true
        var small: Int8 = -1
        var large: UInt64 = .max
        var float: Float = 0.1
        var any: JSONObject = [:]
    }

    private static let samples: [Sample] = [
        Sample(), Sample(name: "a/b \"c\" \\ \u{8}\u{C}\n\r\t\u{0}\u{1F}\u{7F}\u{2028}é😀"), Sample(name: ""),
        Sample(nested: [Sample(name: "in"), Sample(nested: [Sample()])]),
        Sample(numbers: [0, -0.0, 1, -1.5, 1e15, 1e16, 1e21, 0.1, .greatestFiniteMagnitude, .leastNonzeroMagnitude]),
        Sample(any: [
            "b": .null, "a": .bool(false), "Z": .integer(.min), "é": .string("\""),
            "ab": .array([.number(1), .object([:])]),
            "a b": .object(["y": .array([]), "x": .integer(3)]), "😀": .number(2.5), "\u{FFFF}": .null,
        ]),
    ]

    @Test("The encoded bytes are the same as Foundation's", arguments: samples.indices)
    func likeFoundation(index: Int) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let expected = try encoder.encode(Self.samples[index])
        #expect(
            try String(decoding: StrictJSON.encode(Self.samples[index]), as: UTF8.self)
                == String(decoding: expected, as: UTF8.self))
    }

    @Test("A string and a null element are encoded, and numbers that JSON does not have are rejected")
    func scalars() throws {
        #expect(try StrictJSON.encode("a") == Array(#""a""#.utf8))
        #expect(try StrictJSON.encode([1, nil, 3] as [Int?]) == Array("[1,null,3]".utf8))
        for value in [Double.nan, .infinity] {
            #expect(throws: EncodingError.self) { try StrictJSON.encode([value]) }
        }
    }
}
