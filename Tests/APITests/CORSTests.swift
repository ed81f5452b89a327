import HTTP
import Identity
import Testing

@testable import API

@Suite("A page of another origin")
struct CORSTests {
    @Test("may ask whether it may ask, for any path", arguments: ["/v1/accounts:signUp", "/no/such/path", "/"])
    func preflight(path: String) async {
        let response = await TestGateway().send(
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

    @Test("is told nothing it did not ask for")
    func plainOptions() async {
        let response = await TestGateway().send(.options, "/v1/token")
        #expect(response.status == 204)
        #expect(response.headers["Access-Control-Allow-Origin"] == nil)
        #expect(response.headers["Access-Control-Allow-Headers"] == nil)
        #expect(response.headers["Access-Control-Allow-Private-Network"] == nil)
        #expect(response.headers["Vary"] != nil)
    }

    @Test("sends nothing back that could not be a header", arguments: ["", "a\u{1}b", "https://é.example"])
    func unfitOrigin(origin: String) async {
        let response = await TestGateway().send(
            .options, "/v1/token", headers: ["Origin": origin, "Access-Control-Request-Headers": origin])
        #expect(response.headers["Access-Control-Allow-Origin"] == nil)
        #expect(response.headers["Access-Control-Allow-Headers"] == nil)
    }

    @Test(
        "may read every answer",
        arguments: [
            (TestGateway(), "/v1/accounts:signUp", 200), (TestGateway(), "/v1/accounts:lookup", 400),
            (TestGateway(), "/v1/accounts:none", 404), (TestGateway(), "/v1/projects", 405),
            (TestGateway(), "/v1/accounts:signInWithPhoneNumber", 501),
            (TestGateway(failure: StoreUnavailable(reason: "")), "/v1/accounts:signUp", 503),
            (TestGateway(failure: CancellationError()), "/v1/accounts:signUp", 500),
        ])
    func answers(gateway: TestGateway, path: String, status: Int) async {
        let response = await gateway.send(.post, path, headers: ["Origin": "capacitor://localhost"])
        #expect(response.status == status)
        #expect(response.headers["Access-Control-Allow-Origin"] == "capacitor://localhost")
        #expect(response.headers["Access-Control-Expose-Headers"] == "Retry-After, X-Request-Id")
        #expect(response.headers["Vary"] == "Origin")
    }
}
