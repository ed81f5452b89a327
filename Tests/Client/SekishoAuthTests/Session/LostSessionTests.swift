import Foundation
import HTTP
import Identity
import SekishoAuth
import Testing

@testable import Support

/// A request that replaces the session has a resumption key. With the key, the refresh token of the replaced session
/// can be exchanged for tokens of the new session.
@Suite("A lost response with the tokens of a new session")
struct LostSessionTests {
    private static let resumptionKeyHeader = "Sekisho-Resumption-Key"

    /// A change that replaces the session.
    struct Change: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The gateway's operation whose response has the tokens of the new session.
        let operation: String
        /// Whether the user is anonymous before the change.
        var isAnonymous = false
        let run: @Sendable (User) async throws -> Void

        static let newPassword = Change(testDescription: "a new password", operation: "update") { user in
            try await user.updatePassword(to: "another secret")
        }

        static let all = [
            newPassword,
            Change(testDescription: "a new address", operation: "update") { user in
                try await user.updateEmail(to: "new@example.com")
            },
            Change(testDescription: "a removed password", operation: "update") { user in
                _ = try await user.unlink(fromProvider: "password", allowNoSignInMethod: true)
            },
            Change(testDescription: "a first password", operation: "signUp", isAnonymous: true) { user in
                try await user.link(
                    with: EmailAuthProvider.credential(withEmail: "ada@example.com", password: "another secret"))
            },
        ]
    }

    /// Returns an app with a signed-in user. The project has the profile `sekisho`, which rotates refresh tokens.
    private func signedIn(_ change: Change) async throws -> (app: TestApp, user: User) {
        let app = try await TestApp(TestGateway(.sekisho, transport: .socket))
        if change.isAnonymous { return (app, try await app.auth.signInAnonymously().user) }
        let result = try await app.auth.createUser(withEmail: "ada@example.com", password: "correct horse battery")
        return (app, result.user)
    }

    @Test("The user stays signed in if the response is lost", arguments: Change.all)
    func lostResponse(change: Change) async throws {
        let (app, user) = try await signedIn(change)
        app.transport.injectNext(.dropResponse, for: change.operation)
        #expect(await failure { try await change.run(user) } == .networkError)
        try await user.reload()
        #expect(!user.isAnonymous)
        #expect(app.auth.currentUser === user)
        try await expectSessionAfterAnHour(app, user)
    }

    @Test(
        "A reload after a lost response to a link makes the user permanent; signInAnonymously then creates a new user")
    func lostLink() async throws {
        let app = try await TestApp(TestGateway(.sekisho, transport: .socket))
        let user = try await app.auth.signInAnonymously().user
        try await user.reload()
        #expect(user.isAnonymous)
        app.transport.injectNext(.dropResponse, for: "signInWithIdp")
        let credential = try app.gateway.appleCredential().oauthCredential()
        #expect(await failure { try await user.link(with: credential) } == .networkError)
        try await user.reload()
        #expect(!user.isAnonymous)
        let restarted = try app.authOfNewProcess()
        #expect(restarted.currentUser?.isAnonymous == false)
        #expect(try await restarted.signInAnonymously().user.uid != user.uid)
    }

    @Test("The user stays signed in if the process ends before it stores the response", arguments: Change.all)
    func killed(change: Change) async throws {
        let (app, user) = try await signedIn(change)
        app.transport.injectNext(.holdResponse, for: change.operation)
        async let changed: Void = change.run(user)
        try await eventually { app.transport.heldCount == 1 }
        let itemBefore = app.store.item
        app.transport.releaseResponses()
        try await changed
        app.store.item = itemBefore
        let restored = try #require(try app.authOfNewProcess().currentUser)
        try await restored.reload()
        try await expectSessionAfterAnHour(app, restored)
    }

    @Test("The user stays signed in if the responses to the next refresh are lost too", arguments: Change.all)
    func lostTwice(change: Change) async throws {
        let (app, user) = try await signedIn(change)
        app.transport.injectNext(.dropResponse, for: change.operation)
        #expect(await failure { try await change.run(user) } == .networkError)
        // A refresh has three attempts.
        for _ in 0..<3 { app.transport.injectNext(.dropResponse, for: "token") }
        #expect(await failure { try await user.reload() } == .networkError)
        try await user.reload()
        try await expectSessionAfterAnHour(app, user)
    }

    @Test("The user stays signed in if the gateway receives the lost request later")
    func lateChange() async throws {
        let (app, user) = try await signedIn(Change.newPassword)
        app.transport.injectNext(.dropRequest, for: "update")
        #expect(await failure { try await user.updatePassword(to: "another secret") } == .networkError)
        let key = try #require(app.transport.headers[Self.resumptionKeyHeader])
        let idToken = try await user.getIDToken(forcingRefresh: true)
        let late = try await app.gateway.post(
            "/v1/accounts:update", ["idToken": .string(idToken), "password": "another secret"],
            headers: [Self.resumptionKeyHeader: key])
        #expect(late.outcome == "200")
        try await user.reload()
        try await expectSessionAfterAnHour(app, user)
    }

    @Test("Each new session has a different resumption key")
    func keys() async throws {
        let (app, user) = try await signedIn(Change.newPassword)
        var keys: [String?] = []
        for number in 0..<2 {
            app.transport.injectNext(.dropResponse, for: "update")
            #expect(await failure { try await user.updatePassword(to: "another secret \(number)") } == .networkError)
            keys.append(app.transport.headers[Self.resumptionKeyHeader])
            // The first refresh gets the tokens of the new session, and the second needs no key.
            _ = try await user.getIDToken(forcingRefresh: true)
            _ = try await user.getIDToken(forcingRefresh: true)
            #expect(app.transport.headers[Self.resumptionKeyHeader] == nil)
        }
        #expect(Set(keys).count == 2 && !keys.contains(nil))
    }

    /// Whether the store contains a resumption key.
    private func storesResumptionKey(_ app: TestApp) throws -> Bool {
        String(decoding: try #require(app.store.item), as: UTF8.self).contains("resumptionKey")
    }

    @Test("A resumption key is stored before the request, and removed after its response", arguments: Change.all)
    func keyOfSuccess(change: Change) async throws {
        let (app, user) = try await signedIn(change)
        app.transport.injectNext(.holdResponse, for: change.operation)
        async let changed: Void = change.run(user)
        try await eventually { app.transport.heldCount == 1 }
        #expect(try storesResumptionKey(app))
        app.transport.releaseResponses()
        try await changed
        #expect(try !storesResumptionKey(app))
    }

    @Test(
        "The resumption key of a rejected change is removed, and gives no tokens of a later session",
        arguments: Change.all)
    func keyOfRejection(change: Change) async throws {
        let (app, user) = try await signedIn(change)
        app.transport.injectNext(
            .respond(400, [:], #"{"error":{"code":400,"message":"CREDENTIAL_TOO_OLD_LOGIN_AGAIN"}}"#),
            for: change.operation)
        #expect(await failure { try await change.run(user) } == .requiresRecentLogin)
        let rejected = try #require(app.transport.headers[Self.resumptionKeyHeader])
        #expect(try !storesResumptionKey(app))
        let copiedRefreshToken = try #require(user.refreshToken)
        try await change.run(user)
        let refreshed = try await app.gateway.post(
            "/v1/token", ["grant_type": "refresh_token", "refresh_token": .string(copiedRefreshToken)],
            headers: [Self.resumptionKeyHeader: rejected])
        #expect(refreshed.outcome == "400 TOKEN_EXPIRED")
    }

    @Test("A link that keeps the session sends no resumption key")
    func keyOfLink() async throws {
        let app = try await TestApp(TestGateway(.sekisho, transport: .socket))
        let user = try await app.auth.signInAnonymously().user
        app.transport.injectNext(.dropRequest, for: "signInWithIdp")
        let credential = try app.gateway.appleCredential().oauthCredential()
        #expect(await failure { try await user.link(with: credential) } == .networkError)
        #expect(app.transport.headers[Self.resumptionKeyHeader] == nil)
        #expect(try !storesResumptionKey(app))
    }

    @Test("A resumption key is removed when the gateway no longer accepts the lost request")
    func keyOfLostRequest() async throws {
        let (app, user) = try await signedIn(Change.newPassword)
        app.transport.injectNext(.dropRequest, for: "update")
        #expect(await failure { try await user.updatePassword(to: "another secret") } == .networkError)
        _ = try await user.getIDToken(forcingRefresh: true)
        #expect(try storesResumptionKey(app))
        // The ID token of the lost request has expired after 3600 seconds.
        app.clock.advance(by: 3601)
        _ = try await user.getIDToken(forcingRefresh: true)
        #expect(try !storesResumptionKey(app))
    }

    @Test("A retry has the resumption key of the lost request, which may still arrive")
    func keyOfSecondAttempt() async throws {
        let (app, user) = try await signedIn(Change.newPassword)
        app.transport.injectNext(.dropRequest, for: "update")
        #expect(await failure { try await user.updatePassword(to: "another secret") } == .networkError)
        let key = app.transport.headers[Self.resumptionKeyHeader]
        app.transport.injectNext(
            .respond(400, [:], #"{"error":{"code":400,"message":"WEAK_PASSWORD"}}"#), for: "update")
        #expect(await failure { try await user.updatePassword(to: "x") } == .weakPassword)
        #expect(app.transport.headers[Self.resumptionKeyHeader] == key)
        #expect(try storesResumptionKey(app))
    }

    /// Expects that a restart an hour later restores the user, and that the tokens can be refreshed.
    private func expectSessionAfterAnHour(_ app: TestApp, _ user: User) async throws {
        app.clock.advance(by: 3600)
        let restored = try #require(try app.authOfNewProcess().currentUser)
        #expect(restored.uid == user.uid)
        _ = try await restored.getIDToken()
        try await restored.reload()
    }
}
