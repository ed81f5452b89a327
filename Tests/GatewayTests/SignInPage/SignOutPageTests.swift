import Encoding
import HTTP
import IPAddresses
import Identity
import Testing

@testable import Support

@Suite("The page that ends the session of a browser")
struct SignOutPageTests {
    private static let path = "/demo/__/auth/signOut"

    private static func visit() async throws -> SignInPageVisit {
        let gateway = try await TestGateway { $0.emailEnumerationProtection = false }
        _ = try await gateway.signUp(email: "ada@example.com")
        return SignInPageVisit(gateway)
    }

    private static func url(_ parameters: [(String, String)]) -> String {
        path + "?" + PercentEncoding.encode(form: parameters)
    }

    private static let way = [("app", "default"), ("continueUri", SignInPageVisit.target + "?a=1&b=\"2")]

    @Test("It asks, and then ends the session of the browser, not that of the app")
    func signOut() async throws {
        let visit = try await Self.visit()
        let tokens = try await visit.exchange(try await visit.signIn())
        let page = try await visit.browser.send(.get, Self.path)
        #expect(page.text.contains("Sign out of"))
        let done = try await visit.browser.send(
            .post, Self.path, form: try page.hiddenFields, headers: SignInPageVisit.formHeaders)
        #expect(done.status == 303 && done.location == "signOut")
        #expect(done.headers["Clear-Site-Data"] == "\"cache\"")
        #expect(visit.browser.cookies.keys.allSatisfy { !$0.contains("sekisho-browser") })
        #expect(try await visit.open().text.contains("current-password"))
        let idToken = try #require(tokens.json["id_token"]?.string)
        #expect(try await visit.gateway.lookup(idToken).status == 200)
    }

    @Test("It leads back to the app that names its URL, before and after, and in another language")
    func wayBack() async throws {
        let visit = try await Self.visit()
        _ = try await visit.signIn()
        let link = #"href="https://localhost/done?a=1&amp;b=&quot;2""#
        let page = try await visit.browser.send(.get, Self.url(Self.way))
        #expect(page.heading?.hasPrefix("Sign out of") == true && page.text.contains(link), "\(page.text)")
        #expect(page.text.contains(#"<input type="hidden" name="app" value="default">"#))
        let done = try await visit.browser.send(
            .post, Self.path, form: try page.hiddenFields, headers: SignInPageVisit.formHeaders)
        let location = try #require(done.location)
        let after = try await visit.browser.send(.get, "/demo/__/auth/" + location)
        #expect(after.heading == "You are signed out" && after.text.contains(link), "\(after.text)")
        let german = try await visit.browser.send(.get, Self.url(Self.way + [("hl", "de")]))
        #expect(german.text.contains(link), "\(german.text)")
    }

    @Test(
        "A URL that the app does not accept leads nowhere",
        arguments: [
            [("app", "default")], [("continueUri", SignInPageVisit.target)],
            [("app", "other"), ("continueUri", SignInPageVisit.target)],
            [("app", "default"), ("continueUri", "https://evil.example/")],
            [("app", "default"), ("continueUri", "javascript:alert(1)")],
            [("app", "default"), ("continueUri", SignInPageVisit.target), ("continueUri", SignInPageVisit.target)],
            [("app", "default"), ("continueUri", SignInPageVisit.target + "?code=evil")],
        ])
    func foreignURL(parameters: [(String, String)]) async throws {
        let visit = try await Self.visit()
        _ = try await visit.signIn()
        let page = try await visit.browser.send(.get, Self.url(parameters))
        #expect(page.heading?.hasPrefix("Sign out of") == true, "the user can sign out")
        #expect(!page.text.contains("evil") && !page.text.contains("javascript"), "\(page.text)")
        #expect(!page.text.contains(#"<a class="button"#), "\(page.text)")
    }

    @Test("On the host of an app, it leads to the gateway's own, which alone knows the session")
    func forwardedHost() async throws {
        let gateway = try await TestGateway(trustedProxies: [try #require(IPNetwork("192.0.2.0/24"))])
        let forwarded = [("X-Forwarded-Host", "localhost"), ("X-Forwarded-Proto", "https")]
        let page = try await TestBrowser(gateway).send(.get, Self.url(Self.way), headers: forwarded)
        #expect(page.status == 303, "\(page.text)")
        #expect(page.location?.hasPrefix("https://auth.example.com/demo/__/auth/signOut?app=default&") == true)
    }
}

extension Exchange {
    /// The hidden fields of the form that ends the session.
    fileprivate var hiddenFields: [(String, String)] {
        get throws {
            let form = try #require(text.firstMatch(of: #/<form method="post".*?</form>/#.dotMatchesNewlines()))
            return form.output.matches(of: #/type="hidden" name="([^"]*)" value="([^"]*)"/#).map {
                (String($0.output.1), String($0.output.2).replacing("&amp;", with: "&").replacing("&quot;", with: "\""))
            }
        }
    }
}
