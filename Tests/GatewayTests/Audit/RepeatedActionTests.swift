import HTTP
import Identity
import Postgres
import Simulators
import Testing

@testable import Support

@Suite("Audit events of actions that clients repeat")
struct RepeatedActionTests {
    struct Action: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let action: String
        /// Performs the action once, from a client at the address.
        let perform: @Sendable (TestGateway, _ address: String) async throws -> Void
    }

    private static func tokens(_ gateway: TestGateway) async throws -> TestGateway.Tokens {
        try TestGateway.Tokens(await gateway.signIn())
    }

    private static func revoke(_ body: [String: JSON], in gateway: TestGateway, from address: String) async throws {
        let body = body.merging(["idToken": .string(try await tokens(gateway).idToken)]) { $1 }
        #expect(try await gateway.post("/v1/accounts:revokeSession", .object(body), from: address).outcome == "204")
    }

    static let actions = [
        Action(testDescription: "sign out", action: "session.revoked") {
            try await revoke(["sessionId": "current"], in: $0, from: $1)
        },
        Action(testDescription: "sign out everywhere", action: "session.revoked") {
            try await revoke(["everywhere": true], in: $0, from: $1)
        },
    ]

    @Test(
        "A repeated action has one event per hour and network, with the first and the latest action", arguments: actions
    )
    func coalesced(row: Action) async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        for _ in 1...20 {
            gateway.clock.advance(by: .seconds(60))
            try await row.perform(gateway, "192.0.2.1")
        }
        try await row.perform(gateway, "198.51.100.1")
        var events = try await gateway.auditTrail()
        #expect(events.map(\.network) == ["192.0.2.0/24", "198.51.100.0/24"])
        #expect(events.allSatisfy { $0.action == row.action && $0.subject == ada.localId && $0.actor == "user" })
        #expect(events[0].detail["repeated"] == "19")
        // `TestClock` starts at 1,800,000,000 s, the beginning of an hour. The last of the 20 actions was 1200 s later.
        #expect(events[0].detail["lastOccurredAt"] == Instant(seconds: 1_800_001_200).iso8601)
        #expect(events[0].detail["lastRequestId"] != nil)
        #expect(events[1].detail["repeated"] == nil)
        gateway.clock.advance(by: .seconds(3600))
        try await row.perform(gateway, "192.0.2.1")
        events = try await gateway.auditTrail()
        #expect(events.count == 3, "a new hour has an event of its own")
    }

    @Test("The event of ended sessions names the first hundred sessions and the last one")
    func sessions() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signUp()
        var ended: [String] = []
        for _ in 1...102 {
            let tokens = try await Self.tokens(gateway)
            ended.append(try #require(try claims(of: tokens.idToken)["sid"]?.string))
            _ = try await gateway.post(
                "/v1/accounts:revokeSession", ["idToken": .string(tokens.idToken), "sessionId": "current"])
        }
        let events = try await gateway.auditTrail()
        #expect(events.count == 1)
        #expect(events.first?.detail["sessionId"] == ended.prefix(100).joined(separator: " "))
        #expect(events.first?.detail["lastSessionId"] == ended.last)
        #expect(events.first?.detail["repeated"] == "101")
    }

    @Test("Session cookies of one account have one event per hour, and those of other accounts have their own")
    func cookies() async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        for email in ["ada@example.com", "eve@example.com"] {
            let idToken = JSON.string(try await gateway.signUp(email: email).idToken)
            for _ in 1...5 {
                let answer = try await gateway.send(.post, SessionCookieTests.path, ["idToken": idToken], by: backend)
                #expect(answer.status == 200)
            }
        }
        let events = try await gateway.auditTrail()
        #expect(events.map(\.action) == ["sessionCookie.created", "sessionCookie.created"])
        #expect(events.allSatisfy { $0.detail["repeated"] == "4" && $0.actor == "key:backend" })
    }

    @Test("Concurrent actions are all counted")
    func concurrency() async throws {
        let gateway = try await TestGateway()
        let backend = try await ServiceKey(in: gateway)
        let idToken = JSON.string(try await gateway.signUp().idToken)
        _ = try await concurrently(12) { _ in
            try await gateway.send(.post, SessionCookieTests.path, ["idToken": idToken], by: backend)
        }
        #expect(try await gateway.auditTrail().map { $0.detail["repeated"] } == ["11"])
    }

    @Test("An identity that signs in and deletes its account again and again is limited")
    func deletions() async throws {
        let gateway = try await LimitedGateway().gateway
        let credential = try gateway.googleCredential()
        func signInAndDelete() async throws -> String {
            let answer = try await gateway.signIn(credential)
            if answer.status == 200 {
                #expect(try await gateway.delete(TestGateway.Tokens(answer).idToken).outcome == "200")
            }
            return answer.outcome
        }
        for _ in 1...Policy.firstSignInLimit { #expect(try await signInAndDelete() == "200") }
        #expect(try await signInAndDelete() == LimitedGateway.tooManyAttempts)
        #expect(try await gateway.auditTrail().count == Policy.firstSignInLimit)
        #expect(try await gateway.signIn(gateway.appleCredential()).outcome == "200", "another identity")
        gateway.clock.advance(by: Policy.firstSignInWindow)
        #expect(try await gateway.signIn(gateway.googleCredential()).outcome == "200")
        for _ in 1...Policy.firstSignInLimit {
            #expect(try await gateway.signIn(gateway.googleCredential()).outcome == "200", "later sign-ins")
        }
    }
}
