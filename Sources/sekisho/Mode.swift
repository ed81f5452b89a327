internal import API
internal import Identity
internal import Postgres
internal import Providers
internal import Tokens

/// What tells `serve` from `dev`: whom the gateway believes, and in whose name it speaks.
struct Mode: Sendable {
    let issuers: Issuers
    /// Who may use the API.
    let access: @Sendable (Directory) -> Access
    let customTokens: @Sendable (Directory, WallClock) -> CustomTokens
    /// Which credentials of other providers are believed.
    let verifier: @Sendable (JWKSCache, WallClock) -> Verifier
    var clock = WallClock.live
    /// See ``ConfigurationRules``.
    var takesLoopbackIssuers = false
    /// What a project's policy limits is counted.
    var limitsRates = false
    /// Instead of the configured way.
    var postOffice: (@Sendable (PostOffice.Desk) -> PostOffice)?
    /// Sees how codes and letters are made.
    var watchesOutOfBand: @Sendable (OutOfBand) -> OutOfBand = { $0 }
    /// Built once for each loop.
    var addition: @Sendable (Pool, PostOffice?) -> Addition = { _, _ in Addition() }

    /// What a mode has that others have not.
    struct Addition: Sendable {
        /// Instead of the database's own.
        var projects: ProjectLookup?
        /// What becomes of a tenant that was looked for: by default what was found, if anything was.
        var tenant: @Sendable (_ found: Project?, ID<Tenant>, Project) async throws -> Project? = { found, _, _ in found
        }
        /// Beside those of the contract.
        var endpoints: @Sendable (any ActionDesk) -> [Endpoint] = { _ in [] }
    }
}

extension Mode {
    /// - Parameter publicURL: where clients reach the gateway, without a slash at the end.
    static func serve(at publicURL: String) -> Mode {
        Mode(
            issuers: .own(publicURL),
            access: { .keys(client: $0.client(showing:), administrator: $0.administrator(showing:)) },
            customTokens: { .signed(by: $0.backendKey(_:preferably:), clock: $1) },
            verifier: { .live(keys: $0, clock: $1) }, limitsRates: true)
    }
}
