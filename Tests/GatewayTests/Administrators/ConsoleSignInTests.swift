import HTTP
import Identity
import Testing

@testable import Gateway
@testable import Support

@Suite("Sign-in to the console", .serialized)
struct ConsoleSignInTests {
    @Test("An invited person proves the mailbox, enrolls an authenticator app, and uses the console until signing out")
    func invitation() async throws {
        let fixture = try await ConsoleFixture()
        let ada = try await fixture.signIn(as: "owner")
        let accounts = try await ada.open("/console/demo/accounts")
        #expect(accounts.status == 200 && accounts.heading == "Accounts")
        #expect(accounts.headers["Content-Security-Policy"]?.contains("frame-ancestors 'none'") == true)
        let signedOut = try await ada.submit(accounts, "signOut")
        #expect(signedOut.location == "/console/signIn")
        #expect(try await ada.open("/console/demo/accounts").status == 303)
    }

    @Test("A password and the link of an invitation do not suffice: without a second factor, there is no session")
    func factorRequired() async throws {
        let fixture = try await ConsoleFixture()
        let invited = try await fixture.invite("ada@example.com", "owner")
        try await fixture.proveMailbox(try #require(invited.json["localId"]?.string))
        let visitor = ConsoleVisitor(fixture.gateway)
        let enrolment = try await visitor.enterPassword("ada@example.com")
        #expect(enrolment.field("secret") != nil)
        #expect(try await visitor.open("/console/demo/accounts").location?.hasPrefix("/console/signIn?") == true)
        let wrong = try await visitor.submit(enrolment, "enrolment", ["code": "000000"])
        #expect(wrong.status == 400 && wrong.text.contains("The code is wrong"))
    }

    @Test("A person without a role is not signed in, and the link of another person's invitation gives no role")
    func withoutRole() async throws {
        let fixture = try await ConsoleFixture()
        let path = "/v1/projects/other/accounts"
        let eve: JSON = [
            "localId": "eve", "email": "eve@example.com", "emailVerified": true,
            "password": .string(ConsoleFixture.password),
        ]
        #expect(try await fixture.gateway.send(.post, path, eve, by: fixture.operatorsKey).outcome == "200")
        let link = try #require(try await fixture.invite("ada@example.com", "owner").json["invitationUri"]?.string)
        let visitor = ConsoleVisitor(fixture.gateway)
        let page = try await visitor.open(String(link.dropFirst("https://auth.example.com".count)))
        let typo = try await visitor.submit(page, "invitation", ["email": "eve"])
        #expect(typo.text.contains("This is not an email address.") && !typo.text.contains("INVALID_EMAIL"))
        let sent = try await visitor.submit(page, "invitation", ["email": "eve@example.com"])
        #expect(sent.heading == "Check your email", "\(sent.text)")
        let enrolment = try await visitor.enterPassword("eve@example.com")
        let app = try AuthenticatorApp(["sharedSecretKey": .string(try #require(enrolment.field("secret")))])
        let code = try app.code(at: fixture.gateway.clock.now)
        let refused = try await visitor.submit(enrolment, "enrolment", ["code": code])
        #expect(refused.status == 400 && refused.text.contains("The account has no role in the console."))
        #expect(try await visitor.open("/console/demo/accounts").status == 303)
    }

    @Test("The session ends after 30 minutes without a request, and 12 hours after the sign-in")
    func lifetimes() async throws {
        let fixture = try await ConsoleFixture()
        let ada = try await fixture.signIn(as: "viewer")
        fixture.gateway.clock.advance(by: .seconds(29 * 60))
        #expect(try await ada.open("/console/demo/accounts").status == 200)
        fixture.gateway.clock.advance(by: .seconds(31 * 60))
        #expect(try await ada.open("/console/demo/accounts").status == 303)
        let eve = try await fixture.signIn("eve@example.com", as: "viewer")
        for _ in 0..<25 {
            fixture.gateway.clock.advance(by: .seconds(28 * 60))
            #expect(try await eve.open("/console/demo/accounts").status == 200)
        }
        fixture.gateway.clock.advance(by: .seconds(25 * 60))
        #expect(try await eve.open("/console/demo/accounts").status == 303)
    }

    @Test("A changed role ends the session, and so does a disabled account")
    func endedSessions() async throws {
        let fixture = try await ConsoleFixture()
        let ada = try await fixture.signIn(as: "viewer")
        let list = try await fixture.gateway.send(
            .get, "/v2/projects/other/administrators", by: fixture.operatorsKey)
        let id = try #require(list.json["administrators"]?[0]?["localId"]?.string)
        let changed = try await fixture.gateway.send(
            .patch, "/v2/projects/other/administrators/\(id)", ["role": "support"], by: fixture.operatorsKey)
        #expect(changed.outcome == "200")
        #expect(try await ada.open("/console/demo/accounts").status == 303)
        try await ada.confirm()
        #expect(try await ada.open("/console/demo/accounts").status == 200)
        let disable: JSON = ["localId": .string(id), "disableUser": true]
        _ = try await fixture.gateway.send(
            .post, "/v1/projects/other/accounts:update", disable, by: fixture.operatorsKey)
        #expect(try await ada.open("/console/demo/accounts").status == 303)
    }

    @Test("A proof of both factors opens a new session, and ends the former one")
    func newSession() async throws {
        let fixture = try await ConsoleFixture()
        let ada = try await fixture.signIn(as: "owner")
        let former = ada.browser.cookies["__Host-sekisho-console"]
        try await ada.confirm()
        let present = try #require(ada.browser.cookies["__Host-sekisho-console"])
        #expect(former != present)
        let stolen = try await fixture.gateway.send(
            .get, "/console/demo/accounts", body: [], query: [],
            headers: ["Host": "auth.example.com", "Cookie": "__Host-sekisho-console=\(former ?? "")"])
        #expect(stolen.status == 303)
    }

    @Test("Requests to another host are rejected", arguments: ["evil.example.com", "auth.example.com:444", ""])
    func otherHost(host: String) async throws {
        let fixture = try await ConsoleFixture()
        let answer = try await fixture.gateway.send(
            .get, "/console/signIn", body: [], query: [], headers: host.isEmpty ? [:] : ["Host": host])
        #expect(answer.status == 421)
    }

    @Test(
        "The page after the sign-in is a page of the console",
        arguments: [
            ("/console/demo/accounts?q=ada", "/console/demo/accounts?q=ada"), ("https://evil.example.com", "/console"),
            ("//evil.example.com", "/console"), ("/console/\\evil", "/console"), ("/consoles", "/console"),
            ("", "/console"),
        ])
    func target(text: String, target: String) {
        #expect(ConsolePages.target(text) == target)
    }
}
