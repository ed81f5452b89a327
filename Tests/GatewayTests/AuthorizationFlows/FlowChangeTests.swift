import HTTP
import Identity
import Postgres
import Simulators
import Testing

@testable import Support

@Suite("A configuration that changes during a sign-in in the browser", .serialized)
struct FlowChangeTests {
    struct Change: CustomTestStringConvertible {
        let testDescription: String
        let statement: SQL
    }

    @Test(
        "After a change that forbids the provider, its response is rejected, and so is a grant that was issued before",
        arguments: [
            Change(
                testDescription: "guideline 4.8 is no longer met",
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
    func notOffered(change: Change) async throws {
        let gateway = try await ClientFlowTests.gateway()
        let unanswered = try await gateway.startFlow("google.com")
        let answered = try await gateway.startFlow("google.com")
        let location = try await answered.agree(.mary)
        let before = gateway.tokenRequestCount
        _ = try await gateway.database.pool.execute(change.statement)
        let changed = try gateway.withFreshCaches()
        let page = try await TestBrowser(changed).agree(.mary, at: unanswered.authURI)
        #expect(page.heading == "This sign-in is not available")
        #expect(gateway.tokenRequestCount == before)
        let signIn = try await changed.signIn(at: location, sessionID: answered.sessionID)
        #expect(signIn.wireCode == "OPERATION_NOT_ALLOWED")
    }

    @Test("No grant is sent to a domain or redirect URI that was removed", arguments: [true, false])
    func target(isPage: Bool) async throws {
        let gateway = try await ClientFlowTests.gateway()
        let target = isPage ? TestGateway.continueURI : "com.example.app:/done"
        let first = isPage ? gateway : try await gateway.withApp(#"{"redirectUris": ["com.example.app:/done"]}"#)
        let flow = try await first.startFlow("google.com", ["continueUri": .string(target)])
        let popup = try await TestBrowser(first).send(.get, TestGateway.handlerURL("google.com"))
        let removal: SQL =
            isPage
            ? "UPDATE project SET authorized_domains = '{}'"
            : "UPDATE app SET settings = '{\"redirectUris\": [\"com.example.app:/other\"]}'"
        _ = try await gateway.database.pool.execute(removal)
        let changed = try first.withFreshCaches()
        let urls = [flow.authURI] + (isPage ? [try #require(popup.location)] : [])
        for url in urls {
            let page = try await TestBrowser(changed).agree(.mary, at: url)
            #expect(page.status == 400)
            #expect(page.heading == "This website cannot use this sign-in")
            #expect(page.location == nil && page.delivery == nil)
            #expect(!page.text.contains(target))
        }
        #expect(gateway.tokenRequestCount == 0)
    }

    @Test("A sign-in ends if its tenant is disabled or its app is deleted")
    func disabled() async throws {
        let gateway = try await ClientFlowTests.gateway()
        let fixture = try await TenantFixture(gateway)
        let tenant = try await fixture.tenantWithProviders()
        let inTenant: [String: JSON] = ["tenantId": .string(tenant)]
        let unanswered = try await gateway.startFlow("google.com", inTenant)
        let answered = try await gateway.startFlow("google.com", inTenant)
        let location = try await answered.agree(.mary)
        let before = gateway.tokenRequestCount
        _ = try await fixture.send(
            .patch, "\(TenantFixture.tenants)/\(tenant)", ["disableAuth": true], [("updateMask", "disableAuth")])
        let changed = try gateway.withFreshCaches()
        let page = try await TestBrowser(changed).agree(.mary, at: unanswered.authURI)
        #expect(page.status == 400)
        #expect(page.heading == "This sign-in has expired")
        let signIn = try await changed.signIn(at: location, sessionID: answered.sessionID, inTenant)
        #expect(signIn.wireCode == "PROJECT_DISABLED")

        let flow = try await gateway.startFlow("google.com")
        _ = try await gateway.database.pool.execute("DELETE FROM api_key")
        _ = try await gateway.database.pool.execute("DELETE FROM app")
        let withoutApp = try await TestBrowser(gateway.withFreshCaches()).agree(.mary, at: flow.authURI)
        #expect(withoutApp.status == 400)
        #expect(gateway.tokenRequestCount == before)
    }
}
