import Foundation
import Identity
import SekishoAuth
import Simulators
import Testing

@testable import Support

@Suite("The upgrade of a password account to Apple")
struct PasswordUpgradeTests {
    private static let email = "ada@example.com"
    private static let password = "correct horse battery"

    /// Returns an app in a project with the profile `sekisho`, and the ID of a password account. No user is signed in.
    private func signedOut() async throws -> (app: TestApp, uid: String) {
        let app = try await TestApp(TestGateway(.sekisho, transport: .socket))
        let uid = try await app.auth.createUser(withEmail: Self.email, password: Self.password).user.uid
        try app.auth.signOut()
        return (app, uid)
    }

    private func upgrade(_ app: TestApp, password: String = password, removesPassword: Bool) async throws -> User {
        try await app.auth.upgradeToProvider(
            with: app.gateway.appleCredential().oauthCredential(), email: Self.email, password: password,
            removesPassword: removesPassword
        ).user
    }

    @Test("One call links Apple and signs in; the password is removed if the app wants it", arguments: [true, false])
    func upgrade(removesPassword: Bool) async throws {
        let (app, uid) = try await signedOut()
        let user = try await upgrade(app, removesPassword: removesPassword)
        #expect(user.uid == uid)
        #expect(app.auth.currentUser === user)
        let methods: Set<String> = removesPassword ? ["apple.com"] : ["password", "apple.com"]
        #expect(Set(user.providerData.map(\.providerID)) == methods)
        let withPassword = await failure { try await app.auth.signIn(withEmail: Self.email, password: Self.password) }
        #expect((withPassword == nil) != removesPassword)
        #expect(try await app.auth.signIn(with: app.gateway.appleCredential().oauthCredential()).user.uid == uid)
    }

    @Test("A wrong password links nothing and signs nobody in")
    func wrongPassword() async throws {
        let (app, _) = try await signedOut()
        let error = await failure { try await upgrade(app, password: "wrong", removesPassword: true) }
        #expect(error == .wrongPassword)
        #expect(app.auth.currentUser == nil)
        #expect(!app.transport.operations.contains("signInWithIdp"))
    }

    @Test("If Apple's identity belongs to another account, the call fails, and the current user stays signed in")
    func conflict() async throws {
        let (app, _) = try await signedOut()
        let other = try app.gateway.appleCredential(.mary).oauthCredential()
        let current = try await app.auth.signIn(with: other).user
        let error = await failure {
            try await app.auth.upgradeToProvider(
                with: app.gateway.appleCredential(.mary).oauthCredential(), email: Self.email, password: Self.password,
                removesPassword: true)
        }
        #expect(error == .credentialAlreadyInUse)
        #expect(app.auth.currentUser === current)
    }

    @Test("A call whose response was lost can be repeated", arguments: ["signInWithIdp", "lookup", "update"])
    func repeated(operation: String) async throws {
        let (app, uid) = try await signedOut()
        app.transport.injectNext(.dropResponse, for: operation)
        _ = await failure { try await upgrade(app, removesPassword: true) }
        if app.auth.currentUser?.providerData.map(\.providerID) != ["apple.com"] {
            _ = await failure { try await upgrade(app, removesPassword: true) }
        }
        let user = try await app.auth.signIn(with: app.gateway.appleCredential().oauthCredential()).user
        #expect(user.uid == uid)
        #expect(user.providerData.map(\.providerID) == ["apple.com"])
    }
}
