public import Identity

/// What the endpoints work with, built by the composition root.
public struct Services: Sendable {
    let authenticator: Authenticator
    let editor: AccountEditor
    let administration: AccountAdministration
    let identifiers: IdentifierLookup
    let customSignIn: CustomSignIn
    let federatedSignIn: FederatedSignIn
    let merging: AccountMerging
    let linking: LinkAdministration
    let finding: AccountQueryService
    let oobSending: OOBSending
    let oobRedemption: OOBRedemption
    let sessionCookies: SessionCookies
    let auditTrail: AuditTrail
    let ownSessions: SessionService
    let projects: ProjectEditor
    let tenancy: Tenancy
    let app: @Sendable (ID<App>, ID<Project>) async throws -> App?
    let wellKnown: WellKnown
    let actions: any EmailActionService
    let readiness: @Sendable () async -> Readiness
    let authURISession: @Sendable () -> String

    /// - Parameters:
    ///   - app: gives `nil` if the project has no such app.
    ///   - authURISession: 27 random letters and digits.
    public init(
        authenticator: Authenticator, editor: AccountEditor, administration: AccountAdministration,
        identifiers: IdentifierLookup, customSignIn: CustomSignIn, federatedSignIn: FederatedSignIn,
        merging: AccountMerging, linking: LinkAdministration, finding: AccountQueryService, oobSending: OOBSending,
        oobRedemption: OOBRedemption, sessionCookies: SessionCookies, auditTrail: AuditTrail,
        ownSessions: SessionService,
        projects: ProjectEditor, tenancy: Tenancy, app: @escaping @Sendable (ID<App>, ID<Project>) async throws -> App?,
        wellKnown: WellKnown, actions: any EmailActionService, readiness: @escaping @Sendable () async -> Readiness,
        authURISession: @escaping @Sendable () -> String
    ) {
        self.authenticator = authenticator
        self.editor = editor
        self.administration = administration
        self.identifiers = identifiers
        self.customSignIn = customSignIn
        self.federatedSignIn = federatedSignIn
        self.merging = merging
        self.linking = linking
        self.finding = finding
        self.oobSending = oobSending
        self.oobRedemption = oobRedemption
        self.sessionCookies = sessionCookies
        self.auditTrail = auditTrail
        self.ownSessions = ownSessions
        self.projects = projects
        self.tenancy = tenancy
        self.app = app
        self.wellKnown = wellKnown
        self.actions = actions
        self.readiness = readiness
        self.authURISession = authURISession
    }
}

/// The documents by which others verify a project's ID tokens.
public struct WellKnown: Sendable {
    /// `nil` asks for the only project of a single-project installation; so does the answer `nil` say there is none.
    public var documents: @Sendable (ID<Project>?) async throws -> ProjectDocuments?

    public init(documents: @escaping @Sendable (ID<Project>?) async throws -> ProjectDocuments?) {
        self.documents = documents
    }
}

/// Ready to be sent.
public struct ProjectDocuments: Sendable {
    /// OpenID Connect Discovery 1.0 §4.2.
    public let openIDConfiguration: [UInt8]
    /// A JWK set (RFC 7517 §5).
    public let jwks: [UInt8]
    /// A JSON object of key id to X.509 certificate in PEM.
    public let certificates: [UInt8]
    /// In seconds.
    public let maxAge: Int

    public init(openIDConfiguration: [UInt8], jwks: [UInt8], certificates: [UInt8], maxAge: Int) {
        self.openIDConfiguration = openIDConfiguration
        self.jwks = jwks
        self.certificates = certificates
        self.maxAge = maxAge
    }
}

/// Whether this process can do its work now.
public struct Readiness: Sendable {
    /// The process is about to end.
    public let isDraining: Bool
    public let databaseIsReachable: Bool
    public let schemaIsCurrent: Bool

    public init(isDraining: Bool, databaseIsReachable: Bool, schemaIsCurrent: Bool) {
        self.isDraining = isDraining
        self.databaseIsReachable = databaseIsReachable
        self.schemaIsCurrent = schemaIsCurrent
    }
}
