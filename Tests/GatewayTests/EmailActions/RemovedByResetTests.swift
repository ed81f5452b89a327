import HTTP
import Identity
import Testing

@testable import Support

@Suite("What a password reset removes is said before and after it")
struct RemovedByResetTests {
    private static let rule = "A new password also removes passkeys and linked services from your account."

    @Test("The form, the last page and the email name the methods that the policy removes", arguments: [true, false])
    func pages(removes: Bool) async throws {
        let gateway = try await TestGateway {
            $0.emailEnumerationProtection = false
            $0.resetUnlinksIdentities = removes
        }
        try await gateway.makeServiceKey()
        let ada = try await gateway.enrolPasskey(gateway.signUpVerified())
        #expect(try await gateway.link(gateway.googleCredential(), to: ada.tokens.idToken).status == 200)
        let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        let form = try await gateway.openActionPage(code)
        let warning = "When you save the password, these ways to sign in are removed: "
        #expect(form.text.contains(warning) == removes, "\(form.text)")
        let done = try await gateway.submitActionPage(code, ["newPassword": "staple battery"])
        #expect(done.heading == "Your password has been changed", "\(done.text)")
        #expect(done.text.contains("These ways to sign in were removed: ") == removes, "\(done.text)")
        for page in [form, done] where removes {
            #expect(page.words.contains("Google") && page.words.contains("Passkey"), "\(page.words)")
        }
        let notice = try #require(try await gateway.emails(.passwordChanged).last)
        #expect(notice.content.methods == (removes ? [ProviderID("google.com"), .passkey] : nil))
    }

    @Test("The pages that send the email say it before the user asks for one", arguments: [true, false])
    func request(removes: Bool) async throws {
        let gateway = try await TestGateway { $0.resetUnlinksIdentities = removes }
        let visit = SignInPageVisit(gateway)
        #expect(try await visit.open(["screen": "reset"]).text.contains(Self.rule) == removes)
        let forgot = try await visit.browser.send(.get, "/demo/__/auth/forgotPassword")
        #expect(forgot.text.contains(Self.rule) == removes, "\(forgot.text)")
    }

    @Test("A reset of an account without other methods says nothing about them")
    func passwordOnly() async throws {
        let gateway = try await TestGateway { $0.resetUnlinksIdentities = true }
        _ = try await gateway.signUpVerified()
        let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        #expect(try await !gateway.openActionPage(code).text.contains("these ways to sign in are removed"))
    }
}
