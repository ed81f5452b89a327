import Foundation
import HTTP
import Testing

@testable import Identity
@testable import SekishoAuth
@testable import Support

@Suite("The texts for errors")
struct ErrorTextTests {
    @Test("Every error code of the gateway, and every code of the library, has exactly one text")
    func complete() {
        let codes = ErrorTextTable.entries.flatMap(\.codes)
        let numbers = ErrorTextTable.entries.flatMap(\.numbers)
        #expect(Set(codes).count == codes.count)
        #expect(Set(numbers).count == numbers.count)
        #expect(Set(ErrorCode.allCases.map(\.rawValue)).subtracting(codes) == [])
        #expect(Set(ServerError.codes.keys).subtracting(codes) == [])
        #expect(Set(AuthErrorCode.descriptions.keys) == Set(numbers))
    }

    @Test(
        "The library has the texts that the gateway responds with",
        arguments: ErrorTextLanguage.allCases.map(\.rawValue))
    func sameTexts(language: String) async throws {
        let gateway = try await TestGateway(.sekisho)
        let response = try await gateway.send(.get, "/v1/errorTexts", body: [], query: [("hl", language)])
        #expect(response.status == 200)
        for code in ErrorCode.allCases.map(\.rawValue) {
            let text = ServerError(message: code).authError.text(in: language)
            let sent = response.json["texts"]?[code]
            #expect(sent?["title"]?.string == text.title)
            #expect(sent?["text"]?.string == text.text)
            #expect(sent?["action"]?.string == text.action.rawValue)
        }
    }

    @Test("A client that knows the texts of this release and language gets status 304")
    func cached() async throws {
        let gateway = try await TestGateway(.sekisho)
        let first = try await gateway.send(.get, "/v1/errorTexts", body: [], query: [("hl", "ja")])
        let tag = try #require(first.headers["ETag"])
        for known in [tag, "\"other\", \(tag)"] {
            let second = try await gateway.send(
                .get, "/v1/errorTexts", body: [], query: [("hl", "ja")], headers: ["If-None-Match": known])
            #expect(second.status == 304)
        }
        let english = try await gateway.send(
            .get, "/v1/errorTexts", body: [], query: [("hl", "en")], headers: ["If-None-Match": tag])
        #expect(english.status == 200)
    }

    @Test(
        "The library looks tags up as the gateway does, and has English texts for other languages",
        arguments: [
            "ja", "ja-JP", "en", "en-GB", "de-CH", "fr", "es-419", "pt-PT", "it", "ko_KR", "zh", "zh-CN", "zh-TW",
            "zh-Hant-HK", "zh-Hans-TW", "zh-u-hc-tw", "ar-EG", "in", "id", "nl", "", "en-XA",
        ])
    func languages(tag: String) {
        #expect(ErrorTextLanguage(tag: tag).rawValue == (Language(tag: tag) ?? .english).rawValue)
    }

    @Test("Each text of each language differs from the English one")
    func translated() {
        #expect(ErrorTextLanguage.allCases.map(\.rawValue) == Language.allCases.map(\.rawValue))
        for key in ErrorTextKey.allCases {
            let english = key.wording(in: .english)
            for language in ErrorTextLanguage.allCases where language != .english {
                let wording = key.wording(in: language)
                #expect("\(wording.title)" != "\(english.title)" && "\(wording.text)" != "\(english.text)", "\(key)")
            }
        }
        #expect(Set(ErrorTextTable.entries.map(\.key)).count == ErrorTextTable.entries.count)
        #expect(AuthErrorCode.networkError.text(in: "ja").title == "接続できません")
    }

    @Test("The gateway's code decides, then the library's code; an unknown code gets a general text")
    func precedence() {
        #expect(ServerError(message: "INVALID_LOGIN_CREDENTIALS").authError.text(in: "en").action == .checkInput)
        #expect(AuthErrorCode.invalidCredential.text(in: "en").action == .retry)
        #expect(ServerError(message: "SOMETHING_NEW").authError.text(in: "en").title == "Something went wrong")
    }

    /// Two tables of the guide, one per language. `RECORD=1 swift test --filter ErrorTextTests` rewrites them.
    @Test("The guide has the texts of this table")
    func guide() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../..")
        let source = root.appendingPathComponent("Sources/Client/SekishoAuth/Errors/AuthErrorCode+Codes.swift")
        let names = Dictionary(
            uniqueKeysWithValues: try String(contentsOf: source, encoding: .utf8)
                .matches(of: #/let (\w+) = AuthErrorCode\(known: (\d+)\)/#)
                .map { (try #require(Int($0.2)), String($0.1)) })
        let tables = [(ErrorTextLanguage.english, "English"), (.japanese, "Japanese")].map { language, title in
            let rows = ErrorTextTable.entries.map { entry in
                let codes =
                    entry.numbers.compactMap { names[$0] }.map { "`\($0)`" }
                    + entry.codes.map { "`\($0)`" }
                let text = ErrorText(entry, language)
                return "| \(text.title) | \(text.text) | `\(text.action.rawValue)` | \(codes.joined(separator: ", ")) |"
            }
            return (["### \(title)", "", "| title | text | action | codes |", "|---|---|---|---|"] + rows)
                .joined(separator: "\n")
        }
        let file = root.appendingPathComponent("Deploy/guides/errors.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.range(of: "### English"))
        let expected = text[..<start.lowerBound] + tables.joined(separator: "\n\n") + "\n"
        if ProcessInfo.processInfo.environment["RECORD"] != nil {
            try Data(expected.utf8).write(to: file)
        }
        #expect(text == expected)
    }
}
