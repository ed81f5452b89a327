import HTTP
import Identity
import Postgres
import Testing

@testable import API
@testable import Support

@Suite("CORS")
struct CORSTests {
    private static let shared = Task { try await TestGateway() }

    @Test("A preflight request is accepted for any path", arguments: ["/v1/accounts:signUp", "/no/such/path", "/"])
    func preflight(path: String) async throws {
        let response = try await Self.shared.value.send(
            .options, path,
            headers: [
                "origin": "https://app.example.com", "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "content-type,x-client-version",
                "Access-Control-Request-Private-Network": "true",
            ])
        #expect(response.status == 204)
        #expect(response.body.isEmpty)
        #expect(response.headers["Access-Control-Allow-Origin"] == "https://app.example.com")
        #expect(response.headers["Access-Control-Allow-Headers"] == "content-type,x-client-version")
        #expect(response.headers["Access-Control-Allow-Methods"] == "GET, POST, PATCH, PUT, DELETE, OPTIONS")
        #expect(response.headers["Access-Control-Max-Age"] != nil)
        #expect(response.headers["Access-Control-Allow-Private-Network"] == "true")
        #expect(response.headers.values(of: "vary").joined().contains("Origin"))
    }

    @Test("An OPTIONS request without an Origin gets no CORS fields")
    func plainOptions() async throws {
        let response = try await Self.shared.value.send(.options, "/v1/token")
        #expect(response.status == 204)
        #expect(response.headers["Access-Control-Allow-Origin"] == nil)
        #expect(response.headers["Access-Control-Allow-Headers"] == nil)
        #expect(response.headers["Access-Control-Allow-Private-Network"] == nil)
        #expect(response.headers["Vary"] != nil)
    }

    @Test(
        "CORS fields do not repeat text that is not valid in a header", arguments: ["", "a\u{1}b", "https://é.example"])
    func unfitOrigin(origin: String) async throws {
        let response = try await Self.shared.value.send(
            .options, "/v1/token", headers: ["Origin": origin, "Access-Control-Request-Headers": origin])
        #expect(response.headers["Access-Control-Allow-Origin"] == nil)
        #expect(response.headers["Access-Control-Allow-Headers"] == nil)
    }

    struct Row: CustomTestStringConvertible, Sendable {
        let path: String
        let status: Int
        var prepare: @Sendable (TestGateway) async throws -> Void = { _ in }
        var testDescription: String { "\(status)" }
    }

    @Test(
        "Pages of other origins can read successful responses, errors and failures",
        arguments: [
            Row(path: "/v1/accounts:signUp", status: 200), Row(path: "/v1/accounts:lookup", status: 400),
            Row(path: "/v1/accounts:none", status: 404), Row(path: "/v1/projects", status: 405),
            Row(path: "/v1/accounts:revokeToken", status: 501),
            Row(path: "/v1/accounts:signUp", status: 503) { await $0.database.pool.close() },
            Row(path: "/v1/accounts:signUp", status: 500) { try await $0.makeAccountStatementsFail() },
        ])
    func responses(row: Row) async throws {
        let gateway = try await TestGateway()
        try await row.prepare(gateway)
        let response = try await gateway.send(.post, row.path, headers: ["Origin": "capacitor://localhost"])
        #expect(response.status == row.status)
        #expect(response.headers["Access-Control-Allow-Origin"] == "capacitor://localhost")
        #expect(response.headers["Access-Control-Expose-Headers"] == "Retry-After, X-Request-Id")
        #expect(response.headers["Vary"] == "Origin")
    }
}
