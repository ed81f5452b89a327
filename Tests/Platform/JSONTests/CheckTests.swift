import Foundation
import JSON
import Testing

@Suite("Strict JSON")
struct CheckTests {
    @Test(
        "JSON that RFC 8259 allows is accepted, and Foundation decodes it",
        arguments: [
            "null", "true", "false", "0", "-0", "10", "-1.5", "1e2", "1E+2", "1e-2", "0.0", "123456789012345678",
            "1.7976931348623157e308", "\"\"", "[]", "{}", " \t\r\n{ } \n", "[[]]", "[1,2]", "[ 1 , [ ] , { } ]",
            #"{"a":1,"b":{"a":1}}"#, #"[{"a":1},{"a":2}]"#, #"{"":0}"#, #"{"a":{},"A":[]}"#,
            #""\"\\\/\b\f\n\r\t""#, #""\u00e9""#, #""\uD83D\uDE00""#, #""\ud83d\ude00""#, #""\uFFFF""#, "\"\u{7F}\"",
            "\"é\"", "\"€\"", "\"😀\"", "\"\u{2028}\u{FEFF}\u{FFFF}\u{10FFFF}\"", #"{"é":1,"e":2}"#,
            "{\"\u{E9}\":1,\"e\u{301}\":2}",
            "{\"\u{212A}\":1,\"K\":2}",
            String(repeating: "[", count: 32) + String(repeating: "]", count: 32),
        ])
    func good(text: String) throws {
        try StrictJSON.check(Array(text.utf8))
        _ = try JSONDecoder().decode(AnyJSON.self, from: Data(text.utf8))
    }

    @Test(
        "Text that violates the grammar is rejected",
        arguments: [
            "", " ", "[", "]", "{", "}", "[1", "[1,", "[1,]", "[,1]", "[,]", "[1 2]", "[1]]", "[1}", "{]", "{1:2}",
            "{a:1}", "{'a':1}", #"{"a"}"#, #"{"a":}"#, #"{"a" 1}"#, #"{"a":1,}"#, #"{,"a":1}"#, #"{"a":1"b":2}"#,
            #"{"a":1}}"#, #"{"a":1};"#, "nul", "nulll", "True", "tru", "NaN", "Infinity", "-Infinity", "undefined",
            "01", "-", "-01", "+1", ".5", "1.", "1.e1", "1e", "1e+", "1e1.5", "0x10", "1_000", "- 1", "1 1", "--1",
            "'a'", "\"", "\"a", #""\"#, #""\x41""#, #""\a""#, #""\u12""#, #""\u12g4""#, #""\u{41}""#, #""\U0041""#,
            "\"\u{1}\"", "\"\n\"", "\"\t\"", "\"\u{1F}\"", "// c\n1", "/**/1", "[1]//", "\u{FEFF}1", "\u{A0}1",
            "\u{B}1", "\u{C}1", "é", "null null", "[]{}",
        ])
    func malformed(text: String) {
        #expect(isMalformed(Array(text.utf8)))
    }

    @Test(
        "A grammar error is reported with its offset",
        arguments: [("[1,]", 3), (" x", 1), ("{\"a\":tru}", 8), ("[1] 2", 4), ("", 0)])
    func offset(text: String, offset: Int) {
        #expect(throws: JSONFault.malformed(offset: offset)) { try StrictJSON.check(Array(text.utf8)) }
    }

    @Test(
        "Strings that are not UTF-8 are rejected",
        arguments: [
            [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x9F, 0xBF], [0xE2, 0x82],
            [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xF0, 0x9F, 0x98],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
        ] as [[UInt8]])
    func notUTF8(bytes: [UInt8]) {
        #expect(throws: JSONFault.notUTF8) { try StrictJSON.check([0x22] + bytes + [0x22]) }
        #expect(throws: JSONFault.notUTF8) { try StrictJSON.check([0x22] + bytes) }
        #expect(throws: JSONFault.notUTF8) { try StrictJSON.check(Array("{\"".utf8) + bytes + Array("\":1}".utf8)) }
        #expect(isMalformed(bytes))
    }

    @Test("Characters from all planes are accepted in strings, and a single byte above 0x7F is rejected")
    func charactersOfAllPlanes() throws {
        for value in stride(from: UInt32(1), to: 0x110000, by: 61) where value >= 0x20 {
            guard let scalar = Unicode.Scalar(value), scalar != "\"", scalar != "\\" else { continue }
            try StrictJSON.check(Array("\"\(scalar)\"".utf8))
        }
        for lead in UInt8(0x80)...0xFF {
            #expect(throws: JSONFault.notUTF8) { try StrictJSON.check([0x22, lead, 0x22]) }
        }
    }

    /// The method of finding duplicates changes at 32 members.
    @Test("Many members with different names are accepted", arguments: [31, 32, 33, 1000])
    func manyMembers(count: Int) throws {
        try StrictJSON.check(Array(Self.members(count, then: "last").utf8))
    }

    /// An object with `count` members `m0`, `m1` and so on, and a last member with the name `last`.
    private static func members(_ count: Int, then last: String) -> String {
        "{" + ((0..<count).map { "m\($0)" } + [last]).map { "\"\($0)\":{}" }.joined(separator: ",") + "}"
    }

    @Test(
        "Two members with the same name are rejected, however the names are written",
        arguments: [
            #"{"a":1,"a":2}"#, #"{"a":1,"b":2,"a":1}"#, #"{"a":1,"\u0061":2}"#, #"{"\u00e9":1,"é":2}"#,
            #"{"\uD83D\uDE00":1,"😀":2}"#, #"{"/":1,"\/":2}"#, #"{"":1,"":2}"#, #"[{"x":{"a":1,"a":2}}]"#,
            #"{"a":{"a":[]},"a":2}"#,
            Self.members(31, then: "m0"), Self.members(33, then: "m0"),
            Self.members(40, then: "m39"),
        ])
    func duplicates(text: String) {
        #expect(throws: JSONFault.duplicateMember) { try StrictJSON.check(Array(text.utf8)) }
    }

    @Test(
        "NUL in strings is rejected",
        arguments: [#""\u0000""#, "\"\u{0}\"", #"{"a\u0000":1}"#, #"["a",{"b":"c\u0000"}]"#])
    func nul(text: String) {
        #expect(throws: JSONFault.nul) { try StrictJSON.check(Array(text.utf8)) }
    }

    @Test(
        "Lone surrogates are rejected",
        arguments: [
            #""\uD800""#, #""\uDC00""#, #""\uDFFF\uD800""#, #""\uD800\uD800""#, #""\uD83D\u0041""#, #""\uD83Dx""#,
            #""\uD83D\n""#, #"{"\uDE00":1}"#,
        ])
    func surrogates(text: String) {
        #expect(throws: JSONFault.loneSurrogate) { try StrictJSON.check(Array(text.utf8)) }
    }

    @Test(
        "A text with more than 128 combining characters in a row is rejected, however they are written",
        arguments: ["\u{301}", #"\u0301"#, "\u{1D165}", #"\ud834\udd65"#])
    func combiningCharacters(character: String) throws {
        let run = String(repeating: character, count: 128)
        try StrictJSON.check(Array(#"{"a\#(run)":"\#(run)a\#(run)"}"#.utf8))
        for text in [#""\#(run)\#(character)""#, #"{"a\#(run)\#(character)":1}"#, #""\#(run)\u0345""#] {
            #expect(throws: JSONFault.combiningRun) { try StrictJSON.check(Array(text.utf8)) }
        }
    }

    @Test("The nesting depth is limited, but not the number of elements or members")
    func depth() throws {
        // The default limit is 32.
        #expect(throws: JSONFault.tooDeep) { try StrictJSON.check(repeated("[", count: 33)) }
        #expect(throws: JSONFault.tooDeep) { try StrictJSON.check(repeated("{\"a\":", count: 1_000_000)) }
        #expect(throws: JSONFault.tooDeep) { try StrictJSON.check(Array("[]".utf8), maximumDepth: 0) }
        try StrictJSON.check(Array("1".utf8), maximumDepth: 0)
        try StrictJSON.check(Array("[".utf8) + repeated("[{}],", count: 10_000) + Array("0]".utf8))
        let members = (0..<300_000).map { "\"member\($0)\":1" }.joined(separator: ",")
        try StrictJSON.check(Array("{\(members)}".utf8))
    }

    @Test("Every proper prefix of an object is rejected")
    func truncated() {
        let text = Array(#"{"a":[1,-2.5e3,"\u00e9 \uD83D\uDE00 é😀",true,null],"b":{"c":{}}}"#.utf8)
        for count in 0..<text.count {
            #expect(throws: JSONFault.self, "\(count)") { try StrictJSON.check(Array(text.prefix(count))) }
        }
    }

    @Test("If one byte of a text is changed and the text is still accepted, Foundation accepts it too")
    func altered() {
        let text = Array(#"{"a":[1,-2.5e3,"\u00e9 é",true,null],"b":{"c":{}}}"#.utf8)
        var accepted = 0
        for index in text.indices {
            for byte in UInt8.min...UInt8.max {
                var altered = text
                altered[index] = byte
                // Most changes are rejected, with different errors.
                guard (try? StrictJSON.check(altered)) != nil else { continue }
                accepted += 1
                #expect(throws: Never.self, "\(altered)") {
                    try JSONDecoder().decode(AnyJSON.self, from: Data(altered))
                }
            }
        }
        // The unchanged text is accepted once for each index. A greater number includes changed texts.
        #expect(accepted > text.count)
    }

    private func isMalformed(_ bytes: [UInt8]) -> Bool {
        do throws(JSONFault) {
            try StrictJSON.check(bytes)
            return false
        } catch {
            if case .malformed = error { return true }
            return false
        }
    }

    private func repeated(_ text: String, count: Int) -> [UInt8] { Array(String(repeating: text, count: count).utf8) }
}

/// Any JSON value, as Foundation decodes it.
enum AnyJSON: Decodable {
    case null, bool(Bool), number(Double), string(String), array([AnyJSON]), object([String: AnyJSON])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([AnyJSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: AnyJSON].self))
        }
    }
}
