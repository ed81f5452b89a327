import Foundation
import SekishoAuth
import Testing

@testable import Support

@Suite("Sign-out by the gateway")
struct SignedOutByGatewayTests {
    struct FaultCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let fault: TestTransport.Fault
        let error: AuthErrorCode
    }

    static let faults = [
        FaultCase(testDescription: "no connection", fault: .dropRequest, error: .networkError),
        FaultCase(testDescription: "a lost response", fault: .dropResponse, error: .networkError),
        FaultCase(testDescription: "503 with text", fault: .respond(503, [:], "overloaded"), error: .internalError),
        FaultCase(
            testDescription: "500 with the JSON of a rejection",
            fault: .respond(500, [:], #"{"error":{"code":400,"message":"USER_NOT_FOUND"}}"#), error: .internalError),
        FaultCase(testDescription: "429 with text", fault: .respond(429, [:], "slow down"), error: .tooManyRequests),
        FaultCase(
            testDescription: "the page of a captive portal", fault: .respond(200, [:], "<html>"),
            error: .internalError),
        FaultCase(
            testDescription: "a truncated body", fault: .respond(200, [:], #"{"access_token":"x","#),
            error: .internalError),
        FaultCase(testDescription: "an empty body", fault: .respond(200), error: .internalError),
        FaultCase(testDescription: "a JSON array", fault: .respond(200, [:], "[]"), error: .internalError),
        FaultCase(
            testDescription: "a redirect", fault: .respond(302, ["Location": "http://localhost/login"]),
            error: .internalError),
        FaultCase(testDescription: "a proxy's 407", fault: .respond(407, [:], "<html>"), error: .internalError),
        FaultCase(testDescription: "404 with text", fault: .respond(404, [:], "not found"), error: .internalError),
        FaultCase(
            testDescription: "a wrong API key",
            fault: .respond(
                400, [:],
                #"{"error":{"code":400,"message":"API key not valid.","errors":[{"reason":"keyInvalid"}]}}"#),
            error: .invalidAPIKey),
        FaultCase(
            testDescription: "a disabled project",
            fault: .respond(403, [:], #"{"error":{"code":403,"message":"PROJECT_DISABLED"}}"#), error: .internalError),
        FaultCase(
            testDescription: "a refresh token of another database",
            fault: .respond(400, [:], #"{"error":{"code":400,"message":"INVALID_REFRESH_TOKEN"}}"#),
            error: .invalidUserToken),
        FaultCase(
            testDescription: "a code that this version does not know",
            fault: .respond(400, [:], #"{"error":{"code":400,"message":"BRAND_NEW_CODE : text"}}"#),
            error: .internalError),
    ]

    @Test("The user stays signed in after an error that does not say that the session has ended", arguments: faults)
    func keepsUser(row: FaultCase) async throws {
        let app = try await TestApp()
        let user = try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
        let log = ListenerLog(app.auth)
        // Both listeners have been called with the user.
        try await eventually { log.lines.count == 2 }
        app.clock.advance(by: 3600)
        app.transport.injectAlways(row.fault)
        #expect(await failure { try await user.getIDToken() } == row.error)
        #expect(await failure { try await user.reload() } == row.error)
        #expect(app.auth.currentUser === user)
        #expect(try app.authOfNewProcess().currentUser?.uid == user.uid)
        app.transport.injectAlways(nil)
        try await user.reload()
        #expect(log.lines == ["signed in", "token", "token"])
    }

    struct SessionEnd: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The error of a request with the ID token.
        let error: AuthErrorCode
        let end: @Sendable (TestApp, User) async throws -> Void
    }

    static let sessionEnds = [
        SessionEnd(testDescription: "a deleted account", error: .userNotFound) { app, user in
            try await app.gateway.makeServiceKey()
            #expect(try await app.gateway.administerAccounts(":delete", ["localId": .string(user.uid)]).status == 200)
        },
        SessionEnd(testDescription: "a disabled account", error: .userDisabled) { app, user in
            try await app.gateway.makeServiceKey()
            let disabled = try await app.gateway.administerAccounts(
                ":update", ["localId": .string(user.uid), "disableUser": true])
            #expect(disabled.status == 200)
        },
        SessionEnd(testDescription: "a revoked session", error: .userTokenExpired) { app, user in
            let idToken = try await user.getIDToken()
            let revoked = try await app.gateway.post(
                "/v1/accounts:revokeSession", ["idToken": .string(idToken), "everywhere": true])
            #expect(revoked.status == 204)
        },
    ]

    @Test(
        "The user is signed out if the gateway rejects a refresh because the session has ended", arguments: sessionEnds)
    func refresh(row: SessionEnd) async throws {
        // The response to a refresh does not reveal that the account was deleted.
        let error = row.error == .userNotFound ? .userTokenExpired : row.error
        try await expectSignOut(after: row, error: error) { app, user in
            app.clock.advance(by: 3600)
            _ = try await user.getIDToken()
        }
    }

    @Test(
        "The user is signed out if the gateway rejects a request because the session has ended", arguments: sessionEnds)
    func request(row: SessionEnd) async throws {
        try await expectSignOut(after: row, error: row.error) { _, user in try await user.reload() }
    }

    /// Ends the session, and expects that the operation then fails with an error and signs the user out.
    private func expectSignOut(
        after row: SessionEnd, error expected: AuthErrorCode, _ operation: (TestApp, User) async throws -> Void
    )
        async throws
    {
        let app = try await TestApp()
        let user = try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
        let log = ListenerLog(app.auth)
        try await eventually { log.lines.count == 2 }
        try await row.end(app, user)
        let error = await failure { try await operation(app, user) }
        #expect(error == expected)
        #expect(app.auth.currentUser == nil)
        #expect(app.store.isEmpty)
        #expect(log.lines == ["signed in", "token", "signed out", "no token"])
        #expect(try app.authOfNewProcess().currentUser == nil)
    }

    @Test("The user is signed out if a request is rejected again with a new ID token")
    func repeatedRequest() async throws {
        let app = try await TestApp()
        let user = try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
        for code in ["INVALID_ID_TOKEN", "USER_DISABLED"] {
            app.transport.injectNext(.respond(400, [:], #"{"error":{"code":400,"message":"\#(code)"}}"#), for: "lookup")
        }
        #expect(await failure { try await user.reload() } == .userDisabled)
        #expect(app.auth.currentUser == nil)
    }

    @Test("A rejected credential keeps the user signed in")
    func credential() async throws {
        let app = try await TestApp()
        let user = try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
        let unknown = EmailAuthProvider.credential(withEmail: "unknown@example.com", password: "secret1")
        #expect(await failure { try await user.reauthenticate(with: unknown) } == .userMismatch)
        #expect(app.auth.currentUser === user)
    }

    @Test("If the store cannot remove the session, a sign-out fails and the user stays signed in")
    func storeFails() async throws {
        let app = try await TestApp()
        let user = try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
        app.store.setFailure(.failed("read-only"))
        #expect(throws: AuthErrorCode.self) { try app.auth.signOut() }
        #expect(app.auth.currentUser === user)
        app.store.setFailure(nil)
        try app.auth.signOut()
        #expect(app.store.isEmpty)
    }

    @Test(
        "If the store cannot remove the session after a deletion or revocation, the next request signs the user out",
        arguments: [true, false])
    func storeFailsAfterRequest(isDeletion: Bool) async throws {
        let app = try await TestApp()
        let user = try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
        app.store.setFailure(.failed("read-only"))
        let error = await failure {
            if isDeletion {
                try await user.delete()
            } else {
                try await user.revokeAllSessions()
            }
        }
        #expect(error == .keychainError)
        #expect(app.auth.currentUser === user)
        app.store.setFailure(nil)
        #expect(await failure { try await user.reload() } != nil)
        #expect(app.auth.currentUser == nil)
        #expect(app.store.isEmpty)
    }

    @Test("A sign-out ends the session at the gateway too")
    func revokedAtSignOut() async throws {
        let app = try await TestApp()
        let user = try await app.auth.createUser(withEmail: "ada@example.com", password: "secret1").user
        let idToken = try await user.getIDToken()
        try app.auth.signOut()
        try await eventually { try await app.gateway.lookup(idToken).status == 400 }
        // A sign-out without a user has no effect.
        try app.auth.signOut()
    }
}
