import HTTP
import Identity
import Testing

@testable import API
@testable import Support

@Suite("Method override", .serialized)
struct MethodOverrideTests {
    private static let config = "/v2/projects/demo/oauthIdpConfigs/oidc.acme"
    private static let fieldName = "X-HTTP-Method-Override"

    /// A gateway with the provider `oidc.acme`.
    private static func fixture() async throws -> TestGateway {
        let gateway = try await TestGateway.withServiceKey()
        let created = try await gateway.send(
            .post, "/v2/projects/demo/oauthIdpConfigs",
            body: JSON.object(
                ["displayName": "Acme", "clientId": "client", "issuer": "https://acme.example.com"]
            ).bytes, query: [("oauthIdpConfigId", "oidc.acme")], headers: headers())
        #expect(created.status == 200, "\(created.text)")
        return gateway
    }

    /// - Parameter fields: the header fields besides the service key.
    private static func headers(_ fields: (String, String)...) -> Headers {
        Headers([("Authorization", "Bearer \(TestGateway.serviceKeySecret)")] + fields)
    }

    private static func post(
        _ path: String, to gateway: TestGateway, _ body: JSON = [:], headers: Headers
    ) async throws -> Exchange {
        try await gateway.send(.post, path, body: body.bytes, query: [], headers: headers)
    }

    @Test("A POST request of an administrator performs the operation of the named method")
    func methods() async throws {
        let gateway = try await Self.fixture()
        let changed = try await gateway.send(
            .post, Self.config, query: [("updateMask", "displayName")],
            headers: Self.headers((Self.fieldName, "PATCH")), text: #"{"displayName":"New"}"#)
        #expect(changed.json["displayName"] == "New", "\(changed.text)")
        let deleted = try await Self.post(
            "/identitytoolkit.googleapis.com\(Self.config)", to: gateway,
            headers: Self.headers(("x-http-method-override", "DELETE")))
        #expect(deleted.outcome == "200")
        let again = try await Self.post(Self.config, to: gateway, headers: Self.headers((Self.fieldName, "DELETE")))
        #expect(again.status == 404)
        #expect(
            try await Self.post(Self.config, to: gateway, headers: Self.headers((Self.fieldName, "PUT"))).status == 405)
    }

    @Test(
        "An unknown or repeated method is rejected where an administrator's operation can have an override",
        arguments: [["GET"], ["patch"], ["POST"], [""], ["PATCH, DELETE"], ["PATCH", "PATCH"], ["PATCH", "DELETE"]])
    func invalid(values: [String]) async throws {
        let gateway = try await Self.fixture()
        var headers = Self.headers()
        for value in values { headers.add(Self.fieldName, value) }
        let answer = try await Self.post(Self.config, to: gateway, ["displayName": "New"], headers: headers)
        #expect(answer.wireCode == "INVALID_ARGUMENT", "\(answer.text)")
    }

    @Test("A method override needs a service key with the scope of the operation that it names")
    func scopes() async throws {
        let gateway = try await Self.fixture()
        let reader = try await ServiceKey(in: gateway, scopes: ServiceKeyScopes([.readUsers]))
        let headers: Headers = ["Authorization": "Bearer \(reader.secret)", Self.fieldName: "DELETE"]
        #expect(try await Self.post(Self.config, to: gateway, headers: headers).status == 403)
        let unknown: Headers = ["Authorization": "Bearer unknown", Self.fieldName: "DELETE"]
        #expect(try await Self.post(Self.config, to: gateway, headers: unknown).status == 401)
    }

    @Test(
        "A method override is ignored without a bearer token, with a cookie and in other requests",
        arguments: [
            (HTTP.Method.post, Self.config, [("Cookie", "a=b"), ("Authorization", "Bearer sks_test")], 405),
            (.post, Self.config, [("Authorization", "Basic sks_test")], 405),
            (.post, Self.config, [], 405),
            (.get, Self.config, [("Authorization", "Bearer sks_test")], 200),
            // Operations of clients, legacy names and pages.
            (.post, "/v1/accounts:lookup", [("Authorization", "Bearer sks_test")], 200),
            (
                .post, "/www.googleapis.com/identitytoolkit/v3/relyingparty/getAccountInfo",
                [("Authorization", "Bearer sks_test")], 200
            ),
            (.post, "/__/auth/action", [("Authorization", "Bearer sks_test")], 400),
            (.post, "/nowhere", [("Authorization", "Bearer sks_test")], 404),
        ] as [(HTTP.Method, String, [(String, String)], Int)])
    func ignored(method: HTTP.Method, path: String, fields: [(String, String)], status: Int) async throws {
        let gateway = try await Self.fixture()
        for value in ["DELETE", "BREW"] {
            let body: JSON = method == .get ? .null : ["localId": ["unknown"]]
            let answer = try await gateway.send(
                method, path, body: method == .get ? [] : body.bytes, query: [],
                headers: Headers(fields + [(Self.fieldName, value)]))
            #expect(answer.status == status, "\(value) \(answer.text)")
        }
        let left = try await gateway.send(.get, Self.config, body: [], query: [], headers: Self.headers())
        #expect(left.json["displayName"] == "Acme", "nothing was deleted")
    }

    @Test("A path with an administrator's operation for an override has no operation of other callers for one")
    func paths() {
        let overridable = Endpoint.all.filter { MethodOverride.methods.contains($0.method) }
        for (path, endpoints) in Dictionary(grouping: overridable, by: \.path) {
            let areForAdministrators = Set(
                endpoints.map { if case .administrator = $0.action { true } else { false } })
            #expect(areForAdministrators.count == 1, "\(path)")
        }
    }

    @Test("The body limit is that of the operation that the override names")
    func bodyLimit() async throws {
        let gateway = try await TestGateway()
        func limit(_ value: String) -> Int {
            gateway.pipeline.route(.post, Self.config, Self.headers((Self.fieldName, value))).bodyLimit.bytes
        }
        #expect([limit("PATCH"), limit("DELETE"), limit("GET")] == [65536, 1024, 1024])
    }

    @Test(
        "The body of a GET or DELETE request is dropped",
        arguments: ["{", #"{"tenantId":"other","targetProjectId":"x"}"#])
    func bodies(body: String) async throws {
        let gateway = try await Self.fixture()
        for method in [HTTP.Method.get, .delete] {
            let answer = try await gateway.send(method, Self.config, query: [], headers: Self.headers(), text: body)
            #expect(answer.outcome == "200", "\(method)")
        }
        let accounts = try await gateway.send(
            .get, "/v1/projects/demo/accounts:batchGet", query: [], headers: Self.headers(), text: body)
        #expect(accounts.outcome == "200")
    }
}
