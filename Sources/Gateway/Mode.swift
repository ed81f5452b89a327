package import API
package import Identity
package import Postgres
package import Providers
package import Tokens

/// What tells `serve` from `dev`: whom the gateway believes, and in whose name it speaks.
package struct Mode: Sendable {
    let issuers: Issuers
    /// Who may use the API.
    let access: @Sendable (ConfigurationCache) -> Access
    package let customTokens: @Sendable (ConfigurationCache, WallClock) -> CustomTokens
    /// Which credentials of other providers are believed.
    let verifier: @Sendable (JWKSCache, WallClock) -> Verifier
    package var clock = WallClock.live
    /// See ``ConfigurationRules``.
    var takesLoopbackIssuers = false
    /// What a project's policy limits is counted.
    var limitsRates = false
    /// Creates the email service that replaces the configured one.
    package var emailService: (@Sendable (EmailService.Dependencies) -> EmailService)?
    /// Wraps the generation of codes and emails.
    package var decorateOutOfBand: @Sendable (OutOfBand) -> OutOfBand = { $0 }
    /// Built once for each loop.
    package var extensions: @Sendable (Pool, EmailService?) -> ModeExtensions = { _, _ in ModeExtensions() }

    package init(
        issuers: Issuers, access: @escaping @Sendable (ConfigurationCache) -> Access,
        customTokens: @escaping @Sendable (ConfigurationCache, WallClock) -> CustomTokens,
        verifier: @escaping @Sendable (JWKSCache, WallClock) -> Verifier, clock: WallClock = WallClock.live,
        takesLoopbackIssuers: Bool = false, limitsRates: Bool = false,
        emailService: (@Sendable (EmailService.Dependencies) -> EmailService)? = nil,
        decorateOutOfBand: @escaping @Sendable (OutOfBand) -> OutOfBand = { $0 },
        extensions: @escaping @Sendable (Pool, EmailService?) -> ModeExtensions = { _, _ in ModeExtensions() }
    ) {
        self.issuers = issuers
        self.access = access
        self.customTokens = customTokens
        self.verifier = verifier
        self.clock = clock
        self.takesLoopbackIssuers = takesLoopbackIssuers
        self.limitsRates = limitsRates
        self.emailService = emailService
        self.decorateOutOfBand = decorateOutOfBand
        self.extensions = extensions
    }
}

/// What a mode has that others have not.
package struct ModeExtensions: Sendable {
    /// Instead of the database's own.
    var projects: ProjectLookup?
    /// What becomes of a tenant that was looked for: by default what was found, if anything was.
    var tenant: @Sendable (_ found: Project?, ID<Tenant>, Project) async throws -> Project?
    /// Beside those of the contract.
    var endpoints: @Sendable (EmailActionService) -> [Endpoint]

    package init(
        projects: ProjectLookup? = nil,
        tenant: @escaping @Sendable (_ found: Project?, ID<Tenant>, Project) async throws -> Project? = { found, _, _ in
            found
        },
        endpoints: @escaping @Sendable (EmailActionService) -> [Endpoint] = { _ in [] }
    ) {
        self.projects = projects
        self.tenant = tenant
        self.endpoints = endpoints
    }
}

extension Mode {
    /// - Parameter publicURL: where clients reach the gateway, without a slash at the end.
    package static func serve(at publicURL: String) -> Mode {
        Mode(
            issuers: .own(publicURL),
            access: { .keys(client: $0.client(showing:), administrator: $0.administrator(showing:)) },
            customTokens: { .signed(by: $0.backendKey(_:preferably:), clock: $1) },
            verifier: { .live(keys: $0, clock: $1) }, limitsRates: true)
    }
}
