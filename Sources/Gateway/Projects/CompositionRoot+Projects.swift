internal import API
internal import Crypto
internal import EventLoop
internal import Identity
internal import Postgres
internal import Providers
internal import Storage
internal import Tokens

/// The services of projects: tenants, event endpoints, and the published documents.
extension CompositionRoot {
    /// Composes the service that finds and manages tenants.
    func tenancy(
        on pool: Pool, _ configuration: ConfigurationCache, _ extensions: ModeExtensions
    ) -> Tenancy {
        Tenancy(
            realmOfTenant: {
                try await extensions.resolveTenant(configuration.realm(ID($0, of: $1.project.id)), $0, $1)
            },
            realmOfExistingTenant: {
                guard let found = try await configuration.realm(ID($0, of: $1.project.id)) else { return nil }
                return try await extensions.resolveTenant(found, $0, $1)
            },
            tenantOfToken: mode.tenantOfToken,
            store: PostgresTenantStore(pool: pool, supporting: mode.providers.supported),
            onChange: configuration.invalidateConfiguration, newID: { ID(Random.text(length: 28)) }, clock: clock)
    }

    func events(on pool: Pool, _ configuration: ConfigurationCache) -> EventEndpoints {
        let dispatch = EventDispatchStore(pool: pool)
        return EventEndpoints(
            store: PostgresEventEndpointStore(pool: pool),
            newSecret: { [masterKeys] in try EventSender.newSecret(of: $0, in: $1, under: masterKeys) },
            sendTest: { [eventSender] endpoint, project in
                guard let target = try await dispatch.target(.init(project: project, endpoint: endpoint)) else {
                    return nil
                }
                return try await eventSender.sendTest(to: target)
            }, allowsLoopback: mode.acceptsLoopbackIssuers, isDraining: isDraining,
            onChange: configuration.invalidateConfiguration, clock: clock)
    }

    /// Returns the documents that a project publishes for verifiers of its ID tokens: keys, certificates and the
    /// discovery document.
    func documents(of id: ID<Project>?, in configuration: ConfigurationCache) async throws -> ProjectDocuments? {
        guard let project = try await configuration.projects.value(for: id)?.project else { return nil }
        let ring = try await configuration.keyRings.value(for: project.id)
        let now = clock.now()
        let discovery = OpenIDConfiguration(
            issuer: mode.issuers.idTokenIssuer(of: project.id),
            jwksURI: "\(publicURL())/\(project.id)/.well-known/jwks.json", algorithms: ring.algorithms)
        // A new key is usually published some time before it signs. Verifiers may cache the documents for a third of
        // this time, so that all of them know the key when it begins to sign. While the database is unavailable, they
        // may cache the documents only as long as the gateway uses the keys, so that a retired key disappears.
        let remainingUse = configuration.remainingUse(ofKeysOf: project.id)
        let maxAge = min(KeyRing.publicationLead / 3, remainingUse ?? KeyRing.publicationLead)
        return ProjectDocuments(
            openIDConfiguration: try discovery.json(), jwks: try ring.jwks(at: now),
            certificates: try ring.certificates(at: now), maxAge: Int(maxAge.components.seconds))
    }
}
