import Foundation
import Identity
import SekishoAuth
import Testing

@testable import Support

@Suite("Two processes with one store")
struct SharedStoreTests {
    /// Signs a user in (`user`). A second process restores the same user from the same store (`other`, the current user
    /// of `otherAuth`). The project has the profile `sekisho`, which rotates refresh tokens.
    private func twoProcesses() async throws -> (app: TestApp, user: User, otherAuth: Auth, other: User) {
        let app = try await TestApp(TestGateway(.sekisho, transport: .socket))
        let user = try await app.auth.createUser(withEmail: "ada@example.com", password: "correct horse battery").user
        let otherAuth = try app.authOfNewProcess()
        return (app, user, otherAuth, try #require(otherAuth.currentUser))
    }

    @Test("A process with older tokens does not store them")
    func olderTokens() async throws {
        let (app, user, _, other) = try await twoProcesses()
        for _ in 0..<3 {
            app.clock.advance(by: 10)
            _ = try await user.getIDToken(forcingRefresh: true)
        }
        // The other process's ID token is still valid, so that process sends the request without a refresh.
        try await other.reload()
        #expect(other.refreshToken == user.refreshToken)
        app.clock.advance(by: 3600)
        let restored = try #require(try app.authOfNewProcess().currentUser)
        _ = try await restored.getIDToken()
        try await restored.reload()
    }

    @Test("A process adopts a user whom another process has signed in, and does not overwrite that user's session")
    func anotherUser() async throws {
        let (app, user, otherAuth, _) = try await twoProcesses()
        let next = try await otherAuth.createUser(withEmail: "mary@example.com", password: "correct horse battery").user
        try await user.reload()
        #expect(app.auth.currentUser?.uid == next.uid)
        #expect(try app.authOfNewProcess().currentUser?.uid == next.uid)
    }

    @Test("The end of the previous user's session does not remove the session of the next user")
    func previousSessionEnds() async throws {
        let (app, user, otherAuth, _) = try await twoProcesses()
        let idToken = try await user.getIDToken()
        try otherAuth.signOut()
        // The gateway rejects the ID token when it has ended the session.
        try await eventually { try await app.gateway.lookup(idToken).status == 400 }
        let next = try await otherAuth.signInAnonymously().user
        #expect(await failure { try await user.reload() } == .userTokenExpired)
        #expect(app.auth.currentUser?.uid == next.uid)
        #expect(try app.authOfNewProcess().currentUser?.uid == next.uid)
    }

    @Test("An item in the format of a later version is neither overwritten by a change nor removed with the session")
    func laterFormat() async throws {
        let (app, user, _, _) = try await twoProcesses()
        let item = Data(#"{"format":2}"#.utf8)
        app.store.item = item
        try await user.reload()
        #expect(app.store.item == item)
        try await user.revokeAllSessions()
        #expect(app.auth.currentUser == nil)
        #expect(app.store.item == item)
    }

    @Test("A sign-out in one process is not undone by a write of the other")
    func signOut() async throws {
        let (app, user, otherAuth, _) = try await twoProcesses()
        // The session continues at the gateway, so the other process can still reload the user.
        app.transport.injectNext(.dropRequest, for: "revokeSession")
        try otherAuth.signOut()
        try await eventually { app.transport.operations.contains("revokeSession") }
        try await user.reload()
        #expect(app.store.isEmpty)
    }
}
