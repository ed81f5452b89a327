import Encoding
import HTTP
import Identity
import Postgres
import Simulators
import Testing

@testable import Gateway
@testable import Support

/// A flow is a sign-in in the browser. Its grant (see `FlowResultSecrets`) is the secret in the URL to which the
/// browser returns.
@Suite("An authorization code of a sign-in in the browser", .serialized)
struct FlowCodeTests {
    /// How long Apple's refresh token is kept if no sign-in uses it: the lifetime of a flow's grant, that of a pending
    /// token, and five minutes.
    private static let unusedTokenLifetime: Duration = .seconds(60 + 1800 + 300)
    /// The line of ``TestGateway/appleGrantLines()`` for a stored refresh token that no account uses yet.
    private static let unusedRefreshToken = "REDEEMING REFRESH_TOKEN com.example.web"

    @Test("A code is not redeemed before the provider's keys are available, so that a retry succeeds")
    func keysUnavailable() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
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

    @Test(
        "If the ID token for a redeemed code cannot be verified, no retry is offered, and the refresh token is revoked")
    func notVerifiable() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        // The gateway caches Apple's keys, which are then replaced.
        #expect(try await gateway.signIn(gateway.appleCredential(.mary)).status == 200)
        try gateway.simulators.apple.rotateKeys(keepingOld: false)
        gateway.simulators.apple.faultInjection.injectFault(.unavailable, at: SimulatedApple.keysPath)
        let page = try await TestBrowser(gateway).signInAtProvider(
            .ada, opening: gateway.startFlow("apple.com").authURI)
        #expect(gateway.tokenRequestCount == 1)
        #expect(page.status == 400)
        #expect(page.heading == "We could not sign you in")
        #expect(!page.text.contains("Try again"))
        gateway.simulators.apple.faultInjection.reset()
        try await expectRevocation(at: gateway)
    }

    @Test("If a response has the code of another flow, Apple's refresh token for that code is revoked")
    func codeOfOtherFlow() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let other = try await gateway.startFlow("apple.com")
        let code = try gateway.authorizationCode(of: .ada, for: other.authURI)
        let page = try await TestBrowser(gateway).signInAtProvider(
            .ada, opening: gateway.startFlow("apple.com").authURI
        ) { form in
            form = form.map { $0.0 == "code" ? ("code", code) : $0 }
        }
        #expect(page.heading == "We could not sign you in")
        try await expectRevocation(at: gateway)
    }

    @Test("Apple's refresh token is revoked if no app uses the result of the flow")
    func unused() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        _ = try await gateway.startFlow("apple.com").signInAtProvider(.ada)
        try await expectRevocation(at: gateway)
    }

    /// Expects that the refresh token is revoked once its retention as an unused token ends.
    private func expectRevocation(at gateway: TestGateway) async throws {
        #expect(try await gateway.appleGrantLines() == [Self.unusedRefreshToken])
        try await gateway.processDueAppleGrants()
        #expect(
            try await gateway.appleGrantLines() == [Self.unusedRefreshToken],
            "a flow's grant or a pending token may still be used")
        gateway.clock.advance(by: Self.unusedTokenLifetime)
        try await gateway.processDueAppleGrants()
        #expect(try await gateway.appleGrantLines().isEmpty)
        #expect(gateway.simulators.apple.revocations == 1)
    }

    @Test("A flow whose result is not used does not disconnect a user who has signed in with another flow")
    func signedInOtherwise() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        _ = try await gateway.startFlow("apple.com").signInAtProvider(.ada)
        #expect(try await gateway.startFlow("apple.com").complete(.ada).outcome == "200")
        gateway.clock.advance(by: Self.unusedTokenLifetime)
        try await gateway.processDueAppleGrants()
        #expect(try await gateway.appleGrantLines() == ["AUTHORIZED REFRESH_TOKEN com.example.web"])
        #expect(gateway.simulators.apple.revocations == 0)
    }

    @Test("A flow whose result is not used does not disconnect a user of a tenant with the same client ID")
    func tenant() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let fixture = try await TenantFixture(gateway)
        let tenant = try await fixture.makeTenantWithProvidersOfProject()
        let signedIn = try await fixture.callAsClient(
            "signInWithIdp", in: tenant,
            ["postBody": .string(gateway.appleCredential(.ada).postBody), "requestUri": "http://localhost"])
        #expect(signedIn.status == 200, "\(signedIn.text)")
        _ = try await gateway.startFlow("apple.com").signInAtProvider(.ada)
        try await expectDeletion(at: gateway)
    }

    @Test("A flow whose result is not used disconnects no user while the app moves to another team of Apple")
    func transfer() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        #expect(try await gateway.signIn(gateway.appleCredential(.mary)).status == 200)
        try await gateway.database.pool.execute(
            "UPDATE linked_identity SET transfer_sub = '000123.r0', transfer_team = 'NEWTEAM123'")
        _ = try await gateway.startFlow("apple.com").signInAtProvider(.ada)
        try await expectDeletion(at: gateway)
    }

    /// Expects that the refresh token is deleted, but not revoked, once its retention as an unused token ends.
    private func expectDeletion(at gateway: TestGateway) async throws {
        #expect(try await gateway.appleGrantLines() == [Self.unusedRefreshToken])
        gateway.clock.advance(by: Self.unusedTokenLifetime)
        try await gateway.processDueAppleGrants()
        #expect(try await gateway.appleGrantLines().isEmpty)
        #expect(gateway.simulators.apple.revocations == 0)
    }

    @Test("A flow whose result is not used does not replace the refresh token of a later sign-in")
    func older() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        _ = try await gateway.startFlow("apple.com").signInAtProvider(.ada)
        gateway.clock.advance(by: .seconds(60))
        #expect(try await gateway.startFlow("apple.com").complete(.ada).outcome == "200")
        try await gateway.processDueAppleGrants()
        func appleGrantIDs(where condition: SQL) async throws -> [String] {
            try await gateway.database.pool.query("SELECT id::text AS id FROM apple_grant WHERE \(condition)")
                .map { try $0.decode("id") }
        }
        let newer = try await appleGrantIDs(where: "state = 'AUTHORIZED'")
        #expect(newer.count == 1)
        gateway.clock.advance(by: Self.unusedTokenLifetime)
        try await gateway.processDueAppleGrants()
        #expect(try await appleGrantIDs(where: "true") == newer)
        #expect(gateway.simulators.apple.revocations == 0)
    }

    @Test("Apple's refresh token is deleted if the user disconnects the app before the flow's result is used")
    func disconnected() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        _ = try await gateway.startFlow("apple.com").signInAtProvider(.ada)
        #expect(try await gateway.appleGrantLines() == [Self.unusedRefreshToken])
        try await gateway.postAcceptedNotification(
            gateway.appleNotification(.emailDisabled, audience: TestGateway.servicesID))
        #expect(try await gateway.appleGrantLines() == [Self.unusedRefreshToken])
        try await gateway.postAcceptedNotification(gateway.appleNotification(audience: TestGateway.servicesID))
        #expect(try await gateway.appleGrantLines().isEmpty)
    }

    @Test("A notification that arrives late revokes the identity if its event is later than the redemption of the code")
    func lateNotification() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        try await gateway.makeServiceKey()
        let tokens = try TestGateway.Tokens(await gateway.startFlow("apple.com").complete(.ada))
        gateway.clock.advance(by: .seconds(60))
        let event = gateway.clock.now
        gateway.clock.advance(by: .seconds(60))
        try await gateway.processDueAppleGrants()
        #expect(try await gateway.credentialState(of: tokens.localId) == "AUTHORIZED")
        try await gateway.postAcceptedNotification(
            gateway.appleNotification(audience: TestGateway.servicesID, at: event))
        #expect(try await gateway.credentialState(of: tokens.localId) == "REVOKED")
    }

    @Test("Apple's refresh token is kept if a pending token is used for a sign-in later")
    func pendingToken() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        #expect(try await gateway.signIn(gateway.appleCredential(.ada)).status == 200)
        let eve = try await gateway.signUp(email: "eve@example.com")
        let conflict = try await gateway.startFlow("apple.com", ["operation": "LINK"])
            .complete(.ada, ["idToken": .string(eve.idToken)])
        let pending = try #require(conflict.pendingToken, "\(conflict.text)")
        // The pending token is valid for 1800 seconds.
        gateway.clock.advance(by: .seconds(1500))
        #expect(try await gateway.appleGrantLines() == [Self.unusedRefreshToken])
        let signedIn = try await gateway.signInWithIdp([
            "pendingToken": .string(pending), "requestUri": "http://localhost",
        ])
        #expect(signedIn.outcome == "200", "\(signedIn.text)")
        try await gateway.processDueAppleGrants()
        #expect(try await gateway.appleGrantLines() == ["AUTHORIZED REFRESH_TOKEN com.example.web"])
        #expect(gateway.simulators.apple.revocations == 0)
    }

    @Test("Apple's response is rejected without a nonce, even if the device does not support nonces")
    func nonce() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        gateway.simulators.apple.quirks.supportsNonce = false
        let page = try await TestBrowser(gateway).signInAtProvider(
            .ada, opening: gateway.startFlow("apple.com").authURI)
        #expect(page.status == 400)
        #expect(page.heading == "We could not sign you in")
    }
}
