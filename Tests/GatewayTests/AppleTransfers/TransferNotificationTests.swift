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

    /// A fixture in which the app has moved a minute ago, with a service key.
    private func movedApp() async throws -> TeamTransferTests.Fixture {
        let fixture = try await TeamTransferTests.Fixture.moved()
        try await fixture.gateway.makeServiceKey()
        fixture.gateway.clock.advance(by: .seconds(60))
        return fixture
    }

    @Test(
        "email-disabled from before the move of the app does not concern the relay address of the new team",
        arguments: Move.allCases)
    func forwarding(move: Move) async throws {
        let fixture = try await TeamTransferTests.Fixture()
        let gateway = fixture.gateway
        try await gateway.receive(gateway.notification(.emailDisabled, about: TeamTransferTests.ada))
        _ = try await fixture.export()
        try await fixture.move()
        switch move {
        case .import: #expect(try await fixture.importAll() == .init(all: 2, done: 2))
        case .signIn: #expect(try await gateway.signIn(gateway.apple(TeamTransferTests.ada)).status == 200)
        }
        #expect(try await fixture.addresses(fixture.ada) == fixture.expectedAddresses(TeamTransferTests.ada))
        let stopped = try await gateway.database.pool.query("SELECT FROM linked_identity WHERE NOT relay_forwarding")
        #expect(stopped.isEmpty)
    }

    @Test(
        "A notification for the subject in the new team has its effect when the identity moves",
        arguments: [SimulatedAppleEvent.consentRevoked, .accountDelete],
        Move.allCases)
    func early(kind: SimulatedAppleEvent, move: Move) async throws {
        let fixture = try await movedApp()
        let gateway = fixture.gateway
        let old = try gateway.apple(TeamTransferTests.ada)
        gateway.clock.advance(by: .seconds(60))
        try await gateway.receive(gateway.notification(kind, about: TeamTransferTests.ada))
        #expect(try await gateway.isSessionValid(fixture.ada), "no account has the subject yet")
        gateway.clock.advance(by: .seconds(60))
        let audited = try await gateway.audited {
            switch move {
            case .import:
                #expect(try await fixture.importAll() == .init(all: 2, done: 2))
                #expect(try await gateway.credentialState(of: fixture.ada.localId) == "REVOKED")
            case .signIn:
                #expect(try await gateway.signIn(old).outcome.hasPrefix("400 INVALID_IDP_RESPONSE"))
                let again = try Tokens(await gateway.signIn(gateway.apple(TeamTransferTests.ada)))
                #expect(again.localId == fixture.ada.localId)
                #expect(try await gateway.isSessionValid(again))
                #expect(try await gateway.credentialState(of: again.localId) == "AUTHORIZED")
            }
        }
        #expect(audited.filter { $0.action == "identity.revoked" }.map(\.subject) == [fixture.ada.localId])
        #expect(try await !gateway.isSessionValid(fixture.ada))
        #expect(try await gateway.isSessionValid(fixture.mary))
        #expect(
            try await gateway.appleGrants() == [
                "AUTHORIZED REFRESH_TOKEN com.example.app", "REVOKED REFRESH_TOKEN com.example.app",
            ])
        #expect(try await gateway.signIn(old).outcome.hasPrefix("400 INVALID_IDP_RESPONSE"))
    }

    @Test(
        "Sessions of an older token end if the notification is concurrent with the sign-in that moves the identity",
        .timeLimit(.minutes(1))
    )
    func race() async throws {
        let fixture = try await movedApp()
        let gateway = fixture.gateway
        let old = try gateway.apple(TeamTransferTests.ada)
        gateway.clock.advance(by: .seconds(60))
        let payload = try gateway.notification(about: TeamTransferTests.ada)
        let (signIn, notification) = try await gateway.database.pool.transaction { transaction in
            _ = try await transaction.execute(
                "SELECT FROM account WHERE id = \(fixture.ada.localId) FOR UPDATE")
            // The sign-in has read the account, and waits for its lock.
            let signIn = Task { try await gateway.signIn(old) }
            try await gateway.database.waitForBlockedStatements()
            let notification = try await gateway.deliverUntilBlocked(payload, beside: 1)
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
