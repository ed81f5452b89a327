internal import API
internal import Crypto
internal import Encoding
internal import FoundationEssentials
internal import Glibc
internal import IPAddresses
package import Identity
internal import Postgres
internal import Providers
internal import Storage
internal import Telemetry
internal import Tokens

/// Composes the services of `serve` and `dev`, once per event loop.
struct CompositionRoot: Sendable {
    let masterKeys: MasterKeys
    let trustedProxies: [IPNetwork]
    let clock: WallClock
    let log: Log
    let metrics: GatewayMetrics
    let passwords: PasswordHasher
    /// Shared by all loops.
    let limiter: RateLimiter
    let breaches: BreachedPasswords
    /// The keys of identity providers, shared by all loops.
    let providerKeys: JWKSCache
    /// The last use of service keys, shared by all loops.
    let keyUse: KeyUsageTracker
    let mode: Mode
    /// `nil` if no emails are sent.
    var emailService: EmailService?
    /// The URL of the gateway for clients, without a slash at the end.
    let publicURL: @Sendable () -> String
    let isDraining: @Sendable () -> Bool

    func gateway(on pool: Pool) -> RequestPipeline {
        let extensions = mode.extensions(pool, emailService)
        let configuration = ConfigurationCache(
            pool: pool, masterKeys: masterKeys, clock: clock, keyUse: keyUse, lookup: extensions.projects,
            takesLoopbackIssuers: mode.takesLoopbackIssuers, publicURL: publicURL())
        let store = PostgresAccountStore(pool: pool)
        let tokens = GatewayTokens(keys: configuration.keys.value(for:), issuers: mode.issuers, clock: clock)
        let collaborators = Collaborators(
            store: store, tokens: tokens, passwords: passwords, breaches: breaches,
            outOfBand: mode.decorateOutOfBand(
                .live(
                    under: masterKeys,
                    actionBase: { [publicURL] in $0.emailSettings.actionBase(of: $1, at: publicURL()) },
                    isSent: emailService != nil)),
            limiter: limiter, networkHashing: .live(under: masterKeys), clock: clock, entropy: .live)
        let authenticator = Authenticator(with: collaborators)
        let federation = PostgresFederationStore(pool: pool)
        let codes = PostgresOOBCodeStore(pool: pool)
        let sending = OOBSending(with: collaborators, codes: codes)
        let redemption = OOBRedemption(with: collaborators, codes: codes)
        let trail = AuditStore(pool: pool).trail
        let sealedTokens = MasterKeySealedTokens(masterKeys: masterKeys)
        let verifier = mode.verifier(providerKeys, clock)
        let emailActions = EmailActionService(
            sending: sending, redemption: redemption, realm: configuration.realm(_:),
            project: configuration.projects.value(for:),
            projectName: { try await configuration.editor.configuration(ID($0))?.name })
        let services = Services(
            signIn: SignInServices(
                authenticator: authenticator, identifiers: IdentifierLookup(store: store),
                customTokens: CustomSignIn(with: collaborators, customTokens: mode.customTokens(configuration, clock)),
                federated: FederatedSignIn(
                    with: collaborators, store: federation, verifier: verifier, tickets: sealedTokens),
                authURISession: { Random.text(length: 27) }),
            accounts: AccountServices(
                editor: AccountEditor(with: collaborators),
                administration: AccountAdministration(
                    store: store, passwords: passwords,
                    passwordKeys: .sealed(in: PasswordSchemeStore(pool: pool), under: masterKeys, clock: clock),
                    breaches: breaches, clock: clock, entropy: .live),
                queries: AccountQueryService(store: store),
                linking: LinkAdministration(with: collaborators, store: store, tickets: sealedTokens)),
            sessions: SessionService(store: store, clock: clock),
            sessionCookies: SessionCookies(authenticator: authenticator, trail: trail),
            emailActions: EmailActionServices(sending: sending, redemption: redemption, pages: emailActions),
            merging: AccountMerging(with: collaborators, store: federation, verifier: verifier, tickets: sealedTokens),
            projects: ProjectServices(
                editor: configuration.editor,
                tenancy: Tenancy(
                    tenant: { try await extensions.tenant(configuration.realm(ID($0, of: $1.id)), $0, $1) },
                    named: GatewayTokens.tenant(namedBy:), store: PostgresTenantStore(pool: pool),
                    changed: configuration.forgetConfiguration, newID: { ID(Random.text(length: 28)) }, clock: clock),
                app: configuration.app(_:of:)),
            audit: trail,
            operations: OperationsServices(
                documents: { [self] in try await documents(of: $0, in: configuration) },
                readiness: { [isDraining] in await configuration.readiness(isDraining: isDraining()) }))
        return RequestPipeline(
            services: services, access: mode.access(configuration), extra: extensions.endpoints(emailActions),
            trustedProxies: trustedProxies, log: log, metrics: metrics)
    }

    private func documents(of id: ID<Project>?, in configuration: ConfigurationCache) async throws -> ProjectDocuments?
    {
        guard let project = try await configuration.projects.value(for: id) else { return nil }
        let ring = try await configuration.keys.value(for: project.id)
        let now = clock.now()
        let discovery = OpenIDConfiguration(
            issuer: mode.issuers.idToken(project.id), jwksURI: "\(publicURL())/\(project.id)/.well-known/jwks.json",
            algorithms: ring.algorithms)
        return ProjectDocuments(
            openIDConfiguration: try discovery.json(), jwks: try ring.jwks(at: now),
            certificates: try ring.certificates(at: now), maxAge: Int(KeyRing.publicationLead.components.seconds / 3))
    }
}

extension WallClock {
    /// The clock of the machine.
    package static let live = WallClock {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }
}

extension Entropy {
    static let live = Entropy(
        accountID: { ID(Random.text(length: 28)) },
        sessionID: { ID(withUnsafeBytes(of: UUID().uuid) { UUIDText.text($0) }) })
}
