package import API
package import HTTP
package import Identity
package import Postgres
package import Providers
package import Tokens

/// The differences between `serve` and `dev`.
package struct Mode: Sendable {
    /// The URL of the gateway for clients, without a slash at the end; `nil`: the URL has the loopback address and the
    /// bound port.
    let publicURL: String?
    let issuers: Issuers
    /// Authenticates callers of the API.
    let access: @Sendable (ConfigurationCache) -> Access
    /// Verifies custom tokens.
    package let customTokens: @Sendable (ConfigurationCache, WallClock) -> CustomTokens
    /// Returns the authority that issues and verifies the gateway's own tokens, given one that signs them.
    package var tokens: @Sendable (GatewayTokens) -> any TokenAuthority = { $0 }
    /// Returns the tenant that an unverified ID token or refresh token names, or `nil` if it names none.
    package var tenantOfToken: @Sendable (_ token: String) -> ID<Tenant>? = GatewayTokens.tenant(namedBy:)
    /// Verifies the credentials of identity providers.
    let verifier: @Sendable (ProviderList, JWKSCache, WallClock) -> Verifier
    package var clock = WallClock.live
    /// How much longer than its lifetime an ID token is accepted.
    package var clockTolerance: Duration = .zero
    /// The supported identity providers.
    package var providers = ProviderList.live
    /// The URLs at which Apple redeems codes, and checks and revokes tokens.
    package var appleEndpoints = AppleEndpoints.live
    /// Whether the `Host` of a request may determine the origin of the gateway's pages; see ``PublicOrigin``.
    package var acceptsHostHeader = false
    /// Returns the response to a request that the mode does not accept, whatever its path.
    package var rejection: (@Sendable (Request) -> Response?)?
    /// The pages for browsers that the mode adds.
    package var pages: ModePages?
    /// Is called with each request from outside and its response.
    package var observeRequest: (@Sendable (ObservedRequest) -> Void)?
    /// Whether the issuers of OpenID providers may be `http` URLs of loopback hosts, for simulators.
    var acceptsLoopbackIssuers = false
    /// Whether a violation of guideline 4.8 by an OpenID provider of a tenant causes a warning instead of an error. No
    /// Admin SDK of Firebase can configure Apple in a tenant.
    package var acceptsTenantsWithoutApple = false
    /// Converts each user of an import before it is checked; `nil` for no conversion.
    package var convertImportedUser: (@Sendable (ImportedUser) -> ImportedUser)?
    /// Whether the rate limits of the policy apply.
    var limitsRates = false
    /// Creates the email service that replaces the configured one.
    package var emailService: (@Sendable (EmailService.Dependencies) -> EmailService)?
    /// Wraps the generation of email action codes and emails.
    package var wrapEmailFactory: @Sendable (EmailFactory) -> EmailFactory = { $0 }
    /// Wraps the generation of codes for telephone numbers.
    package var wrapPhoneCodes: @Sendable (PhoneCodeSecrets) -> PhoneCodeSecrets = { $0 }
    /// Wraps the verification of passkeys, and their challenges.
    package var wrapPasskeys:
        @Sendable (PasskeyVerifier, PasskeyChallenges, WallClock) -> (PasskeyVerifier, PasskeyChallenges) = {
            verifier, challenges, _ in (verifier, challenges)
        }
    /// Creates the extensions, once per event loop.
    package var extensions: @Sendable (Pool, EmailService?) -> ModeExtensions = { _, _ in ModeExtensions() }

    package init(
        publicURL: String? = nil, issuers: Issuers, access: @escaping @Sendable (ConfigurationCache) -> Access,
        customTokens: @escaping @Sendable (ConfigurationCache, WallClock) -> CustomTokens,
        verifier: @escaping @Sendable (ProviderList, JWKSCache, WallClock) -> Verifier,
        clock: WallClock = WallClock.live,
        acceptsLoopbackIssuers: Bool = false, limitsRates: Bool = false,
        emailService: (@Sendable (EmailService.Dependencies) -> EmailService)? = nil,
        wrapEmailFactory: @escaping @Sendable (EmailFactory) -> EmailFactory = { $0 },
        extensions: @escaping @Sendable (Pool, EmailService?) -> ModeExtensions = { _, _ in ModeExtensions() }
    ) {
        self.publicURL = publicURL
        self.issuers = issuers
        self.access = access
        self.customTokens = customTokens
        self.verifier = verifier
        self.clock = clock
        self.acceptsLoopbackIssuers = acceptsLoopbackIssuers
        self.limitsRates = limitsRates
        self.emailService = emailService
        self.wrapEmailFactory = wrapEmailFactory
        self.extensions = extensions
    }
}

/// Replacements and additional endpoints of one mode.
package struct ModeExtensions: Sendable {
    /// Replaces the look-up of projects in the database.
    var projectLookup: ProjectLookup?
    /// Whether a page can be about the project: ``projectLookup`` can create a project, but no URL of a page does.
    var hasProject: @Sendable (ID<Project>) async throws -> Bool
    /// Maps the result of a tenant look-up (default: unchanged). In `found` and in the result, `nil` means that the
    /// tenant does not exist.
    var resolveTenant: @Sendable (_ found: Realm?, ID<Tenant>, Realm) async throws -> Realm?
    /// Endpoints that openapi.yaml does not contain.
    var endpoints: @Sendable (EmailActionService) -> [Endpoint]

    package init(
        projectLookup: ProjectLookup? = nil,
        hasProject: @escaping @Sendable (ID<Project>) async throws -> Bool = { _ in true },
        resolveTenant: @escaping @Sendable (_ found: Realm?, ID<Tenant>, Realm) async throws -> Realm? = {
            found, _, _ in found
        },
        endpoints: @escaping @Sendable (EmailActionService) -> [Endpoint] = { _ in [] }
    ) {
        self.projectLookup = projectLookup
        self.hasProject = hasProject
        self.resolveTenant = resolveTenant
        self.endpoints = endpoints
    }
}

extension Mode {
    /// The mode of `sekisho serve`.
    ///
    /// - Parameter publicURL: the URL of the gateway for clients, without a slash at the end.
    package static func serve(at publicURL: String) -> Mode {
        var mode = Mode(
            publicURL: publicURL, issuers: .own(publicURL),
            access: { $0.access },
            customTokens: { .signed(by: $0.publicServiceKey(_:preferringProject:), clock: $1) },
            verifier: { .live($0, keyCache: $1, clock: $2) }, limitsRates: true)
        mode.clockTolerance = GatewayTokens.clockTolerance
        return mode
    }
}
