import HTTP
import Identity
import Postgres
import Simulators
import Testing

@testable import Support

/// A flow is a sign-in in the browser. Its grant is the secret in the URL to which the browser returns.
@Suite("A configuration that changes during a sign-in in the browser", .serialized)
struct FlowChangeTests {
    struct Change: CustomTestStringConvertible {
        let testDescription: String
        let statement: SQL
    }

    @Test(
        "After a change that forbids a provider, the gateway rejects the provider's responses and all earlier grants",
        arguments: [
            Change(
                testDescription: "Apple is removed, so App Review guideline 4.8 forbids Google",
                statement: "DELETE FROM identity_provider WHERE provider = 'apple.com'"),
            Change(
                testDescription: "the provider may only be linked",
                statement: "UPDATE app SET settings = settings || '{\"linkOnlyMethods\": [\"google.com\"]}'"),
            Change(
                testDescription: "the provider is disabled",
                statement: """
                    UPDATE identity_provider SET settings = settings || '{"enabled": false}'
                    WHERE provider = 'google.com'
                    """),
        ])
    func forbiddenProvider(change: Change) async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let flowWithoutResponse = try await gateway.startFlow("google.com")
        let flowWithGrant = try await gateway.startFlow("google.com")
        let location = try await flowWithGrant.signInAtProvider(.mary)
        let before = gateway.tokenRequestCount
        _ = try await gateway.database.pool.execute(change.statement)
        let changed = try gateway.withFreshCaches()
        let page = try await TestBrowser(changed).signInAtProvider(.mary, opening: flowWithoutResponse.authURI)
        #expect(page.heading == "This sign-in is not available")
        #expect(gateway.tokenRequestCount == before)
        let signIn = try await changed.signIn(at: location, sessionID: flowWithGrant.sessionID)
        #expect(signIn.wireCode == "OPERATION_NOT_ALLOWED")
    }

    @Test("No grant is sent to a page of a removed domain, or to a removed redirect URI", arguments: [true, false])
    func removedTarget(isPage: Bool) async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let target = isPage ? TestGateway.continueURI : "com.example.app:/done"
        let original =
            isPage ? gateway : try await gateway.withAppSettings(#"{"redirectUris": ["com.example.app:/done"]}"#)
        let flow = try await original.startFlow("google.com", ["continueUri": .string(target)])
        let popup = try await TestBrowser(original).send(.get, TestGateway.handlerURL("google.com"))
        let removal: SQL =
            isPage
            ? "UPDATE realm SET authorized_domains = '{}'"
            : "UPDATE app SET settings = '{\"redirectUris\": [\"com.example.app:/other\"]}'"
        _ = try await gateway.database.pool.execute(removal)
        let changed = try original.withFreshCaches()
        let urls = [flow.authURI] + (isPage ? [try #require(popup.location)] : [])
        for url in urls {
            let page = try await TestBrowser(changed).signInAtProvider(.mary, opening: url)
            #expect(page.status == 400)
            #expect(page.heading == "This website cannot use this sign-in")
            #expect(page.location == nil && page.delivery == nil)
            #expect(!page.text.contains(target))
        }
        #expect(gateway.tokenRequestCount == 0)
    }

    @Test("A sign-in in the browser is rejected after its tenant is disabled or its app is deleted")
    func disabledTenantAndDeletedApp() async throws {
        let gateway = try await TestGateway.withAppleGoogleAndOpenID()
        let fixture = try await TenantFixture(gateway)
        let tenant = try await fixture.makeTenantWithProvidersOfProject()
        let inTenant: [String: JSON] = ["tenantId": .string(tenant)]
        let flowWithoutResponse = try await gateway.startFlow("google.com", inTenant)
        let flowWithGrant = try await gateway.startFlow("google.com", inTenant)
        let location = try await flowWithGrant.signInAtProvider(.mary)
        let before = gateway.tokenRequestCount
        _ = try await fixture.send(
            .patch, "\(TenantFixture.tenantsPath)/\(tenant)", ["disableAuth": true], [("updateMask", "disableAuth")])
        let changed = try gateway.withFreshCaches()
        let page = try await TestBrowser(changed).signInAtProvider(.mary, opening: flowWithoutResponse.authURI)
        #expect(page.status == 400)
        #expect(page.heading == "This sign-in has expired")
        let signIn = try await changed.signIn(at: location, sessionID: flowWithGrant.sessionID, inTenant)
        #expect(signIn.wireCode == "PROJECT_DISABLED")

        let flow = try await gateway.startFlow("google.com")
        _ = try await gateway.database.pool.execute("DELETE FROM api_key")
        _ = try await gateway.database.pool.execute("DELETE FROM app")
        let withoutApp = try await TestBrowser(gateway.withFreshCaches()).signInAtProvider(.mary, opening: flow.authURI)
        #expect(withoutApp.status == 400)
        #expect(gateway.tokenRequestCount == before)
    }
}
