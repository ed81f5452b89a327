import HTTP
import Identity
import Postgres
import Testing

@testable import Support

@Suite("Pages for rejected requests")
struct PageRefusalTests {
    typealias Fixture = ActionPageRequestTests.Fixture

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var purpose = OOBCode.Purpose.verifyEmail
        var prepare: @Sendable (Fixture) async throws -> Void = { _ in }
        /// Whether the page can still be opened, and only its form is rejected.
        var isShown = false
        /// Whether the code, and with it the project, can still be found.
        var isStored = true
        /// A part of the page that explains the rejection.
        let text: String
    }

    @Test(
        "The action page explains why a code was rejected",
        arguments: [
            // The codes of the fixture are valid for an hour.
            Row(
                testDescription: "the code has expired", prepare: { $0.gateway.clock.advance(by: .seconds(3601)) },
                text: "This link has expired"),
            Row(
                testDescription: "the code was used", prepare: { _ = try await $0.submit() }, isStored: false,
                text: "This link does not work"),
            Row(
                testDescription: "another account has the address", purpose: .changeEmail,
                prepare: { _ = try await $0.gateway.signUp(email: "new@example.com", password: "second secret") },
                isShown: true, text: "belongs to another account"),
            Row(
                testDescription: "the account is disabled",
                prepare: { _ = try await $0.gateway.database.pool.execute("UPDATE account SET disabled_at = now()") },
                isShown: true, text: "account is disabled"),
            Row(
                testDescription: "passwords are not allowed", purpose: .resetPassword,
                prepare: {
                    let answer = try await $0.gateway.send(
                        .patch, "/v2/projects/demo/config", ["signIn": ["email": ["enabled": false]]],
                        by: ServiceKey(in: $0.gateway), query: [("updateMask", "signIn.email.enabled")])
                    #expect(answer.status == 200, "\(answer.text)")
                }, isShown: true, text: "not available"),
        ])
    func rejection(row: Row) async throws {
        let fixture = try await Fixture(row.purpose)
        try await row.prepare(fixture)
        let gateway = try fixture.gateway.withFreshCaches()
        let opened = try await gateway.openActionPage(fixture.code)
        let submitted = try await gateway.submitActionPage(fixture.code, ["newPassword": "long enough"])
        for response in row.isShown ? [submitted] : [opened, submitted] {
            #expect(response.status == 400)
            #expect(response.headers["Content-Type"] == "text/html; charset=utf-8")
            #expect(response.text.contains(row.text) && !response.text.contains("<form"), "\(response.text)")
        }
        #expect(opened.text.contains("Demo") == row.isStored && submitted.text.contains("Demo") == row.isStored)
    }

    @Test(
        "The page about a used code has the project that the link names, and its form, and leads back to the app",
        arguments: [TestGateway.apiKey, "demo"])
    func usedCode(apiKey: String) async throws {
        let fixture = try await Fixture(.verifyEmail)
        let back = "https://localhost/welcome"
        let link = ["apiKey": apiKey, "continueUrl": back]
        let form = try await fixture.gateway.openActionPage(fixture.code, link)
        #expect(form.text.contains(#"name="apiKey" value="\#(apiKey)""#), "\(form.text)")
        #expect(try await fixture.submit().status == 200)
        for page in [
            try await fixture.gateway.openActionPage(fixture.code, link),
            try await fixture.gateway.submitActionPage(fixture.code, link),
        ] {
            #expect(page.status == 400 && page.text.contains("This link does not work"), "\(page.text)")
            #expect(page.text.contains("Demo") && page.text.contains(#"href="\#(back)""#), "\(page.text)")
        }
    }

    @Test(
        "The page about a used code leads nowhere but to the project that the link names",
        arguments: [["apiKey": "unknown"], ["apiKey": "demo", "continueUrl": "https://evil.example/"]])
    func forgedLink(link: [String: String]) async throws {
        let fixture = try await Fixture(.verifyEmail)
        #expect(try await fixture.submit().status == 200)
        let page = try await fixture.gateway.openActionPage(fixture.code, link)
        #expect(page.status == 400)
        #expect(page.text.contains("Demo") == (link["apiKey"] == "demo") && !page.text.contains("evil"), "\(page.text)")
    }

    @Test(
        "The page for an unknown code has no form, no project name and no markup from the code",
        arguments: ["", "other", "\"><script>"])
    func unknownCode(code: String) async throws {
        let gateway = try await TestGateway()
        for response in [
            try await gateway.openActionPage(code), try await gateway.submitActionPage(code.percentEncoded),
        ] {
            #expect(response.status == 400)
            #expect(response.text.contains("This link does not work"))
            #expect(!response.text.contains("Demo") && !response.text.contains("script"))
            #expect(!response.text.contains("<form"))
        }
    }

    struct WeakPassword: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var password = "horse1"
        /// Changes the policy, which requires 8 characters by default.
        var change: @Sendable (inout Policy) -> Void
        /// The requirements that the page lists.
        let text: String
    }

    @Test(
        "The action page lists the requirements that a password does not meet, and keeps the code in its form",
        arguments: [
            WeakPassword(
                testDescription: "too short", change: { $0.minimumPasswordLength = 12 },
                text: "<li>At least 12 characters</li>"),
            WeakPassword(
                testDescription: "no password", password: "", change: { _ in }, text: "<li>At least 8 characters</li>"),
            WeakPassword(
                testDescription: "no digit and no symbol", password: "horsehorse",
                change: { ($0.requiresDigit, $0.requiresSymbol) = (true, true) },
                text: "<li>A digit</li><li>A symbol, such as ! or #</li>"),
            WeakPassword(
                testDescription: "breached", password: "breached", change: { _ in },
                text: "<li>Not known from a data leak</li>"),
        ])
    func weakPassword(row: WeakPassword) async throws {
        let gateway = try await TestGateway(
            .sekisho, passwords: .withoutHashing, breaches: BreachedPasswords { $0.expose() == "breached" },
            change: row.change)
        let code = try await gateway.storeCode(.resetPassword, of: gateway.makeAccountWithoutPassword())
        let response = try await gateway.submitActionPage(code, ["newPassword": row.password])
        #expect(response.status == 400)
        let alert = try #require(response.text.firstMatch(of: #/id="problem" role="alert".*?</div>/#)).output
        #expect(alert.contains(row.text), "\(alert)")
        #expect(response.text.contains(#"aria-describedby="problem passwordRules" aria-invalid="true""#))
        #expect(response.text.contains(#"name="oobCode" value="\#(code)""#))
        #expect(row.password.isEmpty || !response.text.contains(row.password))
    }

    @Test("The action page states the project's password rules for users and for password managers")
    func rules() async throws {
        let gateway = try await TestGateway(.sekisho) { ($0.minimumPasswordLength, $0.requiresDigit) = (9, true) }
        let code = try await gateway.storeCode(.resetPassword, of: gateway.makeAccountWithoutPassword())
        let text = try await gateway.openActionPage(code).text
        #expect(text.contains(#"minlength="9" passwordrules="minlength: 9; required: digit;""#))
        #expect(text.contains("<li>At least 9 characters</li><li>A digit</li>"))
        #expect(text.contains(#"autocomplete="username" readonly value="ada@example.com""#))
        #expect(text.contains(#"autocomplete="new-password""#))
    }

    @Test("The response to a form over the rate limit says that there were too many attempts, and has Retry-After")
    func rateLimit() async throws {
        let gateway = try await TestGateway(limitsRates: true) { $0.emailLimit = 1 }
        let first = try await gateway.submitForm("/__/auth/forgotPassword", ["email": "ada@example.com"])
        let second = try await gateway.submitForm("/__/auth/forgotPassword", ["email": "ada@example.com"])
        #expect(first.status == 200)
        #expect(second.status == 429)
        #expect(try #require(second.headers["Retry-After"].flatMap { Int($0) }) > 0)
        #expect(second.text.contains("Too many attempts"))
    }

    @Test("The response is plain text if the gateway is overloaded or its database is unavailable")
    func failure() async throws {
        let overloaded = try await TestGateway(passwords: .overloaded)
        let code = try await overloaded.storeCode(.resetPassword, of: overloaded.makeAccountWithoutPassword())
        let withoutDatabase = try await TestGateway()
        #expect(try await withoutDatabase.send(.get, "/v1/projects").status == 200)
        await withoutDatabase.database.pool.close()
        for response in [
            try await overloaded.submitActionPage(code, ["newPassword": "long enough"]),
            try await withoutDatabase.openActionPage(code),
            try await withoutDatabase.submitActionPage(code),
            try await withoutDatabase.submitForm("/__/auth/forgotPassword", ["email": "ada@example.com"]),
        ] {
            #expect(response.status == 503)
            #expect(response.headers["Content-Type"] == "text/plain; charset=utf-8")
            #expect(response.headers["Access-Control-Allow-Origin"] == nil)
        }
    }

    private static let sharedFixture = Task { try await Fixture(.verifyEmail) }

    @Test(
        "The action page rejects malformed forms, and content types other than that of forms",
        arguments: [
            ("application/json", #"{"oobCode":"CODE"}"#), ("text/plain", "oobCode=CODE"),
            ("multipart/form-data; boundary=x", "oobCode=CODE"), (nil, "oobCode=CODE"),
            ("application/x-www-form-urlencoded", "oobCode=CODE&oobCode=CODE"),
            ("application/x-www-form-urlencoded", "oobCode=%zz"),
            ("application/x-www-form-urlencodedx", "oobCode=CODE"),
        ] as [(String?, String)])
    func malformed(type: String?, body: String) async throws {
        let fixture = try await Self.sharedFixture.value
        let response = try await fixture.gateway.submitForm(
            ActionPageRequestTests.path, text: body.replacing("CODE", with: fixture.code),
            headers: type.map { ["Content-Type": $0] } ?? [:])
        #expect(response.status == 400)
        #expect(response.text.contains("<h1>This did not work</h1>"))
        #expect(try await fixture.open().status == 200, "the code was not redeemed")
    }

    @Test("The content type of a form may have parameters")
    func charset() async throws {
        let fixture = try await Fixture(.verifyEmail)
        let type: Headers = ["Content-Type": "Application/X-WWW-Form-Urlencoded ; charset=UTF-8"]
        #expect(try await fixture.submit(headers: type).status == 200)
    }

    @Test("A code in the query of a POST request is not redeemed")
    func postedQuery() async throws {
        let fixture = try await Self.sharedFixture.value
        let response = try await fixture.gateway.send(
            .post, ActionPageRequestTests.path, query: [("oobCode", fixture.code)], headers: TestGateway.formHeaders)
        #expect(response.status == 400)
        #expect(try await fixture.open().status == 200, "the code was not redeemed")
    }
}
