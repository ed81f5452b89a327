import Identity
import Simulators
import Testing

@testable import Support

/// A flow is a sign-in in the browser. Its grant is the secret in the URL to which the browser returns. The client that
/// started the flow exchanges it, together with its session ID, for tokens.
@Suite("Attacks on the grant of a sign-in in the browser", .serialized)
struct FlowGrantAttackTests {
    private static let invalidGrant =
        "400 INVALID_IDP_RESPONSE : The grant is not valid: it was used, has expired, or belongs to another sessionId or app."

    @Test("If the victim completes a flow of the attacker, the flow's session ID is useless without the grant")
    func sessionFixation() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let attackersFlow = try await gateway.startFlow("google.com")
        _ = try await attackersFlow.signInAtProvider(.mary)
        for uri in ["https://localhost/done", "https://localhost/done?grant=", "https://localhost/done?grant=guess"] {
            #expect(try await attackersFlow.signIn(at: uri).status == 400)
        }
    }

    @Test("A grant of the attacker's flow does not sign a victim in to the attacker's account (login CSRF)")
    func loginCSRF() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let attackersLocation = try await gateway.startFlow("google.com").signInAtProvider(.mary)
        let victimsFlow = try await gateway.startFlow("google.com")
        #expect(try await victimsFlow.signIn(at: attackersLocation).outcome == Self.invalidGrant)
        #expect(try await gateway.signIn(at: attackersLocation, sessionID: nil).outcome == "400 MISSING_SESSION_ID")
    }

    @Test("A grant can be used only once, even by concurrent requests")
    func secondUse() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        for provider in ["apple.com", "google.com", "oidc.corp"] {
            let flow = try await gateway.startFlow(provider)
            let location = try await flow.signInAtProvider()
            let outcomes = try await concurrently(4) { _ in try await flow.signIn(at: location).outcome }.sorted()
            #expect(outcomes == ["200"] + Array(repeating: Self.invalidGrant, count: 3))
        }
    }

    @Test(
        "A grant that was used to link an identity cannot be used again, in a project and in a tenant",
        arguments: [false, true])
    func usedGrant(isInTenant: Bool) async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let tenant: [String: JSON] =
            isInTenant
            ? ["tenantId": .string(try await TenantFixture(gateway).makeTenantWithProvidersOfProject())] : [:]
        let (ada, eve) = (try await gateway.signUpAnonymously(tenant), try await gateway.signUpAnonymously(tenant))
        let flow = try await gateway.startFlow("google.com", tenant.merging(["operation": "LINK"]) { $1 })
        let location = try await flow.signInAtProvider(.mary)
        let linked = try await flow.signIn(at: location, tenant.merging(["idToken": .string(ada.idToken)]) { $1 })
        #expect(linked.outcome == "200")
        let again = try await flow.signIn(
            at: location,
            tenant.merging(["idToken": .string(eve.idToken), "returnIdpCredential": true]) { $1 })
        #expect(again.outcome == Self.invalidGrant)
    }

    @Test("A grant expires after a minute")
    func expiry() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let flow = try await gateway.startFlow("google.com")
        let location = try await flow.signInAtProvider(.mary)
        gateway.clock.advance(by: .seconds(61))
        #expect(try await flow.signIn(at: location).outcome == Self.invalidGrant)
    }

    @Test("A grant is invalid for another app")
    func otherApp() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let flow = try await gateway.startFlow("google.com")
        let location = try await flow.signInAtProvider(.mary)
        let otherKey = try await gateway.makeOtherAppKey()
        let stolen = try await gateway.post(
            "/v1/accounts:signInWithIdp",
            ["requestUri": .string(location), "sessionId": .string(flow.sessionID)], key: otherKey)
        #expect(stolen.outcome == Self.invalidGrant)
        #expect(try await flow.signIn(at: location).outcome == "200")
    }
}
