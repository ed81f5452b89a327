import HTTP
import Identity
import Postgres
import Simulators
import Testing

@testable import Support

@Suite("The URL of the sign-in page for one sign-in, link or re-authentication")
struct CreatedSignInURITests {
    private static let ada = "ada@example.com"

    private static func visit() async throws -> SignInPageVisit {
        let gateway = try await TestGateway()
        _ = try await gateway.signUp(email: ada)
        return SignInPageVisit(gateway)
    }

    private static func create(_ more: [String: JSON] = [:], at gateway: TestGateway) async throws -> Exchange {
        let body: [String: JSON] = [
            "continueUri": .string(SignInPageVisit.target), "state": "state",
            "codeChallenge": .string(SignInPageVisit.challenge), "codeChallengeMethod": "S256",
        ]
        return try await gateway.post("/v1/accounts:createSignInUri", .object(body.merging(more) { $1 }))
    }

    @Test("The URL is valid for ten minutes", arguments: [(599, 200), (601, 400)])
    func lifetime(seconds: Int, status: Int) async throws {
        let visit = try await Self.visit()
        let created = try await Self.create(at: visit.gateway)
        let uri = try #require(created.json["signInUri"]?.string, "\(created.text)")
        visit.gateway.clock.advance(by: .seconds(seconds))
        let page = try await visit.browser.send(.get, uri)
        #expect(page.status == status, "\(page.text)")
        if status == 400 { #expect(page.heading == "This sign-in has expired") }
    }

    @Test(
        "Only a URL of the app gets the result, and none that already looks like a result",
        arguments: [
            "https://evil.example/", "javascript:alert(1)", "https://localhost/done?code=x",
            "https://localhost/done?a=b&iss=x", "https://localhost/done?error=x", "https://localhost/done?st%61te=x",
        ])
    func target(url: String) async throws {
        let created = try await Self.create(["continueUri": .string(url)], at: Self.visit().gateway)
        #expect(created.status == 400, "\(created.text)")
        #expect(created.json["signInUri"] == nil)
    }

    @Test("The URL has no ID token, and nothing of the account can be read in it")
    func sealed() async throws {
        let visit = try await Self.visit()
        let ada = try await visit.gateway.signUp(email: "grace@example.com")
        let created = try await Self.create(
            ["operation": "REAUTHENTICATE", "idToken": .string(ada.idToken)], at: visit.gateway)
        let uri = try #require(created.json["signInUri"]?.string, "\(created.text)")
        #expect(!uri.contains(ada.idToken) && !uri.contains(ada.localId) && !uri.contains("grace"))
    }

    @Test("A re-authentication creates no account, also if its form is changed", arguments: ["guest", "signUp"])
    func createsNothing(step: String) async throws {
        let visit = try await Self.visit()
        let ada = try await visit.gateway.signUp(email: "grace@example.com")
        let page = try await visit.openURI(["operation": "REAUTHENTICATE", "idToken": .string(ada.idToken)])
        let accounts = try await visit.accountCount()
        let forged = try await visit.submit(
            page, "signIn", ["step": step, "email": "eve@example.com", "password": "long enough"])
        #expect(forged.status == 400 && forged.result == nil, "\(forged.text)")
        #expect(try await visit.accountCount() == accounts)
    }

    @Test("A re-authentication at a provider by a person without an account creates none")
    func createsNothingAtProvider() async throws {
        let visit = SignInPageVisit(try await TestGateway.withAppleGoogleAndOpenID(#""platform": "web""#))
        let mary = try TestGateway.Tokens(await visit.gateway.signIn(visit.gateway.googleCredential(.mary)))
        let page = try await visit.openURI(["operation": "REAUTHENTICATE", "idToken": .string(mary.idToken)])
        let accounts = try await visit.accountCount()
        let link = try #require(
            page.text.firstMatch(of: #/href="signIn\/provider\?(providerId=google[^"]*)"/#), "\(page.text)"
        ).output.1.replacing("&amp;", with: "&")
        let started = try await visit.browser.send(.get, SignInPageVisit.path + "/provider?" + link)
        let returned = try await visit.browser.signInAtProvider(
            .ada, opening: try #require(started.location, "\(started.text)"))
        #expect(returned.location?.contains("code=") != true, "\(returned.location ?? "")")
        #expect(try await visit.accountCount() == accounts)
    }

    @Test("A re-authentication with another account leaves no session of that account")
    func otherAccount() async throws {
        let visit = try await Self.visit()
        let grace = try await visit.gateway.signUp(email: "grace@example.com")
        let page = try await visit.openURI(["operation": "REAUTHENTICATE", "idToken": .string(grace.idToken)])
        let sessions = try await visit.sessionCount()
        let done = try await visit.submit(page, "signIn", ["email": Self.ada, "password": "secret1"])
        #expect(done.result?.contains("error=user_mismatch") == true, "\(done.text)")
        #expect(try await visit.sessionCount() == sessions)
        #expect(visit.browser.cookies.keys.allSatisfy { !$0.contains("sekisho-browser") })
    }
}

extension SignInPageVisit {
    fileprivate func accountCount() async throws -> Int {
        try await gateway.database.pool.query("SELECT FROM account").count
    }

    /// The number of sessions that have not ended.
    fileprivate func sessionCount() async throws -> Int {
        try await gateway.database.pool.query("SELECT FROM session WHERE ended_at IS NULL").count
    }
}
