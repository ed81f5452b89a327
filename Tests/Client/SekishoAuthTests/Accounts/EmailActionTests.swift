import Foundation
import Identity
import SekishoAuth
import Testing

@testable import Support

@Suite("Action codes")
struct EmailActionTests {
    private func settings() -> ActionCodeSettings {
        let settings = ActionCodeSettings()
        settings.url = URL(string: "https://localhost/finish")
        settings.handleCodeInApp = true
        return settings
    }

    @Test("A password reset code can be checked, and sets a new password once")
    func reset() async throws {
        let app = try await TestApp()
        try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1")
        try await app.auth.sendPasswordReset(withEmail: "ada@example.com", actionCodeSettings: settings())
        let code = try await app.gateway.latestCode(.resetPassword)
        #expect(try await app.auth.verifyPasswordResetCode(code) == "ada@example.com")
        #expect(try await app.auth.checkActionCode(code).operation == .passwordReset)
        #expect(
            await failure { try await app.auth.confirmPasswordReset(withCode: code, newPassword: "") } == .weakPassword)
        try await app.auth.confirmPasswordReset(withCode: code, newPassword: "another secret")
        try await app.auth.signIn(withEmail: "ada@example.com", password: "another secret")
        #expect(await failure { try await app.auth.checkActionCode(code) } == .invalidActionCode)
    }

    @Test("The request for an email names the apps that open the link")
    func apps() async throws {
        let app = try await TestApp()
        let settings = settings()
        settings.iOSBundleID = "com.example.app"
        settings.setAndroidPackageName("com.example.droid", installIfNotAvailable: true, minimumVersion: "1")
        try await app.auth.sendSignInLink(toEmail: "ada@example.com", actionCodeSettings: settings)
        let body = try #require(app.transport.body)
        #expect(body["canHandleCodeInApp"] == true)
        #expect(body["iOSBundleId"] == "com.example.app")
        #expect(body["androidPackageName"] == "com.example.droid")
    }

    @Test("A verified address is visible after a reload")
    func verification() async throws {
        let app = try await TestApp()
        let user = try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
        try await user.sendEmailVerification()
        let code = try await app.gateway.latestCode(.verifyEmail)
        #expect(await failure { try await app.auth.verifyPasswordResetCode(code) } == .invalidActionCode)
        try await app.auth.applyActionCode(code)
        #expect(!user.isEmailVerified)
        try await user.reload()
        #expect(user.isEmailVerified)
        let result = try await user.getIDTokenResult(forcingRefresh: true)
        #expect(result.claims["email_verified"] as? Bool == true)
    }

    @Test("The code of an email change has the new address and the current one")
    func change() async throws {
        let app = try await TestApp()
        let user = try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
        try await user.sendEmailVerification(beforeUpdatingEmail: "countess@example.com")
        let code = try await app.gateway.latestCode(.changeEmail)
        let info = try await app.auth.checkActionCode(code)
        #expect(info.operation == .verifyAndChangeEmail)
        #expect(info.email == "countess@example.com")
        #expect(info.previousEmail == "ada@example.com")
    }

    @Test("An email link signs in, and can be linked to an anonymous account")
    func signInLink() async throws {
        let app = try await TestApp()
        try await app.auth.sendSignInLink(toEmail: "ada@example.com", actionCodeSettings: settings())
        let link = try await latestSignInLink(app)
        #expect(app.auth.isSignIn(withEmailLink: link))
        #expect(!app.auth.isSignIn(withEmailLink: "https://auth.example.com/__/auth/action?mode=signIn"))
        let uid = try await app.auth.signIn(withEmail: "ada@example.com", link: link).user.uid
        try app.auth.signOut()

        try await app.auth.sendSignInLink(toEmail: "mary@example.com", actionCodeSettings: settings())
        let anonymous = try await app.auth.signInAnonymously().user
        try await anonymous.link(
            with: EmailAuthProvider.credential(withEmail: "mary@example.com", link: try await latestSignInLink(app)))
        #expect(anonymous.email == "mary@example.com")
        #expect(anonymous.uid != uid)
    }

    /// Returns the link in the latest email with a sign-in link.
    private func latestSignInLink(_ app: TestApp) async throws -> String {
        let code = try await app.gateway.latestCode(.signIn)
        return "https://auth.example.com/__/auth/action?mode=signIn&oobCode=\(code)&apiKey=x&lang=en"
    }

    @Test("The sign-in methods of an address are listed, unless the project has email enumeration protection")
    func methods() async throws {
        let app = try await TestApp()
        try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1")
        #expect(try await app.auth.fetchSignInMethods(forEmail: "ada@example.com") == ["password"])
        let protected = try await TestApp(TestGateway(transport: .socket) { $0.emailEnumerationProtection = true })
        try await protected.auth.createUser(withEmail: "ada@example.com", password: "secret1")
        #expect(try await protected.auth.fetchSignInMethods(forEmail: "ada@example.com") == [])
    }

    @Test("An action link is parsed, even if it is in the query of another link")
    func url() throws {
        let inner = "https://auth.example.com/__/auth/action?mode=verifyAndChangeEmail&oobCode=x%2By&lang=ja"
        var outer = try #require(URLComponents(string: "https://example.page.link/"))
        outer.queryItems = [URLQueryItem(name: "link", value: inner)]
        for link in [inner, try #require(outer.string)] {
            let parts = try #require(ActionCodeURL(link: link))
            #expect(parts.operation == .verifyAndChangeEmail)
            #expect(parts.code == "x+y")
            #expect(parts.languageCode == "ja")
        }
        #expect(ActionCodeURL(link: "https://example.com") == nil)
    }
}
