internal import API
internal import Crypto
internal import EventLoop
internal import FoundationEssentials
internal import IPAddresses
internal import Identity
internal import Postgres
internal import Providers
internal import Storage
internal import Telemetry
internal import Tokens

/// Composes the services of `serve` and `dev`, once per event loop.
struct CompositionRoot: Sendable {
    let masterKeys: MasterKeys
    let trustedProxies: [IPNetwork]
    let log: Log
    let metrics: GatewayMetrics
    let passwords: PasswordHasher
    /// Shared by all loops.
    let threads: any RequestThreads
    /// Shared by all loops.
    let limiter: RateLimiter
    /// Checks new passwords against the list of breached passwords.
    let breaches: BreachedPasswords
    /// Caches the keys of identity providers; shared by all loops.
    let providerKeys: JWKSCache
    /// Sends requests to Apple's token endpoints; shared by all loops.
    let appleTokens: AppleTokenEndpoint
    /// Sends requests to the token endpoints of other providers; shared by all loops.
    let tokenRequestSender: TokenRequestSender
    /// Counts an event of a sign-in in a browser; shared by all loops.
    let countFlowEvent: @Sendable (AuthorizationFlows.Event) -> Void
    /// Counts a step of a sign-in with a second factor; shared by all loops.
    let countFactorEvent: @Sendable (SecondFactorEvent) -> Void
    /// Counts what happens with passkeys; shared by all loops.
    let countPasskeyEvent: @Sendable (PasskeyEvent) -> Void
    /// SHA-256 of the App Store's root certificate; another one than Apple's only in tests.
    var appStoreRoot = AppStoreSignatures.appleRoot
    /// Counts a code for a telephone number; shared by all loops.
    var countPhoneCode: @Sendable (PhoneCodeEvent) -> Void = { _ in }
    /// Records the last use of each service key (a backend's credential); shared by all loops.
    let serviceKeyUse: ServiceKeyUsageTracker
    /// Reports clients that take the gateway for an emulator; shared by all loops.
    let emulatorClients: EmulatorClientReporter
    /// Counts what happens in each realm; shared by all loops.
    var counts = CountRecorder()
    let mode: Mode
    /// Sends events to endpoints; shared by all loops.
    let eventSender: EventSender
    /// Calls the blocking functions of projects; shared by all loops.
    let hookCalls: HookCalls
    /// Whether the pipelines serve the operations for monitoring; `false` if these have a listener of their own.
    var servesMonitoring = true
    /// See ``ConfigurationCache/lifetime``.
    var configurationLifetime = ConfigurationCache.lifetime
    /// The maximum age of a configuration that is used while the database is unavailable.
    var outageLimit: Duration = .zero
    /// `nil` if no emails are sent.
    var emailService: EmailService?
    /// The content of the file by which Apple verifies the host; `nil` if there is none.
    var appleDomainAssociation: String?
    /// `nil` if the gateway has no console.
    var console: ConsoleSettings?
    /// The URL of the gateway for clients, without a slash at the end.
    let publicURL: @Sendable () -> String
    let isDraining: @Sendable () -> Bool

    var clock: WallClock { mode.clock }

    /// Composes the request pipeline for the event loop of `pool`.
    ///
    /// - Parameter readiness: shared by all loops (default: for this one only).
    func pipeline(on pool: Pool, readiness: ReadinessProbe? = nil) -> RequestPipeline {
        let extensions = mode.extensions(pool, emailService)
        let configuration = ConfigurationCache(
            pool: pool, supporting: mode.providers.supported, masterKeys: masterKeys, clock: clock,
            operators: console?.project, serviceKeyUse: serviceKeyUse, emulatorClients: emulatorClients,
            lifetime: configurationLifetime,
            lookup: extensions.projectLookup,
            outageLimit: outageLimit,
            acceptsLoopbackIssuers: mode.acceptsLoopbackIssuers,
            acceptsTenantsWithoutApple: mode.acceptsTenantsWithoutApple, publicURL: publicURL())
        let services = services(on: pool, configuration, extensions, readiness ?? ReadinessProbe([pool]))
        return RequestPipeline(
            services: services, access: mode.access(configuration),
            endpointsOutsideContract: extensions.endpoints(services.emailActions.pageService)
                + consoleEndpoints(on: pool, services.console, configuration),
            servesMonitoring: servesMonitoring, rejection: mode.rejection,
            pages: mode.pages ?? (console == nil ? nil : ConsolePages.refusals),
            observer: mode.observeRequest, trustedProxies: trustedProxies, log: log, metrics: metrics)
    }

    /// Builds every service with its dependencies.
    private func services(
        on pool: Pool, _ configuration: ConfigurationCache, _ extensions: ModeExtensions, _ probe: ReadinessProbe
    ) -> Services {
        let store = PostgresAccountStore(pool: pool)
        let trail = AuditStore(pool: pool).trail
        let tokens = mode.tokens(
            GatewayTokens(
                keyRing: configuration.keyRings.value(for:), newKeyRing: configuration.newKeyRing(of:),
                issuers: mode.issuers, clock: clock, clockTolerance: mode.clockTolerance))
        let sealedTokens = MasterKeySealedTokens(masterKeys: masterKeys)
        let networks = NetworkHashing.live(under: masterKeys)
        let appleSealing = AppleGrantSealing.sealing(under: masterKeys)
        let verifier = mode.verifier(mode.providers, providerKeys, clock)
        let servers = AuthorizationServers.live(
            on: pool, under: masterKeys, mode: mode, send: tokenRequestSender, keyCache: providerKeys,
            appleTokens: appleTokens)
        let resolver = ProofResolver(
            verifier: verifier, sealedTokens: sealedTokens, appleSealing: appleSealing,
            serverAuthCodes: ServerAuthCodes(servers: servers, verifier: verifier, limiter: limiter), clock: clock)
        let authenticator = Authenticator(store: store, tokens: tokens, clock: clock)
        let count = counts.counting(by: clock)
        let hooks = hookCalls.hooks(
            isDevelopment: mode.acceptsLoopbackIssuers, issuer: mode.issuers.idTokenIssuer(of:),
            sign: { try await tokens.hookToken($0, in: $1, at: $2) }, clock: clock)
        let completion = SignInCompletion(
            authenticator: authenticator, tokens: tokens, sealedTokens: sealedTokens, networks: networks, clock: clock,
            entropy: .live, hooks: hooks, countFactorEvent: countFactorEvent, count: count)
        let federated = FederatedMethod(
            completion: completion, store: PostgresFederationStore(pool: pool), authenticator: authenticator,
            resolver: resolver, sealedTokens: sealedTokens, emailFactory: emailFactory, limiter: limiter, clock: clock)
        let codes = PostgresOOBCodeStore(pool: pool)
        let redemption = OOBCodeRedeemer(
            codes: codes, store: store, passwords: passwords, breaches: breaches, emailFactory: emailFactory,
            networks: networks, clock: clock, entropy: .live)
        let password = PasswordMethod(
            completion: completion, store: store, passwords: passwords, breaches: breaches, limiter: limiter,
            networks: networks, clock: clock)
        let emailLink = EmailLinkMethod(
            completion: completion, codes: codes, redemption: redemption, authenticator: authenticator,
            emailFactory: emailFactory, limiter: limiter, clock: clock)
        let phoneCodes = PhoneCodes(
            store: PostgresPhoneCodeStore(pool: pool), secrets: mode.wrapPhoneCodes(.live(under: masterKeys)),
            limiter: limiter, host: { [publicURL] _ in URL(string: publicURL())?.host ?? "localhost" }, clock: clock,
            hooks: hooks, count: countPhoneCode)
        let phone = PhoneMethod(
            completion: completion, codes: phoneCodes, accounts: store, store: PostgresPhoneStore(pool: pool),
            authenticator: authenticator, sealedTokens: sealedTokens, emailFactory: emailFactory, limiter: limiter,
            clock: clock)
        let flows = flows(on: pool, servers, configuration, extensions, verifier, sealedTokens, appleSealing)
        let (factors, factorSecrets) = (PostgresFactorStore(pool: pool), FactorSecrets.sealing(under: masterKeys))
        let passkeys = PostgresPasskeyStore(pool: pool)
        let (passkeyVerifier, challenges) = mode.wrapPasskeys(.live, .signed(under: masterKeys), clock)
        let secondFactor = SecondFactorSignIn(
            store: store, factors: factors, secrets: factorSecrets, phoneCodes: phoneCodes,
            sealedTokens: sealedTokens, password: password, emailLink: emailLink, federated: federated,
            emailFactory: emailFactory, limiter: limiter, networks: networks, clock: clock,
            countEvent: countFactorEvent)
        let enrolment = FactorEnrolment(
            completion: completion, authenticator: authenticator, factors: factors, secrets: factorSecrets,
            phoneCodes: phoneCodes, sealedTokens: sealedTokens, emailFactory: emailFactory, limiter: limiter,
            clock: clock)
        let passkey = PasskeyMethod(
            completion: completion, accounts: store, store: passkeys, challenges: challenges,
            verifier: passkeyVerifier, limiter: limiter, clock: clock, countEvent: countPasskeyEvent)
        let passkeyEnrolment = PasskeyEnrolment(
            completion: completion, store: passkeys, challenges: challenges, verifier: passkeyVerifier,
            emailFactory: emailFactory, limiter: limiter, clock: clock, countEvent: countPasskeyEvent)
        let emailActions = emailActions(
            on: pool, codes, store, authenticator, redemption, configuration, extensions, hooks)
        return Services(
            signIn: SignInServices(
                authenticator: authenticator, identifiers: IdentifierLookup(store: store), password: password,
                anonymous: AnonymousMethod(completion: completion, store: store, limiter: limiter),
                emailLink: emailLink, federated: federated, phone: phone,
                customToken: CustomTokenMethod(
                    completion: completion, store: store, customTokens: mode.customTokens(configuration, clock)),
                passkey: passkey,
                secondFactor: secondFactor, flows: flows,
                publicOrigin: PublicOrigin(configured: publicURL, acceptsHostHeader: mode.acceptsHostHeader),
                newAuthURISessionID: { Random.text(length: 27) }),
            signInPage: signInPage(
                on: pool, store, completion, authenticator, federated, flows, sealedTokens,
                EmailMethods(sender: emailActions.sending, link: emailLink, password: password)),
            accounts: accounts(on: pool, store, completion, sealedTokens, enrolment, passkeyEnrolment),
            sessions: SessionService(store: store, clock: clock),
            tokenRefresh: TokenRefresh(store: store, tokens: tokens, clock: clock, entropy: .live, count: count),
            sessionCookies: SessionCookies(authenticator: authenticator, tokens: tokens, trail: trail, clock: clock),
            emailActions: emailActions,
            merging: AccountMerging(federated),
            apple: apple(on: pool, appleSealing, configuration),
            googleSignals: GoogleSignalService(
                store: PostgresGoogleSignalStore(pool: pool),
                verifier: GoogleSignals(of: mode.providers, keyCache: providerKeys).verifier,
                findRealm: configuration.realm(_:), limiter: limiter, clock: clock),
            appStore: AppStoreService(
                store: PostgresAppStoreStore(pool: pool),
                verifier: AppStoreSignatures(rootFingerprint: appStoreRoot).verifier,
                findRealm: configuration.realm(_:), limiter: limiter, clock: clock),
            projects: ProjectServices(
                editor: configuration.editor, tenancy: tenancy(on: pool, configuration, extensions),
                app: configuration.app(_:of:),
                reviewFacts: { [supported = mode.providers.supported] realm in
                    AppReviewFacts(
                        usesCustomTokens: try await ProjectStore(pool: pool, supporting: supported)
                            .usesCustomTokens(in: realm),
                        clientIDsWithRedeemedCodes: try await AppleKeyStore(pool: pool)
                            .clientIDsWithRedeemedCodes(in: realm))
                }, images: .cached(on: pool, clock: clock),
                styles: BrandStyles { Digest.sha256($0) },
                previewEmail: EmailPreview.renderer(publicURL: publicURL),
                storedRealm: configuration.stored(_:), newRealm: configuration.newRealm(ofProject:),
                allowsLoopbackCallbacks: mode.acceptsLoopbackIssuers),
            console: ConsoleSignIn(
                administrators: administrators(on: pool, store, configuration), password: password,
                secondFactor: secondFactor, enrolment: enrolment, passkeys: passkey,
                passkeyEnrolment: passkeyEnrolment, editor: editor(store, completion), emails: emailActions.sending,
                authenticator: authenticator, store: store, sealedTokens: sealedTokens, clock: clock),
            audit: trail, counts: counts.service(on: pool, clock: clock), events: events(on: pool, configuration),
            queues: WorkQueues(
                store: PostgresWorkQueueStore(pool: pool), facts: ProjectHealthQuery(pool: pool).facts(of:),
                clock: clock),
            operations: OperationsServices(
                documents: { [self] in try await documents(of: $0, in: configuration) },
                associatedApps: configuration.associatedApps, relyingParties: configuration.relyingParties,
                appleDomainAssociation: appleDomainAssociation,
                readiness: { [isDraining] in Readiness(await probe.findings(), isDraining: isDraining()) }),
            threads: threads)
    }

    private func apple(
        on pool: Pool, _ sealing: AppleGrantSealing, _ configuration: ConfigurationCache
    ) -> AppleServices {
        let store = PostgresAppleGrantStore(pool: pool)
        return AppleServices(
            revocation: AppleTokenRevocation(
                store: store, endpoint: appleTokens, credentials: .live(on: pool, under: masterKeys),
                sealing: sealing, limiter: limiter, clock: clock),
            grants: store,
            notifications: AppleNotificationService(
                store: PostgresAppleNotificationStore(pool: pool),
                verifier: AppleNotifications(of: mode.providers, keyCache: providerKeys).verifier,
                findRealm: configuration.realm(_:), emailFactory: emailFactory, limiter: limiter, clock: clock))
    }
}

extension Readiness {
    fileprivate init(_ findings: ReadinessProbe.Findings, isDraining: Bool) {
        self.init(
            isDraining: isDraining, databaseIsReachable: findings.databaseIsReachable,
            schemaIsCurrent: findings.schemaIsCurrent, clockLead: findings.clockLead ?? .zero)
    }
}
