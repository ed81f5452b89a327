import Foundation
import SekishoAuth
import Testing

@testable import DevMode
@testable import Support

@Suite("An account from creation to deletion")
struct AccountLifecycleTests {
    @Test("An account keeps its uid until its deletion, and listeners are called for each change, in order")
    func lifecycle() async throws {
        let app = try await TestApp()
        let log = ListenerLog(app.auth)
        let user = try await app.auth.signInAnonymously().user
        let uid = user.uid
        #expect(user.isAnonymous)
        #expect(log.removeAll() == ["signed out", "no token", "signed in", "token"])

        #expect(try await app.auth.signInAnonymously().user === user)
        #expect(log.removeAll() == [])

        try await user.link(with: EmailAuthProvider.credential(withEmail: "ada@example.com", password: "secret1"))
        #expect(!user.isAnonymous)
        #expect(user.email == "ada@example.com")
        #expect(log.removeAll() == ["token"])

        let apple = try await user.link(with: app.gateway.appleCredential().oauthCredential())
        #expect(apple.user === user)
        #expect(Set(user.providerData.map(\.providerID)) == ["password", "apple.com"])
        #expect(log.removeAll() == ["token"])

        // The new ID token gets a later issue time.
        app.clock.advance(by: 10)
        _ = try await user.getIDToken(forcingRefresh: true)
        #expect(log.removeAll() == ["token"])

        try await user.reauthenticate(
            with: EmailAuthProvider.credential(withEmail: "ada@example.com", password: "secret1"))
        #expect(log.removeAll() == ["token"])

        #expect(try await user.unlink(fromProvider: "password") === user)
        #expect(user.providerData.map(\.providerID) == ["apple.com"])
        #expect(log.removeAll() == ["token"])

        #expect(app.auth.currentUser === user)
        #expect(user.uid == uid)
        try await user.delete()
        #expect(app.auth.currentUser == nil)
        #expect(app.store.isEmpty)
        #expect(log.removeAll() == ["signed out", "no token"])
    }

    @Test("An unlink calls the ID token listeners, and the new ID token has no claim about the identity")
    func unlinkedClaim() async throws {
        let app = try await TestApp()
        let user = try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
        try await user.link(with: app.gateway.appleCredential().oauthCredential())
        let log = ListenerLog(app.auth)
        // The new ID token gets a later issue time.
        app.clock.advance(by: 10)
        _ = try await user.unlink(fromProvider: "apple.com")
        #expect(log.lines == ["signed in", "token", "token"])
        let claims = try claims(of: try await user.getIDToken())
        #expect(claims["firebase"]?["identities"]?["apple.com"] == nil)
    }

    @Test("A user is restored after a restart of the app")
    func restart() async throws {
        let app = try await TestApp()
        let uid = try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1").user.uid
        let restored = try #require(try app.authOfNewProcess().currentUser)
        #expect(restored.uid == uid)
        #expect(restored.email == "ada@example.com")
        try await restored.reload()
    }
}
