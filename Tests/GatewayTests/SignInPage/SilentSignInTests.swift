import HTTP
import Identity
import Postgres
import Testing

@testable import Support

@Suite("Sign-in without a page (prompt=none)")
struct SilentSignInTests {
    private static let silent = ["prompt": "none"]

    /// A browser with a session of `ada@example.com`.
    private static func visit(
        allowsSilentSignIn: Bool = true, change: @escaping (inout Policy) -> Void = { _ in }
    ) async throws -> SignInPageVisit {
        let gateway = try await TestGateway { policy in
            policy.emailEnumerationProtection = false
            change(&policy)
        }.withAppSettings(#"{"allowsSilentSignIn": \#(allowsSilentSignIn)}"#)
        _ = try await gateway.signUp(email: "ada@example.com")
        let visit = SignInPageVisit(gateway)
        _ = try await visit.signIn()
        return visit
    }

    private static func expectLoginRequired(_ answer: Exchange) {
        #expect(answer.status == 303)
        #expect(answer.location?.hasPrefix("https://localhost/done?error=login_required&state=") == true)
    }

    @Test("An app that may do so gets a code of the browser's session, whose login does not become more recent")
    func allowed() async throws {
        let visit = try await Self.visit()
        let signedInAt = visit.gateway.clock.now.seconds
        visit.gateway.clock.advance(by: .seconds(60))
        let answer = try await visit.open(Self.silent)
        #expect(answer.status == 303)
        let tokens = try await visit.exchange(answer.requiredResult())
        let idToken = try #require(tokens.json["id_token"]?.string, "\(tokens.text)")
        #expect(try claims(of: idToken)["auth_time"] == .number(Double(signedInAt)))
        // The session of the browser goes on.
        #expect(try await visit.open(Self.silent).location?.contains("code=") == true)
    }

    @Test("Any other app learns nothing about who uses the browser")
    func notAllowed() async throws {
        Self.expectLoginRequired(try await Self.visit(allowsSilentSignIn: false).open(Self.silent))
    }

    @Test("Without a session, with an older login than the app accepts, and after the sign-out, a login is required")
    func noSession() async throws {
        let visit = try await Self.visit()
        Self.expectLoginRequired(try await SignInPageVisit(visit.gateway).open(Self.silent))
        visit.gateway.clock.advance(by: .seconds(60))
        Self.expectLoginRequired(try await visit.open(Self.silent.merging(["max_age": "30"]) { $1 }))
        _ = try await visit.gateway.database.pool.execute("DELETE FROM browser_session")
        Self.expectLoginRequired(try await visit.open(Self.silent))
    }

    @Test("A session whose method the app does not offer is not used")
    func otherMethod() async throws {
        let visit = try await Self.visit()
        _ = try await visit.gateway.database.pool.execute(
            """
            UPDATE app SET settings = '{"allowsSilentSignIn": true, "signInMethods": ["anonymous"]}'
            """)
        let other = SignInPageVisit(try visit.gateway.withFreshCaches())
        for (name, value) in visit.browser.cookies { other.browser.setCookie(name, value) }
        Self.expectLoginRequired(try await other.open(Self.silent))
    }
}
