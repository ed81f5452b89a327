import Identity
import Postgres
import Simulators
import Synchronization
import Testing

@testable import Support

@Suite("Notifications of Apple that are concurrent with other requests")
struct NotificationRaceTests {
    private typealias Tokens = TestGateway.Tokens

    @Test(
        "A notification that is concurrent with sign-ins leaves no session that was opened with an older identity token",
        arguments: 0..<6, [SimulatedAppleEvent.consentRevoked, .accountDelete])
    func signIns(position: Int, kind: SimulatedAppleEvent) async throws {
        let gateway = try await TestGateway()
        let first = try Tokens(await gateway.signIn(gateway.appleCredential()))
        let proofs = try (0..<8).map { _ in try gateway.appleCredential() }
        gateway.clock.advance(by: .seconds(60))
        let payload = try gateway.appleNotification(kind)
        // The position is the number of sign-ins that are started before the notification is delivered.
        let outcomes = try await concurrently(9) { number in
            number == position
                ? try await gateway.postNotification(payload)
                : try await gateway.signIn(proofs[number < position ? number : number - 1])
        }
        #expect(outcomes.allSatisfy { $0.status == 200 || $0.outcome.hasPrefix("400 INVALID_IDP_RESPONSE") })
        for exchange in outcomes where exchange.json["idToken"] != nil {
            #expect(try await !gateway.isSessionValid(Tokens(exchange)))
        }
        #expect(try await !gateway.isSessionValid(first))
        gateway.clock.advance(by: .seconds(60))
        #expect(try await gateway.signIn(gateway.appleCredential()).status == 200)
    }

    @Test(
        "A sign-in is rejected if a notification is processed after the sign-in has read the account",
        .timeLimit(.minutes(5)),
        arguments: [SimulatedAppleEvent.consentRevoked, .accountDelete])
    func overtaken(kind: SimulatedAppleEvent) async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signIn(gateway.appleCredential())
        let old = try gateway.appleCredential()
        gateway.clock.advance(by: .seconds(60))
        let payload = try gateway.appleNotification(kind)
        let (notification, signIn) = try await gateway.database.pool.transaction { transaction in
            _ = try await transaction.execute("SELECT FROM linked_identity FOR UPDATE")
            // The notification holds its lock on the account and waits for the identity.
            let notification = Task { try await gateway.postNotification(payload) }
            try await gateway.database.waitForBlockedStatements()
            // The sign-in has read the account, and waits for its lock.
            let signIn = Task { try await gateway.signIn(old) }
            try await gateway.database.waitForBlockedStatements(2)
            return (notification, signIn)
        }
        #expect(try await notification.value.status == 200)
        #expect(try await signIn.value.outcome.hasPrefix("400 INVALID_IDP_RESPONSE"))
    }

    @Test(
        "A notification ends the session of a sign-in or link that is committed only after the notification arrives",
        .timeLimit(.minutes(5)), arguments: [true, false])
    func uncommittedIdentity(reclaims: Bool) async throws {
        let gateway = try await TestGateway()
        // With `reclaims`, a sign-in takes over an account whose address was never verified. Otherwise, a link adds
        // the identity to an anonymous account.
        let account =
            reclaims
            ? try await gateway.signUp(email: "ada.lovelace@example.com") : try await gateway.signUpAnonymously()
        let old = try gateway.appleCredential()
        gateway.clock.advance(by: .seconds(60))
        let payload = try gateway.appleNotification(.consentRevoked)
        let (request, notification) = try await gateway.database.pool.transaction { transaction in
            // This lock stops the request's transaction at its outbox event, before the commit.
            _ = try await transaction.execute("LOCK TABLE outbox IN SHARE MODE")
            let request = Task {
                reclaims ? try await gateway.signIn(old) : try await gateway.link(old, to: account.idToken)
            }
            try await gateway.database.waitForBlockedStatements()
            return (request, try await gateway.startDelivery(of: payload, alreadyBlockedStatements: 1))
        }
        let exchange = try await request.value
        #expect(exchange.json["localId"]?.string == account.localId, "\(exchange.text)")
        #expect(try await notification.value.status == 200)
        #expect(try await !gateway.isSessionValid(Tokens(exchange)))
    }

    @Test("Concurrent copies of a notification have an effect only once")
    func copies() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signIn(gateway.appleCredential())
        gateway.clock.advance(by: .seconds(60))
        let payload = try gateway.appleNotification(.consentRevoked)
        let audited = try await gateway.newAuditEvents {
            let outcomes = try await concurrently(8) { _ in try await gateway.postNotification(payload) }
            #expect(outcomes.allSatisfy { $0.status == 200 })
        }
        #expect(audited.map(\.action) == ["apple.consentRevoked"])
    }

    @Test(
        "A notification that is concurrent with the account's deletion leaves no personal data",
        arguments: 0..<4, [SimulatedAppleEvent.consentRevoked, .accountDelete])
    func deletion(round: Int, kind: SimulatedAppleEvent) async throws {
        let gateway = try await TestGateway(sendsEmails: false, servesApple: true)
        try await gateway.makeServiceKey()
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        gateway.clock.advance(by: .seconds(60))
        let payload = try gateway.appleNotification(kind)
        // In even rounds, the deletion starts first.
        let outcomes = try await concurrently(2) { number in
            number == round % 2
                ? try await gateway.administerAccounts(":delete", ["localId": .string(tokens.localId)])
                : try await gateway.postNotification(payload)
        }
        #expect(outcomes.map(\.outcome) == ["200", "200"])
        let dump = try await gateway.databaseDump()
        let subject = SimulatedApple.subject(of: .ada, in: AppleServer.team)
        for text in [subject, "ada.lovelace@example.com", "Lovelace"] { #expect(!dump.contains(text), "\(text)") }
        try await gateway.processDueAppleGrants()
        #expect(try await gateway.appleGrantLines().isEmpty)
    }
}

extension TestGateway {
    /// Starts to deliver the notification. Returns when it is processed, or when its statement also waits for a lock.
    ///
    /// - Parameter count: how many other statements already wait for locks.
    func startDelivery(
        of payload: String, alreadyBlockedStatements count: Int
    ) async throws -> Task<Exchange, any Error> {
        let isDelivered = Flag()
        let delivery = Task {
            let answer = try await postNotification(payload)
            isDelivered.set()
            return answer
        }
        try await database.waitForBlockedStatements(count + 1) { isDelivered.isSet }
        return delivery
    }
}

private final class Flag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }

    func set() { value.withLock { $0 = true } }
}
