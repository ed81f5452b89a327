import Identity
import Postgres
import Simulators
import Testing

@testable import Gateway
@testable import Support

/// As soon as the app has moved, Apple's notifications name the subject in the new team. An identity has this subject
/// only after its own move, by the import or by a sign-in.
@Suite("Notifications before an identity has moved to another team")
struct TransferNotificationTests {
    private typealias Tokens = TestGateway.Tokens

    /// What moves an identity to the new team.
    enum Move: CaseIterable, Sendable {
        case `import`, signIn
    }

    /// A fixture in which the app has moved a minute ago, with a service key. The tests advance the clock between
    /// steps, because Apple's events and identity tokens are compared by their times.
    private func fixtureWithMovedApp() async throws -> TeamTransferTests.Fixture {
        let fixture = try await TeamTransferTests.Fixture.withMovedApp()
        try await fixture.gateway.makeServiceKey()
        fixture.gateway.clock.advance(by: .seconds(60))
        return fixture
    }

    @Test(
        "An email-disabled event from before the app's move does not stop emails to the new team's relay address",
        arguments: Move.allCases)
    func forwarding(move: Move) async throws {
        let fixture = try await TeamTransferTests.Fixture()
        let gateway = fixture.gateway
        try await gateway.postAcceptedNotification(
            gateway.appleNotification(.emailDisabled, about: TeamTransferTests.ada))
        _ = try await fixture.export()
        try await fixture.moveApp()
        switch move {
        case .import: #expect(try await fixture.importAll() == .init(all: 2, done: 2))
        case .signIn: #expect(try await gateway.signIn(gateway.appleCredential(TeamTransferTests.ada)).status == 200)
        }
        #expect(try await fixture.identity(of: fixture.ada) == fixture.identityAfterTransfer(of: TeamTransferTests.ada))
        let identitiesWithoutForwarding = try await gateway.database.pool.query(
            "SELECT FROM linked_identity WHERE NOT relay_forwarding")
        #expect(identitiesWithoutForwarding.isEmpty)
    }

    @Test(
        "A notification about the subject in the new team takes effect when the identity moves",
        arguments: [SimulatedAppleEvent.consentRevoked, .accountDelete],
        Move.allCases)
    func early(kind: SimulatedAppleEvent, move: Move) async throws {
        let fixture = try await fixtureWithMovedApp()
        let gateway = fixture.gateway
        let credentialBeforeEvent = try gateway.appleCredential(TeamTransferTests.ada)
        gateway.clock.advance(by: .seconds(60))
        try await gateway.postAcceptedNotification(gateway.appleNotification(kind, about: TeamTransferTests.ada))
        #expect(try await gateway.isSessionValid(fixture.ada), "no account has the new subject yet")
        gateway.clock.advance(by: .seconds(60))
        let audited = try await gateway.newAuditEvents {
            switch move {
            case .import:
                // No sign-in with the new team follows, so the identity stays revoked.
                #expect(try await fixture.importAll() == .init(all: 2, done: 2))
                #expect(try await gateway.credentialState(of: fixture.ada.localId) == "REVOKED")
            case .signIn:
                #expect(try await gateway.signIn(credentialBeforeEvent).outcome.hasPrefix("400 INVALID_IDP_RESPONSE"))
                // A credential from after the event authorizes the app again.
                let again = try Tokens(await gateway.signIn(gateway.appleCredential(TeamTransferTests.ada)))
                #expect(again.localId == fixture.ada.localId)
                #expect(try await gateway.isSessionValid(again))
                #expect(try await gateway.credentialState(of: again.localId) == "AUTHORIZED")
            }
        }
        #expect(audited.filter { $0.action == "apple.consentRevoked" }.map(\.subject) == [fixture.ada.localId])
        #expect(try await !gateway.isSessionValid(fixture.ada))
        #expect(try await gateway.isSessionValid(fixture.mary))
        #expect(
            try await gateway.appleGrantLines() == [
                "AUTHORIZED REFRESH_TOKEN com.example.app", "REVOKED REFRESH_TOKEN com.example.app",
            ])
        #expect(try await gateway.signIn(credentialBeforeEvent).outcome.hasPrefix("400 INVALID_IDP_RESPONSE"))
    }

    @Test(
        "A token from before the event opens no lasting session, even if notification and sign-in are concurrent",
        .timeLimit(.minutes(5))
    )
    func race() async throws {
        let fixture = try await fixtureWithMovedApp()
        let gateway = fixture.gateway
        let credentialBeforeEvent = try gateway.appleCredential(TeamTransferTests.ada)
        gateway.clock.advance(by: .seconds(60))
        let payload = try gateway.appleNotification(.consentRevoked, about: TeamTransferTests.ada)
        let (signIn, notification) = try await gateway.database.pool.transaction { transaction in
            _ = try await transaction.execute(
                "SELECT FROM account WHERE id = \(fixture.ada.localId) FOR UPDATE")
            // The sign-in has read the account, and waits for its lock.
            let signIn = Task { try await gateway.signIn(credentialBeforeEvent) }
            try await gateway.database.waitForBlockedStatements()
            let notification = try await gateway.startDelivery(of: payload, alreadyBlockedStatements: 1)
            return (signIn, notification)
        }
        let exchange = try await signIn.value
        #expect(try await notification.value.status == 200)
        if exchange.json["idToken"] != nil {
            #expect(try await !gateway.isSessionValid(Tokens(exchange)))
        } else {
            #expect(exchange.outcome.hasPrefix("400 INVALID_IDP_RESPONSE"))
        }
        if try await gateway.isSessionValid(fixture.ada) {
            // The identity has not moved yet; the import ends the session.
            #expect(try await fixture.importAll() == .init(all: 2, done: 2))
            #expect(try await !gateway.isSessionValid(fixture.ada))
        }
    }
}
