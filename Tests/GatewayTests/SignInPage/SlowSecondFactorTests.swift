import HTTP
import Identity
import Testing

@testable import Support

@Suite("A second factor that takes longer than the sign-in waits")
struct SlowSecondFactorTests {
    @Test("The expired step leads to the methods, and the user signs in again in the same visit")
    func expired() async throws {
        let visit = SignInPageVisit(try await TestGateway.withSecondFactors())
        let ada = try await visit.gateway.signUpEnrolled()
        let credentials = ["email": "ada@example.com", "password": "secret1"]
        let page = try await visit.follow(visit.submit(visit.open(), "signIn", credentials))
        #expect(page.heading == "Enter your code" && page.text.contains("Back to sign-in"), "\(page.text)")
        visit.gateway.clock.advance(by: .seconds(400))
        let code = try ada.app.code(at: visit.gateway.clock.now)
        let late = try await visit.submit(page, "secondFactor", ["code": code])
        #expect(late.status == 400 && late.heading == "Sign in", "\(late.text)")
        #expect(late.text.contains("This step has expired. Sign in again."))
        let again = try await visit.follow(visit.submit(late, "signIn", credentials))
        #expect(again.heading == "Enter your code", "\(again.text)")
        #expect(try await visit.submit(again, "secondFactor", ["code": code]).requiredResult().contains("code="))
    }
}
