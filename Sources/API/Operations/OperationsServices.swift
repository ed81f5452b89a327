public import Identity

/// The dependencies of three groups of endpoints: readiness, documents for the verification of tokens, and well-known
/// files.
public struct OperationsServices: Sendable {
    /// Returns the documents of a project, or `nil` if there is no such project. The ID is `nil` for the only project
    /// of a single-project installation.
    let documents: @Sendable (ID<Project>?) async throws -> ProjectDocuments?
    /// Returns the apps, of all projects, that have associated hosts.
    let associatedApps: @Sendable () async throws -> [AssociatedApp]
    /// Returns what the hosts of the RP IDs of all projects publish.
    let relyingParties: @Sendable () async throws -> [PublishedRelyingParty]
    /// The content of the file by which Apple verifies a domain of the operator; `nil` if none is configured.
    let appleDomainAssociation: String?
    let readiness: @Sendable () async -> Readiness

    public init(
        documents: @escaping @Sendable (ID<Project>?) async throws -> ProjectDocuments?,
        associatedApps: @escaping @Sendable () async throws -> [AssociatedApp],
        relyingParties: @escaping @Sendable () async throws -> [PublishedRelyingParty], appleDomainAssociation: String?,
        readiness: @escaping @Sendable () async -> Readiness
    ) {
        self.documents = documents
        self.associatedApps = associatedApps
        self.relyingParties = relyingParties
        self.appleDomainAssociation = appleDomainAssociation
        self.readiness = readiness
    }
}

/// The JSON documents with which backends verify the ID tokens of a project.
public struct ProjectDocuments: Sendable {
    /// OpenID Connect Discovery 1.0 §4.2.
    public let openIDConfiguration: [UInt8]
    /// A JWK set (RFC 7517 §5).
    public let jwks: [UInt8]
    /// A JSON object that maps key IDs to X.509 certificates in PEM.
    public let certificates: [UInt8]
    /// How long clients may cache the documents, in seconds.
    public let maxAge: Int

    public init(openIDConfiguration: [UInt8], jwks: [UInt8], certificates: [UInt8], maxAge: Int) {
        self.openIDConfiguration = openIDConfiguration
        self.jwks = jwks
        self.certificates = certificates
        self.maxAge = maxAge
    }
}

/// Whether the process should receive requests.
public struct Readiness: Sendable {
    /// The process is shutting down.
    public let isDraining: Bool
    public let databaseIsReachable: Bool
    public let schemaIsCurrent: Bool
    /// How far the clock of this machine is ahead of PostgreSQL's.
    public let clockLead: Duration

    public init(isDraining: Bool, databaseIsReachable: Bool, schemaIsCurrent: Bool, clockLead: Duration) {
        self.isDraining = isDraining
        self.databaseIsReachable = databaseIsReachable
        self.schemaIsCurrent = schemaIsCurrent
        self.clockLead = clockLead
    }
}
