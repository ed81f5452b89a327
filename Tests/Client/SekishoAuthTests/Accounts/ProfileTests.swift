import Foundation
import Identity
import SekishoAuth
import Testing

@testable import Support

@Suite("Changes of an account")
struct ProfileTests {
    @Test("The display name and the photo URL can be set, and the URL removed; without a change, no request is sent")
    func profile() async throws {
        let app = try await TestApp()
        let user = try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
        let request = user.createProfileChangeRequest()
        request.displayName = "Ada & 花子"
        request.photoURL = URL(string: "https://example.com/ada.png")
        try await request.commitChanges()
        #expect(user.displayName == "Ada & 花子")
        #expect(user.photoURL?.absoluteString == "https://example.com/ada.png")
        #expect(await failure { try await request.commitChanges() } == .internalError, "a request is committed once")

        let removal = user.createProfileChangeRequest()
        removal.photoURL = nil
        try await removal.commitChanges()
        #expect(user.photoURL == nil)
        #expect(user.displayName == "Ada & 花子")
        try await user.reload()
        #expect(user.photoURL == nil)

        let (_, operations) = try await app.transport.operations {
            try await user.createProfileChangeRequest().commitChanges()
        }
        #expect(operations == [])
    }

    @Test("A change of the password keeps the user signed in, although the old ID token becomes invalid")
    func password() async throws {
        let app = try await TestApp()
        let user = try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
        let old = try await user.getIDToken()
        try await user.updatePassword(to: "another secret")
        #expect(try await app.gateway.lookup(old).status == 400)
        try await user.reload()
        #expect(try app.authOfNewProcess().currentUser?.uid == user.uid)
        try app.auth.signOut()
        try await app.auth.signIn(withEmail: "ada@example.com", password: "another secret")
    }

    @Test("A change of the password keeps the user signed in although the caller is cancelled")
    func cancelledPassword() async throws {
        let app = try await TestApp()
        let user = try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
        app.transport.injectNext(.holdResponse, for: "update")
        let task = Task { try await user.updatePassword(to: "another secret") }
        try await eventually { app.transport.heldCount == 1 }
        task.cancel()
        app.transport.releaseResponses()
        _ = await task.result
        try await user.reload()
        #expect(app.auth.currentUser === user)
    }

    @Test("A new email address is visible at once, and an empty one is rejected")
    func email() async throws {
        let app = try await TestApp()
        let user = try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
        try await user.updateEmail(to: "countess@example.com")
        #expect(user.email == "countess@example.com")
        #expect(await failure { try await user.updateEmail(to: "") } == .missingEmail)
    }

    @Test("A change of the password and a deletion need a recent login, and succeed after a reauthentication")
    func recentLogin() async throws {
        let app = try await TestApp()
        let user = try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
        // Twice the five minutes in which a login is recent.
        app.clock.advance(by: 600)
        #expect(await failure { try await user.updatePassword(to: "another secret") } == .requiresRecentLogin)
        #expect(await failure { try await user.delete() } == .requiresRecentLogin)
        #expect(app.auth.currentUser === user)
        try await user.reauthenticate(
            with: EmailAuthProvider.credential(withEmail: "ada@example.com", password: "secret1"))
        try await user.updatePassword(to: "another secret")
        try await user.delete()
        #expect(app.auth.currentUser == nil)
    }

    @Test("A deletion whose response was lost succeeds when it is repeated")
    func lostDeletion() async throws {
        let app = try await TestApp()
        let user = try await app.auth.signInAnonymously().user
        app.transport.injectNext(.dropResponse, for: "delete")
        #expect(await failure { try await user.delete() } == .networkError)
        #expect(app.auth.currentUser === user)
        try await user.delete()
        #expect(app.auth.currentUser == nil)
        #expect(app.store.isEmpty)
    }

    @Test("The last sign-in method is removed only with allowNoSignInMethod")
    func lastMethod() async throws {
        // The profile `sekisho` protects the last sign-in method.
        let app = try await TestApp(TestGateway(.sekisho, transport: .socket))
        let user = try await app.auth.signIn(with: app.gateway.appleCredential().oauthCredential()).user
        let error = await failure { try await user.unlink(fromProvider: "apple.com") }
        #expect(error?.serverCode == "LAST_SIGN_IN_METHOD")
        _ = try await user.unlink(fromProvider: "apple.com", allowNoSignInMethod: true)
        #expect(user.providerData.isEmpty)
    }

    @Test("A token result has the claims and the times of the ID token, and the user has a creation date")
    func tokenResult() async throws {
        let app = try await TestApp()
        let user = try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
        let result = try await user.getIDTokenResult()
        #expect(result.signInProvider == "password")
        #expect(result.claims["email"] as? String == "ada@example.com")
        #expect(result.claims["email_verified"] as? Bool == false)
        #expect(result.expirationDate.timeIntervalSince(result.issuedAtDate) == 3600)
        #expect(result.sessionID != nil)
        #expect(user.metadata.creationDate != nil)
        #expect(user.providerID == "Firebase")
        #expect(user.multiFactor.enrolledFactors.isEmpty)
    }
}
