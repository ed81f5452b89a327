import HTTP
import Postgres
import Testing

@testable import Support

/// A gateway with `oidc.corp`, which has the first issuer.
struct ProviderIssuerFixture: Sendable {
    /// Issuers of ``CorporateProviders``, which sign in any subject.
    static let firstIssuer = "https://first.corp.example"
    static let secondIssuer = "https://second.corp.example"
    static let configPath = "oauthIdpConfigs/oidc.corp"
    static let inUseError = "409 PROVIDER_ISSUER_IN_USE"

    let gateway: TestGateway
    let configurator: Configurator

    init() async throws {
        gateway = try await TestGateway()
        try await gateway.makeServiceKey()
        configurator = Configurator(gateway: gateway, serviceKey: try await ServiceKey(in: gateway))
        #expect(try await configure(Self.firstIssuer).outcome == "200")
    }

    /// Creates `oidc.corp`.
    ///
    /// - Parameters:
    ///   - query: more query parameters, each after an ampersand.
    ///   - realmPath: empty for the project, otherwise `tenants/ID/`.
    func configure(_ issuer: String, _ query: String = "", at realmPath: String = "") async throws -> Exchange {
        let input: JSON = [
            "clientId": .string(CorporateProviders.clientID), "issuer": .string(issuer), "enabled": true,
        ]
        return try await configurator.send(
            .post, "\(realmPath)oauthIdpConfigs?oauthIdpConfigId=oidc.corp\(query)", input)
    }

    /// Changes the issuer of `oidc.corp`. Here, `query` begins with a question mark.
    func change(to issuer: String, _ query: String = "", at realmPath: String = "") async throws -> Exchange {
        try await configurator.send(
            .patch, "\(realmPath)\(Self.configPath)\(query)", ["issuer": .string(issuer)], mask: "issuer")
    }

    /// Signs in with an ID token of an issuer. If the token has an address, the address is verified.
    func signIn(
        _ subject: String = "1", of issuer: String = Self.firstIssuer, email: String? = nil
    ) async throws -> Exchange {
        try await gateway.signIn(gateway.corporateCredential(subject, of: issuer, email: email))
    }

    /// Subject and issuer of each identity.
    func identities() async throws -> [String] {
        try await gateway.database.pool.query(
            "SELECT subject || ' ' || coalesce(issuer, '-') AS line FROM linked_identity ORDER BY line"
        ).map { try $0.decode("line") }
    }

    func execute(_ statement: SQL) async throws { _ = try await gateway.database.pool.execute(statement) }
}
