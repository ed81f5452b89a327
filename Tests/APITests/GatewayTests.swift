import HTTP
import Identity
import Testing

@testable import API

@Suite("The gateway")
struct GatewayTests {
    @Test("puts its marks on every answer", arguments: ["/v1/projects", "/healthz", "/nothing"])
    func marks(path: String) async {
        let response = await TestGateway().send(.get, path)
        #expect(response.headers["X-Request-Id"] == "r1")
        #expect(response.headers["X-Content-Type-Options"] == "nosniff")
        #expect(response.headers["Cache-Control"] == "no-store")
    }

    struct Shown: CustomTestStringConvertible {
        let testDescription: String
        var query: [(name: String, value: String)] = []
        var headers: Headers = [:]
        let status: Int
        let says: String
    }

    @Test(
        "lets in by API key and by nothing else",
        arguments: [
            Shown(testDescription: "key in query", query: [("key", "good")], status: 200, says: "localhost"),
            Shown(testDescription: "key in header", headers: ["X-Goog-Api-Key": "good"], status: 200, says: ""),
            Shown(
                testDescription: "other scheme", query: [("key", "good")], headers: ["Authorization": "Basic YTpi"],
                status: 200, says: "localhost"),
            Shown(testDescription: "nothing", status: 403, says: "The request is missing a valid API key."),
            Shown(testDescription: "empty key", query: [("key", "")], status: 403, says: "PERMISSION_DENIED"),
            Shown(testDescription: "unknown key", query: [("key", "bad")], status: 400, says: "API_KEY_INVALID"),
            Shown(testDescription: "no key at all", query: [("key", "a\u{0}b")], status: 400, says: "API_KEY_INVALID"),
            Shown(
                testDescription: "endless key", query: [("key", String(repeating: "k", count: 129))], status: 400,
                says: "API_KEY_INVALID"),
            Shown(
                testDescription: "bearer", headers: ["Authorization": "Bearer owner"], status: 401,
                says: "UNAUTHENTICATED"),
            Shown(
                testDescription: "bearer beside a key", query: [("key", "good")],
                headers: ["authorization": "bearer x"], status: 401, says: "UNAUTHENTICATED"),
        ])
    func access(shown: Shown) async {
        let response = await TestGateway().send(.get, "/v1/projects", query: shown.query, headers: shown.headers)
        #expect(response.status == shown.status)
        #expect(response.text.contains(shown.says))
    }

    @Test("checks every client endpoint", arguments: Endpoint.all)
    func everyEndpoint(endpoint: Endpoint) async {
        let path = endpoint.path.replacing("{project}", with: "demo")
        let response = await TestGateway().send(endpoint.method, path, query: [])
        switch endpoint.action {
        case .client, .administrator, .either: #expect(response.status == 403)
        case .open: #expect([200, 404].contains(response.status))
        case .page: #expect([200, 303, 400].contains(response.status))
        }
    }

    @Test("names the methods of a path it knows")
    func methodNotAllowed() async {
        let response = await TestGateway().send(.delete, "/v1/projects")
        #expect(response.summary == "405 Method Not Allowed")
        #expect(response.headers["Allow"] == "GET")
    }

    @Test(
        "answers plainly to what is not built yet",
        arguments: [
            "/v1/accounts:signInWithPhoneNumber", "/v2/accounts:revokeToken",
            "/identitytoolkit.googleapis.com/v2/accounts/mfaSignIn:start",
            "/www.googleapis.com/identitytoolkit/v3/relyingparty/verifyPhoneNumber",
            "/v2/projects/demo/tenants/t/inboundSamlConfigs", "/v2/projects/demo/inboundSamlConfigs",
            "/identitytoolkit/v3/relyingparty/downloadAccount", "/identitytoolkit/v3/relyingparty/getRecaptchaParam",
        ])
    func notImplemented(path: String) async {
        let response = await TestGateway().send(.post, path)
        #expect(response.summary == "501 This operation is not implemented.")
    }

    @Test(
        "fails in plain text, which no client takes for a refusal",
        arguments: [
            (TestGateway(passwordsAreBusy: true), 503, "1" as String?),
            (TestGateway(failure: StoreUnavailable(reason: "secret-host")), 503, "2"),
            (TestGateway(failure: CancellationError()), 500, nil),
        ])
    func failure(gateway: TestGateway, status: Int, retryAfter: String?) async {
        let response = await gateway.post(
            "accounts:signInWithPassword", #"{"email":"ada@example.com","password":"right"}"#)
        #expect(response.status == status)
        #expect(response.headers["Content-Type"] == "text/plain; charset=utf-8")
        #expect(response.headers["Retry-After"] == retryAfter)
        #expect(!response.text.contains("secret-host") && !response.text.contains("Cancellation"))
        #expect(response.headers["Cache-Control"] == "no-store")
    }

    @Test(
        "takes bodies of clients, and small forms",
        arguments: [
            (HTTP.Method.post, "/v1/accounts:signUp", 65536), (.post, "/v1/token", 65536),
            (.post, "/identitytoolkit/v3/relyingparty/verifyPassword", 65536),
            (.post, "/__/auth/action", 8192), (.post, "/demo/__/auth/forgotPassword", 8192),
            (.get, "/__/auth/action", 1024),
            (.post, "/v1/accounts:signInWithPhoneNumber", 65536), (.get, "/healthz", 1024), (.post, "/nowhere", 1024),
        ])
    func bodyLimit(method: HTTP.Method, path: String, limit: Int) {
        guard case .bytes(limit) = TestGateway().gateway.route(method, path).bodyLimit else {
            Issue.record("\(TestGateway().gateway.route(method, path).bodyLimit)")
            return
        }
    }

    @Test("reads more than clients send for administrators only, and asks for no route below what each may have")
    func bodyLimits() {
        for endpoint in Endpoint.all {
            #expect(endpoint.bodyLimit >= Limits().bodyBytes, "\(endpoint.operationID)")
            let limit = TestGateway().gateway.route(
                endpoint.method, endpoint.path.replacing(#/[{}]/#, with: "")
            ).bodyLimit
            switch limit {
            case .bytes(let bytes): #expect(bytes == endpoint.bodyLimit && bytes <= 65536, "\(endpoint.operationID)")
            case .checked(let bytes, let unchecked, _):
                #expect(bytes == endpoint.bodyLimit && unchecked == 65536, "\(endpoint.operationID)")
                guard case .administrator = endpoint.action else {
                    Issue.record("\(endpoint.operationID) is open to others")
                    return
                }
            }
        }
    }

    @Test("answers what does not fit into memory as it answers any overload, readable for pages of every origin")
    func overloaded() {
        let response = TestGateway().gateway.overloaded(
            Request(
                id: "r1", method: .post, path: "/v1/accounts:signUp", headers: ["Origin": "https://app.example"],
                peer: "192.0.2.7"))
        #expect(response.status == 503)
        #expect(response.text == "Too busy; try again shortly.\n")
        #expect(response.headers["Content-Type"] == "text/plain; charset=utf-8")
        #expect(response.headers["Retry-After"] == "1")
        #expect(response.headers["Access-Control-Allow-Origin"] == "https://app.example")
        #expect(response.headers["X-Request-Id"] == "r1")
    }

    @Test("names each operation once, and each path and method")
    func endpointsAreDistinct() {
        #expect(Set(Endpoint.all.map(\.operationID)).count == Endpoint.all.count)
        #expect(Set(Endpoint.all.map { "\($0.method) \($0.path)" }).count == Endpoint.all.count)
    }
}
