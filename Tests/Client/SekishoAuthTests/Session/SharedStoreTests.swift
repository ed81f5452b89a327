import Foundation
import Identity
import Testing

@testable import SekishoAuth
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

    /// The grace period of refresh tokens, and one second.
    private let afterGrace: TimeInterval = 31

    /// Refreshes the tokens twice, so that the gateway ends the session if it then gets the first refresh token.
    private func refreshTwice(_ app: TestApp, _ user: User) async throws {
        for _ in 0..<2 {
            _ = try await user.getIDToken(forcingRefresh: true)
            app.clock.advance(by: afterGrace)
        }
    }

    private func expectSession(_ app: TestApp, _ users: [User]) async throws {
        for user in users { _ = try await user.getIDToken(forcingRefresh: true) }
        app.clock.advance(by: 3600)
        let restored = try #require(try app.authOfNewProcess().currentUser)
        _ = try await restored.getIDToken()
        try await restored.reload()
    }

    @Test("A late response to a refresh does not replace the newer tokens of another process")
    func lateResponse() async throws {
        let (app, user, _, other) = try await twoProcesses()
        app.transport.injectNext(.holdResponse, for: "token")
        let refresh = Task { try await user.getIDToken(forcingRefresh: true) }
        try await eventually { app.transport.heldCount == 1 }
        try await refreshTwice(app, other)
        app.transport.releaseResponses()
        #expect(try await refresh.value == other.getIDToken())
        #expect(user.refreshToken == other.refreshToken)
        try await expectSession(app, [user, other])
    }

    @Test("A late response to a link keeps both processes signed in")
    func lateLink() async throws {
        let (app, user, _, other) = try await twoProcesses()
        app.transport.injectNext(.holdResponse, for: "signInWithIdp")
        let credential = try app.gateway.appleCredential().oauthCredential()
        let link = Task { try await user.link(with: credential) }
        try await eventually { app.transport.heldCount == 1 }
        try await refreshTwice(app, other)
        app.transport.releaseResponses()
        _ = try await link.value
        #expect(user.providerData.map(\.providerID).contains("apple.com"))
        try await expectSession(app, [user, other])
    }

    @Test("A retry of a refresh uses the tokens that another process has stored since the first attempt")
    func retry() async throws {
        let (app, user, _, _) = try await twoProcesses()
        let auth = try app.authOfNewProcess { options in
            options.clock.sleep = { _ in try await refreshTwice(app, user) }
        }
        let other = try #require(auth.currentUser)
        app.transport.injectNext(.dropRequest, for: "token")
        #expect(try await other.getIDToken(forcingRefresh: true) == user.getIDToken())
        try await expectSession(app, [user, other])
    }

    @Test("A process whose refresh is rejected uses the key of another process that is changing the password")
    func changeDuringRefresh() async throws {
        let (app, user, otherAuth, other) = try await twoProcesses()
        app.transport.injectNext(.holdRequest, for: "token")
        let refresh = Task { try await other.getIDToken(forcingRefresh: true) }
        try await eventually { app.transport.heldRequestCount == 1 }
        app.transport.injectNext(.holdResponse, for: "update")
        let change = Task { try await user.updatePassword(to: "another secret") }
        try await eventually { app.transport.heldCount == 1 }
        app.transport.releaseRequests()
        _ = try await refresh.value
        #expect(otherAuth.currentUser === other)
        try await refreshTwice(app, other)
        app.transport.releaseResponses()
        try await change.value
        #expect(user.refreshToken == other.refreshToken)
        try await expectSession(app, [user, other])
    }

    @Test("Tokens that a process could not store do not replace the newer tokens of another process")
    func failedWrite() async throws {
        let (app, user, _, other) = try await twoProcesses()
        app.store.setFailure(.failed("disk full"))
        _ = try await user.getIDToken(forcingRefresh: true)
        app.store.setFailure(nil)
        app.clock.advance(by: afterGrace)
        try await refreshTwice(app, other)
        _ = try await user.getIDToken()
        #expect(user.refreshToken == other.refreshToken)
        try await expectSession(app, [user, other])
    }

    @Test("A change of the profile in one process is seen by the other process's next write")
    func profile() async throws {
        let (app, user, _, other) = try await twoProcesses()
        let change = user.createProfileChangeRequest()
        change.displayName = "Ada"
        try await change.commitChanges()
        _ = try await other.getIDToken(forcingRefresh: true)
        #expect(other.displayName == "Ada")
        #expect(try app.authOfNewProcess().currentUser?.displayName == "Ada")
    }

    @Test("A refresh waits while another process may still send an older refresh token")
    func claims() {
        let now: TimeInterval = 1_000_000
        let ended = RefreshClaim(owner: "a", generation: 1, at: now, processID: 0x3fff_ffff)
        #expect(!ended.isActive(at: now), "a process that has ended")
        let claim = RefreshClaim(owner: "a", generation: 1, at: now)
        #expect(claim.isActive(at: now))
        #expect(claim.isActive(at: now + RefreshClaim.lifetime - 1))
        #expect(!claim.isActive(at: now + RefreshClaim.lifetime), "an expired claim")
        #expect(!claim.isActive(at: now - 1), "a claim of the time before a restart of the device")
    }
}
