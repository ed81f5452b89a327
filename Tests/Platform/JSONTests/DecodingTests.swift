import Encoding
import Foundation
import Testing

@testable import JSON

/// The result of a decoder: a value, or an error with its coding path.
private enum Outcome: Equatable, Sendable {
    case value(String)
    case fault(String, path: String)

    init(_ decode: () throws -> some Any) {
        do {
            self = .value("\(try decode())")
        } catch let DecodingError.typeMismatch(_, context) {
            self = .fault("type", path: Self.path(context))
        } catch let DecodingError.valueNotFound(_, context) {
            self = .fault("null", path: Self.path(context))
        } catch let DecodingError.keyNotFound(key, context) {
            self = .fault("no \(key.stringValue)", path: Self.path(context))
        } catch let DecodingError.dataCorrupted(context) {
            self = .fault("range", path: Self.path(context))
        } catch {
            self = .fault("\(error)", path: "")
        }
    }

    private static func path(_ context: DecodingError.Context) -> String {
        context.codingPath.map { "/" + ($0.intValue.map(String.init) ?? $0.stringValue) }.joined()
    }
}

@Suite("Decoding from strict JSON")
struct DecodingTests {
    private struct Sample: Decodable {
        let name: String?
        let flag: Bool?
        let count: Int?
        let small: UInt8?
        let ratio: Double?
        let list: [Int]?
        let optionals: [Int?]?
        let inner: Inner?
        let inners: [Inner]?
        let photoUrl: String?
    }

    private struct Inner: Decodable {
        let id: String
        let more: [ByteText: [String]]?
    }

    /// From 32 members on, a member is found by the hash of its name.
    private static let manyMembers =
        "{" + (0..<32).map { #""m\#($0)":\#($0),"# }.joined() + #""name":"many","inner":{"id":"x"}}"#

    private static func outcomeOfFoundation(_ type: (some Decodable).Type, _ text: String) -> Outcome {
        Outcome { try JSONDecoder().decode(type, from: Data(text.utf8)) }
    }

    private static func outcomeOfStrictJSON(
        _ type: (some Decodable).Type, _ text: String, camelCasesNames: Bool = false
    ) -> Outcome {
        Outcome { try StrictJSON.decode(type, from: Array(text.utf8), camelCasesNames: camelCasesNames) }
    }

    private struct Scalars: Decodable, Equatable {
        var flag: Bool?
        var count: Int?
        var small: UInt8?
        var name: String?
        var names: [String]?
        var members: JSONObject?
    }

    @Test(
        "Scalars of another type are converted on request only",
        arguments: [
            (#"{"flag":"true"}"#, Scalars(flag: true)), (#"{"flag":"false"}"#, Scalars(flag: false)),
            (#"{"flag":"True"}"#, nil), (#"{"flag":"1"}"#, nil), (#"{"flag":1}"#, nil), (#"{"flag":""}"#, nil),
            (#"{"count":"12"}"#, Scalars(count: 12)), (#"{"count":"-12"}"#, Scalars(count: -12)),
            (#"{"count":"+12"}"#, nil), (#"{"count":"1.0"}"#, nil), (#"{"count":" 1"}"#, nil), (#"{"count":""}"#, nil),
            (#"{"count":"-"}"#, nil), (#"{"count":"99999999999999999999"}"#, nil), (#"{"count":"١"}"#, nil),
            (#"{"small":"256"}"#, nil), (#"{"count":true}"#, nil),
            (#"{"name":12}"#, Scalars(name: "12")), (#"{"name":1.0}"#, Scalars(name: "1")),
            (#"{"name":1e2}"#, Scalars(name: "100")), (#"{"name":1.5}"#, nil), (#"{"name":1e30}"#, nil),
            (#"{"name":true}"#, nil), (#"{"names":[1,"a"]}"#, Scalars(names: ["1", "a"])),
            (
                #"{"members":{"flag":"true","count":"1"}}"#,
                Scalars(members: ["flag": .string("true"), "count": .string("1")])
            ),
        ] as [(String, Scalars?)])
    private func conversions(text: String, expected: Scalars?) throws {
        let parsed = try ParsedJSON(Array(text.utf8))
        let converted = try? parsed.decode(Scalars.self, convertsScalars: true)
        #expect(converted == expected)
        if expected?.members == nil { #expect((try? parsed.decode(Scalars.self)) == nil) }
    }

    @Test(
        "The decoded value, or the error and its coding path, is the same as Foundation's",
        arguments: [
            "{}", #"{"name":"a","flag":true,"count":1,"small":255,"ratio":1.5,"list":[1,2],"unknown":{"a":[]}}"#,
            #"{"name":null,"flag":null,"count":null,"list":null,"inner":null}"#, #"{"name":1}"#, #"{"flag":"true"}"#,
            #"{"flag":0}"#, #"{"count":"1"}"#, #"{"count":1.0}"#, #"{"count":1.5}"#, #"{"count":1e2}"#,
            #"{"count":9223372036854775807}"#, #"{"count":9223372036854775808}"#, #"{"count":-1}"#, #"{"count":true}"#,
            #"{"small":256}"#, #"{"small":-1}"#, #"{"ratio":1}"#, #"{"ratio":1e999}"#, #"{"ratio":"1"}"#,
            #"{"ratio":1.7976931348623157e308}"#, #"{"ratio":0.1}"#, #"{"ratio":-0.0}"#, #"{"list":[1,"2"]}"#,
            #"{"list":[1,null]}"#, #"{"list":{}}"#, #"{"list":"a"}"#, #"{"optionals":[1,null,3]}"#, #"{"inner":{}}"#,
            #"{"inner":[]}"#, #"{"inner":{"id":null}}"#, #"{"inner":{"id":1}}"#,
            #"{"inner":{"id":"a","more":{"d_e":["c",""]}}}"#, #"{"inner":{"id":"a","more":{"b":["c",1]}}}"#,
            #"{"inners":[{"id":"a"},{"id":"b"}]}"#, #"{"inners":[{"id":"a"},{}]}"#, #"{"inners":[{"id":"a"},3]}"#,
            "[]", "null", "1", #""a""#,
            Self.manyMembers,
        ])
    func likeFoundation(text: String) {
        #expect(Self.outcomeOfStrictJSON(Sample.self, text) == Self.outcomeOfFoundation(Sample.self, text))
    }

    @Test(
        "A JSON value is decoded as Foundation decodes it, and is the same after encoding and decoding",
        arguments: [
            "null", "true", "0", "-0", "1.0", "1.5", "1e2", "9223372036854775808", "-9223372036854775808", "1E-2", "[]",
            "{}",
            #""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é😀 plain""#, #"[1,[2.5,[null,{"a":[{}]}]],"x"]"#,
            #"{"a_b":{"c_d":1},"é":"e"}"#,
        ])
    func jsonValue(text: String) throws {
        let decoded = try StrictJSON.decode(JSONValue.self, from: Array(text.utf8))
        #expect(try decoded == JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)))
        #expect(try StrictJSON.decode(JSONValue.self, from: StrictJSON.encode(decoded)) == decoded)
    }

    @Test("An array that is decoded has at most 4096 elements; a JSON value may have more")
    func longArray() throws {
        func text(_ count: Int) -> [UInt8] { Array("[\((0..<count).map { _ in "{}" }.joined(separator: ","))]".utf8) }
        #expect(try StrictJSON.decode([Empty].self, from: text(4096)).count == 4096)
        #expect(throws: DecodingError.self) { try StrictJSON.decode([Empty].self, from: text(4097)) }
        _ = try StrictJSON.decode(JSONValue.self, from: text(4097))
    }

    private struct Empty: Decodable {}

    @Test("Dictionary keys stay unchanged even if the names of members are converted to camel case")
    func namesOfDictionaries() throws {
        let text = Array(#"{"a_b":{"c_d":1}}"#.utf8)
        #expect(
            try StrictJSON.decode(JSONValue.self, from: text, camelCasesNames: true)
                == .object(["a_b": .object(["c_d": .integer(1)])]))
    }

    @Test("A value in camel case has converted names and flags at every depth")
    func camelCasedValue() throws {
        let text = Array(#"{"a_b":[{"C_D":"true","e":"1","F":"false"}],"g":1.0}"#.utf8)
        let inner: JSONValue = .object(["cD": .bool(true), "e": .string("1"), "f": .bool(false)])
        #expect(try ParsedJSON(text).camelCasedValue() == .object(["aB": .array([inner]), "g": .integer(1)]))
    }

    /// From 32 members on, a member is found by the hash of its name.
    @Test("Members whose names are equal in camel case are rejected", arguments: [0, 32])
    func sameName(otherMembers: Int) throws {
        let members = (0..<otherMembers).map { "\"x\($0)\":0," }.joined()
        for names in [("photo_url", "photoUrl"), ("photoUrl", "PHOTO_URL"), ("photo_url", "photoURL")] {
            let text = Array("{\(members)\"\(names.0)\":\"a\",\"\(names.1)\":\"b\"}".utf8)
            #expect(throws: JSONFault.duplicateMember, "\(names)") {
                try StrictJSON.decode(Sample.self, from: text, camelCasesNames: true)
            }
            #expect(throws: Never.self) { try StrictJSON.decode(Sample.self, from: text) }
            #expect(throws: Never.self) { try StrictJSON.decode(JSONObject.self, from: text, camelCasesNames: true) }
            #expect(throws: JSONFault.duplicateMember) { try ParsedJSON(text).camelCasedValue() }
        }
    }
}
