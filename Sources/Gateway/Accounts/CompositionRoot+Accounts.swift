internal import API
internal import Crypto
internal import EventLoop
internal import Identity
internal import Postgres
internal import Providers
internal import Storage
internal import Tokens

/// The services of accounts, and of the administrators who manage them.
extension CompositionRoot {
    func accounts(
        on pool: Pool, _ store: any AccountStore, _ completion: SignInCompletion, _ sealedTokens: any SealedTokens,
        _ factors: FactorEnrolment, _ passkeys: PasskeyEnrolment
    ) -> AccountServices {
        AccountServices(
            editor: editor(store, completion), factors: factors, passkeys: passkeys,
            exporting: AccountExporting(
                store: PostgresAccountExportStore(pool: pool), emailFactory: emailFactory, limiter: limiter,
                clock: clock),
            administration: administration(on: pool, store),
            queries: AccountQueryService(
                store: store, limiter: limiter, sealedTokens: sealedTokens, clock: clock),
            linking: LinkAdministration(
                store: store, sealedTokens: sealedTokens, emailFactory: emailFactory, clock: clock),
            convertImportedUser: mode.convertImportedUser)
    }

    func editor(_ store: any AccountStore, _ completion: SignInCompletion) -> AccountEditor {
        AccountEditor(
            completion: completion, store: store, passwords: passwords, breaches: breaches, emailFactory: emailFactory,
            limiter: limiter, clock: clock)
    }

    func administration(on pool: Pool, _ store: any AccountStore) -> AccountAdministration {
        AccountAdministration(
            store: store, passwords: passwords,
            passwordKeys: .sealed(in: PasswordKeyStore(pool: pool), under: masterKeys, clock: clock),
            breaches: breaches, emailFactory: emailFactory, factorSecrets: .sealing(under: masterKeys),
            clock: clock, entropy: .live)
    }

    func administrators(
        on pool: Pool, _ store: any AccountStore, _ configuration: ConfigurationCache
    ) -> Administrators {
        Administrators(
            operators: console?.project, store: PostgresAdministratorStore(pool: pool),
            accounts: administration(on: pool, store), findRealm: configuration.realm(_:), emailFactory: emailFactory,
            consoleURL: { [console, publicURL] in console?.url ?? publicURL() }, clock: clock)
    }

    /// The pages of the console; none if the gateway has no console.
    func consoleEndpoints(
        on pool: Pool, _ signIn: ConsoleSignIn, _ configuration: ConfigurationCache
    ) -> [Endpoint] {
        guard let console else { return [] }
        let projects = ProjectStore(pool: pool, supporting: mode.providers.supported)
        return ConsolePages(
            signIn: signIn, url: { [publicURL] in console.url ?? publicURL() },
            operators: console.project, forms: .live(under: masterKeys),
            sealedTexts: .live(MasterKeySealedTokens(masterKeys: masterKeys), clock: clock),
            drafts: .drafts(MasterKeySealedTokens(masterKeys: masterKeys), clock: clock),
            findRealm: configuration.realm(_:),
            projects: { try await projects.projectRealms().map(\.project.id) }, clock: clock
        ).endpoints
    }

    func emailActions(
        on pool: Pool, _ codes: any OOBCodeStore, _ store: any AccountStore, _ authenticator: Authenticator,
        _ redemption: OOBCodeRedeemer, _ configuration: ConfigurationCache, _ extensions: ModeExtensions,
        _ hooks: Hooks
    ) -> EmailActionServices {
        let sending = OOBCodeSender(
            codes: codes, store: store, authenticator: authenticator, emailFactory: emailFactory, limiter: limiter,
            clock: clock, hooks: hooks)
        let service = EmailActionService(
            sending: sending, redemption: redemption, findRealm: configuration.realm(_:),
            findProject: { id in
                if let id, try await !extensions.hasProject(id) { return nil }
                return try await configuration.projects.value(for: id)
            },
            projectName: { try await configuration.editor.configuration(ID($0))?.name })
        return EmailActionServices(
            sending: sending, redemption: redemption, pageService: service)
    }

    /// Creates email action codes and emails.
    var emailFactory: EmailFactory {
        mode.wrapEmailFactory(
            .live(
                under: masterKeys,
                actionBase: { [publicURL] in $0.project.emailSettings.actionBase(of: $1, at: publicURL()) },
                appLinkBase: { [publicURL] in AppLink.base(for: $0, in: $1, at: publicURL()) },
                sendsEmail: emailService != nil))
    }
}
