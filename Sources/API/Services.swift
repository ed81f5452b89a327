public import Identity
public import Telemetry

/// What the endpoints work with, built by the composition root.
public struct Services: Sendable {
    let authenticator: Authenticator
    let editor: AccountEditor
    let identifiers: IdentifierLookup
    let wellKnown: WellKnown
    let readiness: @Sendable () async -> Readiness
    let authURISession: @Sendable () -> String
    let metrics: Metrics

    /// - Parameter authURISession: 27 random letters and digits.
    public init(
        authenticator: Authenticator, editor: AccountEditor, identifiers: IdentifierLookup, wellKnown: WellKnown,
        readiness: @escaping @Sendable () async -> Readiness, authURISession: @escaping @Sendable () -> String,
        metrics: Metrics
    ) {
        self.authenticator = authenticator
        self.editor = editor
        self.identifiers = identifiers
        self.wellKnown = wellKnown
        self.readiness = readiness
        self.authURISession = authURISession
        self.metrics = metrics
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
    public let maxAge: Duration

    public init(openIDConfiguration: [UInt8], jwks: [UInt8], certificates: [UInt8], maxAge: Duration) {
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
