import HTTP
import Identity
import Testing

@testable import Support

@Suite("The action page, which a link in an email opens")
struct ActionPageTests {
    @Test("A verification link verifies the address only after confirmation")
    func verify() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        let code = try await gateway.requestedCode("VERIFY_EMAIL", ["idToken": .string(ada.idToken)])
        for _ in 0..<3 {
            let page = try await gateway.openActionPage(code)
            #expect(page.status == 200)
            #expect(page.text.contains("ada@example.com") && page.text.contains("Demo"))
        }
        #expect(try await gateway.accountSeenByUser(ada.idToken)["emailVerified"] == false)
        #expect(try await gateway.submitActionPage(code).text.contains("Your email address is confirmed"))
        #expect(try await gateway.accountSeenByUser(ada.idToken)["emailVerified"] == true)
        #expect(try await gateway.submitActionPage(code).status == 400)
        #expect(try await gateway.openActionPage(code).text.contains("This link does not work"))
    }

    @Test("The form of a reset link sets a password, and a weak password does not use up the code")
    func reset() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUpVerified()
        let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        let weak = try await gateway.submitActionPage(code, ["newPassword": "weak"])
        #expect(weak.status == 400)
        #expect(weak.text.contains(#"role="alert""#) && weak.text.contains(#"value="\#(code)""#))
        #expect(try await gateway.lookup(ada.idToken).status == 200)
        let done = try await gateway.submitActionPage(code, ["newPassword": "staple battery", "lang": "ja"])
        #expect(done.text.contains("パスワードを変更しました"))
        #expect(try await gateway.lookup(ada.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.signIn(password: "staple battery").status == 200)
        #expect(try await gateway.emails(.passwordChanged).map(\.language) == ["ja"])
    }

    @Test("A link changes the address, and the link in the notice restores the earlier address")
    func changeAndBack() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUpVerified()
        gateway.clock.advance(by: .seconds(10))
        let changeCode = try await gateway.requestedCode(
            "VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(ada.idToken), "newEmail": "new@example.com"])
        #expect(try await gateway.openActionPage(changeCode).text.contains("new@example.com"))
        #expect(try await gateway.submitActionPage(changeCode).text.contains("Your email address has been changed"))
        #expect(try await gateway.signIn(email: "new@example.com").status == 200)
        let recoveryCode = try await gateway.latestCode(.emailChanged)
        #expect(try await gateway.openActionPage(recoveryCode).text.contains("Restore your earlier email address"))
        let passwordPage = try await gateway.submitActionPage(recoveryCode)
        #expect(passwordPage.text.contains("Your earlier address <bdi>ada@example.com</bdi> is restored"))
        #expect(try await gateway.signIn().status == 200)
        let done = try await gateway.submitActionPage(
            try passwordPage.requiredFormCode(), ["newPassword": "staple battery"])
        #expect(done.text.contains("Your password has been changed"))
        #expect(try await gateway.signIn(password: "staple battery").status == 200)
    }

    @Test("The page of a sign-in link links to the app, and only the app redeems the code")
    func signIn() async throws {
        let gateway = try await TestGateway()
        let code = try await gateway.requestedCode("EMAIL_SIGNIN", ["email": "ada@example.com"])
        let page = try await gateway.openActionPage(code, ["continueUrl": "http://localhost/in", "lang": "en"])
        #expect(page.text.contains("http://localhost/in?mode=signIn&amp;oobCode=\(code)&amp;apiKey=demo&amp;lang=en"))
        #expect(try await gateway.signInWithEmailLink("ada@example.com", code).status == 200)
        #expect(try await gateway.openActionPage(code).status == 400)
    }

    @Test("The action page says that a link has expired, or that another account has the address")
    func refused() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        let change = ["idToken": .string(ada.idToken), "newEmail": "new@example.com"] as [String: JSON]
        let codeForTakenAddress = try await gateway.requestedCode("VERIFY_AND_CHANGE_EMAIL", change)
        let expiredCode = try await gateway.requestedCode("VERIFY_EMAIL", ["idToken": .string(ada.idToken)])
        _ = try await gateway.signUp(email: "new@example.com")
        #expect(try await gateway.submitActionPage(codeForTakenAddress).text.contains("belongs to another account"))
        // A verification link is valid for 24 hours.
        gateway.clock.advance(by: .seconds(25 * 3600))
        #expect(try await gateway.openActionPage(expiredCode).text.contains("This link has expired"))
        #expect(try await gateway.submitActionPage(expiredCode).text.contains("This link has expired"))
    }

    @Test("The forgot-password page sends an email, and does not reveal which addresses have accounts")
    func forgot() async throws {
        let gateway = try await TestGateway { $0.emailEnumerationProtection = true }
        _ = try await gateway.signUp()
        var pages: [String] = []
        for email in ["ada@example.com", "nobody@example.com"] {
            for path in ["/__/auth/forgotPassword", "/demo/__/auth/forgotPassword"] {
                let page = try await gateway.submitForm(path, ["email": email, "lang": "ja"])
                #expect(page.status == 200)
                pages.append(page.text.replacing(email, with: ""))
            }
        }
        #expect(Set(pages).count == 1)
        let emails = try await gateway.emails(.resetPassword)
        #expect(emails.map(\.recipient).sorted() == ["ada", "ada", "nobody", "nobody"].map { $0 + "@example.com" })
        #expect(Set(emails.map(\.language)) == ["ja"])
        #expect(try await gateway.submitForm("/none/__/auth/forgotPassword", ["email": "a@b.c"]).status == 404)
    }
}
