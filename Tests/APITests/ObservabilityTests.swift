import Glibc
import HTTP
import Identity
import JSON
import Telemetry
import Testing

@testable import API

@Suite("What the operator sees")
struct ObservabilityTests {
    struct Line: Decodable {
        let level: String
        let requestId: String
        let address: String
        let ms: Double
        let status: Int
        let operationId: String?
        let project: String?
        let refusal: String?
        let cause: String?
    }

    /// What `run` makes a gateway log.
    private func lines(_ run: (Log) async -> Void) async throws -> [Line] {
        try await texts(run).map { try StrictJSON.decode(Line.self, from: Array($0.utf8)) }
    }

    private func texts(_ run: (Log) async -> Void) async throws -> [String] {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let log = Log(level: .info, descriptor: ends[1])
        await run(log)
        try #require(log.flush(within: .seconds(10)))
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = read(ends[0], &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func someRequests(_ log: Log) async {
        let gateway = TestGateway(log: log)
        _ = await gateway.post("accounts:signInWithPassword", #"{"email":"ada@example.com","password":"right"}"#)
        _ = await gateway.post("accounts:lookup", #"{"idToken":"wrong-token"}"#)
        _ = await gateway.send(.get, "/v1/projects", query: [])
        _ = await gateway.send(.get, "/ada@example.com")
    }

    @Test("is one line for a request")
    func line() async throws {
        let lines = try await lines(someRequests)
        #expect(lines.map(\.operationId) == ["signInWithPassword", "lookup", "getProject", nil])
        #expect(lines.map(\.status) == [200, 400, 403, 404])
        #expect(lines.map(\.refusal) == [nil, "INVALID_ID_TOKEN", "PERMISSION_DENIED", "NOT_FOUND"])
        #expect(lines.map(\.project) == ["demo", "demo", nil, nil])
        #expect(lines.allSatisfy { $0.requestId == "r1" && $0.address == "192.0.2.0/24" && $0.level == "info" })
    }

    @Test("is nothing of the person's")
    func privacy() async throws {
        let text = try await texts(someRequests).joined()
        for secret in ["right", "ada", "good", "refresh.", "192.0.2.7", "wrong-token"] {
            #expect(!text.contains(secret), "\(secret)")
        }
    }

    @Test("has the cause of a failure in it")
    func cause() async throws {
        let lines = try await lines { log in
            _ = await TestGateway(failure: StoreUnavailable(reason: "no route"), log: log)
                .post("accounts:lookup", "{\(TestGateway.adaMember)}")
        }
        #expect(lines.map(\.level) == ["error"])
        #expect(lines.map(\.status) == [503])
        let cause = try #require(lines.first?.cause)
        #expect(cause.contains("Identity.StoreUnavailable") && cause.contains("no route"))
    }

    @Test("is counted by operation and status")
    func metrics() async {
        let gateway = TestGateway()
        _ = await gateway.post("accounts:lookup", "{}")
        _ = await gateway.send(.get, "/v1/projects")
        _ = await gateway.send(.get, "/nowhere")
        let response = await gateway.send(.get, "/metrics", query: [])
        #expect(response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        let lines = Set(response.text.split(separator: "\n"))
        for expected in [
            #"sekisho_requests_total{operation="lookup",status="400"} 1"#,
            #"sekisho_requests_total{operation="getProject",status="200"} 1"#,
            #"sekisho_requests_total{operation="other",status="404"} 1"#,
            #"sekisho_request_seconds_count{operation="lookup"} 1"#,
        ] { #expect(lines.contains(expected[...]), "\(expected)") }
    }
}
