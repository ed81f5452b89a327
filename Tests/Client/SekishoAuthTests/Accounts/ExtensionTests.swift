import Foundation
import SekishoAuth
import Testing

@testable import DevMode
@testable import Support

@Suite("Extensions to FirebaseAuth")
struct ExtensionTests {
    @Test("A nonce from the gateway can be used to sign in with Apple")
    func nonce() async throws {
        let app = try await TestApp()
        let nonce = try await app.auth.issueNonce()
        let appleCredential = try app.gateway.appleCredential(nonce: nonce.rawNonce)
        let claims = try claims(of: appleCredential.idToken)
        #expect(claims["nonce"]?.string == nonce.sha256)
        try await app.auth.signIn(with: appleCredential.oauthCredential())
        #expect("\(nonce)".contains(nonce.rawNonce) == false)
    }

    @Test("Sessions are listed with their devices, and can be revoked")
    func sessions() async throws {
        let app = try await TestApp()
        let user = try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
        let tablet = try await TestApp(app.gateway)
        let other = try await tablet.auth.signIn(withEmail: "ada@example.com", password: "secret1").user
        let sessions = try await user.listSessions()
        #expect(sessions.count == 2)
        // Every `TestApp` has this device name.
        #expect(sessions.allSatisfy { $0.device == "Ada's phone" && $0.signInProvider == "password" })
        let otherSession = try #require(sessions.first { !$0.isCurrent })
        try await user.revokeSession(otherSession.id)
        #expect(await failure { try await other.reload() } == .userTokenExpired)
        #expect(tablet.auth.currentUser == nil)
        #expect(app.auth.currentUser === user)
        #expect(await failure { try await user.revokeSession("unknown") }?.serverCode == "SESSION_NOT_FOUND")

        let current = try #require(try await user.listSessions().first { $0.isCurrent })
        try await user.revokeSession(current.id)
        #expect(app.auth.currentUser == nil)
        #expect(app.store.isEmpty)
    }

    @Test("All pages of the sessions are listed, the most recently used first")
    func pagesOfSessions() async throws {
        let app = try await TestApp()
        let user = try await app.auth.signInAnonymously().user
        try await app.gateway.copySession(times: 1000)
        let sessions = try await user.listSessions()
        #expect(Set(sessions.map(\.id)).count == 1001)
        #expect(sessions.last?.isCurrent == true)
        #expect(sessions.map(\.lastUsedAt) == sessions.map(\.lastUsedAt).sorted(by: >))
    }

    @Test("All sessions can be revoked at once")
    func allSessions() async throws {
        let app = try await TestApp()
        let user = try await app.auth.signInAnonymously().user
        try await user.revokeAllSessions()
        #expect(app.auth.currentUser == nil)
    }

    @Test("The sign-in methods begin with Apple")
    func loginMethods() async throws {
        let app = try await TestApp()
        let methods = try await app.auth.loginMethods()
        #expect(methods.methods.first?.providerID == "apple.com")
        #expect(methods.methods.first?.nonce?.isHashed == true)
        #expect(methods.satisfiesGuideline48)
    }

    @Test("The credential state is the one that the gateway has recorded, or notFound without an Apple identity")
    func credentialState() async throws {
        let app = try await TestApp(TestGateway(transport: .socket, servesApple: true))
        let user = try await app.auth.signIn(with: app.gateway.appleCredentialWithCode().oauthCredential()).user
        // The gateway exchanges the authorization code for Apple's tokens.
        try await app.gateway.processDueAppleGrants()
        let states = try await user.credentialState()
        #expect(states.map(\.state) == [.authorized])
        #expect(states.first?.userID == user.providerData.first?.uid)
        let other = try await app.auth.createUser(withEmail: "guest@example.com", password: "secret1").user
        #expect(try await other.credentialState().map(\.state) == [.notFound])
    }

    @Test("A deletion returns whether a revocation of Apple's tokens is queued")
    func deletion() async throws {
        let app = try await TestApp(TestGateway(transport: .socket, servesApple: true))
        let user = try await app.auth.signIn(with: app.gateway.appleCredentialWithCode().oauthCredential()).user
        // The gateway exchanges the authorization code for Apple's tokens, which it can revoke later.
        try await app.gateway.processDueAppleGrants()
        #expect(try await user.delete() == .queued)
        let other = try await app.auth.signInAnonymously().user
        #expect(try await other.delete() == .notNeeded)
    }

    @Test("An authorization code is accepted once for a revocation, and only while a user is signed in")
    func revokeToken() async throws {
        let app = try await TestApp(TestGateway(transport: .socket, servesApple: true))
        let user = try await app.auth.signIn(with: app.gateway.appleCredential().oauthCredential()).user
        let code = try #require(try app.gateway.appleCredentialWithCode().code)
        try await app.auth.revokeToken(withAuthorizationCode: code)
        #expect(app.auth.currentUser === user)
        #expect(
            await failure { try await app.auth.revokeToken(withAuthorizationCode: code) } == .invalidCredential)
        try app.auth.signOut()
        #expect(await failure { try await app.auth.revokeToken(withAuthorizationCode: "x") } == .nullUser)
    }
}
