internal import API
internal import Crypto
internal import EventLoop
internal import Identity
internal import Postgres
internal import Providers
internal import Storage
internal import Tokens

/// The services of sign-ins in a browser.
extension CompositionRoot {
    /// The methods by which a mailbox proves an address.
    struct EmailMethods {
        let sender: OOBCodeSender
        let link: EmailLinkMethod
        let password: PasswordMethod
    }

    func signInPage(
        on pool: Pool, _ store: any AccountStore, _ completion: SignInCompletion, _ authenticator: Authenticator,
        _ federated: FederatedMethod, _ flows: AuthorizationFlows, _ sealedTokens: any SealedTokens,
        _ emailMethods: EmailMethods
    ) -> SignInPageServices {
        let steps = SignInPageSteps(
            store: PostgresSignInStepStore(pool: pool), sealedTokens: sealedTokens, limiter: limiter, secrets: .live,
            clock: mode.clock)
        return SignInPageServices(
            sessions: BrowserSessions(
                store: PostgresBrowserSessionStore(pool: pool), authenticator: authenticator, secrets: .live,
                clock: mode.clock),
            codes: SignInCodes(
                completion: completion, authenticator: authenticator, federated: federated,
                emailLink: emailMethods.link, flows: flows, sealedTokens: sealedTokens,
                store: PostgresSignInCodeStore(pool: pool), secrets: .live, clock: mode.clock),
            support: SupportAccessCodes(
                accounts: store, store: PostgresSignInCodeStore(pool: pool), emailFactory: emailFactory,
                secrets: .live, operators: console?.project, clock: mode.clock, entropy: .live),
            steps: steps,
            emails: SignInPageEmails(
                sender: emailMethods.sender, emailLink: emailMethods.link, password: emailMethods.password,
                steps: steps, sealedTokens: sealedTokens, store: store, limiter: limiter,
                networks: .live(under: masterKeys), secrets: .live,
                newCode: { Random.text(length: 6, alphabet: "0123456789") }, clock: mode.clock),
            guests: GuestUpgrades(
                federated: federated, emailLink: emailMethods.link, flows: flows, secrets: .live),
            forms: .live(under: masterKeys), sealedTokens: sealedTokens, secrets: .live, clock: mode.clock,
            timeZones: TimeZones(load: PostgresTimeZoneStore(pool: pool).offsets(of:)),
            issuer: mode.issuers.idTokenIssuer(of:))
    }

    /// Composes the service for sign-ins in a browser.
    func flows(
        on pool: Pool, _ servers: AuthorizationServers, _ configuration: ConfigurationCache,
        _ extensions: ModeExtensions, _ verifier: Verifier, _ sealedTokens: any SealedTokens,
        _ appleSealing: AppleGrantSealing
    ) -> AuthorizationFlows {
        let lookup = AuthorizationFlows.ConfigurationLookup(
            realm: { id in
                guard let tenant = id.tenant else { return try await configuration.projects.value(for: id.project) }
                guard let realm = try await configuration.projects.value(for: id.project) else { return nil }
                return try await extensions.resolveTenant(configuration.realm(id), tenant, realm)
            },
            app: { $0 == App.accountPage.id ? .accountPage : try await configuration.app($0, of: $1) })
        return AuthorizationFlows(
            store: PostgresAuthorizationFlowStore(pool: pool, clock: mode.clock),
            servers: servers, verifier: verifier, sealedTokens: sealedTokens, appleSealing: appleSealing,
            configuration: lookup, limiter: limiter, secrets: .live, clock: mode.clock, countEvent: countFlowEvent)
    }
}
