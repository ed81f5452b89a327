import HTTP
import Identity
import Postgres
import Testing

@testable import API
@testable import Support

@Suite("Operations endpoints")
struct OperationsTests {
    private static let shared = Task { try await TestGateway() }

    @Test(
        "Documents for token verifiers are JSON that may be cached",
        arguments: [
            ("/.well-known/openid-configuration", "jwks_uri"), ("/demo/.well-known/openid-configuration", "jwks_uri"),
            ("/.well-known/jwks.json", "keys"), ("/demo/.well-known/jwks.json", "keys"),
            ("/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com", "keys"),
            ("/www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com", "keys"),
            ("/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", nil),
            ("/demo/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", nil),
            ("/www.googleapis.com/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com", nil),
        ] as [(String, String?)])
    func documents(path: String, member: String?) async throws {
        let response = try await Self.shared.value.send(.get, path, query: [])
        #expect(response.status == 200)
        // The other documents are certificates by key ID, so their members have no fixed names.
        if let member {
            #expect(response.json[member] != nil)
        } else {
            #expect(response.text.contains("-----BEGIN CERTIFICATE-----"))
        }
        let cacheControl = try #require(response.headers["Cache-Control"])
        #expect(cacheControl.wholeMatch(of: #/public, max-age=[1-9]\d*/#) != nil, "\(cacheControl)")
        #expect(response.headers.values(of: "Cache-Control").count == 1)
        #expect(response.headers["Content-Type"] == "application/json; charset=UTF-8")
        #expect(response.headers["Vary"] == "Origin")
    }

    @Test(
        "A document is not found if the path names an unknown project, or names no project while there are several",
        arguments: ["", "/none"].flatMap { project in
            [
                "/.well-known/jwks.json", "/.well-known/openid-configuration",
                "/robot/v1/metadata/x509/securetoken@system.gserviceaccount.com",
            ].map { project + $0 }
        })
    func unknownProject(path: String) async throws {
        let gateway = try await TestGateway()
        // A second project, so that a path without a project names neither.
        try await gateway.makeOtherProject(serviceKey: "sks_other")
        #expect(try await gateway.send(.get, path, query: []).outcome == "404 Not Found")
    }

    @Test("A HEAD request is accepted like a GET request")
    func head() async throws {
        #expect(try await Self.shared.value.send(.head, "/healthz").status == 200)
    }

    private static let monitoring = ["/healthz", "/readyz", "/metrics"]

    @Test("Pages of other origins cannot read the operations for monitoring", arguments: monitoring)
    func origins(path: String) async throws {
        for method in [HTTP.Method.get, .head, .options] {
            let response = try await Self.shared.value.send(
                method, path, query: [], headers: ["Origin": "https://evil.example"])
            #expect(response.status == (method == .options ? 204 : 200))
            let fields = response.headers.map { $0.name.lowercased() }
            #expect(!fields.contains { $0.hasPrefix("access-control-") || $0 == "vary" }, "\(method) \(fields)")
        }
    }

    @Test("A listener for monitoring finds only the operations for monitoring, and the other listener none of them")
    func listeners() {
        let other = Route.router(adding: [], servesMonitoring: false)
        let extended = Route.router(
            adding: [.outsideContract("added", .get, "/added") { _ in .text(status: 200, "") }],
            servesMonitoring: false)
        for endpoint in Endpoint.all {
            let path = endpoint.path.replacing(#/[{}]/#, with: "")
            #expect(endpoint.isForMonitoring == Self.monitoring.contains(path))
            #expect(Route.monitoringRouter.match(endpoint.method, path).isFound == endpoint.isForMonitoring, "\(path)")
            for router in [other, extended] {
                #expect(router.match(endpoint.method, path).isFound != endpoint.isForMonitoring, "\(path)")
            }
        }
        #expect(extended.match(.get, "/added").isFound)
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var isDraining = false
        var prepare: @Sendable (TestGateway) async throws -> Void = { _ in }
        let expected: String
    }

    @Test(
        "`/readyz` names the cause if the gateway is not ready, and `/healthz` stays ok",
        arguments: [
            Row(testDescription: "ready", expected: "200 ok\nversion: \(Release.version)\n"),
            Row(
                testDescription: "no database", prepare: { await $0.database.pool.close() },
                expected: "503 database: not reachable\n"),
            Row(
                testDescription: "no table of migrations",
                prepare: { _ = try await $0.database.pool.execute("ALTER TABLE schema_migration RENAME TO former") },
                expected: "503 schema: not migrated\n"),
            Row(testDescription: "draining", isDraining: true, expected: "503 draining\n"),
        ])
    func readiness(row: Row) async throws {
        let gateway = try await TestGateway(isDraining: row.isDraining)
        try await row.prepare(gateway)
        #expect(try await gateway.send(.get, "/readyz", query: []).outcomeWithBody == row.expected)
        #expect(try await gateway.send(.get, "/healthz", query: []).outcomeWithBody == "200 ok\n")
    }
}

extension RouteMatch {
    fileprivate var isFound: Bool {
        if case .found = self { true } else { false }
    }
}
