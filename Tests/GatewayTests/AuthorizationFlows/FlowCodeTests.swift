import HTTP
import Identity
import Postgres
import Simulators
import Testing

@testable import Gateway
@testable import Support

@Suite("An authorization code of a sign-in in the browser", .serialized)
struct FlowCodeTests {
    /// How long Apple's refresh token is kept if no sign-in uses it: the lifetimes of a grant and of a pending token,
    /// and five minutes.
    private static let unusedTokenLifetime: Duration = .seconds(60 + 1800 + 300)
    /// The stored refresh token of a code that no account uses yet.
    private static let kept = "REDEEMING REFRESH_TOKEN com.example.web"

    @Test("A code is not redeemed before the provider's keys are available, so that a retry succeeds")
    func keys() async throws {
        let gateway = try await ClientFlowTests.gateway()
        let flow = try await gateway.startFlow("apple.com")
        gateway.simulators.apple.faultInjection.injectFault(.unavailable, at: SimulatedApple.keysPath)
        let url = try await TestBrowser(gateway).responseURL(.ada, at: flow.authURI)
        let page = try await TestBrowser(gateway).send(.get, url)
        #expect(page.status == 503)
        #expect(page.text.contains("Try again"))
        #expect(gateway.tokenRequestCount == 0)
        gateway.simulators.apple.faultInjection.reset()
        gateway.clock.advance(by: .seconds(61))
        let location = try #require(try await TestBrowser(gateway).send(.get, url).location)
        #expect(try await flow.signIn(at: location).outcome == "200")
    }

    @Test("If the token for a redeemed code cannot be verified, no retry is offered, and the refresh token is revoked")
    func notVerifiable() async throws {
        let gateway = try await ClientFlowTests.gateway()
        #expect(try await gateway.signIn(gateway.apple(.mary)).status == 200)
        try gateway.simulators.apple.rotateKeys(keepingOld: false)
        gateway.simulators.apple.faultInjection.injectFault(.unavailable, at: SimulatedApple.keysPath)
        let page = try await TestBrowser(gateway).agree(.ada, at: gateway.startFlow("apple.com").authURI)
        #expect(gateway.tokenRequestCount == 1)
        #expect(page.status == 400)
        #expect(page.heading == "We could not sign you in")
        #expect(!page.text.contains("Try again"))
        gateway.simulators.apple.faultInjection.reset()
        try await expectRevocation(at: gateway)
    }

    @Test("Apple's refresh token for a code from another flow is revoked")
    func rejected() async throws {
        let gateway = try await ClientFlowTests.gateway()
        let other = try await gateway.startFlow("apple.com")
        let code = try gateway.code(of: .ada, for: other.authURI)
        let page = try await TestBrowser(gateway).agree(.ada, at: gateway.startFlow("apple.com").authURI) { form in
            form = form.map { $0.0 == "code" ? ("code", code) : $0 }
        }
        #expect(page.heading == "We could not sign you in")
        try await expectRevocation(at: gateway)
    }

    @Test("Apple's refresh token is revoked if no app uses the grant")
    func unused() async throws {
        let gateway = try await ClientFlowTests.gateway()
        _ = try await gateway.startFlow("apple.com").agree(.ada)
        try await expectRevocation(at: gateway)
    }

    /// Expects that the refresh token is revoked once its retention as an unused token ends.
    private func expectRevocation(at gateway: TestGateway) async throws {
        #expect(try await gateway.appleGrants() == [Self.kept])
        try await gateway.attemptAppleGrants()
        #expect(try await gateway.appleGrants() == [Self.kept], "a grant or pending token may still be used")
        gateway.clock.advance(by: Self.unusedTokenLifetime)
        try await gateway.attemptAppleGrants()
        try await gateway.attemptAppleGrants()
        #expect(try await gateway.appleGrants().isEmpty)
        #expect(gateway.simulators.apple.revocations == 1)
    }

    @Test("An unused grant does not disconnect a user who signed in with another flow")
    func signedInOtherwise() async throws {
        let gateway = try await ClientFlowTests.gateway()
        _ = try await gateway.startFlow("apple.com").agree(.ada)
        #expect(try await gateway.startFlow("apple.com").complete(.ada).outcome == "200")
        gateway.clock.advance(by: Self.unusedTokenLifetime)
        try await gateway.attemptAppleGrants()
        try await gateway.attemptAppleGrants()
        #expect(try await gateway.appleGrants() == ["AUTHORIZED REFRESH_TOKEN com.example.web"])
        #expect(gateway.simulators.apple.revocations == 0)
    }

    @Test("An unused grant does not disconnect a user of a tenant with the same client ID")
    func tenant() async throws {
        let gateway = try await ClientFlowTests.gateway()
        let fixture = try await TenantFixture(gateway)
        let tenant = try await fixture.tenantWithProviders()
        let signedIn = try await fixture.callAsClient(
            "signInWithIdp", in: tenant,
            ["postBody": .string(gateway.apple(.ada).postBody), "requestUri": "http://localhost"])
        #expect(signedIn.status == 200, "\(signedIn.text)")
        _ = try await gateway.startFlow("apple.com").agree(.ada)
        try await expectDeletion(at: gateway)
    }

    @Test("An unused grant disconnects no user while the app moves to another team")
    func transfer() async throws {
        let gateway = try await ClientFlowTests.gateway()
        #expect(try await gateway.signIn(gateway.apple(.mary)).status == 200)
        try await gateway.database.pool.execute(
            "UPDATE linked_identity SET transfer_sub = '000123.r0', transfer_team = 'NEWTEAM123'")
        _ = try await gateway.startFlow("apple.com").agree(.ada)
        try await expectDeletion(at: gateway)
    }

    /// Expects that the refresh token is deleted, but not revoked, once its retention as an unused token ends.
    private func expectDeletion(at gateway: TestGateway) async throws {
        #expect(try await gateway.appleGrants() == [Self.kept])
        gateway.clock.advance(by: Self.unusedTokenLifetime)
        try await gateway.attemptAppleGrants()
        #expect(try await gateway.appleGrants().isEmpty)
        #expect(gateway.simulators.apple.revocations == 0)
    }

    @Test("An unused grant does not replace the refresh token of a later sign-in")
    func older() async throws {
        let gateway = try await ClientFlowTests.gateway()
        _ = try await gateway.startFlow("apple.com").agree(.ada)
        gateway.clock.advance(by: .seconds(60))
        #expect(try await gateway.startFlow("apple.com").complete(.ada).outcome == "200")
        try await gateway.attemptAppleGrants()
        func grants(_ condition: SQL) async throws -> [String] {
            try await gateway.database.pool.query("SELECT id::text AS id FROM apple_grant WHERE \(condition)")
                .map { try $0.decode("id") }
        }
        let newer = try await grants("state = 'AUTHORIZED'")
        #expect(newer.count == 1)
        gateway.clock.advance(by: Self.unusedTokenLifetime)
        try await gateway.attemptAppleGrants()
        #expect(try await grants("true") == newer)
        #expect(gateway.simulators.apple.revocations == 0)
    }

    @Test("Apple's refresh token is deleted if the user disconnects the app before there is an account")
    func disconnected() async throws {
        let gateway = try await ClientFlowTests.gateway()
        _ = try await gateway.startFlow("apple.com").agree(.ada)
        #expect(try await gateway.appleGrants() == [Self.kept])
        try await gateway.receive(gateway.notification(.emailDisabled, audience: TestGateway.webClient))
        #expect(try await gateway.appleGrants() == [Self.kept])
        try await gateway.receive(gateway.notification(audience: TestGateway.webClient))
        #expect(try await gateway.appleGrants().isEmpty)
    }

    @Test("A late notification revokes the identity if the event is later than the redemption of the code")
    func lateNotification() async throws {
        let gateway = try await ClientFlowTests.gateway()
        try await gateway.makeServiceKey()
        let tokens = try TestGateway.Tokens(await gateway.startFlow("apple.com").complete(.ada))
        gateway.clock.advance(by: .seconds(60))
        let event = gateway.clock.now
        gateway.clock.advance(by: .seconds(60))
        try await gateway.attemptAppleGrants()
        #expect(try await gateway.credentialState(of: tokens.localId) == "AUTHORIZED")
        try await gateway.receive(gateway.notification(audience: TestGateway.webClient, at: event))
        #expect(try await gateway.credentialState(of: tokens.localId) == "REVOKED")
    }

    @Test("Apple's refresh token is kept if a pending token uses the identity later")
    func pendingToken() async throws {
        let gateway = try await ClientFlowTests.gateway()
        #expect(try await gateway.signIn(gateway.apple(.ada)).status == 200)
        let eve = try await gateway.signUp(email: "eve@example.com")
        let conflict = try await gateway.startFlow("apple.com", ["operation": "LINK"])
            .complete(.ada, ["idToken": .string(eve.idToken)])
        let pending = try #require(conflict.pendingToken, "\(conflict.text)")
        gateway.clock.advance(by: .seconds(1500))
        #expect(try await gateway.appleGrants() == [Self.kept])
        let signedIn = try await gateway.signInWithIdp([
            "pendingToken": .string(pending), "requestUri": "http://localhost",
        ])
        #expect(signedIn.outcome == "200", "\(signedIn.text)")
        try await gateway.attemptAppleGrants()
        #expect(try await gateway.appleGrants() == ["AUTHORIZED REFRESH_TOKEN com.example.web"])
        #expect(gateway.simulators.apple.revocations == 0)
    }

    @Test("Apple's response is rejected without a nonce, even if the device does not support nonces")
    func nonce() async throws {
        let gateway = try await ClientFlowTests.gateway()
        gateway.simulators.apple.quirks.supportsNonce = false
        let page = try await TestBrowser(gateway).agree(.ada, at: gateway.startFlow("apple.com").authURI)
        #expect(page.status == 400)
        #expect(page.heading == "We could not sign you in")
    }
}
