import HTTP
import Identity
import Storage
import Testing

@testable import DevMode
@testable import Gateway

/// Creates tenants of a project with a service key. By default, tenants allow passwords, email links and anonymous
/// users.
struct TenantFixture: Sendable {
    static let tenants = "/v2/projects/demo/tenants"

    let gateway: TestGateway
    let serviceKey: ServiceKey

    init(_ gateway: TestGateway? = nil) async throws {
        if let gateway { self.gateway = gateway } else { self.gateway = try await TestGateway() }
        serviceKey = try await ServiceKey(in: self.gateway)
    }

    /// Calls an operation for administrators with the service key.
    func send(
        _ method: HTTP.Method, _ path: String, _ body: JSON? = nil, _ query: [(name: String, value: String)] = []
    ) async throws -> Exchange {
        try await gateway.administer(method, path, body, by: serviceKey, query: query)
    }

    /// The input for a tenant that allows every way to sign up.
    static let everything: JSON = [
        "displayName": "Acme", "allowPasswordSignup": true, "enableEmailLinkSignin": true, "enableAnonymousUser": true,
    ]

    /// Creates a tenant, and returns its ID.
    func tenant(_ input: JSON = everything) async throws -> String {
        try #require(try await send(.post, Self.tenants, input).json["tenantId"]?.string)
    }

    /// Calls an operation for administrators on the accounts of a tenant.
    func accounts(_ operation: String, of tenant: String, _ body: JSON = [:]) async throws -> Exchange {
        try await send(.post, "/v1/projects/demo/tenants/\(tenant)/accounts\(operation)", body)
    }

    func signUp(
        in tenant: String?, email: String = "ada@example.com", password: String = "secret1"
    ) async throws -> TestGateway.Tokens {
        try TestGateway.Tokens(
            try await callAsClient("signUp", in: tenant, ["email": .string(email), "password": .string(password)]))
    }

    func signIn(
        in tenant: String?, email: String = "ada@example.com", password: String = "secret1"
    ) async throws -> Exchange {
        try await callAsClient(
            "signInWithPassword", in: tenant, ["email": .string(email), "password": .string(password)])
    }

    /// Creates an account in the tenant. Returns the code that verifies its address, and its tokens.
    func verificationCode(in tenant: String) async throws -> (code: String, TestGateway.Tokens) {
        let ada = try await signUp(in: tenant)
        let sent = try await callAsClient(
            "sendOobCode", in: tenant, ["requestType": "VERIFY_EMAIL", "idToken": .string(ada.idToken)])
        #expect(sent.status == 200)
        return (try await gateway.code(.verifyEmail), ada)
    }

    /// Calls an operation for clients.
    ///
    /// - Parameter tenant: `nil` for the project itself.
    func callAsClient(_ operation: String, in tenant: String?, _ body: [String: JSON]) async throws -> Exchange {
        var body = body
        body["tenantId"] = tenant.map(JSON.string)
        return try await gateway.post("/v1/accounts:\(operation)", .object(body))
    }

    /// Enables Apple or Google in a tenant, with the client ID of the simulators.
    func configure(_ provider: String, in tenant: String) async throws -> Exchange {
        let client = provider == "apple.com" ? SimulatedProviders.appleClient : SimulatedProviders.googleClient
        var input: [String: JSON] = ["enabled": true, "clientId": .string(client)]
        if provider == "apple.com" {
            input["appleSignInConfig"] = ["codeFlowConfig": try Configurator.appleCodeFlowConfig()]
        }
        return try await send(
            .post, "\(Self.tenants)/\(tenant)/defaultSupportedIdpConfigs", .object(input), [("idpId", provider)])
    }
}
