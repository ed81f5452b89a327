import HTTP
import Identity
import Simulators
import Synchronization
import Testing

@testable import Support

@Suite("A provider that fails during a sign-in in the browser", .serialized)
struct FlowFailureTests {
    @Test(
        "If the provider fails, the page offers a retry, and the same request succeeds later",
        arguments: [
            InjectedFault.unavailable, .html(status: 200), .tooManyRequests(retryAfterSeconds: 60), .brokenJSON,
            .wrongJSON, .empty, .redirect(to: "https://evil.example/"),
        ], ["apple.com", "google.com"])
    func retry(fault: InjectedFault, provider: String) async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let flow = try await gateway.startFlow(provider)
        let browser = TestBrowser(gateway)
        gateway.simulators.apple.faultInjection.injectFault(fault, at: SimulatedApple.tokenPath)
        gateway.simulators.google.faultInjection.injectFault(fault, at: SimulatedGoogle.tokenPath)
        let page = try await browser.signInAtProvider(opening: flow.authURI)
        #expect(page.status == 503)
        #expect(page.heading == "The sign-in service does not respond")
        #expect(page.headers["Retry-After"] != nil)
        #expect(page.text.contains(#"href="https://localhost/done?error=UNAVAILABLE""#))
        let retry = try #require(page.text.firstMatch(of: #/href="(\?[^"]*)"/#)).output.1
        gateway.simulators.apple.faultInjection.reset()
        gateway.simulators.google.faultInjection.reset()
        let back = try await browser.send(.get, "/__/auth/handler" + retry.replacing("&amp;", with: "&"))
        #expect(back.status == 303, "\(back.text)")
        #expect(try await flow.signIn(at: #require(back.location)).outcome == "200")
    }

    @Test("The gateway waits for a silent provider until a deadline, and handles other requests meanwhile")
    func silence() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let flow = try await gateway.startFlow("apple.com")
        let url = try await TestBrowser(gateway).responseURL(at: flow.authURI)
        gateway.simulators.apple.faultInjection.injectFault(.silent, at: SimulatedApple.tokenPath)
        let hasPage = Mutex(false)
        async let answer = {
            let page = try await TestBrowser(gateway).send(.get, url)
            hasPage.withLock { $0 = true }
            return page
        }()
        while gateway.tokenRequestCount == 0 { try await Task.sleep(for: .milliseconds(5)) }
        _ = try await gateway.signUp(email: "mary@example.com")
        #expect(try await gateway.startFlow("google.com").complete(.mary).outcome == "200")
        let hasPageEarly = hasPage.withLock { $0 }
        #expect(!hasPageEarly, "the provider has not responded yet")
        let page = try await answer
        #expect(page.status == 503)
        #expect(page.heading == "The sign-in service does not respond")
        gateway.simulators.apple.faultInjection.reset()
        #expect(
            try await flow.signIn(at: #require(try await TestBrowser(gateway).send(.get, url).location)).status == 200)
    }

    @Test(
        "A rejected code or an invalid response ends the sign-in with a page that explains it",
        arguments: [
            [("code", "unknown")], [], [("error", "server_error")], [("code", String(repeating: "x", count: 5000))],
        ])
    func rejected(response: [(String, String)]) async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let flow = try await gateway.startFlow("google.com")
        let page = try await TestBrowser(gateway).signInAtProvider(opening: flow.authURI) { parameters in
            parameters = parameters.filter { $0.0 == "state" } + response
        }
        #expect(page.status == 400)
        #expect(page.heading == "We could not sign you in")
        let errorURL = "https://localhost/done?error=INVALID_IDP_RESPONSE"
        #expect(page.text.contains(#"href="\#(errorURL)""#))
        #expect(try await flow.signIn(at: errorURL).wireCode == "INVALID_IDP_RESPONSE")
    }

    @Test("The page of a failed sign-in is in the language of the browser")
    func language() async throws {
        let page = try await TestBrowser(TestGateway.withAppleGoogleAndOpenID()).send(
            .get, "/__/auth/handler?state=x", headers: [("Accept-Language", "ja,en;q=0.5")])
        #expect(page.headers["Content-Language"] == "ja")
        #expect(page.heading == "ログインの有効期限が切れました")
    }

    @Test("A sign-in in the browser expires after ten minutes")
    func expired() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let flow = try await gateway.startFlow("google.com")
        gateway.clock.advance(by: .seconds(601))
        let page = try await TestBrowser(gateway).signInAtProvider(opening: flow.authURI)
        #expect(page.status == 400)
        #expect(page.heading == "This sign-in has expired")
    }
}
