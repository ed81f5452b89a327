import HTTP
import Identity
import Testing

@testable import Support

@Suite("The message of a blocking function on the sign-in page")
struct SignInPageVetoTests {
    private static let veto = #"{"error":{"status":"PERMISSION_DENIED","message":"Only <b>members</b>\ncan sign up."}}"#
    private static let shown = "You cannot sign in to Demo: Only &lt;b&gt;members&lt;/b&gt; can sign up."
    private static let general = "We could not sign you in."

    /// A browser on the page of a project whose function rejects new accounts.
    private static func visit(status: Int = 403) async throws -> SignInPageVisit {
        let fixture = try await HookFixture(["beforeCreate"]) { $0.allowsEmailLinks = true }
        fixture.server.answer(veto, status: status)
        let gateway = try await fixture.gateway.withAppSettings(
            #"{"bundleIds": ["com.example.app"], "platform": "web"}"#)
        return SignInPageVisit(gateway)
    }

    @Test("A sign-up shows the message as text, and advises no further try")
    func signUp() async throws {
        let visit = try await Self.visit()
        let form = try await visit.open(["screen": "signUp"])
        let page = try await visit.submit(form, "signUp", ["email": "eve@example.com", "password": "long enough"])
        #expect(page.status == 400)
        #expect(page.text.contains(Self.shown), "\(page.text)")
        #expect(!page.text.contains("Try again") && !page.text.contains("<b>"))
        #expect(page.heading == "Create an account")
    }

    @Test("After the code of an email, the page no longer asks for the code")
    func code() async throws {
        let visit = try await Self.visit()
        let sent = try await visit.requestEmail(to: "eve@example.com")
        let page = try await visit.submit(sent, "enterCode", ["code": visit.lastEmail().code])
        #expect(page.status == 400)
        #expect(page.text.contains(Self.shown), "\(page.text)")
        #expect(page.heading == "Sign in")
    }

    @Test("After the return from a provider, only the sealed message of the same flow is shown")
    func provider() async throws {
        let visit = try await Self.visit()
        let redirect = try await visit.signIn(with: "google.com", on: try await visit.open())
        let location = try #require(redirect.location)
        #expect(!location.contains("members"))
        #expect(try await visit.browser.send(.get, location).text.contains(Self.shown))
        let other = try await visit.open(["prompt": "login"])
        let veto = try #require(location.split(separator: "&veto=").last)
        for (flow, message) in [
            (try other.form("signIn")["flow"] ?? "", String(veto)),
            (QueryParameters(location)["flow"], "Call%20us"),
        ] {
            let page = try await visit.browser.send(
                .get, SignInPageVisit.path + "?flow=\(flow)&problem=rejected&veto=\(message)")
            #expect(page.text.contains(Self.general), "\(page.text)")
            #expect(!page.text.contains("members") && !page.text.contains("Call us"))
        }
    }

    @Test("The text of a function that fails is not for users", arguments: [500, 503])
    func failure(status: Int) async throws {
        let visit = try await Self.visit(status: status)
        let form = try await visit.open(["screen": "signUp"])
        let page = try await visit.submit(form, "signUp", ["email": "eve@example.com", "password": "long enough"])
        #expect(page.text.contains(Self.general), "\(page.text)")
        #expect(!page.text.contains("members"))
    }
}
