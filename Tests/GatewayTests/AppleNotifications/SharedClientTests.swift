import Crypto
import HTTP
import Identity
import Postgres
import Simulators
import Storage
import Testing

@testable import Gateway
@testable import Support

@Suite("A notification of Apple for a client ID that several projects have")
struct SharedClientTests {
    private static let otherAPIKey = "pk_other"

    /// A gateway with a second project, `other`, whose Apple provider and whose app have these client IDs.
    private func gatewayWithOtherProject(providerClientIDs: [String], appClientIDs: [String]? = nil) async throws
        -> TestGateway
    {
        let gateway = try await TestGateway(transport: .socket)
        try await gateway.makeOtherProject(apiKey: Self.otherAPIKey) { draft in
            draft.realm.providers = SimulatedProviders.providers
            draft.realm.providers[0].clientIDs = providerClientIDs
            draft.secrets = [.apple: Secret("-----BEGIN PRIVATE KEY-----")]
        }
        if let appClientIDs {
            let ids = "{\"apple.com\": [\(appClientIDs.map { "\"\($0)\"" }.joined(separator: ", "))]}"
            try await gateway.database.pool.execute(
                """
                UPDATE app SET settings = settings || jsonb_build_object('clientIds', \(ids)::text::jsonb)
                WHERE project_id = 'other'
                """)
        }
        return gateway
    }

    private func signIn(at gateway: TestGateway, apiKey: String) async throws -> TestGateway.Tokens {
        try TestGateway.Tokens(
            await gateway.post(
                "/v1/accounts:signInWithIdp",
                ["postBody": .string(try gateway.appleCredential().postBody), "requestUri": "http://localhost"],
                key: apiKey))
    }

    private func isIDTokenValid(
        _ tokens: TestGateway.Tokens, at gateway: TestGateway, apiKey: String
    ) async throws -> Bool {
        try await gateway.post("/v1/accounts:lookup", ["idToken": .string(tokens.idToken)], key: apiKey).status == 200
    }

    @Test(
        "A notification ends sessions in every project that has its client ID, or only in the one that the path names",
        arguments: [nil, "demo", "other"])
    func paths(namedProject: String?) async throws {
        let gateway = try await gatewayWithOtherProject(providerClientIDs: [SimulatedProviders.appleClientID])
        let inDemo = try await signIn(at: gateway, apiKey: TestGateway.apiKey)
        let inOther = try await signIn(at: gateway, apiKey: Self.otherAPIKey)
        gateway.clock.advance(by: .seconds(1))
        let payload = try gateway.appleNotification(.consentRevoked)
        try await gateway.postAcceptedNotification(payload, project: namedProject)
        #expect(try await isIDTokenValid(inDemo, at: gateway, apiKey: TestGateway.apiKey) == (namedProject == "other"))
        #expect(try await isIDTokenValid(inOther, at: gateway, apiKey: Self.otherAPIKey) == (namedProject == "demo"))
        // A delivery that names no project affects only the projects that have not received the notification.
        try await gateway.postAcceptedNotification(payload)
        #expect(try await !isIDTokenValid(inDemo, at: gateway, apiKey: TestGateway.apiKey))
        #expect(try await !isIDTokenValid(inOther, at: gateway, apiKey: Self.otherAPIKey))
        let counted = try await gateway.database.pool.query(
            "SELECT count(*) AS count FROM audit_event WHERE action = 'apple.consentRevoked'")
        #expect(try counted.first?.decode("count", as: Int.self) == 2)
    }

    @Test("A notification is rejected if its path names a project that does not have its client ID")
    func otherClientID() async throws {
        let gateway = try await gatewayWithOtherProject(providerClientIDs: ["com.example.other"])
        let payload = try gateway.appleNotification(.consentRevoked)
        #expect(try await gateway.postNotification(payload, project: "other").status == 400)
        #expect(try await gateway.postNotification(payload, project: "unknown").status == 400)
        try await gateway.postAcceptedNotification(gateway.appleNotification(audience: "com.example.other"))
    }

    @Test("A notification is accepted if only an app, not the Apple provider, has its client ID")
    func clientIDOfApp() async throws {
        let gateway = try await gatewayWithOtherProject(
            providerClientIDs: ["com.example.other"], appClientIDs: ["com.example.third"])
        try await gateway.postAcceptedNotification(gateway.appleNotification(audience: "com.example.third"))
    }

    @Test("A notification for a project also ends sessions in its tenants, and is accepted after a tenant is deleted")
    func tenants() async throws {
        let fixture = try await TenantFixture()
        let tenant = try await fixture.makeTenant()
        #expect(try await fixture.enableProvider("apple.com", in: tenant).status == 200)
        let gateway = fixture.gateway
        let credential: @Sendable () throws -> [String: JSON] = {
            ["postBody": .string(try gateway.appleCredential().postBody), "requestUri": "http://localhost"]
        }
        let inProject = try TestGateway.Tokens(await fixture.callAsClient("signInWithIdp", in: nil, credential()))
        let inTenant = try TestGateway.Tokens(await fixture.callAsClient("signInWithIdp", in: tenant, credential()))
        gateway.clock.advance(by: .seconds(1))
        try await gateway.postAcceptedNotification(gateway.appleNotification(.consentRevoked), project: "demo")
        for (tokens, realm) in [(inProject, nil), (inTenant, tenant)] {
            let looked = try await fixture.callAsClient("lookup", in: realm, ["idToken": .string(tokens.idToken)])
            #expect(looked.status == 400, "\(realm ?? "project")")
        }
        #expect(try await fixture.send(.delete, "\(TenantFixture.tenantsPath)/\(tenant)").status == 200)
        gateway.clock.advance(by: .seconds(1))
        try await gateway.postAcceptedNotification(gateway.appleNotification(.consentRevoked))
    }
}
