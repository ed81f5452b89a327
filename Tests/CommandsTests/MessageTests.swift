import Gateway
import JSON
import Testing

@Suite("Messages for operators")
struct MessageTests {
    @Test(
        "A misspelled name gets a suggestion, an unrelated one does not",
        arguments: [
            ("serv", "; did you mean serve?"), ("chekc", "; did you mean check?"),
            ("user list", "; did you mean users list?"), ("frobnicate", ""), ("", ""),
        ])
    func suggestion(text: String, expected: String) {
        #expect(NearestName.question(text, among: ["serve", "check", "users list"]) == expected)
    }

    @Test("A repeated failure is logged ever less often, and a new reason at once")
    func streak() {
        var streak = FailureStreak()
        let logged = (1...180).filter { _ in streak.mustLog("down") }
        #expect(logged == [1, 2, 4, 8, 16, 32, 60, 120, 180])
        let changed = ["not migrated", "down"].map { streak.mustLog($0) }
        #expect(changed == [true, true])
    }

    @Test(
        "A syntax error in JSON is reported with its line and column",
        arguments: [("{\n  \"a\": x}", "syntax error at line 2, column 8"), ("x", "syntax error at line 1, column 1")])
    func syntaxError(text: String, expected: String) throws {
        let fault = try #require(throws: JSONFault.self) { try StrictJSON.check(Array(text.utf8)) }
        #expect(fault.description(in: Array(text.utf8)) == expected)
    }
}
