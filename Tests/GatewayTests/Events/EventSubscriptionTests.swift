import HTTP
import Identity
import Postgres
import Simulators
import Storage
import Testing

@testable import Support

@Suite("The events that a project listens to")
struct EventSubscriptionTests {
    @Test("Sign-ins and sign-ups have no event, unless a listener wants it")
    func signIns() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        #expect(try await gateway.signIn().status == 200)
        #expect(try await gateway.refresh(ada.refreshToken).status == 200)
        for _ in 0..<2 { #expect(try await gateway.signIn(gateway.appleCredential()).status == 200) }
        _ = try await gateway.signUpAnonymously()
        #expect(try await gateway.outbox().isEmpty)
    }

    @Test("Every method that creates an account has the event account.created, with its method")
    func signUps() async throws {
        let gateway = try await TestGateway(wantedEvents: [.accountCreated])
        let tokens = [
            try await gateway.signUp(), try await gateway.signUpAnonymously(),
            try TestGateway.Tokens(await gateway.signIn(gateway.appleCredential())),
            try TestGateway.Tokens(await gateway.signIn(gateway.googleCredential())),
        ]
        #expect(try await gateway.outbox() == tokens.map { "demo account.created \($0.localId)" }.sorted())
        #expect(
            try await gateway.database.pool.query("SELECT FROM audit_event WHERE action = 'account.created'").isEmpty)
    }

    @Test("A tenant has the listeners of its project, also while it is being deleted")
    func tenants() async throws {
        let fixture = try await TenantFixture(TestGateway(wantedEvents: [.accountDeleted]))
        let tenant = try await fixture.makeTenant()
        _ = try await fixture.administerAccounts("", of: tenant, ["localId": "ada"])
        _ = try await fixture.administerAccounts("", of: tenant, ["localId": "bob"])
        _ = try await fixture.administerAccounts(":delete", of: tenant, ["localId": "bob"])
        _ = try await fixture.send(.delete, "\(TenantFixture.tenantsPath)/\(tenant)")
        let janitor = Janitor(pool: fixture.gateway.database.pool)
        _ = try await janitor.remove(.deletedRealm, at: fixture.gateway.clock.now)
        #expect(
            try await fixture.gateway.outbox() == [
                "demo/\(tenant) account.deleted ada", "demo/\(tenant) account.deleted bob",
            ])
    }

    @Test("Without listeners, no request, command or worker uses the outbox, and Apple's tokens are revoked")
    func none() async throws {
        let gateway = try await TestGateway(wantedEvents: [], servesApple: true)
        // Every statement that names the table fails now.
        _ = try await gateway.database.pool.execute("DROP TABLE outbox")
        let ada = try await gateway.signUpVerified()
        let linked = try await gateway.link(gateway.googleCredential(), to: ada.idToken)
        #expect(linked.status == 200, "\(linked.text)")
        let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        #expect(try await gateway.resetPassword(code).status == 200)
        let grace = try TestGateway.Tokens(await gateway.signIn(gateway.appleCredential(.grace)))
        gateway.clock.advance(by: .seconds(60))
        for kind in [SimulatedAppleEvent.emailDisabled, .consentRevoked] {
            try await gateway.postAcceptedNotification(gateway.appleNotification(kind, about: .grace))
        }
        #expect(try await !gateway.isSessionValid(grace))
        gateway.clock.advance(by: .seconds(60))
        let again = try await gateway.signInWithAppleAndRedeemCode()
        let revocations = gateway.simulators.apple.revocations
        #expect(try await gateway.delete(again.idToken).status == 200)
        try await gateway.processDueAppleGrants()
        #expect(gateway.simulators.apple.revocations == revocations + 1)
    }
}

extension TestGateway {
    /// The events in the outbox: realm, kind and account.
    fileprivate func outbox() async throws -> [String] {
        try await database.pool.query("SELECT concat_ws(' ', realm_id, kind, account_id) AS line FROM outbox")
            .map { try $0.decode("line", as: String.self) }.sorted()
    }
}
