import HTTP
import Identity
import Postgres
import Testing

@testable import API
@testable import Support

@Suite("The request pipeline")
struct RequestPipelineTests {
    private static let shared = Task { try await TestGateway.withDefaultPolicy() }

    @Test("Responses have a request ID, nosniff and no-store", arguments: ["/v1/projects", "/healthz", "/nothing"])
    func headerFields(path: String) async throws {
        let response = try await Self.shared.value.send(.get, path)
        #expect(response.headers["X-Request-Id"]?.isEmpty == false)
        #expect(response.headers["X-Content-Type-Options"] == "nosniff")
        #expect(response.headers["Cache-Control"] == "no-store")
    }

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        var query: [(name: String, value: String)] = []
        var headers: Headers = [:]
        let status: Int
        /// A part of the response.
        let excerpt: String
    }

    private static let key = [(name: "key", value: TestGateway.apiKey)]

    @Test(
        "A client endpoint accepts an API key, and no bearer token",
        arguments: [
            Row(testDescription: "key in query", query: key, status: 200, excerpt: "localhost"),
            Row(
                testDescription: "key in header", headers: ["X-Goog-Api-Key": TestGateway.apiKey], status: 200,
                excerpt: "localhost"),
            Row(
                testDescription: "key beside another authorization scheme", query: key,
                headers: ["Authorization": "Basic YTpi"], status: 200, excerpt: "localhost"),
            Row(testDescription: "nothing", status: 403, excerpt: "The request is missing a valid API key."),
            Row(testDescription: "empty key", query: [("key", "")], status: 403, excerpt: "PERMISSION_DENIED"),
            Row(testDescription: "unknown key", query: [("key", "bad")], status: 400, excerpt: "API_KEY_INVALID"),
            Row(testDescription: "invalid key", query: [("key", "a\u{0}b")], status: 400, excerpt: "API_KEY_INVALID"),
            Row(
                testDescription: "very long key", query: [("key", String(repeating: "k", count: 129))], status: 400,
                excerpt: "API_KEY_INVALID"),
            Row(
                testDescription: "repeated key", query: key + key, status: 400, excerpt: "/key must not be repeated"),
            Row(
                testDescription: "another repeated parameter", query: key + [("a", ""), ("a", "")], status: 400,
                excerpt: "/a must not be repeated"),
            Row(
                testDescription: "name with U+212A instead of K", query: [("\u{212A}ey", TestGateway.apiKey)],
                status: 403, excerpt: "PERMISSION_DENIED"),
            Row(
                testDescription: "bearer", headers: ["Authorization": "Bearer owner"], status: 401,
                excerpt: "UNAUTHENTICATED"),
            Row(
                testDescription: "bearer beside a key", query: key,
                headers: ["authorization": "bearer x"], status: 401, excerpt: "UNAUTHENTICATED"),
        ])
    func access(row: Row) async throws {
        let response = try await Self.shared.value.send(.get, "/v1/projects", query: row.query, headers: row.headers)
        #expect(response.status == row.status)
        #expect(response.text.contains(row.excerpt))
    }

    @Test("Endpoints that are neither public nor pages reject requests without credentials", arguments: Endpoint.all)
    func everyEndpoint(endpoint: Endpoint) async throws {
        let path = endpoint.path.replacing("{project}", with: "demo").replacing(#/[{}]/#, with: "")
        let response = try await Self.shared.value.send(endpoint.method, path, query: [])
        switch endpoint.action {
        case .client, .administrator, .clientOrAdministrator: #expect(response.status == 403)
        // The only unauthenticated POST endpoints receive Apple's notifications, and reject a missing body with 400.
        case .unauthenticated:
            #expect([200, 404].contains(response.status) || endpoint.method == .post && response.status == 400)
        case .monitoring: #expect(response.status == 200)
        case .page: #expect([200, 303, 400, 404].contains(response.status))
        }
    }

    @Test("A response with status 405 names the methods of the path")
    func methodNotAllowed() async throws {
        let response = try await Self.shared.value.send(.delete, "/v1/projects")
        #expect(response.outcome == "405 Method Not Allowed")
        #expect(response.headers["Allow"] == "GET")
    }

    @Test(
        "Firebase's operations that the gateway does not implement get 501",
        arguments: [
            "/v1/accounts:revokeToken",
            "/v2/projects/demo/tenants/t/inboundSamlConfigs", "/v2/projects/demo/inboundSamlConfigs",
            "/identitytoolkit/v3/relyingparty/getRecaptchaParam",
        ])
    func notImplemented(path: String) async throws {
        let response = try await Self.shared.value.send(.post, path)
        #expect(response.outcome == "501 OPERATION_NOT_ALLOWED : This operation is not implemented.")
    }

    struct Failure: CustomTestStringConvertible {
        let testDescription: String
        var passwords = PasswordHasher.withoutHashing
        var prepare: @Sendable (TestGateway) async throws -> Void = { _ in }
        let status: Int
        var retryAfter: String?
    }

    @Test(
        "A failure of the gateway gets plain text without internal details",
        arguments: [
            Failure(
                testDescription: "too many passwords wait to be hashed", passwords: .overloaded, status: 503,
                retryAfter: "1"),
            Failure(
                testDescription: "no database", prepare: { await $0.database.pool.close() }, status: 503,
                retryAfter: "2"),
            Failure(
                testDescription: "unexpected error", prepare: { try await $0.makeAccountStatementsFail() }, status: 500),
        ])
    func failure(row: Failure) async throws {
        let gateway = try await TestGateway(passwords: row.passwords)
        #expect(try await gateway.send(.get, "/v1/projects").status == 200)
        try await row.prepare(gateway)
        let response = try await gateway.signIn()
        #expect(response.status == row.status)
        #expect(response.headers["Content-Type"] == "text/plain; charset=utf-8")
        #expect(response.headers["Retry-After"] == row.retryAfter)
        for internalDetail in ["account", "closed", "Postgres", "SQL", "relation"] {
            #expect(!response.text.contains(internalDetail), "\(response.text)")
        }
        #expect(response.headers["Cache-Control"] == "no-store")
    }

    @Test(
        "The body limit depends on the endpoint",
        arguments: [
            (HTTP.Method.post, "/v1/accounts:signUp", 65536), (.post, "/v1/token", 65536),
            (.post, "/identitytoolkit/v3/relyingparty/verifyPassword", 65536),
            (.post, "/__/auth/action", 65536), (.post, "/demo/__/auth/forgotPassword", 8192),
            (.get, "/__/auth/action", 1024),
            (.post, "/v1/accounts:signInWithPhoneNumber", 65536), (.get, "/healthz", 1024), (.post, "/nowhere", 1024),
        ])
    func bodyLimit(method: HTTP.Method, path: String, limit: Int) async throws {
        let found = try await Self.shared.value.pipeline.route(method, path).bodyLimit
        guard case .bytes(limit) = found else {
            Issue.record("\(found)")
            return
        }
    }

    @Test("An operation that reads no body accepts at most 1 KiB")
    func emptyBody() {
        for endpoint in Endpoint.all where endpoint.method == .get || endpoint.method == .delete {
            #expect(endpoint.bodyLimit == 1024, "\(endpoint.operationID)")
        }
    }

    @Test("Only endpoints for administrators read bodies above 64 KiB, and check the caller before they read more")
    func bodyLimits() async throws {
        let pipeline = try await Self.shared.value.pipeline
        for endpoint in Endpoint.all {
            // The server accepts smaller bodies without asking for the endpoint's limit.
            #expect(endpoint.bodyLimit >= Limits().bodyBytes, "\(endpoint.operationID)")
            switch pipeline.route(endpoint.method, endpoint.path.replacing(#/[{}]/#, with: "")).bodyLimit {
            case .bytes(let bytes): #expect(bytes == endpoint.bodyLimit && bytes <= 65536, "\(endpoint.operationID)")
            case .checked(let bytes, let unchecked, _):
                #expect(bytes == endpoint.bodyLimit && unchecked == 65536, "\(endpoint.operationID)")
                guard case .administrator = endpoint.action else {
                    Issue.record("\(endpoint.operationID) accepts large bodies from clients")
                    return
                }
            }
        }
    }

    @Test("A request whose body does not fit into the memory for bodies gets 503, which pages of every origin can read")
    func overloaded() async throws {
        let response = try await Self.shared.value.pipeline.rejected(
            .overloaded,
            Request(
                id: "r1", method: .post, path: "/v1/accounts:signUp", headers: ["Origin": "https://app.example"],
                peer: "192.0.2.7"))
        #expect(response.status == 503)
        #expect(String(decoding: response.body, as: UTF8.self) == "Too busy; try again shortly.\n")
        #expect(response.headers["Content-Type"] == "text/plain; charset=utf-8")
        #expect(response.headers["Retry-After"] == "1")
        #expect(response.headers["Access-Control-Allow-Origin"] == "https://app.example")
        #expect(response.headers["X-Request-Id"] == "r1")
    }

    @Test(
        "A request whose body is rejected for its content gets JSON, which pages of every origin can read",
        arguments: [
            (.tooLarge, 413, "REQUEST_TOO_LARGE"), (.malformedChunk, 400, "INVALID_ARGUMENT"),
            (.unsupportedCoding, 415, "UNSUPPORTED_MEDIA_TYPE"), (.malformedGzip, 400, "INVALID_ARGUMENT"),
        ] as [(BodyRejection, Int, String)])
    func rejectedBody(rejection: BodyRejection, status: Int, code: String) async throws {
        let response = try await Self.shared.value.pipeline.rejected(
            rejection,
            Request(
                id: "r1", method: .post, path: "/v1/accounts:signUp", headers: ["Origin": "https://app.example"],
                peer: "192.0.2.7"))
        #expect(response.status == status)
        #expect(String(decoding: response.body, as: UTF8.self).contains(#""errorCode":"\#(code)""#))
        #expect(response.headers["Access-Control-Allow-Origin"] == "https://app.example")
    }
}
