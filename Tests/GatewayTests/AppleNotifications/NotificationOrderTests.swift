import Encoding
import Identity
import Postgres
import Simulators
import Testing

@testable import Gateway
@testable import Support

@Suite("Late and repeated server-to-server notifications of Apple")
struct NotificationOrderTests {
    private typealias Tokens = TestGateway.Tokens

    /// A gateway with a service key and with Apple's token endpoints.
    private func gateway() async throws -> TestGateway {
        let gateway = try await TestGateway(transport: .socket, servesApple: true)
        try await gateway.makeServiceKey()
        return gateway
    }

    @Test("A repeated notification has an effect only once")
    func repeated() async throws {
        let gateway = try await gateway()
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        gateway.clock.advance(by: .seconds(1))
        let payload = try gateway.appleNotification(.consentRevoked)
        let audited = try await gateway.newAuditEvents {
            for _ in 0..<3 { try await gateway.postAcceptedNotification(payload) }
        }
        #expect(audited.map(\.action) == ["apple.consentRevoked"])
        gateway.clock.advance(by: .seconds(60))
        let again = try await gateway.signInWithAppleAndRedeemCode()
        try await gateway.postAcceptedNotification(payload)
        #expect(try await gateway.isSessionValid(again))
        #expect(try await gateway.credentialState(of: tokens.localId) == "AUTHORIZED")
    }

    @Test(
        "A late notification ends only sessions and grants (stored tokens of Apple) that are older than the event",
        arguments: [SimulatedAppleEvent.consentRevoked, .accountDelete])
    func late(kind: SimulatedAppleEvent) async throws {
        let gateway = try await gateway()
        let old = try await gateway.signInWithAppleAndRedeemCode()
        gateway.clock.advance(by: .seconds(60))
        let event = gateway.clock.now
        gateway.clock.advance(by: .seconds(60))
        let new = try await gateway.signInWithAppleAndRedeemCode()
        try await gateway.postAcceptedNotification(gateway.appleNotification(kind, at: event))
        #expect(try await !gateway.isSessionValid(old))
        #expect(try await gateway.isSessionValid(new))
        #expect(try await gateway.credentialState(of: new.localId) == "AUTHORIZED")
        #expect(try await gateway.appleGrantLines() == ["AUTHORIZED REFRESH_TOKEN com.example.app"])
    }

    @Test("A notification ends a session that was opened after the event with an identity token from before the event")
    func olderIdentityToken() async throws {
        let gateway = try await gateway()
        _ = try await gateway.signIn(gateway.appleCredential())
        let olderCredential = try gateway.appleCredential()
        gateway.clock.advance(by: .seconds(60))
        let event = gateway.clock.now
        gateway.clock.advance(by: .seconds(60))
        let tokens = try Tokens(await gateway.signIn(olderCredential))
        try await gateway.postAcceptedNotification(gateway.appleNotification(.consentRevoked, at: event))
        #expect(try await !gateway.isSessionValid(tokens))
        #expect(try await gateway.credentialState(of: tokens.localId) == "REVOKED")
    }

    @Test("If notifications arrive in the wrong order, the latest event decides whether the relay forwards emails")
    func reordered() async throws {
        let gateway = try await gateway()
        let tokens = try Tokens(await gateway.signIn(gateway.appleCredential(.grace)))
        gateway.clock.advance(by: .seconds(60))
        let now = gateway.clock.now
        // The offset is the time of the event in seconds from now; `expected` is the state after the notification.
        for (kind, offset, expected) in [
            (SimulatedAppleEvent.emailEnabled, -10, true), (.emailDisabled, -20, true),
            (.emailDisabled, -5, false), (.emailEnabled, -7, false),
        ] {
            let payload = try gateway.appleNotification(kind, about: .grace, at: now + .seconds(offset))
            try await gateway.postAcceptedNotification(payload)
            let shown = try await gateway.accountSeenByUser(tokens.idToken)["providerUserInfo"]?[0]?["emailForwarding"]
            #expect(shown == .bool(expected))
        }
    }

    @Test(
        "A notification without an expiry is accepted up to a week after its event, and up to 60 seconds before its event"
    )
    func age() async throws {
        let gateway = try await gateway()
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        gateway.clock.advance(by: .seconds(30 * 86_400))
        for (age, status) in [(7 * 86_400, 400), (7 * 86_400 - 1, 200), (-60, 200), (-61, 400)] {
            let payload = try gateway.appleNotification(.consentRevoked, at: gateway.clock.now - .seconds(age)) {
                $0.claims["exp"] = nil
            }
            #expect(try await gateway.postNotification(payload).status == status, "\(age)")
        }
        #expect(try await !gateway.isSessionValid(tokens), "the accepted notifications have an effect")
    }

    @Test("The replay key of a notification is kept longer than the week in which the notification is accepted")
    func replayKeys() async throws {
        let gateway = try await gateway()
        let payload = try gateway.appleNotification(.consentRevoked) { $0.claims["exp"] = nil }
        try await gateway.postAcceptedNotification(payload)
        let endOfAcceptance = gateway.clock.now + .seconds(7 * 86_400)
        let rows = try await gateway.database.pool.query(
            """
            SELECT expires_at > \(Timestamp(microsecondsSinceEpoch: endOfAcceptance.microseconds)) AS outlives FROM replay_guard
            """)
        let row = try #require(rows.first)
        #expect(try row.decode("outlives", as: Bool.self))
    }

    /// A request with an identity token of Apple.
    struct Use: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let perform: @Sendable (TestGateway, ProviderCredential) async throws -> Exchange
    }

    static let uses = [
        Use(testDescription: "a sign-in") { try await $0.signIn($1) },
        Use(testDescription: "a link") { try await $0.link($1, to: $0.signUpAnonymously().idToken) },
        Use(testDescription: "a merge") {
            try await $0.post(
                "/v1/accounts:merge",
                [
                    "idToken": .string($0.signUpAnonymously().idToken), "dryRun": true,
                    "requestUri": "http://localhost", "postBody": .string($1.postBody),
                ])
        },
    ]

    @Test(
        "A notification invalidates older identity tokens", arguments: uses,
        [SimulatedAppleEvent.consentRevoked, .accountDelete])
    func olderIdentityTokens(use: Use, kind: SimulatedAppleEvent) async throws {
        let gateway = try await gateway()
        _ = try await gateway.signIn(gateway.appleCredential())
        let old = try gateway.appleCredential()
        gateway.clock.advance(by: .seconds(60))
        try await gateway.postAcceptedNotification(gateway.appleNotification(kind))
        let refused = try await use.perform(gateway, old)
        #expect(
            refused.outcome
                == "400 INVALID_IDP_RESPONSE : The ID token was issued before the user stopped using the identity provider for this app."
        )
        gateway.clock.advance(by: .seconds(60))
        #expect(try await gateway.signIn(gateway.appleCredential()).status == 200)
    }

    @Test("Even after the account's deletion, a notification invalidates older identity tokens and pending tokens")
    func afterDeletion() async throws {
        let gateway = try await gateway()
        let tokens = try Tokens(await gateway.signIn(gateway.appleCredential()))
        let old = try gateway.appleCredential()
        let pending = try #require(
            try await gateway.link(gateway.appleCredential(), to: gateway.signUpAnonymously().idToken).pendingToken)
        #expect(try await gateway.administerAccounts(":delete", ["localId": .string(tokens.localId)]).status == 200)
        gateway.clock.advance(by: .seconds(60))
        try await gateway.postAcceptedNotification(gateway.appleNotification(.consentRevoked))
        #expect(try await gateway.signIn(old).status == 400)
        #expect(try await gateway.signInWithIdp(["pendingToken": .string(pending)]).status == 400)
    }

    @Test(
        "A notification invalidates an earlier merge preview",
        arguments: [SimulatedAppleEvent.consentRevoked, .accountDelete])
    func mergePreview(kind: SimulatedAppleEvent) async throws {
        let gateway = try await gateway()
        _ = try await gateway.signIn(gateway.appleCredential())
        let anonymous = try await gateway.signUpAnonymously()
        let preview = try await gateway.post(
            "/v1/accounts:merge",
            [
                "idToken": .string(anonymous.idToken), "dryRun": true, "requestUri": "http://localhost",
                "postBody": .string(try gateway.appleCredential().postBody),
            ])
        gateway.clock.advance(by: .seconds(60))
        try await gateway.postAcceptedNotification(gateway.appleNotification(kind))
        let merged = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(anonymous.idToken), "mergeToken": preview.json["mergeToken"] ?? .null])
        #expect(merged.outcome.hasPrefix("400 MERGE_PREVIEW_OUTDATED"), "\(merged.outcome)")
    }
}
