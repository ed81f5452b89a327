import Crypto
import Testing

@testable import WebAuthn

@Suite("Client data")
struct ClientDataTests {
    @Test("The members are read, and unknown members ignored")
    func members() throws {
        let json =
            #"{"type":"webauthn.get","challenge":"AQID","origin":"https://a.example","crossOrigin":true,"#
            + #""topOrigin":"https://b.example","tokenBinding":{"status":"supported"},"x":[1]}"#
        let data = try ClientData(parsing: Array(json.utf8))
        #expect(data.type == "webauthn.get")
        #expect(data.challenge == [1, 2, 3])
        #expect(data.origin == "https://a.example")
        #expect(data.crossOrigin)
        #expect(data.topOrigin == "https://b.example")
        #expect(data.digest == Digest.sha256(Array(json.utf8)))
    }

    @Test("A byte order mark is ignored, but signed")
    func byteOrderMark() throws {
        let json = [0xEF, 0xBB, 0xBF] + Array(#"{"type":"t","challenge":"AQID","origin":"o"}"#.utf8)
        let data = try ClientData(parsing: json)
        #expect(data.challenge == [1, 2, 3])
        #expect(!data.crossOrigin)
        #expect(data.topOrigin == nil)
        #expect(data.digest == Digest.sha256(json))
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let json: [UInt8]

        init(_ testDescription: String, _ json: String) {
            self.init(testDescription, Array(json.utf8))
        }

        init(_ testDescription: String, _ json: [UInt8]) {
            self.testDescription = testDescription
            self.json = json
        }
    }

    @Test(
        "Client data that parsers read differently, or that lack a member, are rejected",
        arguments: [
            Row("nothing", ""),
            Row("an array", "[]"),
            Row("no type", #"{"challenge":"AQID","origin":"o"}"#),
            Row("no challenge", #"{"type":"t","origin":"o"}"#),
            Row("no origin", #"{"type":"t","challenge":"AQID"}"#),
            Row("a type that is not text", #"{"type":1,"challenge":"AQID","origin":"o"}"#),
            Row("crossOrigin as text", #"{"type":"t","challenge":"AQID","origin":"o","crossOrigin":"false"}"#),
            Row("topOrigin that is not text", #"{"type":"t","challenge":"AQID","origin":"o","topOrigin":true}"#),
            Row("two origins", #"{"type":"t","challenge":"AQID","origin":"o","origin":"p"}"#),
            Row("two origins, one with an escape", #"{"type":"t","challenge":"AQID","origin":"o","\u006Frigin":"p"}"#),
            Row("two unknown members with the same name", #"{"type":"t","challenge":"AQID","origin":"o","x":1,"x":1}"#),
            Row("text after the object", #"{"type":"t","challenge":"AQID","origin":"o"}x"#),
            Row("two byte order marks", "\u{FEFF}\u{FEFF}" + #"{"type":"t","challenge":"AQID","origin":"o"}"#),
            Row(
                "bytes that are not UTF-8",
                Array(#"{"type":"t","challenge":"AQID","origin":""#.utf8) + [0xFF, 0x22, 0x7D]),
            Row("a challenge with padding", #"{"type":"t","challenge":"AQ==","origin":"o"}"#),
            Row("a challenge in the other alphabet", #"{"type":"t","challenge":"+/+/","origin":"o"}"#),
            Row("a challenge with leftover bits", #"{"type":"t","challenge":"AR","origin":"o"}"#),
        ])
    func malformed(row: Row) {
        #expect(throws: WebAuthnFault.clientDataMalformed) { try ClientData(parsing: row.json) }
    }

    @Test("Client data of more than 4 KiB are rejected")
    func tooLong() throws {
        let json = Array(#"{"type":"t","challenge":"AQID","origin":"o"}"#.utf8)
        let longest = json + [UInt8](repeating: UInt8(ascii: " "), count: 4096 - json.count)
        #expect(try ClientData(parsing: longest).origin == "o")
        #expect(throws: WebAuthnFault.tooLong) { try ClientData(parsing: longest + [UInt8(ascii: " ")]) }
    }
}
