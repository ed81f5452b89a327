import HTTP
import Identity
import Postgres
import Testing

@testable import Support

@Suite("Events and blocking functions of the sign-in page")
struct SignInPageEventTests {
    @Test("A sign-in has one event, on the page; \"Continue as\" has one for the app's session")
    func oneEvent() async throws {
        let fixture = try await EventFixture(kinds: ["session.opened"])
        _ = try await fixture.gateway.signUp(email: "ada@example.com")
        let visit = SignInPageVisit(fixture.gateway)
        try await fixture.dispatch()
        let before = fixture.server.requests.count
        #expect(try await visit.exchange(try await visit.signIn()).status == 200)
        try await fixture.dispatch()
        #expect(fixture.server.requests.count == before + 1)
        let continued = try await visit.submit(try await visit.open(), "resume").requiredResult()
        try await fixture.dispatch()
        #expect(fixture.server.requests.count == before + 1, "nobody has signed in to the app yet")
        #expect(try await visit.exchange(continued).status == 200)
        try await fixture.dispatch()
        #expect(fixture.server.requests.count == before + 2)
    }

    @Test("A function is asked once per sign-in, and can refuse to continue with the browser's session")
    func functions() async throws {
        let fixture = try await HookFixture(["beforeSignIn"])
        _ = try await fixture.gateway.signUp(email: "ada@example.com")
        let visit = SignInPageVisit(fixture.gateway)
        fixture.server.forgetCalls()
        #expect(try await visit.exchange(try await visit.signIn()).status == 200)
        #expect(fixture.server.events == ["beforeSignIn"])
        let continued = try await visit.submit(try await visit.open(), "resume").requiredResult()
        fixture.server.answer { _ in .json(.refusal, status: 403) }
        let refused = try await visit.exchange(continued)
        #expect(refused.status == 400)
        #expect(refused.text.contains("BLOCKING_FUNCTION_ERROR_RESPONSE"))
        fixture.server.answer("{}")
        #expect(try await visit.exchange(continued).status == 200, "a refusal uses up no code")
        #expect(fixture.server.events == ["beforeSignIn", "beforeSignIn", "beforeSignIn"])
        let wrong = try await visit.open(["prompt": "login"])
        fixture.server.answer { _ in .json(.refusal, status: 403) }
        let rejected = try await visit.submit(wrong, "signIn", ["email": "ada@example.com", "password": "secret1"])
        #expect(rejected.status == 400)
        #expect(rejected.result == nil)
    }

    @Test("If the project's backend does not respond, the page says so and leads back to the app")
    func outage() async throws {
        let fixture = try await HookFixture(["beforeSignIn"])
        _ = try await fixture.gateway.signUp(email: "ada@example.com")
        let visit = SignInPageVisit(fixture.gateway)
        let page = try await visit.open()
        fixture.server.answer { _ in throw ClientFault.timedOut }
        let failed = try await visit.submit(page, "signIn", ["email": "ada@example.com", "password": "secret1"])
        #expect(failed.status == 503)
        #expect(failed.headers["Retry-After"] != nil)
        #expect(failed.heading == "Sign-in is not available")
        #expect(failed.text.contains("https://localhost/done?error=server_error&amp;state="))
        #expect(visit.browser.cookies.keys.allSatisfy { !$0.contains("sekisho-browser") })
    }
}
