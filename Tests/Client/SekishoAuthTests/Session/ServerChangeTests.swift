import Foundation
import SekishoAuth
import Testing

@testable import Support

@Suite("A change of the server")
struct ServerChangeTests {
    /// Another host name of the test gateway.
    private static let otherHost = "localhost"

    private func useOtherServer(_ app: TestApp) throws {
        app.auth.useEmulator(withHost: Self.otherHost, port: Int(try #require(app.gateway.server?.port)))
    }

    @Test("After a change of the server, no request of the user is sent to the new server, even during a refresh")
    func refresh() async throws {
        let app = try await TestApp()
        let user = try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
        app.clock.advance(by: 3600)
        // The first attempt of the refresh fails, and the response to the second is held.
        app.transport.injectNext(.dropResponse, for: "token")
        app.transport.injectNext(.holdResponse, for: "token")
        let refresh = Task { try await user.getIDToken() }
        try await eventually { app.transport.heldCount == 1 }
        try useOtherServer(app)
        app.transport.releaseResponses()
        _ = try await refresh.value
        try await user.reload()
        #expect(app.auth.currentUser == nil)
        #expect(app.transport.hosts == ["127.0.0.1"])
    }

    @Test("A sign-in in progress completes at the server at which it began, and sets no user at the new server")
    func signIn() async throws {
        let app = try await TestApp()
        app.transport.injectNext(.holdResponse, for: "signUp")
        let signIn = Task { try await app.auth.signInAnonymously().user }
        try await eventually { app.transport.heldCount == 1 }
        try useOtherServer(app)
        app.transport.releaseResponses()
        let user = try await signIn.value
        #expect(app.auth.currentUser == nil)
        #expect(app.transport.hosts == ["127.0.0.1"])
        #expect(try app.authOfNewProcess().currentUser?.uid == user.uid)
    }

    @Test("Listeners and sequences continue after a change of the server")
    func observers() async throws {
        let app = try await TestApp()
        let log = ListenerLog(app.auth)
        var users = app.auth.authStateChanges.makeAsyncIterator()
        #expect(await users.next() == .some(nil))
        try useOtherServer(app)
        let user = try await app.auth.signInAnonymously().user
        #expect(log.lines.suffix(2) == ["signed in", "token"])
        #expect(await users.next() == .some(user))
        #expect(app.transport.hosts == [Self.otherHost])
    }

    @Test("A user of another server can neither become the current user nor prove the ownership of a merge's target")
    func userOfAnotherServer() async throws {
        let app = try await TestApp()
        let user = try await app.auth.signInAnonymously().user
        let other = try await TestApp(app.gateway)
        try useOtherServer(other)
        #expect(await failure { try await other.auth.updateCurrentUser(user) } == .invalidUserToken)
        #expect(other.auth.currentUser == nil)
        let otherUser = try await other.auth.signInAnonymously().user
        #expect(await failure { try await otherUser.previewMerge(into: .user(user)) } == .invalidUserToken)
        #expect(other.transport.hosts == [Self.otherHost])
    }
}
