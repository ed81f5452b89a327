import Crypto
import HTTP
import Identity
import Postgres
import Storage
import Testing

@testable import Gateway

/// Configures providers and apps through the admin API, with a service key.
struct Configurator: Sendable {
    static let projectPath = "/v2/projects/demo"
    static let applePath = "defaultSupportedIdpConfigs/apple.com"
    static let googlePath = "defaultSupportedIdpConfigs/google.com"
    /// The private key for Apple, in PEM.
    static let applePrivateKey = Result { try PrivateKey.generate(.es256).pem }

    let gateway: TestGateway
    let serviceKey: ServiceKey

    init(gateway: TestGateway, serviceKey: ServiceKey) {
        self.gateway = gateway
        self.serviceKey = serviceKey
    }

    init(withFreshCachesOf other: Configurator) throws {
        self.init(gateway: try other.gateway.withFreshCaches(), serviceKey: other.serviceKey)
    }

    /// Creates a gateway whose project has no providers.
    init() async throws {
        gateway = try await TestGateway()
        _ = try await gateway.database.pool.execute("DELETE FROM identity_provider")
        serviceKey = try await ServiceKey(in: gateway)
    }

    /// Calls an operation with the service key.
    ///
    /// - Parameters:
    ///   - path: the part of the path after `/v2/projects/demo/`, with the query, if any.
    ///   - mask: the query parameter `updateMask`.
    func send(_ method: HTTP.Method, _ path: String, _ body: JSON? = nil, mask: String? = nil) async throws -> Exchange
    {
        let parts = path.split(separator: "?", maxSplits: 1)
        var query = (parts.count == 2 ? parts[1].split(separator: "&") : []).map { pair in
            let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
            return (name: sides[0], value: sides[1])
        }
        if let mask { query.append((name: "updateMask", value: mask)) }
        return try await gateway.send(
            method, "\(Self.projectPath)/\(parts[0])", body, by: serviceKey, query: query)
    }

    /// The input for Apple's team ID, key ID and private key.
    static func appleCodeFlowConfig() throws -> JSON {
        [
            "teamId": .string(AppleServer.team), "keyId": .string(AppleServer.keyID),
            "privateKey": .string(try applePrivateKey.get()),
        ]
    }

    /// The input for a configuration of Apple with a Services ID and a bundle ID.
    static func appleInput(enabled: Bool = true) throws -> JSON {
        [
            "enabled": .bool(enabled), "clientId": "com.example.web",
            "appleSignInConfig": [
                "codeFlowConfig": try appleCodeFlowConfig(),
                "bundleIds": ["com.example.app"],
            ],
        ]
    }

    /// The input for a configuration of Google.
    static let googleInput: JSON = ["enabled": true, "clientId": "google-client", "clientSecret": "google-secret"]

    func enableApple() async throws {
        let created = try await send(.post, "defaultSupportedIdpConfigs?idpId=apple.com", try Self.appleInput())
        #expect(created.outcome == "200")
    }

    func enableGoogle() async throws {
        let created = try await send(.post, "defaultSupportedIdpConfigs?idpId=google.com", Self.googleInput)
        #expect(created.outcome == "200")
    }

    /// The sign-in methods of the default app.
    func loginMethods(_ query: [(name: String, value: String)] = []) async throws -> Exchange {
        try await gateway.send(
            .get, "/v1/loginMethods", body: [], query: [("key", TestGateway.apiKey)] + query)
    }

    /// Actor, action and subject of each audit event that a service key caused, sorted.
    func serviceKeyAuditTrail() async throws -> [String] {
        try await gateway.database.pool.query(
            "SELECT actor || ' ' || action || ' ' || subject AS line FROM audit_event WHERE actor LIKE 'key:%'"
        ).map { try $0.decode("line", as: String.self) }.sorted()
    }
}
