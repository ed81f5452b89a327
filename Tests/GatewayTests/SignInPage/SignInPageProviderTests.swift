import HTTP
import Identity
import JSON
import Postgres
import Simulators
import Testing

@testable import Support

@Suite("Providers on the sign-in page")
struct SignInPageProviderTests {
    private typealias Tokens = TestGateway.Tokens

    private static func visit(_ appSettings: String = #""platform": "web""#) async throws -> SignInPageVisit {
        SignInPageVisit(try await TestGateway.withAppleGoogleAndOpenID(appSettings))
    }

    @Test(
        "A button leads to the provider, and the provider's response back to the app",
        arguments: ["apple.com", "google.com", "oidc.corp"])
    func signIn(provider: String) async throws {
        let visit = try await Self.visit()
        let done = try await visit.signIn(with: provider, on: try await visit.open())
        #expect(done.status == 200, "\(done.location ?? "")")
        #expect(done.heading == "You are signed in")
        let answer = try await visit.exchange(done.requiredResult())
        #expect(answer.json["isNewUser"] == true)
        let again = try await visit.signIn(with: provider, on: try await visit.open(["prompt": "login"]))
        #expect(try await visit.exchange(again.requiredResult()).json["user_id"] == answer.json["user_id"])
    }

    @Test("Apple comes first with its own image, and every button has a text")
    func buttons() async throws {
        let page = try await Self.visit().open()
        let links = page.text.matches(of: #/providerId=([a-z.]+)&amp;flow/#).map { String($0.output.1) }
        #expect(links.first == "apple.com")
        #expect(Set(links) == ["apple.com", "google.com", "oidc.corp"])
        #expect(page.text.contains(#"alt="Sign in with Apple""#))
        #expect(page.text.contains("https://appleid.cdn-apple.com/appleid/button?"))
        #expect(page.headers["Content-Security-Policy"]?.contains("img-src https://appleid.cdn-apple.com;") == true)
    }

    @Test("If guideline 4.8 is violated, third parties are missing, and a link to them starts nothing")
    func guideline() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID(#""platform": "web""#)
        let visit = SignInPageVisit(try await gateway.mergingProviderSettings("apple.com", #"{"enabled": false}"#))
        let page = try await visit.open()
        #expect(!page.text.contains("providerId="))
        #expect(page.text.contains(#"value="signIn""#))
        let flow = try page.form("signIn")["flow"] ?? ""
        let answer = try await visit.browser.send(
            .get, SignInPageVisit.path + "/provider?providerId=google.com&flow=\(flow)")
        #expect(answer.status == 400)
        #expect(answer.location == nil)
    }

    @Test("A user who cancels at the provider sees the page again")
    func cancelled() async throws {
        let visit = try await Self.visit()
        let returned = try await visit.signIn(with: "google.com", on: try await visit.open()) { response in
            response = response.filter { $0.0 == "state" } + [("error", "access_denied")]
        }
        #expect(returned.status == 303)
        let page = try await visit.follow(returned)
        #expect(page.text.contains("You cancelled the sign-in."))
        #expect(try await visit.signIn(with: "google.com", on: page).heading == "You are signed in")
    }

    @Test("The return from a provider does not extend the visit")
    func lateReturn() async throws {
        let visit = try await Self.visit()
        let page = try await visit.open()
        visit.gateway.clock.advance(by: .seconds(59 * 60))
        let returned = try await visit.signIn(with: "google.com", on: page) { response in
            response = response.filter { $0.0 == "state" } + [("error", "access_denied")]
        }
        #expect(try await visit.follow(returned).text.contains("You cancelled the sign-in."))
        visit.gateway.clock.advance(by: .seconds(61))
        #expect(try await visit.follow(returned).heading == "This sign-in has expired")
    }

    @Test("Mix-up and login CSRF: another browser cannot complete the flow at the provider's return")
    func otherBrowser() async throws {
        let visit = try await Self.visit()
        let started = try await visit.start("google.com", on: try await visit.open())
        let url = try await visit.browser.responseURL(at: started)
        let answer = try await TestBrowser(visit.gateway).send(.get, url)
        #expect(answer.status == 400)
        #expect(answer.result == nil)
        #expect(try await visit.browser.send(.get, url).heading == "You are signed in")
    }

    /// A gateway that does not trust the provider for the address of an account, with that account.
    private static func conflictingVisit() async throws -> (SignInPageVisit, Tokens, email: String) {
        let gateway = try await TestGateway(.sekisho, servesApple: true) { $0.emailEnumerationProtection = false }
        let visit = SignInPageVisit(try await gateway.withAppSettings(#"{"platform": "web"}"#))
        let email = try #require(SimulatedPerson.ada.email)
        return (visit, try await gateway.signUp(email: email, password: "long enough"), email)
    }

    @Test("An address of another account: its owner signs in once, and the identity is linked")
    func conflict() async throws {
        let (visit, ada, email) = try await Self.conflictingVisit()
        let returned = try await visit.signIn(with: "google.com", on: try await visit.open())
        #expect(returned.status == 303)
        let page = try await visit.follow(returned)
        #expect(page.heading == "You already have an account")
        #expect(page.text.contains(#"value="\#(email)""#))
        let done = try await visit.submit(page, "signIn", ["email": email, "password": "long enough"])
        #expect(try await visit.exchange(done.requiredResult()).json["user_id"]?.string == ada.localId)
        #expect(try await visit.linkedIdentities() == 1)
        let again = try await visit.signIn(with: "google.com", on: try await visit.open(["prompt": "login"]))
        #expect(try await visit.exchange(again.requiredResult()).json["user_id"]?.string == ada.localId)
    }

    @Test("A second factor keeps the identity of a conflict: after it, the identity is linked")
    func conflictWithSecondFactor() async throws {
        let gateway = try await TestGateway(.sekisho, servesApple: true) { policy in
            policy.emailEnumerationProtection = false
            policy.secondFactors = SecondFactorPolicy(state: .enabled, allowsTOTP: true, allowsSMS: false)
        }
        let email = try #require(SimulatedPerson.ada.email)
        let visit = SignInPageVisit(try await gateway.withAppSettings(#"{"platform": "web"}"#))
        let ada = try await visit.gateway.enrol(
            try await visit.gateway.signUpVerified(email: email, password: "long enough"))
        let page = try await visit.follow(try await visit.signIn(with: "google.com", on: try await visit.open()))
        #expect(page.heading == "You already have an account")
        let code = try await visit.follow(
            try await visit.submit(page, "signIn", ["email": email, "password": "long enough"]))
        #expect(code.heading == "Enter your code")
        let done = try await visit.submit(
            code, "secondFactor", ["code": ada.app.code(at: visit.gateway.clock.now)])
        #expect(try await visit.exchange(done.requiredResult()).json["user_id"]?.string == ada.localId)
        #expect(try await visit.linkedIdentities() == 1)
    }

    @Test("Not now: the owner signs in without linking")
    func notNow() async throws {
        let (visit, ada, email) = try await Self.conflictingVisit()
        let returned = try await visit.signIn(with: "google.com", on: try await visit.open())
        let page = try await visit.follow(try await visit.submit(try await visit.follow(returned), "notNow"))
        let done = try await visit.submit(page, "signIn", ["email": email, "password": "long enough"])
        #expect(try await visit.exchange(done.requiredResult()).json["user_id"]?.string == ada.localId)
        #expect(try await visit.linkedIdentities() == 0)
    }

    @Test("A link takes effect when the app exchanges the code, and not before")
    func link() async throws {
        let visit = try await Self.visit()
        let ada = try await visit.gateway.signUp(email: "ada@example.com")
        let page = try await visit.openURI(["operation": "LINK", "idToken": .string(ada.idToken)])
        #expect(page.text.contains("ada@example.com"))
        #expect(!page.text.contains(#"value="signIn""#))
        let result = try await visit.signIn(with: "google.com", on: page).requiredResult()
        #expect(try await visit.linkedIdentities() == 0)
        let answer = try await visit.exchange(result)
        #expect(answer.json["user_id"]?.string == ada.localId, "\(answer.text)")
        #expect(try await visit.linkedIdentities() == 1)
        #expect(try await visit.exchange(result).wireCode == "INVALID_CODE")
    }

    @Test("A link to a provider that the account has, or that the app does not offer, returns at once")
    func linkedAlready() async throws {
        let visit = try await Self.visit()
        let credential = try visit.gateway.appleCredential()
        let ada = try await visit.gateway.signIn(credential)
        let idToken = try #require(ada.json["idToken"]?.string, "\(ada.text)")
        for (provider, error) in [("apple.com", "already_linked"), ("facebook.com", "not_available")] {
            let answer = try await visit.openURI([
                "operation": "LINK", "idToken": .string(idToken), "providerId": .string(provider),
            ])
            #expect(answer.location?.hasPrefix("https://localhost/done?error=\(error)&state=state&iss=") == true)
        }
        let google = try await visit.openURI([
            "operation": "LINK", "idToken": .string(idToken), "providerId": "google.com",
        ])
        let offered = google.text.matches(of: #/providerId=([a-z.]+)&amp;flow/#).map { String($0.output.1) }
        #expect(offered == ["google.com"])
    }

    @Test("A link of another account's identity returns without a code, if the login is recent enough to learn that")
    func linkedElsewhere() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID(#""platform": "web""#) { policy in
            policy.emailEnumerationProtection = false
            policy.requiresRecentLoginToLink = true
        }
        let visit = SignInPageVisit(gateway)
        _ = try await visit.gateway.signIn(visit.gateway.googleCredential(.ada))
        let grace = try await visit.gateway.signUp(email: "grace@example.com")
        func link() async throws -> Exchange {
            let page = try await visit.openURI(["operation": "LINK", "idToken": .string(grace.idToken)])
            return try await visit.signIn(with: "google.com", on: page)
        }
        let taken = try await link()
        #expect(taken.location?.hasPrefix("https://localhost/done?error=already_linked&state=state&iss=") == true)
        visit.gateway.clock.advance(by: .seconds(3000))
        let late = try await visit.exchange(link().requiredResult())
        #expect(late.wireCode == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN", "\(late.text)")
        #expect(try await visit.linkedIdentities() == 1)
    }

    @Test("A re-authentication with another account returns an error and leaves no session")
    func otherAccount() async throws {
        let visit = try await Self.visit()
        let ada = try await visit.gateway.signUp(email: "ada@example.com")
        _ = try await visit.gateway.signUp(email: "eve@example.com")
        let page = try await visit.openURI(["operation": "REAUTHENTICATE", "idToken": .string(ada.idToken)])
        let done = try await visit.submit(page, "signIn", ["email": "eve@example.com", "password": "secret1"])
        #expect(done.location == nil)
        #expect(done.result?.contains("error=user_mismatch") == true)
        let right = try await visit.submit(
            try await visit.openURI(["operation": "REAUTHENTICATE", "idToken": .string(ada.idToken)]), "signIn",
            ["email": "ada@example.com", "password": "secret1"])
        #expect(try await visit.exchange(right.requiredResult()).json["user_id"]?.string == ada.localId)
    }
}

extension SignInPageVisit {
    /// Opens the URL that `createSignInUri` returns.
    func openURI(_ more: [String: JSON]) async throws -> Exchange {
        let body: [String: JSON] = [
            "continueUri": .string(Self.target), "state": "state", "codeChallenge": .string(Self.challenge),
            "codeChallengeMethod": "S256",
        ]
        let answer = try await gateway.post("/v1/accounts:createSignInUri", .object(body.merging(more) { $1 }))
        return try await browser.send(.get, try #require(answer.json["signInUri"]?.string, "\(answer.text)"))
    }

    func linkedIdentities() async throws -> Int {
        try await gateway.database.pool.query("SELECT count(*)::int AS n FROM linked_identity").first?.decode("n") ?? 0
    }

    /// Follows the button of a provider, and returns the URL of the provider.
    func start(_ provider: String, on page: Exchange) async throws -> String {
        let link = try #require(
            page.text.matches(of: #/href="signIn\/provider\?(providerId=[^"]*)"/#).map { String($0.output.1) }
                .first { $0.hasPrefix("providerId=\(provider)&") })
        let started = try await browser.send(.get, Self.path + "/provider?" + link.replacing("&amp;", with: "&"))
        return try #require(started.location, "\(started.text)")
    }

    /// Signs in at a provider, and returns the gateway's response.
    func signIn(
        _ person: SimulatedPerson = .ada, with provider: String, on page: Exchange,
        change: (inout [(String, String)]) -> Void = { _ in }
    ) async throws -> Exchange {
        try await browser.signInAtProvider(person, opening: try await start(provider, on: page), change: change)
    }

}
