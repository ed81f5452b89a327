import Crypto
import HTTP
import Identity
import Postgres
import Simulators
import Storage
import Testing

@testable import Gateway
@testable import Support

@Suite("A notification for a client ID of several projects")
struct SharedClientTests {
    private static let otherKey = "sk_other"

    /// A gateway with a second project, whose Apple provider and apps have the given client IDs.
    private func gateway(providerClientIDs: [String], appClientIDs: [String]? = nil) async throws -> TestGateway {
        let gateway = try await TestGateway(transport: .socket)
        try await gateway.makeOtherProject(apiKey: Self.otherKey) { draft in
            draft.project.providers = SimulatedProviders.providers
            draft.project.providers[0].clientIDs = providerClientIDs
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

    private func signIn(_ gateway: TestGateway, key: String) async throws -> TestGateway.Tokens {
        try TestGateway.Tokens(
            await gateway.post(
                "/v1/accounts:signInWithIdp",
                ["postBody": .string(try gateway.apple().postBody), "requestUri": "http://localhost"], key: key))
    }

    private func isIDTokenValid(_ tokens: TestGateway.Tokens, _ gateway: TestGateway, key: String) async throws -> Bool
    {
        try await gateway.post("/v1/accounts:lookup", ["idToken": .string(tokens.idToken)], key: key).status == 200
    }

    @Test(
        "A notification concerns each project with its client ID, or only the project that the path names",
        arguments: [nil, "demo", "other"])
    func paths(named: String?) async throws {
        let gateway = try await gateway(providerClientIDs: [SimulatedProviders.appleClient])
        let ours = try await signIn(gateway, key: TestGateway.apiKey)
        let theirs = try await signIn(gateway, key: Self.otherKey)
        gateway.clock.advance(by: .seconds(1))
        let payload = try gateway.notification()
        try await gateway.receive(payload, project: named)
        #expect(try await isIDTokenValid(ours, gateway, key: TestGateway.apiKey) == (named == "other"))
        #expect(try await isIDTokenValid(theirs, gateway, key: Self.otherKey) == (named == "demo"))
        // A delivery that names no project affects only the projects that have not received the notification.
        try await gateway.receive(payload)
        #expect(try await !isIDTokenValid(ours, gateway, key: TestGateway.apiKey))
        #expect(try await !isIDTokenValid(theirs, gateway, key: Self.otherKey))
        let counted = try await gateway.database.pool.query(
            "SELECT count(*) AS count FROM audit_event WHERE action = 'identity.revoked'")
        #expect(try counted.first?.decode("count", as: Int.self) == 2)
    }

    @Test("A notification does not concern a project with another client ID")
    func otherClient() async throws {
        let gateway = try await gateway(providerClientIDs: ["com.example.other"])
        let payload = try gateway.notification()
        #expect(try await gateway.deliver(payload, project: "other").status == 400)
        #expect(try await gateway.deliver(payload, project: "unknown").status == 400)
        try await gateway.receive(gateway.notification(audience: "com.example.other"))
    }

    @Test("A notification concerns a project in which only an app has the client ID")
    func appClient() async throws {
        let gateway = try await gateway(providerClientIDs: ["com.example.other"], appClientIDs: ["com.example.extra"])
        try await gateway.receive(gateway.notification(audience: "com.example.extra"))
    }

    @Test("A notification for a project concerns its tenants too, and is accepted after a tenant is deleted")
    func tenants() async throws {
        let fixture = try await TenantFixture()
        let tenant = try await fixture.tenant()
        #expect(try await fixture.configure("apple.com", in: tenant).status == 200)
        let gateway = fixture.gateway
        let proof: @Sendable () throws -> [String: JSON] = {
            ["postBody": .string(try gateway.apple().postBody), "requestUri": "http://localhost"]
        }
        let inProject = try TestGateway.Tokens(await fixture.callAsClient("signInWithIdp", in: nil, proof()))
        let inTenant = try TestGateway.Tokens(await fixture.callAsClient("signInWithIdp", in: tenant, proof()))
        gateway.clock.advance(by: .seconds(1))
        #expect(try await gateway.deliver(gateway.notification(), project: "demo").status == 200)
        for (tokens, realm) in [(inProject, nil), (inTenant, tenant)] {
            let looked = try await fixture.callAsClient("lookup", in: realm, ["idToken": .string(tokens.idToken)])
            #expect(looked.status == 400, "\(realm ?? "project")")
        }
        #expect(try await fixture.send(.delete, "\(TenantFixture.tenants)/\(tenant)").status == 200)
        gateway.clock.advance(by: .seconds(1))
        try await gateway.receive(gateway.notification())
    }
}
