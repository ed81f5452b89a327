import HTTP
import Identity
import Postgres
import Simulators
import Testing

@testable import Support

extension TestGateway {
    /// A gateway with Apple, Google and `oidc.corp`, which is an OpenID provider of ``CorporateProviders``.
    ///
    /// - Parameters:
    ///   - appSettings: further members of the app's settings, as JSON.
    ///   - change: changes the policy of `profile`.
    static func withAppleGoogleAndOpenID(
        _ appSettings: String = "", _ profile: Policy.Profile = .firebase,
        change: (inout Policy) -> Void = { $0.emailEnumerationProtection = false }
    ) async throws -> TestGateway {
        let gateway = try await TestGateway(profile, servesApple: true, change: change)
        _ = try await gateway.database.pool.execute(
            """
            INSERT INTO identity_provider (realm_id, provider, settings, updated_at) VALUES ('demo', 'oidc.corp',
                '{"enabled": true, "clientIds": ["corp-client"], "openId": {"issuer": "https://a.corp.example",
                "trustsEmail": false}}', now())
            """)
        return try await gateway.withAppSettings(
            #"{"bundleIds": ["com.example.app"]\#(appSettings.isEmpty ? "" : ", " + appSettings)}"#)
    }

    /// The number of requests to the token endpoints of all providers.
    var tokenRequestCount: Int {
        simulators.apple.faultInjection.requestCount(at: SimulatedApple.tokenPath)
            + simulators.google.faultInjection.requestCount(at: SimulatedGoogle.tokenPath)
            + simulators.corporate.tokenRequestCount
    }
}

extension TenantFixture {
    /// Creates a tenant with the providers of its project, and returns the tenant's ID.
    func makeTenantWithProvidersOfProject() async throws -> String {
        let tenant = try await makeTenant()
        _ = try await gateway.database.pool.execute(
            """
            INSERT INTO identity_provider (realm_id, provider, settings, secret, updated_at)
            SELECT \("demo/" + tenant), provider, settings, secret, now() FROM identity_provider WHERE realm_id = 'demo'
            """)
        return tenant
    }
}
