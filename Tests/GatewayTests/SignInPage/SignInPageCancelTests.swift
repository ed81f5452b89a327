import HTTP
import Identity
import Testing

@testable import Support

@Suite("\"Cancel\" on the sign-in page")
struct SignInPageCancelTests {
    private static let credentials = ["email": "ada@example.com", "password": "secret1"]

    @Test("After it, neither the code of a second factor nor that of an email completes the sign-in")
    func codes() async throws {
        let gateway = try await TestGateway.withSecondFactors { $0.allowsEmailLinks = true }
        let ada = try await gateway.signUpEnrolled()
        let visit = SignInPageVisit(gateway)
        let start = try await visit.open(["prompt": "login"])
        let code = try await visit.follow(visit.submit(start, "signIn", Self.credentials))
        #expect(code.heading == "Enter your code", "\(code.text)")
        #expect(try await visit.submit(code, "cancel").result?.contains("error=access_denied") == true)
        let late = try await visit.submit(code, "secondFactor", ["code": ada.app.code(at: gateway.clock.now)])
        #expect(late.result == nil && late.text.contains("This step has expired."), "\(late.text)")
        let email = try await visit.follow(
            visit.submit(visit.open(["screen": "emailCode"]), "emailCode", ["email": "eve@example.com"]))
        #expect(try await visit.submit(email, "cancel").result?.contains("error=access_denied") == true)
        let lateCode = try await visit.submit(email, "enterCode", ["code": visit.lastEmail().code])
        #expect(lateCode.result == nil && lateCode.status == 400, "\(lateCode.text)")
    }

    @Test("A host that is an IPv6 address, which a policy cannot name, opens from a button of the page")
    func addressOfApp() async throws {
        let target = "http://[::1]:9182/done"
        let gateway = try await TestGateway { $0.emailEnumerationProtection = false }.withAppSettings(
            #"{"platform": "macos", "bundleIds": ["com.example.app"], "redirectUris": ["\#(target)"]}"#)
        _ = try await gateway.signUp()
        let visit = SignInPageVisit(gateway)
        let page = try await visit.open(["continueUri": target])
        #expect(page.headers["Content-Security-Policy"]?.contains("form-action 'self';") == true)
        for done in [
            try await visit.submit(page, "cancel"), try await visit.submit(page, "signIn", Self.credentials),
        ] {
            #expect(done.status == 200 && done.text.contains(#"<a class="button" href="http://[::1]:9182/done?"#))
            #expect(!done.text.contains("http-equiv"), "\(done.text)")
        }
    }
}
