import Foundation
import HTTP
import Identity
import SekishoAuth
import Testing

@testable import Support

@Suite("A lost response with the tokens of a new session")
struct LostSessionTests {
    /// A change that replaces the session.
    struct Change: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let request: String
        var isAnonymous = false
        let run: @Sendable (User) async throws -> Void

        static let all = [
            Change(testDescription: "of a new password", request: "update") { user in
                try await user.updatePassword(to: "another secret")
            },
            Change(testDescription: "of a new address", request: "update") { user in
                try await user.updateEmail(to: "new@example.com")
            },
            Change(testDescription: "of a first password", request: "signUp", isAnonymous: true) { user in
                try await user.link(
                    with: EmailAuthProvider.credential(withEmail: "ada@example.com", password: "another secret"))
            },
        ]
    }

    private func signedIn(_ change: Change) async throws -> (app: TestApp, user: User) {
        let app = try await TestApp(TestGateway(.sekisho, transport: .socket))
        if change.isAnonymous { return (app, try await app.auth.signInAnonymously().user) }
        let result = try await app.auth.createUser(withEmail: "ada@example.com", password: "correct horse battery")
        return (app, result.user)
    }

    @Test("leaves the user signed in", arguments: Change.all)
    func lostResponse(change: Change) async throws {
        let (app, user) = try await signedIn(change)
        app.wire.next(.losesResponse, of: change.request)
        #expect(await failure { try await change.run(user) } == .networkError)
        try await user.reload()
        #expect(!user.isAnonymous || change.isAnonymous)
        #expect(app.auth.currentUser === user)
        try await restartAfterAnHour(app, user)
    }

    @Test("leaves the user signed in if the process ends before it can write", arguments: Change.all)
    func killed(change: Change) async throws {
        let (app, user) = try await signedIn(change)
        app.wire.next(.holdsResponse, of: change.request)
        async let changed: Void = change.run(user)
        try await eventually { app.wire.heldCount == 1 }
        let item = app.store.item
        app.wire.release()
        try await changed
        app.store.item = item
        let restored = try #require(try app.restarted().currentUser)
        try await restored.reload()
        try await restartAfterAnHour(app, restored)
    }

    @Test("leaves the user signed in if the next response is lost too", arguments: Change.all)
    func lostTwice(change: Change) async throws {
        let (app, user) = try await signedIn(change)
        app.wire.next(.losesResponse, of: change.request)
        #expect(await failure { try await change.run(user) } == .networkError)
        for _ in 0..<3 { app.wire.next(.losesResponse, of: "token") }
        #expect(await failure { try await user.reload() } == .networkError)
        try await user.reload()
        try await restartAfterAnHour(app, user)
    }

    @Test("leaves the user signed in if the gateway makes the change after the app has moved on")
    func lateChange() async throws {
        let (app, user) = try await signedIn(Change.all[0])
        app.wire.next(.losesRequest, of: "update")
        #expect(await failure { try await user.updatePassword(to: "another secret") } == .networkError)
        let key = try #require(app.wire.headers["Sekisho-Resumption-Key"])
        let idToken = try await user.getIDToken(forcingRefresh: true)
        let late = try await app.gateway.post(
            "/v1/accounts:update", ["idToken": .string(idToken), "password": "another secret"],
            headers: ["Sekisho-Resumption-Key": key])
        #expect(late.outcome == "200")
        try await user.reload()
        try await restartAfterAnHour(app, user)
    }

    @Test("another key is made for the next session")
    func keys() async throws {
        let (app, user) = try await signedIn(Change.all[0])
        var keys: [String?] = []
        for number in 0..<2 {
            app.wire.next(.losesResponse, of: "update")
            #expect(await failure { try await user.updatePassword(to: "another secret \(number)") } == .networkError)
            keys.append(app.wire.headers["Sekisho-Resumption-Key"])
            _ = try await user.getIDToken(forcingRefresh: true)
            _ = try await user.getIDToken(forcingRefresh: true)
            #expect(app.wire.headers["Sekisho-Resumption-Key"] == nil)
        }
        #expect(Set(keys).count == 2 && !keys.contains(nil))
    }

    private static let keyHeader = "Sekisho-Resumption-Key"

    /// Whether the store has a key with which an older refresh token would open a later session.
    private func hasKey(_ app: TestApp) throws -> Bool {
        String(decoding: try #require(app.store.item), as: UTF8.self).contains("resumptionKey")
    }

    @Test("a key is stored before the request, and forgotten after its response", arguments: Change.all)
    func keyOfSuccess(change: Change) async throws {
        let (app, user) = try await signedIn(change)
        app.wire.next(.holdsResponse, of: change.request)
        async let changed: Void = change.run(user)
        try await eventually { app.wire.heldCount == 1 }
        #expect(try hasKey(app))
        app.wire.release()
        try await changed
        #expect(try !hasKey(app))
    }

    @Test(
        "a copy of the store from after a rejected change does not open the session of a later one",
        arguments: Change.all)
    func keyOfRejection(change: Change) async throws {
        let (app, user) = try await signedIn(change)
        app.wire.next(
            .answers(400, [:], #"{"error":{"code":400,"message":"CREDENTIAL_TOO_OLD_LOGIN_AGAIN"}}"#),
            of: change.request)
        #expect(await failure { try await change.run(user) } == .requiresRecentLogin)
        let rejected = try #require(app.wire.headers[Self.keyHeader])
        #expect(try !hasKey(app))
        let copy = try #require(user.refreshToken)
        try await change.run(user)
        let refreshed = try await app.gateway.post(
            "/v1/token", ["grant_type": "refresh_token", "refresh_token": .string(copy)],
            headers: [Self.keyHeader: rejected])
        #expect(refreshed.outcome == "400 TOKEN_EXPIRED")
    }

    @Test("a link that keeps the session needs no key")
    func keyOfLink() async throws {
        let app = try await TestApp(TestGateway(.sekisho, transport: .socket))
        let user = try await app.auth.signInAnonymously().user
        app.wire.next(.losesRequest, of: "signInWithIdp")
        let credential = try app.gateway.apple().credential()
        #expect(await failure { try await user.link(with: credential) } == .networkError)
        #expect(app.wire.headers[Self.keyHeader] == nil)
        #expect(try !hasKey(app))
    }

    @Test("a key is forgotten when the gateway does not accept the lost request any more")
    func keyOfLostRequest() async throws {
        let (app, user) = try await signedIn(Change.all[0])
        app.wire.next(.losesRequest, of: "update")
        #expect(await failure { try await user.updatePassword(to: "another secret") } == .networkError)
        _ = try await user.getIDToken(forcingRefresh: true)
        #expect(try hasKey(app))
        app.clock.advance(by: 3601)
        _ = try await user.getIDToken(forcingRefresh: true)
        #expect(try !hasKey(app))
    }

    @Test("another attempt has the key of the lost one, which may still arrive")
    func keyOfSecondAttempt() async throws {
        let (app, user) = try await signedIn(Change.all[0])
        app.wire.next(.losesRequest, of: "update")
        #expect(await failure { try await user.updatePassword(to: "another secret") } == .networkError)
        let key = app.wire.headers[Self.keyHeader]
        app.wire.next(.answers(400, [:], #"{"error":{"code":400,"message":"WEAK_PASSWORD"}}"#), of: "update")
        #expect(await failure { try await user.updatePassword(to: "x") } == .weakPassword)
        #expect(app.wire.headers[Self.keyHeader] == key)
        #expect(try hasKey(app))
    }

    private func restartAfterAnHour(_ app: TestApp, _ user: User) async throws {
        app.clock.advance(by: 3600)
        let restored = try #require(try app.restarted().currentUser)
        #expect(restored.uid == user.uid)
        _ = try await restored.getIDToken()
        try await restored.reload()
    }
}
