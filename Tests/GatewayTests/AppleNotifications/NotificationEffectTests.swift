import Identity
import Postgres
import Simulators
import Testing

@testable import Support

@Suite("Effects of Apple's notifications")
struct NotificationEffectTests {
    private typealias Tokens = TestGateway.Tokens

    private func gateway() async throws -> TestGateway {
        let gateway = try await TestGateway(transport: .socket, servesApple: true)
        try await gateway.makeServiceKey()
        return gateway
    }

    @Test("consent-revoked ends sessions opened with Apple, keeps the identity, and marks its grant as revoked")
    func consentRevoked() async throws {
        let gateway = try await gateway()
        let apple = try await gateway.signedInWithApple()
        let google = try Tokens(await gateway.link(gateway.google(), to: apple.idToken))
        let other = try Tokens(await gateway.signIn(gateway.apple(.mary)))
        gateway.clock.advance(by: .seconds(60))
        let audited = try await gateway.audited {
            try await gateway.receive(gateway.notification())
        }
        #expect(try await !gateway.isSessionValid(apple))
        #expect(try await gateway.isSessionValid(google))
        #expect(try await gateway.isSessionValid(other))
        #expect(try await gateway.credentialState(of: apple.localId) == "REVOKED")
        #expect(try await gateway.account(google.idToken)["providerUserInfo"]?[0]?["providerId"] == "apple.com")
        #expect(try await gateway.appleGrants() == ["REVOKED REFRESH_TOKEN com.example.app"])
        #expect(audited.map(\.description) == ["system identity.revoked \(apple.localId) provider=apple.com"])
        #expect(audited[0].network == "192.0.2.0/24")
    }

    @Test("consent-revoked deletes a code that is not yet redeemed, and the next sign-in redeems its own code")
    func signInAgain() async throws {
        let gateway = try await gateway()
        let tokens = try Tokens(await gateway.signIn(gateway.appleWithCode()))
        #expect(try await gateway.appleGrants() == ["REDEEMING CODE com.example.app"])
        try await gateway.receive(gateway.notification())
        #expect(try await gateway.appleGrants().isEmpty)
        gateway.clock.advance(by: .seconds(1))
        let again = try await gateway.signedInWithApple()
        #expect(again.localId == tokens.localId)
        #expect(try await gateway.credentialState(of: again.localId) == "AUTHORIZED")
        #expect(try await gateway.appleGrants() == ["AUTHORIZED REFRESH_TOKEN com.example.app"])
    }

    @Test(
        "account-delete and account-deleted unlink the identity and keep the account",
        arguments: [SimulatedAppleEvent.accountDelete, .accountDeleted])
    func accountDeleted(kind: SimulatedAppleEvent) async throws {
        let gateway = try await gateway()
        let tokens = try await gateway.signedInWithApple()
        gateway.clock.advance(by: .seconds(60))
        let audited = try await gateway.audited {
            try await gateway.receive(gateway.notification(kind))
        }
        #expect(try await !gateway.isSessionValid(tokens))
        let user = try await gateway.user(tokens.localId)
        #expect(user["providerUserInfo"] == nil)
        #expect(user["email"] == "ada.lovelace@example.com", "the owner can recover the account by email")
        #expect(try await gateway.credentialState(of: tokens.localId) == "NOT_FOUND")
        #expect(
            audited.map(\.description) == [
                "system account.sign-in-method-missing \(tokens.localId)",
                "system identity.unlinked \(tokens.localId) cause=account-deleted provider=apple.com",
            ])
        #expect(try await gateway.emails(.identityUnlinked).map(\.recipient) == ["ada.lovelace@example.com"])
        #expect(try await gateway.appleGrants().isEmpty, "Apple has ended the grant")
    }

    @Test("account-delete removes a relay address, and reports an account only if it has no sign-in method left")
    func relayAddressEnds() async throws {
        let gateway = try await gateway()
        let grace = try Tokens(await gateway.signIn(gateway.apple(.grace)))
        #expect(try await gateway.user(grace.localId)["email"] != nil)
        let ada = try await gateway.signUp(email: "ada@example.com")
        #expect(try await gateway.link(gateway.apple(), to: ada.idToken).status == 200)
        gateway.clock.advance(by: .seconds(1))
        let audited = try await gateway.audited {
            for person in [SimulatedPerson.grace, .ada] {
                try await gateway.receive(gateway.notification(.accountDelete, about: person))
            }
        }
        #expect(try await gateway.user(grace.localId)["email"] == nil)
        #expect(try await gateway.user(ada.localId)["email"] == "ada@example.com")
        #expect(audited.filter { $0.action == "account.sign-in-method-missing" }.map(\.subject) == [grace.localId])
        #expect(try await gateway.isSessionValid(ada))
    }

    @Test("email-disabled and email-enabled record whether the relay forwards")
    func forwarding() async throws {
        let gateway = try await gateway()
        let tokens = try Tokens(await gateway.signIn(gateway.apple(.grace)))
        func forwards() async throws -> JSON? {
            try await gateway.account(tokens.idToken)["providerUserInfo"]?[0]?["emailForwarding"]
        }
        #expect(try await forwards() == nil)
        for (kind, expected) in [(SimulatedAppleEvent.emailDisabled, false), (.emailEnabled, true)] {
            gateway.clock.advance(by: .seconds(1))
            let audited = try await gateway.audited {
                try await gateway.receive(gateway.notification(kind, about: .grace))
            }
            #expect(try await forwards() == .bool(expected))
            #expect(audited.map(\.action) == ["email.forwarding-changed"])
        }
        #expect(try await gateway.isSessionValid(tokens))
        gateway.simulators.apple.quirks.relayDomain = .privateICloud
        _ = try await gateway.signIn(gateway.apple(.grace))
        #expect(try await forwards() == nil, "nothing is known about a new address")
    }

    @Test("Connecting the app again clears the state that email-disabled recorded")
    func newConsent() async throws {
        let gateway = try await gateway()
        _ = try await gateway.signIn(gateway.apple(.grace))
        for kind in [SimulatedAppleEvent.emailDisabled, .consentRevoked] {
            gateway.clock.advance(by: .seconds(60))
            try await gateway.receive(gateway.notification(kind, about: .grace))
        }
        gateway.clock.advance(by: .seconds(60))
        let tokens = try Tokens(await gateway.signIn(gateway.apple(.grace)))
        let identity = try await gateway.account(tokens.idToken)["providerUserInfo"]?[0]
        #expect(identity?["credentialState"] == "AUTHORIZED")
        #expect(identity?["emailForwarding"] == nil)
        let stopped = try await gateway.database.pool.query("SELECT FROM linked_identity WHERE NOT relay_forwarding")
        #expect(stopped.isEmpty)
    }

    @Test("Notifications of an unknown type or about an unknown user change nothing")
    func unknownTypeOrUser() async throws {
        let gateway = try await gateway()
        let tokens = try await gateway.signedInWithApple()
        gateway.clock.advance(by: .seconds(1))
        let audited = try await gateway.audited {
            try await gateway.receive(gateway.notification(type: "relationship-changed"))
            try await gateway.receive(gateway.notification(about: .mary))
        }
        #expect(audited.isEmpty)
        #expect(try await gateway.isSessionValid(tokens))
    }

    @Test("For ten minutes after revokeToken, consent-revoked keeps the session that requested the revocation")
    func ownRevocation() async throws {
        let gateway = try await gateway()
        let other = try await gateway.signedInWithApple()
        let tokens = try await gateway.signedInWithApple()
        gateway.clock.advance(by: .seconds(60))
        let revoked = try await gateway.post(
            "/v2/accounts:revokeToken",
            [
                "providerId": "apple.com", "tokenType": "CODE", "idToken": .string(tokens.idToken),
                "token": .string(gateway.appleWithCode().code ?? ""),
            ])
        #expect(revoked.status == 200)
        gateway.clock.advance(by: .seconds(5))
        try await gateway.receive(gateway.notification())
        #expect(try await gateway.isSessionValid(tokens))
        #expect(try await !gateway.isSessionValid(other), "the other session may be an attacker's")
        // 5 + 596 seconds are more than ten minutes.
        gateway.clock.advance(by: .seconds(596))
        try await gateway.receive(gateway.notification())
        #expect(try await !gateway.isSessionValid(tokens))
    }
}
