import Testing

@testable import Console

@Suite("Problems")
struct ProblemTests {
    @Test(
        "The message has neither the code nor words about JSON",
        arguments: [
            ("WEAK_PASSWORD : Too short", "WEAK_PASSWORD", "Too short"), ("EMAIL_EXISTS", "EMAIL_EXISTS", nil),
            ("Invalid JSON payload received. /email is invalid", "INVALID_ARGUMENT", "/email is invalid"),
            ("The gateway responded with status 502.", nil, "The gateway responded with status 502."),
        ] as [(String, String?, String?)])
    func message(text: String, code: String?, message: String?) {
        let problem = Problem(code: code, message: text, explanation: nil)
        #expect(problem.message == message)
        #expect(problem.code == code)
    }

    @Test("The label of a field replaces its JSON pointer")
    func field() {
        let fields = [FormField("email", "Email address"), FormField("localId", "ID")]
        let problem = Problem(
            code: "INVALID_ARGUMENT", message: "/users/0/localId is too long", explanation: "Explained.")
        let (named, field) = problem.naming(fields)
        #expect(field == "localId")
        #expect(named.message == "ID is too long" && named.code == nil && named.explanation == nil)
        let other = Problem(code: "WEAK_PASSWORD", message: "/localId is weak", explanation: "Explained.")
        #expect(other.naming(fields).problem.code == "WEAK_PASSWORD")
        let box = FormField("allowIt", "Do it anyway", .checkbox)
        let advice = Problem("No way remains. Set allowIt to true to confirm.").naming([box])
        #expect(advice.field == "allowIt")
        #expect(advice.problem.message == "No way remains. Tick the box \u{201C}Do it anyway\u{201D} to confirm.")
        #expect(Problem("/unknown is wrong").naming(fields).field == nil)
    }
}
