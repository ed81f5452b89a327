import Encoding
import HTTP
import Identity
import Postgres
import Testing

@testable import API
@testable import Support

/// The service key for a large body is checked before the body is read.
@Suite("A large import", .serialized)
struct LargeBodyTests {
    private static let path = "/v1/projects/demo/accounts:batchCreate"

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var hasAPIKey = false
        var bearer: String?
        let outcomePrefix: String
    }

    static let rows = [
        Row(
            testDescription: "neither an API key nor a service key",
            outcomePrefix: "403 The request is missing a valid API key."),
        Row(
            testDescription: "an API key", hasAPIKey: true,
            outcomePrefix: "400 INSUFFICIENT_PERMISSION : Only authenticated requests can specify target_project_id."),
        Row(testDescription: "an unknown service key", bearer: "sks_unknown", outcomePrefix: "401 Request had invalid"),
        Row(
            testDescription: "the emulator's token", bearer: "owner",
            outcomePrefix: "401 This gateway is not an emulator"),
        Row(
            testDescription: "another project's service key", bearer: "sks_elsewhere",
            outcomePrefix: "403 The caller does not have permission"),
        Row(
            testDescription: "a service key without the scope", bearer: "sks_reader",
            outcomePrefix: "403 PERMISSION_DENIED : The service key lacks the scope"),
        Row(testDescription: "a service key with the scope", bearer: "sks_backend", outcomePrefix: "200"),
    ]

    @Test("An import gets the same response whatever its size", arguments: rows)
    func outcome(row: Row) async throws {
        let gateway = try await Self.gateway(transport: .socket)
        // In bytes: below and above the 65,536 that are read before a service key is checked; the limit is 4 MiB.
        for padding in [10, 100_000, 3_000_000] {
            let response = try await Self.send(row, padding: padding, to: gateway)
            #expect(response.outcome.hasPrefix(row.outcomePrefix), "\(padding): \(response.outcome)")
            #expect(gateway.server?.reservedBodyBytes == 0)
        }
        #expect(try await gateway.accountCount() == (row.outcomePrefix == "200" ? 3 : 0), "an account for each padding")
    }

    @Test("A large import without a service key for the operation is rejected before its body is read")
    func unread() async throws {
        let gateway = try await Self.gateway()
        for row in Self.rows {
            let head = Request(
                id: "0", method: .post, path: Self.path,
                query: row.hasAPIKey ? [(ByteText("key"), TestGateway.apiKey)] : [],
                headers: row.bearer.map { ["Authorization": "Bearer \($0)"] } ?? [:], peer: "192.0.2.1")
            guard case .checked(4_194_304, 65536, let refusal) = gateway.pipeline.route(.post, Self.path).bodyLimit
            else {
                Issue.record("a large body is not checked")
                return
            }
            let response = await refusal(head)
            #expect((response == nil) == (row.outcomePrefix == "200"), "\(row)")
            if let response { #expect(Exchange(response).outcome.hasPrefix(row.outcomePrefix), "\(row)") }
        }
    }

    @Test(
        "The project and the tenant that a body names are checked, and unknown members are ignored, whatever its size",
        arguments: [
            ([:], "200"), (["targetProjectId": "demo"], "200"), (["target_project_id": "elsewhere"], "403 "),
            (["tenantId": "unknown"], "404 TENANT_NOT_FOUND"), (["idToken": "x"], "200"),
            (["users": "x"], "400 Invalid JSON payload received. /users must be an array"),
        ] as [([String: JSON], String)])
    func target(members: [String: JSON], outcomePrefix: String) async throws {
        let gateway = try await Self.gateway()
        for padding in [10, 300_000] {
            let row = Row(testDescription: "", bearer: "sks_backend", outcomePrefix: outcomePrefix)
            let response = try await Self.send(row, padding: padding, adding: members, to: gateway)
            #expect(response.outcome.hasPrefix(outcomePrefix), "\(padding): \(response.outcome)")
        }
    }

    private static func gateway(transport: Transport = .inProcess) async throws -> TestGateway {
        let gateway = try await TestGateway(transport: transport)
        try await gateway.makeOtherProject(serviceKey: "sks_elsewhere")
        _ = try await ServiceKey(id: "backend", in: gateway)
        _ = try await ServiceKey(id: "reader", in: gateway, scopes: ServiceKeyScopes([.readUsers]))
        return gateway
    }

    private static func send(
        _ row: Row, padding: Int, adding members: [String: JSON] = [:], to gateway: TestGateway
    ) async throws -> Exchange {
        let body: [String: JSON] = [
            "users": [["localId": .string("ada\(padding)")]],
            "padding": .string(String(repeating: "x", count: padding)),
        ]
        return try await gateway.send(
            .post, path, body: try JSON.object(body.merging(members) { $1 }).bytes,
            query: row.hasAPIKey ? [("key", TestGateway.apiKey)] : [],
            headers: row.bearer.map { ["Authorization": "Bearer \($0)", "Content-Type": "application/json"] } ?? [:])
    }
}
