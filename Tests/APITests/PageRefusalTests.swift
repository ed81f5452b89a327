import HTTP
import Identity
import Testing

@testable import API

@Suite("Pages for refused requests")
struct PageRefusalTests {
    @Test(
        "says why the request was refused",
        arguments: [
            (OOBCodeRefusal.missing, "This link does not work"), (.invalid, "This link does not work"),
            (.otherEmail, "This link does not work"), (.expired, "This link has expired"),
            (.emailTaken, "belongs to another account"), (.accountDisabled, "account is disabled"),
            (.notAllowed, "not available"),
        ])
    func refusal(refusal: OOBCodeRefusal, says: String) async {
        let shown = await ActionPageTests.open(FakeEmailActionService(checkFailure: refusal))
        let done = await ActionPageTests.submit(FakeEmailActionService(failure: refusal), "oobCode=good")
        for response in [shown, done] {
            #expect(response.status == 400)
            #expect(response.headers["Content-Type"] == "text/html; charset=utf-8")
            #expect(response.text.contains(says) && !response.text.contains("<form"))
        }
        #expect(!shown.text.contains("Demo") && done.text.contains("Demo"))
    }

    @Test("an unknown code does not appear on the page", arguments: ["", "other", "\"><script>"])
    func unknownCode(code: String) async {
        let response = await ActionPageTests.open(FakeEmailActionService(), [("oobCode", code)])
        #expect(response.status == 400)
        #expect(!response.text.contains("Demo") && !response.text.contains("script"))
    }

    @Test(
        "asks for a better password and keeps the code",
        arguments: [
            (CredentialRefusal.weakPassword(minimumLength: 12), "<li>At least 12 characters</li>"),
            (.missingPassword, "<li>At least 8 characters</li>"),
            (.passwordLacks([.digit, .symbol]), "<li>A digit</li><li>A symbol, such as ! or #</li>"),
            (.passwordLacks([.notBreached]), "<li>Not known from a data leak</li>"),
        ])
    func weakPassword(refusal: CredentialRefusal, says: String) async throws {
        var project = FakeEmailActionService.project
        project.policy.minimumPasswordLength = 8
        let desk = FakeEmailActionService(.resetPassword, in: project, failure: refusal)
        let response = await ActionPageTests.submit(desk, "oobCode=good&newPassword=horse1")
        #expect(response.status == 400)
        let alert = try #require(response.text.firstMatch(of: #/id="problem" role="alert".*?</div>/#)).output
        #expect(alert.contains(says))
        #expect(response.text.contains(#"aria-describedby="problem passwordRules" aria-invalid="true" autofocus"#))
        #expect(response.text.contains(#"name="oobCode" value="good""#))
        #expect(!response.text.contains("horse1"))
    }

    @Test("the password rules of the project are stated for users and for password managers")
    func rules() async {
        var project = FakeEmailActionService.project
        project.policy.minimumPasswordLength = 9
        project.policy.requiresDigit = true
        let text = await ActionPageTests.open(FakeEmailActionService(.resetPassword, in: project)).text
        #expect(text.contains(#"minlength="9" passwordrules="minlength: 9; required: digit;""#))
        #expect(text.contains("<li>At least 9 characters</li><li>A digit</li>"))
        #expect(text.contains(#"autocomplete="username" readonly value="ada@example.com""#))
        #expect(text.contains(#"autocomplete="new-password""#))
    }

    @Test(
        "a rate limit states the minutes to wait",
        arguments: [(1, "Wait one minute"), (60, "Wait one minute"), (61, "Wait 2 minutes")])
    func tooMany(seconds: Int, says: String) async {
        let refusal = TooManyAttempts(retryAfter: .seconds(seconds))
        let action = await ActionPageTests.submit(FakeEmailActionService(failure: refusal), "oobCode=good")
        let checked = await ActionPageTests.open(FakeEmailActionService(checkFailure: refusal))
        let reset = await ForgotPasswordTests.submit(FakeEmailActionService(failure: refusal), "email=ada@example.com")
        for response in [action, checked, reset] {
            #expect(response.status == 429)
            #expect(response.headers["Retry-After"] == String(seconds))
            #expect(response.text.contains(says))
        }
    }

    @Test(
        "failures of the gateway are plain text",
        arguments: [Overloaded(), StoreUnavailable(reason: "")] as [any Error & Sendable])
    func failure(failure: any Error & Sendable) async {
        let desk = FakeEmailActionService(failure: failure)
        let action = await ActionPageTests.submit(desk, "oobCode=good")
        let reset = await ForgotPasswordTests.submit(desk, "email=ada@example.com")
        for response in [action, reset] {
            #expect(response.status == 503)
            #expect(response.headers["Content-Type"] == "text/plain; charset=utf-8")
            #expect(response.headers["Access-Control-Allow-Origin"] == nil)
        }
    }

    @Test(
        "accepts only its own forms",
        arguments: [
            ("application/json", #"{"oobCode":"good"}"#), ("text/plain", "oobCode=good"),
            ("multipart/form-data; boundary=x", "oobCode=good"), (nil, "oobCode=good"),
            ("application/x-www-form-urlencoded", "oobCode=good&oobCode=good"),
            ("application/x-www-form-urlencoded", "oobCode=%zz"),
            ("application/x-www-form-urlencodedx", "oobCode=good"),
        ] as [(String?, String)])
    func malformed(type: String?, body: String) async {
        let desk = FakeEmailActionService()
        let response = await ActionPageTests.submit(desk, body, headers: type.map { ["Content-Type": $0] } ?? [:])
        #expect(response.status == 400)
        #expect(response.text.contains("<h1>This did not work</h1>"))
        #expect(desk.calls.isEmpty)
    }

    @Test("a form's content type may have parameters")
    func charset() async {
        let desk = FakeEmailActionService()
        let type: Headers = ["Content-Type": "Application/X-WWW-Form-Urlencoded ; charset=UTF-8"]
        #expect(await ActionPageTests.submit(desk, "oobCode=good", headers: type).status == 200)
    }

    @Test("only a form can redeem a code, not a query")
    func postedQuery() async {
        let desk = FakeEmailActionService()
        let response = await TestGateway(actions: desk).send(
            .post, ActionPageTests.path, query: [("oobCode", "good")], headers: ActionPageTests.form)
        #expect(response.status == 400)
        #expect(desk.calls.isEmpty)
    }
}
