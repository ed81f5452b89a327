import HTTP
import Identity
import JSON
import Postgres
import Simulators
import Testing

@testable import Support

/// Pages about visits that do not continue lead back to the app, and screens keep what the user has entered.
@Suite("Ways back on the sign-in page")
struct SignInPageWayBackTests {
    private static let email = "ada@example.com"

    private static func visit() async throws -> SignInPageVisit {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID(#""platform": "web""#, .sekisho) { policy in
            policy.allowsEmailLinks = true
            policy.emailEnumerationProtection = false
        }
        _ = try await gateway.signUpVerified(email: email, password: "long enough")
        return SignInPageVisit(gateway)
    }

    private static let credentials = ["email": email, "password": "long enough"]

    @Test("A finished visit leads back to the app, without a second result")
    func finished() async throws {
        let visit = try await Self.visit()
        let page = try await visit.open()
        _ = try await visit.submit(page, "signIn", Self.credentials)
        let again = try await visit.submit(page, "signIn", Self.credentials)
        #expect(again.heading == "This sign-in is already finished")
        #expect(again.link == SignInPageVisit.target)
    }

    @Test(
        "An expired visit leads back to the app, which learns that the sign-in has ended, for a day",
        arguments: [true, false])
    func expired(isRequest: Bool) async throws {
        let visit = try await Self.visit()
        let flow = try await visit.open().form("signIn")["flow"] ?? ""
        let created = try await visit.gateway.post(
            "/v1/accounts:createSignInUri",
            [
                "continueUri": .string(SignInPageVisit.target), "state": "st&te",
                "codeChallenge": .string(SignInPageVisit.challenge), "codeChallengeMethod": "S256",
            ])
        let url =
            isRequest
            ? try #require(created.json["signInUri"]?.string, "\(created.text)")
            : SignInPageVisit.path + "?flow=" + flow
        visit.gateway.clock.advance(by: .seconds(3601))
        let page = try await visit.browser.send(.get, url)
        #expect(page.heading == "This sign-in has expired")
        let result = QueryParameters(try #require(page.link, "\(page.text)"))
        #expect(result["error"] == "access_denied")
        #expect(result["state"] == "st&te")
        #expect(page.text.contains(#"name="hl""#), "the page can be shown in another language")
        visit.gateway.clock.advance(by: .seconds(86_400))
        let late = try await visit.browser.send(.get, url)
        #expect(late.heading == "This sign-in has expired")
        #expect(late.link == nil)
    }

    @Test("Another browser gets no result of a visit")
    func otherBrowser() async throws {
        let visit = try await Self.visit()
        let flow = try await visit.open().form("signIn")["flow"] ?? ""
        let page = try await TestBrowser(visit.gateway).send(.get, SignInPageVisit.path + "?flow=" + flow)
        #expect(page.heading == "We cannot continue this sign-in")
        #expect(page.link == SignInPageVisit.target)
    }

    @Test("Other screens begin with the address that was entered, which is not readable in URLs")
    func address() async throws {
        let visit = try await Self.visit()
        let wrong = try await visit.submit(
            try await visit.open(), "signIn", ["email": "typed@example.com", "password": "wrong one"])
        for screen in ["reset", "emailCode", "signUp"] {
            let page = try await visit.screen(screen, of: wrong)
            #expect(page.text.contains(#"value="typed@example.com""#), "\(screen)")
        }
        #expect(!wrong.text.contains(#/(href|action)="[^"]*typed/#))
    }

    @Test("An app that names another address than that of the browser's session gets the form, and no silent sign-in")
    func otherHint() async throws {
        let visit = try await Self.visit()
        _ = try await visit.submit(try await visit.open(), "signIn", Self.credentials)
        #expect(try await visit.open(["login_hint": Self.email]).text.contains("Continue as"))
        let page = try await visit.open(["login_hint": "grace@example.com"])
        #expect(page.heading == "Sign in")
        #expect(page.text.contains(#"value="grace@example.com""#))
    }

    @Test("After the code of a disabled account, the page has the other methods, and no form for the code")
    func disabled() async throws {
        let visit = try await Self.visit()
        let sent = try await visit.requestEmail(to: Self.email)
        _ = try await visit.gateway.database.pool.execute("UPDATE account SET disabled_at = now()")
        let answer = try await visit.submit(sent, "enterCode", ["code": try await visit.lastEmail().code])
        #expect(answer.status == 400)
        #expect(answer.text.contains("This account is disabled."))
        #expect(answer.heading == "Sign in", "\(answer.text)")
    }

    @Test("Where the address of a conflict is shown, the other screens of it begin with it")
    func addressOfConflict() async throws {
        let visit = try await Self.visit()
        let email = try #require(SimulatedPerson.ada.email)
        _ = try await visit.gateway.signUpVerified(email: email, password: "long enough")
        let page = try await visit.follow(try await visit.signIn(with: "google.com", on: try await visit.open()))
        #expect(page.text.contains(#"value="\#(email)""#))
        #expect(try await visit.screen("emailCode", of: page).text.contains(#"value="\#(email)""#))
    }

    @Test("The screen for new accounts has the providers, Apple first")
    func providers() async throws {
        let page = try await Self.visit().open(["screen": "signUp"])
        #expect(page.heading == "Create an account")
        let links = page.text.matches(of: #/providerId=([a-z.]+)&amp;flow/#).map { String($0.output.1) }
        #expect(links == ["apple.com", "google.com", "oidc.corp"])
    }

    @Test("An identity of a provider of which the account has another one promises no link")
    func secondIdentity() async throws {
        let visit = try await Self.visit()
        let email = try #require(SimulatedPerson.ada.email)
        let ada = try await visit.gateway.signUpVerified(email: email, password: "long enough")
        _ = try await visit.gateway.link(visit.gateway.googleCredential(.mary), to: ada.idToken)
        let page = try await visit.follow(try await visit.signIn(with: "google.com", on: try await visit.open()))
        #expect(page.heading == "You already have an account")
        #expect(page.text.contains("Another account has the address of your <bdi>Google</bdi> account."))
        let done = try await visit.submit(page, "signIn", ["email": email, "password": "long enough"])
        #expect(try await visit.exchange(done.requiredResult()).json["user_id"]?.string == ada.localId)
        #expect(try await visit.linkedIdentities() == 1)
    }
}

extension Exchange {
    /// The URL of the button that leads back to the app.
    fileprivate var link: String? {
        text.firstMatch(of: #/<a class="button" href="([^"]*)"/#).map {
            String($0.output.1).replacing("&amp;", with: "&")
        }
    }
}
