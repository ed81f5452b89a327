import Foundation
import SekishoAuth
import Testing

@testable import DevMode
@testable import Support

@Suite("The life of an account")
struct AccountLifeTests {
    @Test("keeps its uid from anonymous to deletion, and listeners are called for every step in order")
    func life() async throws {
        let app = try await TestApp()
        let heard = Heard(app.auth)
        let user = try await app.auth.signInAnonymously().user
        let uid = user.uid
        #expect(user.isAnonymous)
        #expect(heard.take() == ["signed out", "no token", "signed in", "token"])

        #expect(try await app.auth.signInAnonymously().user === user)
        #expect(heard.take() == [])

        try await user.link(with: EmailAuthProvider.credential(withEmail: "ada@example.com", password: "secret1"))
        #expect(!user.isAnonymous)
        #expect(user.email == "ada@example.com")
        #expect(heard.take() == ["token"])

        let apple = try await user.link(with: app.gateway.apple().credential())
        #expect(apple.user === user)
        #expect(Set(user.providerData.map(\.providerID)) == ["password", "apple.com"])
        #expect(heard.take() == ["token"])

        app.clock.advance(by: 10)
        _ = try await user.getIDToken(forcingRefresh: true)
        #expect(heard.take() == ["token"])

        try await user.reauthenticate(
            with: EmailAuthProvider.credential(withEmail: "ada@example.com", password: "secret1"))
        #expect(heard.take() == ["token"])

        #expect(try await user.unlink(fromProvider: "password") === user)
        #expect(user.providerData.map(\.providerID) == ["apple.com"])
        #expect(heard.take() == ["token"])

        #expect(app.auth.currentUser === user)
        #expect(user.uid == uid)
        try await user.delete()
        #expect(app.auth.currentUser == nil)
        #expect(app.store.isEmpty)
        #expect(heard.take() == ["signed out", "no token"])
    }

    @Test("has no claim of an identity that was unlinked, and listeners are called")
    func unlinkedClaim() async throws {
        let app = try await TestApp()
        let user = try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
        try await user.link(with: app.gateway.apple().credential())
        let heard = Heard(app.auth)
        app.clock.advance(by: 10)
        _ = try await user.unlink(fromProvider: "apple.com")
        #expect(heard.all == ["signed in", "token", "token"])
        let claims = try claims(of: try await user.getIDToken())
        #expect(claims["firebase"]?["identities"]?["apple.com"] == nil)
    }

    @Test("survives a restart")
    func restart() async throws {
        let app = try await TestApp()
        let uid = try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1").user.uid
        let restored = try #require(try app.restarted().currentUser)
        #expect(restored.uid == uid)
        #expect(restored.email == "ada@example.com")
        try await restored.reload()
    }
}
