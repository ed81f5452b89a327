import HTTP
import Identity
import Testing

@testable import Support

@Suite("The end of a visit of the sign-in page")
struct SignInPageLifetimeTests {
    private static let ada = "ada@example.com"
    private static let expired = "This sign-in has expired"

    private static func visit() async throws -> SignInPageVisit {
        let gateway = try await TestGateway(.sekisho) { $0.allowsEmailLinks = true }
        _ = try await gateway.signUpVerified(email: ada, password: "long enough")
        return SignInPageVisit(gateway)
    }

    @Test("A form that changes the flow does not extend it: the visit ends 60 minutes after its beginning")
    func changedFlow() async throws {
        let visit = try await Self.visit()
        let first = try await visit.open()
        visit.gateway.clock.advance(by: .seconds(59 * 60))
        let page = try await visit.submit(
            first, "signIn", ["email": Self.ada, "password": "wrong one", "remember": "on"])
        #expect(page.heading == "Sign in", "\(page.text)")
        #expect(try page.form("signIn")["flow"] != first.form("signIn")["flow"])
        visit.gateway.clock.advance(by: .seconds(61))
        let late = try await visit.submit(page, "signIn", ["email": Self.ada, "password": "long enough"])
        #expect(late.heading == Self.expired, "\(late.text)")
        #expect(late.result == nil)
    }

    @Test("An emailed link leads back to the visit only until it ends")
    func link() async throws {
        let visit = try await Self.visit()
        let screen = try await visit.open(["screen": "reset"])
        visit.gateway.clock.advance(by: .seconds(59 * 60))
        _ = try await visit.submit(screen, "reset", ["email": Self.ada])
        let sealed = try #require(try await visit.gateway.emails(.resetPassword).last?.content.signInPage)
        let back = try await visit.browser.send(.get, SignInPageVisit.path + "?link=" + sealed)
        let page = try await visit.follow(back)
        #expect(page.heading == "Sign in", "\(page.text)")
        visit.gateway.clock.advance(by: .seconds(61))
        #expect(try await visit.browser.send(.get, SignInPageVisit.path + "?link=" + sealed).heading == Self.expired)
        let late = try await visit.submit(page, "signIn", ["email": Self.ada, "password": "long enough"])
        #expect(late.heading == Self.expired, "\(late.text)")
        #expect(late.result == nil)
    }

    @Test("A step that is stored does not extend the visit")
    func storedStep() async throws {
        let visit = try await Self.visit()
        let form = try await visit.open(["screen": "emailCode"])
        visit.gateway.clock.advance(by: .seconds(59 * 60))
        let page = try await visit.follow(try await visit.submit(form, "emailCode", ["email": Self.ada]))
        #expect(page.heading == "Check your email")
        let email = try await visit.lastEmail()
        visit.gateway.clock.advance(by: .seconds(61))
        #expect(try await visit.submit(page, "enterCode", ["code": email.code]).heading == Self.expired)
        #expect(try await visit.browser.send(.get, email.link).heading == Self.expired)
    }
}
