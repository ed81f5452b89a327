import HTTP
import Identity
import Storage
import Testing

@testable import DevMode
@testable import Gateway

/// A gateway whose project can have tenants, and a service key that creates them. By default, a tenant allows
/// passwords, email links and anonymous users.
struct TenantFixture: Sendable {
    static let tenantsPath = "/v2/projects/demo/tenants"

    let gateway: TestGateway
    let serviceKey: ServiceKey

    /// - Parameter secret: the secret of the service key (default: a new one); `owner` for a gateway in dev mode.
    init(_ gateway: TestGateway? = nil, secret: String? = nil) async throws {
        if let gateway { self.gateway = gateway } else { self.gateway = try await TestGateway() }
        serviceKey = try await ServiceKey(in: self.gateway, secret: secret)
    }

    /// Calls an operation with the service key.
    func send(
        _ method: HTTP.Method, _ path: String, _ body: JSON? = nil, _ query: [(name: String, value: String)] = []
    ) async throws -> Exchange {
        try await gateway.send(method, path, body, by: serviceKey, query: query)
    }

    /// The input for a tenant that allows every way to sign up.
    static let allowingEverySignUp: JSON = [
        "displayName": "Acme", "allowPasswordSignup": true, "enableEmailLinkSignin": true, "enableAnonymousUser": true,
    ]

    /// Creates a tenant, and returns its ID.
    func makeTenant(_ input: JSON = allowingEverySignUp) async throws -> String {
        try #require(try await send(.post, Self.tenantsPath, input).json["tenantId"]?.string)
    }

    /// Posts to a tenant's `/accounts`, followed by an operation, with the service key.
    ///
    /// - Parameter operation: an operation with its colon, for example `:update`; empty to create an account.
    func administerAccounts(_ operation: String, of tenant: String, _ body: JSON = [:]) async throws -> Exchange {
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

    /// Signs Ada up in the tenant, and requests the email that verifies her address. Returns the emailed code, and
    /// Ada's tokens.
    func signUpAndSendVerificationCode(in tenant: String) async throws -> (code: String, TestGateway.Tokens) {
        let ada = try await signUp(in: tenant)
        let sent = try await callAsClient(
            "sendOobCode", in: tenant, ["requestType": "VERIFY_EMAIL", "idToken": .string(ada.idToken)])
        #expect(sent.status == 200)
        return (try await gateway.latestCode(.verifyEmail), ada)
    }

    /// Calls an operation for clients.
    ///
    /// - Parameter tenant: `nil` for the project itself.
    func callAsClient(_ operation: String, in tenant: String?, _ body: [String: JSON]) async throws -> Exchange {
        var body = body
        body["tenantId"] = tenant.map(JSON.string)
        return try await gateway.post("/v1/accounts:\(operation)", .object(body))
    }

    /// Configures and enables Apple or Google in a tenant, with the client ID of ``SimulatedProviders``.
    func enableProvider(_ provider: String, in tenant: String) async throws -> Exchange {
        let client = provider == "apple.com" ? SimulatedProviders.appleClientID : SimulatedProviders.googleClientID
        var input: [String: JSON] = ["enabled": true, "clientId": .string(client)]
        if provider == "apple.com" {
            input["appleSignInConfig"] = ["codeFlowConfig": try Configurator.appleCodeFlowConfig()]
        }
        return try await send(
            .post, "\(Self.tenantsPath)/\(tenant)/defaultSupportedIdpConfigs", .object(input), [("idpId", provider)])
    }
}
