import API
import HTTP
import Identity
import Testing

@testable import Gateway
@testable import Support

@Suite("Permissions in the console", .serialized)
struct ConsolePermissionTests {
    private static func fixtureWithBob() async throws -> ConsoleFixture {
        let fixture = try await ConsoleFixture()
        let key = try await ServiceKey(id: "setup", in: fixture.gateway)
        let bob: JSON = ["localId": "bob", "email": "bob@example.com"]
        #expect(try await fixture.gateway.send(.post, "/v1/projects/demo/accounts", bob, by: key).outcome == "200")
        return fixture
    }

    private static let page = "/console/demo/accounts/account?id=bob"

    /// A role, a form of the account's page with its values, and the status: 303 for accepted forms.
    @Test(
        "Each role is offered the forms that its scopes allow, and can submit no others",
        arguments: [
            ("viewer", "disable", [:], 400), ("support", "disable", [:], 303), ("administrator", "disable", [:], 303),
            ("support", "merge", ["mergeToken": "token"], 400),
            ("administrator", "profile", ["displayName": "Bob", "email": "bob@example.com"], 303),
            ("support", "delete", ["confirmed": "true"], 400),
            ("administrator", "delete", ["confirmed": "true"], 303),
        ] as [(String, String, [String: String], Int)])
    func roles(role: String, form: String, values: [String: String], status: Int) async throws {
        let fixture = try await Self.fixtureWithBob()
        let ada = try await fixture.signIn(as: role)
        let page = try await ada.open(Self.page)
        #expect(page.status == 200)
        guard status == 400 else {
            let answer = try await ada.submit(page, form, values)
            #expect(answer.status == status, "\(answer.text)")
            return
        }
        #expect(page.text.contains("The page lacks the forms that need another role."))
        let answer = try await ada.submitUnoffered(Self.page, form, values)
        #expect(answer.status == 400 && answer.text.contains("PERMISSION_DENIED"), "\(answer.text)")
        #expect(answer.text.contains("Your role in this project (\(role)) does not allow this."))
        #expect(!answer.text.contains("service key"))
    }

    @Test("A role that cannot change a profile reads it: the page has the values, and no form")
    func values() async throws {
        let fixture = try await Self.fixtureWithBob()
        let ada = try await fixture.signIn(as: "support")
        let page = try await ada.open(Self.page)
        #expect(page.form("profile") == nil && page.form("claims") == nil && page.form("disable") != nil)
        #expect(page.text.contains("<dt>Email address</dt>") && page.text.contains("bob@example.com"))
    }

    @Test("A dangerous action needs a proof of both factors of the last five minutes, and continues after it")
    func proof() async throws {
        let fixture = try await Self.fixtureWithBob()
        let ada = try await fixture.signIn(as: "owner")
        fixture.gateway.clock.advance(by: .seconds(301))
        let page = try await ada.open(Self.page)
        let form = try await Self.confirming(try await ada.submit(page, "delete", ["confirmed": "true"]), by: ada)
        #expect(form.text.contains("You have confirmed that it is you. Nothing was changed yet."), "\(form.text)")
        #expect(form.text.contains("name=\"confirmed\" required checked"))
        #expect(try await ada.open(Self.page).status == 200)
        let deleted = try await ada.submit(form, "delete", ["confirmed": "true"])
        #expect(deleted.status == 303, "\(deleted.text)")
        #expect(try await ada.open(Self.page).status == 404)
    }

    /// Proves both factors on the page to which a form has led, and returns the page that follows.
    private static func confirming(_ refused: Exchange, by person: ConsoleVisitor) async throws -> Exchange {
        let path = try #require(refused.location, "\(refused.text)")
        #expect(refused.status == 303 && path.hasPrefix("/console/signIn?continue="))
        let confirmed = try await person.confirm(target: String(path.dropFirst("/console/signIn".count)))
        return try await person.open(try #require(confirmed.location))
    }

    @Test("Only an owner with a recent proof signs in as a user")
    func impersonation() async throws {
        let fixture = try await Self.fixtureWithBob()
        let values = ["reason": "Ticket 4711", "appId": "default", "continueUri": "https://localhost/done"]
        let support = try await fixture.signIn("eve@example.com", as: "administrator")
        let denied = try await support.submitUnoffered(Self.page, "impersonate", values)
        #expect(denied.status == 400 && denied.text.contains("PERMISSION_DENIED"))
        let ada = try await fixture.signIn(as: "owner")
        fixture.gateway.clock.advance(by: .seconds(301))
        let refused = try await ada.submit(try await ada.open(Self.page), "impersonate", values)
        #expect(refused.status == 303 && refused.location?.hasPrefix("/console/signIn?") == true)
        try await ada.confirm()
        let done = try await ada.submit(try await ada.open(Self.page), "impersonate", values)
        #expect(done.status == 200 && done.text.contains("The app can sign in as the user"), "\(done.text)")
    }

    @Test("A session without a recent proof supports users, but changes no profile: a new address is a takeover")
    func profileWithoutProof() async throws {
        let fixture = try await Self.fixtureWithBob()
        let ada = try await fixture.signIn(as: "owner")
        fixture.gateway.clock.advance(by: .seconds(301))
        let values = ["email": "bob@example.com", "displayName": "Robert & Söhne"]
        let refused = try await ada.submit(try await ada.open(Self.page), "profile", values)
        #expect(refused.status == 303 && !(refused.location ?? "").contains("Robert"))
        #expect(try await !ada.open(Self.page).text.contains("Robert"))
        #expect(try await ada.submit(try await ada.open(Self.page), "disable").status == 303)
        // After the confirmation, the form has what the person typed.
        let form = try await Self.confirming(refused, by: ada)
        #expect(form.text.contains("value=\"Robert &amp; Söhne\""), "\(form.text)")
        #expect(try await ada.submit(form, "profile", values).status == 303)
        #expect(try await ada.open(Self.page).text.contains("Robert &amp; Söhne"))
    }

    @Test("The values of a form are shown only to the person who has typed them, for an hour")
    func drafts() async throws {
        let fixture = try await Self.fixtureWithBob()
        let ada = try await fixture.signIn(as: "owner")
        let eve = try await fixture.signIn("eve@example.com", as: "owner")
        fixture.gateway.clock.advance(by: .seconds(301))
        let values = ["email": "mallory@example.com"]
        let refused = try await eve.submit(try await eve.open(Self.page), "profile", values)
        let confirmed = try await eve.confirm(
            target: String(try #require(refused.location).dropFirst("/console/signIn".count)))
        let link = try #require(confirmed.location)
        #expect(try await eve.open(link).text.contains("mallory@example.com"))
        #expect(try await !ada.open(link).text.contains("mallory@example.com"))
        fixture.gateway.clock.advance(by: .seconds(1500))
        _ = try await eve.open(Self.page)
        fixture.gateway.clock.advance(by: .seconds(1500))
        _ = try await eve.open(Self.page)
        fixture.gateway.clock.advance(by: .seconds(700))
        let late = try await eve.open(link)
        #expect(late.status == 200 && !late.text.contains("mallory@example.com"))
    }

    @Test("The file of the audit trail needs a role, and a proof of both factors of the last five minutes")
    func auditFile() async throws {
        let fixture = try await Self.fixtureWithBob()
        let ada = try await fixture.signIn(as: "owner", in: "demo")
        let file = try await ada.open("/console/demo/audit/file?subject=bob")
        #expect(file.status == 200 && file.text.contains("account.created"), "\(file.text)")
        #expect(file.text.split(separator: "\n").count == 1)
        #expect(try await ada.open("/console/other/audit/file").status == 400)
        fixture.gateway.clock.advance(by: .seconds(301))
        let late = try await ada.open("/console/demo/audit/file?subject=bob")
        #expect(late.status == 303 && !late.text.contains("account.created"))
        #expect(try await ConsoleVisitor(fixture.gateway).open("/console/demo/audit/file").status == 303)
    }

    @Test("A role in one project gives nothing in another one and in the operators' project")
    func otherProject() async throws {
        let fixture = try await Self.fixtureWithBob()
        let ada = try await fixture.signIn(as: "owner", in: "demo")
        #expect(try await ada.open(Self.page).status == 200)
        #expect(try await ada.open("/console/other/accounts").status == 404)
        #expect(try await ada.open("/console/unknown/accounts").status == 404)
    }

    @Test("Only owners of all projects change accounts of operators")
    func operatorsAccounts() async throws {
        let fixture = try await ConsoleFixture()
        let ada = try await fixture.signIn(as: "administrator")
        let owner = try await fixture.signIn("owner@example.com", as: "owner")
        let path = "/console/other/accounts/account?id=\(ada.id)"
        #expect(try await ada.submitUnoffered(path, "disable").text.contains("PERMISSION_DENIED"))
        let mine = try await owner.open(path)
        #expect(try await owner.submit(mine, "disable").status == 303)
    }

    @Test(
        "A form of another page, session, site or script is rejected",
        arguments: [
            [("Host", "auth.example.com"), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate")],
            [("Host", "auth.example.com"), ("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Mode", "cors")],
            [("Host", "auth.example.com"), ("Origin", "https://evil.example.com")], [("Host", "auth.example.com")],
        ])
    func foreignForms(headers: [(String, String)]) async throws {
        let fixture = try await Self.fixtureWithBob()
        let ada = try await fixture.signIn(as: "owner")
        let page = try await ada.open(Self.page)
        #expect(try await ada.submit(page, "disable", headers: headers).status == 403)
    }

    @Test("The token of a form belongs to the session")
    func tokens() async throws {
        let fixture = try await Self.fixtureWithBob()
        let (ada, eve) = (
            try await fixture.signIn(as: "owner"), try await fixture.signIn("eve@example.com", as: "owner")
        )
        let page = try await eve.open(Self.page)
        #expect(try await ada.submit(page, "disable").status == 403)
        #expect(try await eve.submit(page, "disable").status == 303)
    }

    /// Every operation with another scope supports users or reads, and no screen lists or removes more with it.
    @Test("These operations need a recent proof, by their scope or by themselves")
    func recentProof() {
        let scopes = Set(Endpoint.all.filter { $0.needs?.recentProof == true }.compactMap(\.scope))
        #expect(scopes == [.writeUsers, .linkUsers, .mintTokens, .writeAdministrators, .readUsers, .config, .trust])
        let others = Endpoint.all.filter { endpoint in
            endpoint.needs.map { $0.recentProof && !$0.scope.needsRecentProof } ?? false
        }
        #expect(
            Set(others.map(\.operationID)) == [
                "batchGetAccounts", "batchGetAccountsInTenant", "deleteApp", "deleteTenant",
            ])
    }

    @Test("The audit trail names the person and the role")
    func audit() async throws {
        let fixture = try await Self.fixtureWithBob()
        let ada = try await fixture.signIn(as: "support")
        #expect(try await ada.submit(try await ada.open(Self.page), "disable").status == 303)
        let key = try await ServiceKey(id: "reader", in: fixture.gateway)
        let events = try await fixture.gateway.send(
            .get, "/v1/projects/demo/auditEvents", by: key, query: [("action", "account.disabled")])
        let event = events.json["auditEvents"]?[0]
        #expect(event?["actor"]?.string?.hasPrefix("administrator:") == true)
        #expect(event?["detail"]?["role"]?.string == "support")
    }

    @Test("A request from outside has no permissions of a person, whatever its headers are")
    func outside() async throws {
        let fixture = try await Self.fixtureWithBob()
        let ada = try await fixture.signIn(as: "owner")
        let cookie = ada.browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        let answer = try await fixture.gateway.send(
            .post, "/v1/projects/demo/accounts:query", body: Array("{}".utf8), query: [], headers: ["Cookie": cookie])
        #expect(answer.status == 403)
    }
}
