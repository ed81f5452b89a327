import Foundation
import Identity
import Testing

@testable import SekishoAuth
@testable import Support

@Suite("The refresh of tokens")
struct TokenRefreshTests {
    private let hour: TimeInterval = 3600

    /// A user in a project with the profile `sekisho`, which rotates refresh tokens; the profile `firebase` does not.
    private func signedIn() async throws -> (app: TestApp, user: User) {
        let app = try await TestApp(TestGateway(.sekisho, transport: .socket))
        let user = try await app.auth.createUser(withEmail: "ada@example.com", password: "correct horse battery").user
        return (app, user)
    }

    @Test("A refresh sends one request for fifty callers when the token has expired")
    func singleFlight() async throws {
        let (app, user) = try await signedIn()
        let old = try await user.getIDToken()
        app.clock.advance(by: hour)
        let (tokens, operations) = try await app.transport.operations {
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<50 { group.addTask { try await user.getIDToken() } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
        }
        #expect(tokens.count == 1)
        #expect(!tokens.contains(old))
        #expect(operations == ["token"])
        try await user.reload()
    }

    @Test("Fifty callers of a failing refresh share requests, and get the same error")
    func sharedFailure() async throws {
        let (app, user) = try await signedIn()
        app.clock.advance(by: hour)
        app.transport.injectAlways(.respond(500, [:], "failed"))
        let (codes, operations) = await app.transport.operations {
            await withTaskGroup(of: AuthErrorCode?.self) { group in
                for _ in 0..<50 { group.addTask { await failure { try await user.getIDToken() } } }
                return await group.reduce(into: Set<AuthErrorCode?>()) { $0.insert($1) }
            }
        }
        #expect(codes == [.internalError])
        // Callers that wait for the same attempt share its outcome.
        #expect(operations.count < 50)
        #expect(app.auth.currentUser === user)
    }

    @Test("A token is refreshed when it expires in less than five minutes, and not before")
    func refreshMargin() async throws {
        let (app, user) = try await signedIn()
        let first = try await user.getIDToken()
        app.clock.advance(by: hour - 301)
        #expect(try await user.getIDToken() == first)
        app.clock.advance(by: 2)
        #expect(try await user.getIDToken() != first)
    }

    @Test("A forced refresh replaces an ID token that is still fresh")
    func forced() async throws {
        let (app, user) = try await signedIn()
        let first = try await user.getIDToken()
        app.clock.advance(by: 1)
        let second = try await user.getIDToken(forcingRefresh: true)
        #expect(second != first)
        #expect(try await user.getIDToken() == second)
    }

    @Test("A refresh succeeds although responses are lost repeatedly")
    func lostResponse() async throws {
        let (app, user) = try await signedIn()
        for _ in 0..<5 {
            app.clock.advance(by: hour)
            app.transport.injectNext(.dropResponse)
            app.transport.injectNext(.dropResponse)
            _ = try await user.getIDToken()
            try await user.reload()
        }
        #expect(try app.authOfNewProcess().currentUser?.uid == user.uid)
    }

    @Test("A refresh succeeds after the process ended between the response and the write")
    func killedBeforeWrite() async throws {
        let (app, user) = try await signedIn()
        for _ in 0..<3 {
            app.clock.advance(by: hour)
            let item = app.store.item
            _ = try await user.getIDToken()
            // The write did not reach the disk, and the process ended.
            app.store.item = item
            let restored = try #require(try app.authOfNewProcess().currentUser)
            _ = try await restored.getIDToken()
            try await restored.reload()
            #expect(try app.authOfNewProcess().currentUser?.uid == user.uid)
        }
    }

    @Test("Refreshes in two processes at once keep both signed in")
    func twoProcesses() async throws {
        let (app, user) = try await signedIn()
        let other = try #require(try app.authOfNewProcess().currentUser)
        for round in 0..<6 {
            app.clock.advance(by: hour)
            if round % 3 == 2 {
                // One process has refreshed its tokens once more than the other.
                _ = try await user.getIDToken(forcingRefresh: true)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for instance in [user, other] { group.addTask { _ = try await instance.getIDToken() } }
                try await group.waitForAll()
            }
            try await user.reload()
            try await other.reload()
        }
        #expect(try app.authOfNewProcess().currentUser?.uid == user.uid)
    }

    struct TokenReplacement: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The gateway's operation whose response has the new tokens.
        let operation: String
        let run: @Sendable (TestApp, User) async throws -> Void
    }

    static let replacements = [
        TokenReplacement(testDescription: "a new password", operation: "update") { _, user in
            try await user.updatePassword(to: "another secret")
        },
        TokenReplacement(testDescription: "a link", operation: "signInWithIdp") { app, user in
            try await user.link(with: app.gateway.appleCredential().oauthCredential())
        },
        TokenReplacement(testDescription: "a reauthentication", operation: "signInWithPassword") { _, user in
            try await user.reauthenticate(
                with: EmailAuthProvider.credential(withEmail: "ada@example.com", password: "correct horse battery"))
        },
    ]

    @Test(
        "A refresh waits for an operation that replaces the tokens, and then sends no request",
        arguments: replacements)
    func supersededByOperation(row: TokenReplacement) async throws {
        let (app, user) = try await signedIn()
        // The new tokens get a later issue time than the old ones.
        app.clock.advance(by: 100)
        app.transport.injectNext(.holdResponse, for: row.operation)
        let update = Task { try await row.run(app, user) }
        try await eventually { app.transport.heldCount == 1 }
        // The gateway has issued new tokens, and the device still has the old ones.
        let refreshes = (0..<20).map { _ in Task { try await user.getIDToken(forcingRefresh: true) } }
        try await eventually { user.taskQueue.waitingCount == refreshes.count }
        app.transport.releaseResponses()
        try await update.value
        for refresh in refreshes { _ = try await refresh.value }
        #expect(app.auth.currentUser === user)
        #expect(!app.transport.operations.contains("token"))
        try await user.reload()
    }

    @Test("A refresh that ends after the sign-out changes nothing")
    func signOutDuringRefresh() async throws {
        let (app, user) = try await signedIn()
        app.clock.advance(by: hour)
        app.transport.injectNext(.holdResponse, for: "token")
        let refresh = Task { try await user.getIDToken() }
        try await eventually { app.transport.heldCount == 1 }
        try app.auth.signOut()
        app.transport.releaseResponses()
        _ = try await refresh.value
        #expect(app.auth.currentUser == nil)
        #expect(app.store.isEmpty)
    }

    @Test("A refresh is not cancelled with its caller")
    func cancelledCaller() async throws {
        let (app, user) = try await signedIn()
        app.clock.advance(by: hour)
        app.transport.injectNext(.holdResponse, for: "token")
        let caller = Task { try await user.getIDToken() }
        try await eventually { app.transport.heldCount == 1 }
        caller.cancel()
        app.transport.releaseResponses()
        _ = await caller.result
        let (_, operations) = try await app.transport.operations { try await user.getIDToken() }
        #expect(operations == [])
    }

    @Test("After a failed refresh, the current token is returned while it is valid")
    func staleToken() async throws {
        let (app, user) = try await signedIn()
        let token = try await user.getIDToken()
        // A refresh is due 300 seconds before the token expires.
        app.clock.advance(by: hour - 200)
        app.transport.injectAlways(.dropRequest)
        #expect(try await user.getIDToken() == token)
        #expect(await failure { try await user.getIDToken(forcingRefresh: true) } == .networkError)
        app.clock.advance(by: 200)
        #expect(await failure { try await user.getIDToken() } == .networkError)
        app.transport.injectAlways(nil)
        #expect(try await user.getIDToken() != token)
    }

    @Test("After a failed refresh, no request is sent before the time in Retry-After", arguments: [503, 429])
    func retryAfter(status: Int) async throws {
        let (app, user) = try await signedIn()
        app.clock.advance(by: hour)
        app.transport.injectNext(.respond(status, ["Retry-After": "40"], "overloaded"))
        let (first, operations) = await app.transport.operations { await failure { try await user.getIDToken() } }
        #expect(first?.retryAfter == 40)
        #expect(operations == ["token"])
        app.clock.advance(by: 30)
        let (second, laterOperations) = await app.transport.operations { await failure { try await user.getIDToken() } }
        #expect(second == first)
        #expect(second?.retryAfter == 10)
        #expect(laterOperations == [])
        app.clock.advance(by: 11)
        _ = try await user.getIDToken()
    }

    @Test("An operation whose ID token the gateway rejects is repeated after a refresh")
    func rejectedToken() async throws {
        let (app, user) = try await signedIn()
        app.transport.injectNext(
            .respond(400, [:], #"{"error":{"code":400,"message":"INVALID_ID_TOKEN"}}"#), for: "lookup")
        let (_, operations) = try await app.transport.operations { try await user.reload() }
        #expect(operations == ["lookup", "token", "lookup"])
        #expect(app.auth.currentUser === user)
    }

    @Test("A refresh rejects tokens of another user")
    func tokensOfAnotherUser() async throws {
        let (app, user) = try await signedIn()
        app.clock.advance(by: hour)
        app.transport.injectNext(
            .respond(
                200, [:],
                #"{"access_token":"a","id_token":"a","refresh_token":"b","expires_in":"3600","user_id":"another"}"#))
        // The second attempt gets tokens of the user.
        #expect(try await user.getIDToken() != "a")
        #expect(app.auth.currentUser === user)
    }

    @Test(
        "A refresh rejects an empty refresh token, and a lifetime that is not positive",
        arguments: [("", "3600"), ("x", "0"), ("x", "-1")])
    func unusableTokens(refreshToken: String, lifetime: String) async throws {
        let (app, user) = try await signedIn()
        let idToken = try await user.getIDToken()
        let known = user.refreshToken
        app.clock.advance(by: hour)
        app.transport.injectAlways(
            .respond(
                200, [:],
                #"{"access_token":"\#(idToken)","refresh_token":"\#(refreshToken)","expires_in":"\#(lifetime)"}"#))
        #expect(await failure { try await user.getIDToken() } == .internalError)
        #expect(user.refreshToken == known)
        app.transport.injectAlways(nil)
        _ = try await user.getIDToken()
    }

    @Test("Tokens that could not be stored are stored by the next call after the store works again")
    func laterWrite() async throws {
        let (app, user) = try await signedIn()
        app.store.setFailure(.failed("disk full"))
        try await user.updatePassword(to: "another secret")
        app.store.setFailure(nil)
        // No refresh is needed yet.
        _ = try await user.getIDToken()
        let restored = try #require(try app.authOfNewProcess().currentUser)
        app.clock.advance(by: hour)
        _ = try await restored.getIDToken()
    }

    @Test("Tokens that cannot be stored stay in memory, and the next refresh fails until they are stored")
    func failedWrite() async throws {
        let (app, user) = try await signedIn()
        app.clock.advance(by: hour)
        app.store.setFailure(.failed("disk full"))
        let token = try await user.getIDToken()
        app.clock.advance(by: hour)
        #expect(await failure { try await user.getIDToken() } == .keychainError)
        app.store.setFailure(nil)
        #expect(try await user.getIDToken() != token)
        let restored = try #require(try app.authOfNewProcess().currentUser)
        app.clock.advance(by: hour)
        _ = try await restored.getIDToken()
    }
}
