import Identity
import Postgres
import Simulators
import Testing

@testable import Support

/// Grace (`SimulatedPerson.grace`) hides her address, so Apple gives apps a relay address.
@Suite("Effects of Apple's server-to-server notifications")
struct NotificationEffectTests {
    private typealias Tokens = TestGateway.Tokens

    /// A gateway with a service key and with Apple's token endpoints.
    private func gateway() async throws -> TestGateway {
        let gateway = try await TestGateway(transport: .socket, servesApple: true)
        try await gateway.makeServiceKey()
        return gateway
    }

    @Test(
        "consent-revoked ends the user's sessions opened with Apple, keeps the identity, and marks its stored token as revoked"
    )
    func consentRevoked() async throws {
        let gateway = try await gateway()
        let openedWithApple = try await gateway.signInWithAppleAndRedeemCode()
        let openedWithGoogle = try Tokens(await gateway.link(gateway.googleCredential(), to: openedWithApple.idToken))
        let otherUser = try Tokens(await gateway.signIn(gateway.appleCredential(.mary)))
        gateway.clock.advance(by: .seconds(60))
        let audited = try await gateway.newAuditEvents {
            try await gateway.postAcceptedNotification(gateway.appleNotification(.consentRevoked))
        }
        #expect(try await !gateway.isSessionValid(openedWithApple))
        #expect(try await gateway.isSessionValid(openedWithGoogle))
        #expect(try await gateway.isSessionValid(otherUser))
        #expect(try await gateway.credentialState(of: openedWithApple.localId) == "REVOKED")
        #expect(
            try await gateway.accountSeenByUser(openedWithGoogle.idToken)["providerUserInfo"]?[0]?["providerId"]
                == "apple.com")
        #expect(try await gateway.appleGrantLines() == ["REVOKED REFRESH_TOKEN com.example.app"])
        #expect(
            audited.map(\.description) == [
                "system apple.consentRevoked \(openedWithApple.localId) clientId=com.example.app"
            ])
        #expect(audited[0].network == "192.0.2.0/24")
    }

    @Test(
        "consent-revoked deletes an authorization code that is not yet redeemed, and the next sign-in redeems its own code"
    )
    func signInAgain() async throws {
        let gateway = try await gateway()
        let tokens = try Tokens(await gateway.signIn(gateway.appleCredentialWithCode()))
        #expect(try await gateway.appleGrantLines() == ["REDEEMING CODE com.example.app"])
        try await gateway.postAcceptedNotification(gateway.appleNotification(.consentRevoked))
        #expect(try await gateway.appleGrantLines().isEmpty)
        gateway.clock.advance(by: .seconds(1))
        let again = try await gateway.signInWithAppleAndRedeemCode()
        #expect(again.localId == tokens.localId)
        #expect(try await gateway.credentialState(of: again.localId) == "AUTHORIZED")
        #expect(try await gateway.appleGrantLines() == ["AUTHORIZED REFRESH_TOKEN com.example.app"])
    }

    @Test(
        "account-delete and account-deleted unlink the identity and keep the account",
        arguments: [SimulatedAppleEvent.accountDelete, .accountDeleted])
    func accountDeleted(kind: SimulatedAppleEvent) async throws {
        let gateway = try await gateway()
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        gateway.clock.advance(by: .seconds(60))
        let audited = try await gateway.newAuditEvents {
            try await gateway.postAcceptedNotification(gateway.appleNotification(kind))
        }
        #expect(try await !gateway.isSessionValid(tokens))
        let user = try await gateway.accountSeenByAdmin(tokens.localId)
        #expect(user["providerUserInfo"] == nil)
        #expect(user["email"] == "ada.lovelace@example.com", "the owner can recover the account by email")
        #expect(try await gateway.credentialState(of: tokens.localId) == "NOT_FOUND")
        #expect(
            audited.map(\.description) == [
                "system account.signInMethodMissing \(tokens.localId)",
                "system apple.accountDeleted \(tokens.localId) clientId=com.example.app",
                "system identity.unlinked \(tokens.localId) provider=apple.com",
            ])
        #expect(try await gateway.emails(.identityUnlinked).map(\.recipient) == ["ada.lovelace@example.com"])
        #expect(
            try await gateway.appleGrantLines().isEmpty,
            "the stored token was deleted, because it is not valid any more")
    }

    @Test("account-delete removes a relay address, and reports only an account that has no sign-in method left")
    func relayAddressEnds() async throws {
        let gateway = try await gateway()
        let grace = try Tokens(await gateway.signIn(gateway.appleCredential(.grace)))
        #expect(try await gateway.accountSeenByAdmin(grace.localId)["email"] != nil)
        let ada = try await gateway.signUp(email: "ada@example.com")
        #expect(try await gateway.link(gateway.appleCredential(), to: ada.idToken).status == 200)
        gateway.clock.advance(by: .seconds(1))
        let audited = try await gateway.newAuditEvents {
            for person in [SimulatedPerson.grace, .ada] {
                try await gateway.postAcceptedNotification(gateway.appleNotification(.accountDelete, about: person))
            }
        }
        #expect(try await gateway.accountSeenByAdmin(grace.localId)["email"] == nil)
        #expect(try await gateway.accountSeenByAdmin(ada.localId)["email"] == "ada@example.com")
        #expect(audited.filter { $0.action == "account.signInMethodMissing" }.map(\.subject) == [grace.localId])
        #expect(try await gateway.isSessionValid(ada))
    }

    @Test("email-disabled and email-enabled record whether Apple's relay forwards emails")
    func forwarding() async throws {
        let gateway = try await gateway()
        let tokens = try Tokens(await gateway.signIn(gateway.appleCredential(.grace)))
        func forwards() async throws -> JSON? {
            try await gateway.accountSeenByUser(tokens.idToken)["providerUserInfo"]?[0]?["emailForwarding"]
        }
        #expect(try await forwards() == nil)
        for (kind, expected, action) in [
            (SimulatedAppleEvent.emailDisabled, false, "apple.emailDisabled"),
            (.emailEnabled, true, "apple.emailEnabled"),
        ] {
            gateway.clock.advance(by: .seconds(1))
            let audited = try await gateway.newAuditEvents {
                try await gateway.postAcceptedNotification(gateway.appleNotification(kind, about: .grace))
            }
            #expect(try await forwards() == .bool(expected))
            #expect(audited.map(\.action) == [action])
        }
        #expect(try await gateway.isSessionValid(tokens))
        gateway.simulators.apple.quirks.relayDomain = .privateICloud
        _ = try await gateway.signIn(gateway.appleCredential(.grace))
        #expect(try await forwards() == nil, "nothing is known about a new address")
    }

    @Test("When the user connects the app again, the state that email-disabled recorded is removed")
    func newConsent() async throws {
        let gateway = try await gateway()
        _ = try await gateway.signIn(gateway.appleCredential(.grace))
        for kind in [SimulatedAppleEvent.emailDisabled, .consentRevoked] {
            gateway.clock.advance(by: .seconds(60))
            try await gateway.postAcceptedNotification(gateway.appleNotification(kind, about: .grace))
        }
        gateway.clock.advance(by: .seconds(60))
        let tokens = try Tokens(await gateway.signIn(gateway.appleCredential(.grace)))
        let identity = try await gateway.accountSeenByUser(tokens.idToken)["providerUserInfo"]?[0]
        #expect(identity?["credentialState"] == "AUTHORIZED")
        #expect(identity?["emailForwarding"] == nil)
        let withoutForwarding = try await gateway.database.pool.query(
            "SELECT FROM linked_identity WHERE NOT relay_forwarding")
        #expect(withoutForwarding.isEmpty)
    }

    @Test("Notifications of an unknown type or about an unknown user change nothing")
    func unknownTypeOrUser() async throws {
        let gateway = try await gateway()
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        gateway.clock.advance(by: .seconds(1))
        let audited = try await gateway.newAuditEvents {
            try await gateway.postAcceptedNotification(gateway.appleNotification(type: "relationship-changed"))
            try await gateway.postAcceptedNotification(gateway.appleNotification(.consentRevoked, about: .mary))
        }
        #expect(audited.isEmpty)
        #expect(try await gateway.isSessionValid(tokens))
    }

    @Test("For ten minutes after revokeToken, consent-revoked keeps the session that requested the revocation")
    func ownRevocation() async throws {
        let gateway = try await gateway()
        let other = try await gateway.signInWithAppleAndRedeemCode()
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        gateway.clock.advance(by: .seconds(60))
        let revoked = try await gateway.post(
            "/v2/accounts:revokeToken",
            [
                "providerId": "apple.com", "tokenType": "CODE", "idToken": .string(tokens.idToken),
                "token": .string(gateway.appleCredentialWithCode().code ?? ""),
            ])
        #expect(revoked.status == 200)
        gateway.clock.advance(by: .seconds(5))
        try await gateway.postAcceptedNotification(gateway.appleNotification(.consentRevoked))
        #expect(try await gateway.isSessionValid(tokens))
        #expect(try await !gateway.isSessionValid(other), "the other session may be an attacker's")
        // 5 + 596 seconds are more than ten minutes.
        gateway.clock.advance(by: .seconds(596))
        try await gateway.postAcceptedNotification(gateway.appleNotification(.consentRevoked))
        #expect(try await !gateway.isSessionValid(tokens))
    }
}
