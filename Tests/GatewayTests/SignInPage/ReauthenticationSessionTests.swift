import HTTP
import JSON
import Testing

@testable import Support

/// A re-authentication is no sign-in to the browser.
@Suite("The session of the browser after a re-authentication")
struct ReauthenticationSessionTests {
    private static let cookie = "__Host-sekisho-browser-demo"

    private static func visit() async throws -> (SignInPageVisit, ada: TestGateway.Tokens) {
        let visit = SignInPageVisit(try await TestGateway())
        return (visit, try await visit.gateway.signUpVerified())
    }

    @Test("\"Stay signed in\" remains, for the account and after a sign-in without the box", arguments: [true, false])
    func stays(isSignIn: Bool) async throws {
        let (visit, ada) = try await Self.visit()
        let first = try await visit.submit(
            try await visit.open(), "signIn", ["email": "ada@example.com", "password": "secret1", "stay": "on"])
        #expect(first.browserCookie?.contains("Max-Age=2592000") == true, "\(first.text)")
        let former = visit.browser.cookies[Self.cookie]
        let page =
            isSignIn ? try await visit.open(["prompt": "login"]) : try await visit.reauthenticate(ada.idToken)
        let again = try await visit.submit(page, "signIn", ["email": "ada@example.com", "password": "secret1"])
        #expect(again.browserCookie?.contains("Max-Age=2592000") == true, "\(again.text)")
        #expect(visit.browser.cookies[Self.cookie] != former)
    }

    @Test("The browser keeps the session of another account")
    func otherAccount() async throws {
        let (visit, _) = try await Self.visit()
        let bob = try await visit.gateway.signUpVerified(email: "bob@example.com")
        _ = try await visit.signIn()
        let done = try await visit.submit(
            try await visit.reauthenticate(bob.idToken), "signIn", ["email": "bob@example.com", "password": "secret1"])
        #expect(try await visit.exchange(done.requiredResult()).json["user_id"]?.string == bob.localId)
        #expect(done.browserCookie == nil)
        #expect(try await visit.open().text.contains("Continue as <bdi>ada@example.com</bdi>"))
    }

    @Test("A browser without a session gets none")
    func noSession() async throws {
        let (visit, ada) = try await Self.visit()
        let done = try await visit.submit(
            try await visit.reauthenticate(ada.idToken), "signIn", ["email": "ada@example.com", "password": "secret1"])
        #expect(try await visit.exchange(done.requiredResult()).json["user_id"]?.string == ada.localId)
        #expect(visit.browser.cookies[Self.cookie] == nil)
        #expect(try await visit.open().heading == "Sign in")
    }
}

extension Exchange {
    /// The header that sets the cookie of the browser's session.
    fileprivate var browserCookie: String? {
        headers.first { $0.name == "Set-Cookie" && $0.value.contains("sekisho-browser-demo=") }?.value
    }
}
