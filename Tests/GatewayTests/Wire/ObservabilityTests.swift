import Glibc
import HTTP
import Identity
import JSON
import Postgres
import Telemetry
import Testing

@testable import Support

@Suite("Logs and metrics")
struct ObservabilityTests {
    struct Line: Decodable {
        let level: String
        let requestId: String
        let address: String
        let ms: Double
        let status: Int
        let operationId: String?
        let realm: String?
        let method: String?
        let methodOverride: String?
        let path: String?
        let refusal: String?
        let cause: String?
    }

    /// The decoded lines that a gateway logs while `run` uses it.
    private func loggedLines(while run: (TestGateway) async throws -> Void) async throws -> [Line] {
        try await loggedTexts(while: run).map { try StrictJSON.decode(Line.self, from: Array($0.utf8)) }
    }

    /// The text of each line that a gateway logs while `run` uses it.
    private func loggedTexts(while run: (TestGateway) async throws -> Void) async throws -> [String] {
        var pipeEnds: [Int32] = [0, 0]
        try #require(pipe(&pipeEnds) == 0)
        defer { for end in pipeEnds { close(end) } }
        let log = Log(level: .info, descriptor: pipeEnds[1])
        let gateway = try await TestGateway(passwords: .withoutHashing, log: log)
        try await run(gateway)
        try #require(log.flush(within: .seconds(10)))
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = read(pipeEnds[0], &buffer, buffer.count)
        return String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func sendRequests(_ gateway: TestGateway) async throws {
        _ = try await gateway.signUp()
        _ = try await gateway.signIn()
        _ = try await gateway.lookup("wrong-token")
        _ = try await gateway.send(.get, "/v1/projects", query: [])
        _ = try await gateway.send(.get, "/ada@example.com")
    }

    @Test("The log has both methods of a request with a method override")
    func methodOverride() async throws {
        let lines = try await loggedLines { gateway in
            try await gateway.makeServiceKey()
            let headers: Headers = [
                "Authorization": "Bearer \(TestGateway.serviceKeySecret)", "X-HTTP-Method-Override": "DELETE",
            ]
            _ = try await gateway.send(
                .post, "/v2/projects/demo/oauthIdpConfigs/oidc.unknown", query: [], headers: headers)
        }
        #expect(lines.map(\.operationId) == ["deleteOauthIdpConfig"])
        #expect(lines.map(\.method) == ["POST"])
        #expect(lines.map(\.methodOverride) == ["DELETE"])
    }

    @Test("Each request is one line of the log")
    func line() async throws {
        let lines = try await loggedLines(while: sendRequests)
        #expect(lines.map(\.operationId) == ["signUp", "signInWithPassword", "lookUpOwnAccount", "getProject", nil])
        #expect(lines.map(\.status) == [200, 200, 400, 403, 404])
        #expect(lines.map(\.refusal) == [nil, nil, "INVALID_ID_TOKEN", "PERMISSION_DENIED", "NOT_FOUND"])
        #expect(lines.map(\.realm) == ["demo", "demo", "demo", nil, nil])
        #expect(lines.allSatisfy { !$0.requestId.isEmpty && $0.address == "192.0.2.0/24" && $0.level == "info" })
    }

    @Test("The line of a request without an operation has the method and the known segments of the path")
    func unmatched() async throws {
        let paths = ["/v1/accounts:signInWithPasword", "/v1/projects/demo/acounts", "/v1/token/eyJhbGciOi", "//"]
        let lines = try await loggedLines { gateway in
            for path in paths { _ = try await gateway.send(.get, path, query: []) }
        }
        #expect(lines.map(\.path) == ["/v1/accounts:*", "/v1/projects/*/*", "/v1/token/*", "/"])
        #expect(lines.map(\.method) == ["GET", "GET", "GET", "GET"])
    }

    @Test("A log line has the request ID of the response")
    func requestID() async throws {
        var response: Exchange?
        let lines = try await loggedLines { response = try await $0.send(.get, "/v1/projects") }
        #expect(lines.map(\.requestId) == [try #require(response?.headers["X-Request-Id"])])
    }

    @Test("The log contains no password, token, API key, account ID, email address or full IP address")
    func privacy() async throws {
        var tokens: TestGateway.Tokens?
        let text = try await loggedTexts { gateway in
            try await sendRequests(gateway)
            tokens = try TestGateway.Tokens(await gateway.signIn())
        }.joined()
        let ada = try #require(tokens)
        for secret in [
            "secret1", "ada", TestGateway.apiKey, ada.idToken, ada.refreshToken, ada.localId, "192.0.2.1",
            "wrong-token",
        ] {
            #expect(!text.contains(secret), "\(secret)")
        }
    }

    @Test("The log line of a failure has its cause")
    func cause() async throws {
        let lines = try await loggedLines { gateway in
            let ada = try await gateway.signUp()
            await gateway.database.pool.close()
            _ = try await gateway.lookup(ada.idToken)
        }
        #expect(lines.map(\.level) == ["info", "error"])
        #expect(lines.map(\.status) == [200, 503])
        let cause = try #require(lines.last?.cause)
        #expect(cause.contains("Identity.StoreUnavailable") && cause.contains("the database is unavailable"))
    }

    @Test("Requests are counted by operation and status, and timed by operation")
    func metrics() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.post("/v1/accounts:lookup")
        _ = try await gateway.send(.get, "/v1/projects")
        _ = try await gateway.send(.get, "/nowhere")
        let response = try await gateway.send(.get, "/metrics", query: [])
        #expect(response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        let lines = Set(response.text.split(separator: "\n"))
        for expected in [
            #"sekisho_requests_total{operation="lookUpOwnAccount",status="400"} 1"#,
            #"sekisho_requests_total{operation="getProject",status="200"} 1"#,
            #"sekisho_requests_total{operation="other",status="404"} 1"#,
            #"sekisho_request_seconds_count{operation="lookUpOwnAccount"} 1"#,
        ] { #expect(lines.contains(expected[...]), "\(expected)") }
    }
}
