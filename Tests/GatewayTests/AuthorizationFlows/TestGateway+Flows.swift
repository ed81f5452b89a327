import HTTP
import Identity
import Postgres
import Simulators
import Testing

@testable import Support

extension TestGateway {
    /// The number of requests to the token endpoints of all providers.
    var tokenRequestCount: Int {
        simulators.apple.faultInjection.count(of: SimulatedApple.tokenPath)
            + simulators.google.faultInjection.count(of: SimulatedGoogle.tokenPath)
            + simulators.corporate.tokenRequestCount
    }
}

extension TenantFixture {
    /// A tenant with the providers of its project.
    func tenantWithProviders() async throws -> String {
        let tenant = try await tenant()
        _ = try await gateway.database.pool.execute(
            """
            INSERT INTO identity_provider (project_id, provider, settings, secret, updated_at)
            SELECT \("demo/" + tenant), provider, settings, secret, now() FROM identity_provider WHERE project_id = 'demo'
            """)
        return tenant
    }
}
