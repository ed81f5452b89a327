import HTTP
import Identity
import Postgres
import Simulators
import Testing

@testable import Support

@Suite("From the account page to the sign-in page and back")
struct AccountSignInTests {
    /// Ada's browser after she has signed in on the sign-in page, at the part that she wanted to open.
    private func signIn(
        _ visit: SignInPageVisit, toOpen part: String, email: String = "ada@example.com"
    ) async throws -> (browser: AccountBrowser, page: Exchange) {
        let browser = AccountBrowser(on: visit)
        let asked = try await browser.open(part)
        let form = try await browser.follow(try #require(asked.location, "\(asked.text)"))
        let back = try await visit.submit(form, "signIn", ["email": email, "password": "secret1"])
        return (browser, try await browser.follow(try #require(back.result, "\(back.status) \(back.text)")))
    }

    @Test("A user who is signed out signs in, and comes to the part")
    func signedOut() async throws {
        let visit = SignInPageVisit(try await TestGateway())
        _ = try await visit.gateway.signUpVerified()
        let (browser, page) = try await signIn(visit, toOpen: "password")
        #expect(page.location == "account/password")
        #expect(try await browser.open("password").heading == "Change the password")
    }

    @Test("A user whose login is too old signs in again, and continues the step")
    func again() async throws {
        let visit = SignInPageVisit(try await TestGateway())
        let ada = try await visit.gateway.signUpVerified()
        #expect(try await visit.gateway.link(visit.gateway.googleCredential(), to: ada.idToken).status == 200)
        var (browser, _) = try await signIn(visit, toOpen: "password")
        browser.ageLogin()
        let before = browser.browser.cookies
        let page: Exchange
        (browser, page) = try await signIn(visit, toOpen: "remove?method=google.com")
        #expect(page.location == "account/remove?method=google.com")
        #expect(try await browser.open("remove?method=google.com").heading == "Remove Google?")
        #expect(browser.browser.cookies != before)
    }

    @Test("The page says why the user signs in again, with the address, and that the text of a form is lost")
    func purpose() async throws {
        let visit = SignInPageVisit(try await TestGateway.withAppleGoogleAndOpenID(#""platform": "web""#))
        _ = try await visit.gateway.signUpVerified()
        let (browser, _) = try await signIn(visit, toOpen: "methods")
        let adding = try await browser.follow(try #require(try await browser.open("add").location))
        #expect(adding.heading == "Add a way to sign in", "\(adding.text)")
        let late = try await browser.submit("profile", [("displayName", "Ada")]) { _ in browser.ageLogin() }
        let again = try await browser.follow(try #require(late.location, "\(late.text)"))
        #expect(again.heading == "Confirm that it is you", "\(again.text)")
        #expect(again.text.contains(#"value="ada@example.com""#))
        #expect(again.words.contains("What you entered in the form was not saved."))
        let shown = try await browser.follow(try #require(try await browser.open("profile").location))
        #expect(shown.heading == "Confirm that it is you")
        #expect(!shown.words.contains("What you entered in the form was not saved."))
    }

    @Test("Another user who signs in instead does not get the step of the first one")
    func otherUser() async throws {
        let visit = SignInPageVisit(try await TestGateway())
        _ = try await visit.gateway.signUpVerified()
        let eve = try await visit.gateway.signUpVerified(email: "eve@example.com")
        let (browser, _) = try await signIn(visit, toOpen: "password")
        browser.ageLogin()
        let (_, page) = try await signIn(visit, toOpen: "delete", email: "eve@example.com")
        #expect(page.heading == "Your account")
        #expect(page.words.contains("You signed in to another account. Nothing was changed."))
        #expect(page.text.contains("ada@example.com"))
        #expect(try await visit.gateway.lookup(eve.idToken).status == 200)
    }

    @Test("Threat 18: a page that was left open adds no service when the login is old, also in the profile firebase")
    func oldLogin() async throws {
        let visit = SignInPageVisit(try await TestGateway.withAppleGoogleAndOpenID(#""platform": "web""#))
        _ = try await visit.gateway.signUpVerified()
        let (browser, _) = try await signIn(visit, toOpen: "methods")
        let page = try await browser.follow(try #require(try await browser.open("add").location))
        visit.gateway.clock.advance(by: .seconds(301))
        let returned = try await link("google.com", visit, on: page)
        #expect(returned.location?.hasSuffix("/demo/__/auth/account/add") == true, "\(returned.text)")
        #expect(try await visit.linkedIdentities() == 0)
        let again = try await browser.follow(try #require(try await browser.open("add").location))
        #expect(again.text.contains(#"name="password""#), "the page asks for the sign-in again")
    }

    @Test("The account page signs in no guests, and creates none")
    func noGuests() async throws {
        let visit = SignInPageVisit(try await TestGateway())
        let browser = AccountBrowser(on: visit)
        let page = try await browser.follow(try #require(try await browser.open("methods").location))
        #expect(page.heading == "Sign in")
        #expect(!page.text.contains("Continue as guest"))
        let forged = try await visit.submit(page, "signIn", ["step": "guest"])
        #expect(forged.status == 400)
        #expect(try await visit.gateway.database.pool.query("SELECT FROM account").isEmpty)
    }

    @Test("A user who cancels the sign-in of the account page does not come to it again")
    func cancelled() async throws {
        let browser = AccountBrowser(on: SignInPageVisit(try await TestGateway()))
        let page = try await browser.browser.send(.get, AccountBrowser.root + "?error=access_denied&state=account")
        #expect(page.status == 200)
        #expect(page.heading == "You are signed out")
    }

    /// Follows the button of a provider on the page.
    private func link(_ provider: String, _ visit: SignInPageVisit, on page: Exchange) async throws -> Exchange {
        let links = page.text.matches(of: #/href="signIn\/provider\?(providerId=[^"]*)"/#).map {
            String($0.output.1).replacing("&amp;", with: "&")
        }
        let query = try #require(links.first { $0.hasPrefix("providerId=\(provider)&") }, "\(page.text)")
        let started = try await visit.browser.send(.get, SignInPageVisit.path + "/provider?" + query)
        return try await visit.browser.signInAtProvider(opening: try #require(started.location, "\(started.text)"))
    }

    @Test("A service is added by proving it, at once, and the browser stays signed in")
    func adding() async throws {
        let visit = SignInPageVisit(try await TestGateway.withAppleGoogleAndOpenID(#""platform": "web""#))
        let ada = try await visit.gateway.signUpVerified()
        let (browser, _) = try await signIn(visit, toOpen: "methods")
        #expect(try await browser.open("methods").text.contains("Add a service"))
        let page = try await browser.follow(try #require(try await browser.open("add").location))
        #expect(page.status == 200, "\(page.text)")
        let linked = try await link("google.com", visit, on: page)
        let overview = try await browser.follow(try #require(linked.location, "\(linked.text)"))
        #expect(overview.location == "account/methods")
        #expect(try await browser.open("methods").words.contains("Google"))
        let user = try await visit.gateway.lookup(TestGateway.Tokens(visit.gateway.signIn()).idToken)
        #expect(user.text.contains("google.com") && user.text.contains(ada.localId))
        #expect(try await visit.gateway.emails(.identityLinked).count == 1)
    }

    @Test("Threat 2: a user who has signed out in the meantime links nothing")
    func linkWithoutSession() async throws {
        let visit = SignInPageVisit(try await TestGateway.withAppleGoogleAndOpenID(#""platform": "web""#))
        _ = try await visit.gateway.signUpVerified()
        let (browser, _) = try await signIn(visit, toOpen: "methods")
        let page = try await browser.follow(try #require(try await browser.open("add").location))
        let signOut = try await browser.browser.send(.get, "/demo/__/auth/signOut")
        let form = try #require(signOut.forms.first)
        _ = try await browser.browser.send(
            .post, "/demo/__/auth/signOut", form: form.hidden, headers: AccountBrowser.ownForm)
        let returned = try await link("google.com", visit, on: page)
        #expect(returned.location?.contains("error=login_required") == true, "\(returned.location ?? "")")
        let user = try await visit.gateway.lookup(TestGateway.Tokens(visit.gateway.signIn()).idToken)
        #expect(!user.text.contains("google.com"))
    }
}
