internal import HTTP
public import Identity

/// The caller of the client API: one app of one project.
public struct CallingApp: Sendable {
    public let project: Project
    public let app: App

    public init(project: Project, app: App) {
        self.project = project
        self.app = app
    }
}

/// The credentials of a request, unchecked. An empty value counts as absent.
public struct CallerCredential: Sendable {
    public let apiKey: String?
    /// The token of the scheme `Bearer`.
    public let bearer: String?

    public init(apiKey: String?, bearer: String?) {
        self.apiKey = apiKey
        self.bearer = bearer
    }

    /// Returns the bearer token, which every request of an administrator needs.
    ///
    /// - Throws: ``AccessRefusal`` if there is no bearer token.
    var administratorBearer: String {
        get throws(AccessRefusal) {
            guard let bearer else { throw apiKey == nil ? .missingCredentials : .administratorsOnly }
            return bearer
        }
    }
}

extension CallerCredential {
    /// Reads the credentials of a request. Ignores authentication schemes other than `Bearer`.
    init(_ request: Request) {
        let key = request.query("key").nonEmpty ?? request.headers["x-goog-api-key"].nonEmpty
        let words = request.headers["Authorization"]?.split(separator: " ", maxSplits: 1) ?? []
        let bearer = words.count == 2 && words[0].lowercased() == "bearer" ? String(words[1]) : nil
        self.init(apiKey: key, bearer: bearer)
    }
}

/// A caller with administrator rights in one project: a backend with its service key.
public struct Administrator: Sendable {
    public let project: Project
    /// The actor in the audit trail.
    public let actor: AuditActor
    public let scopes: ServiceKeyScopes

    public init(project: Project, actor: AuditActor, scopes: ServiceKeyScopes) {
        self.project = project
        self.actor = actor
        self.scopes = scopes
    }

    /// Returns the administrator with the same key in `project`, which is the project of the key or one of its tenants.
    func withSameKey(in project: Project) -> Administrator {
        Administrator(project: project, actor: actor, scopes: scopes)
    }

    func require(_ scope: ServiceKeyScope) throws(AccessRefusal) {
        guard scopes.allows(scope) else { throw .scopeMissing(scope) }
    }
}

/// Authenticates callers.
public struct Access: Sendable {
    /// Authenticates a client. Throws ``AccessRefusal``; any other error is a fault of the gateway.
    public var client: @Sendable (CallerCredential) async throws -> CallingApp
    /// Authenticates an administrator by a bearer token. Takes the project that the path or the body of the request
    /// names, or `nil` if they name none. Throws as ``client`` does.
    public var administrator: @Sendable (_ bearer: String, ID<Project>?) async throws -> Administrator
    /// Whether the headers in which a client names itself (bundle ID, Android package or web page) are compared with
    /// the lists of the API key's app; see ``App/checkCaller(isRequired:header:)``.
    public var checksCallers: Bool

    public init(
        checksCallers: Bool = false,
        client: @escaping @Sendable (CallerCredential) async throws -> CallingApp,
        administrator: @escaping @Sendable (String, ID<Project>?) async throws -> Administrator
    ) {
        self.checksCallers = checksCallers
        self.client = client
        self.administrator = administrator
    }

    /// Accepts API keys for clients, service keys for administrators, and nothing else.
    ///
    /// Calls the closures only with texts that have the form of a key.
    ///
    /// - Parameters:
    ///   - client: returns the app of an API key; `nil` for an unknown key.
    ///   - administrator: returns the administrator of a service key; `nil` for an unknown key.
    public static func authenticatingByKeys(
        client: @escaping @Sendable (String) async throws -> CallingApp?,
        administrator: @escaping @Sendable (String) async throws -> Administrator?
    ) -> Access {
        Access(checksCallers: true) { credential in
            guard credential.bearer == nil else { throw AccessRefusal.bearerNotAccepted }
            guard let key = credential.apiKey else { throw AccessRefusal.missingCredentials }
            guard hasKeyForm(key), let client = try await client(key) else { throw AccessRefusal.unknownKey }
            return client
        } administrator: { bearer, project in
            guard hasKeyForm(bearer), let administrator = try await administrator(bearer) else {
                throw AccessRefusal.bearerNotAccepted
            }
            guard project == nil || project == administrator.project.id else { throw AccessRefusal.otherProject }
            return administrator
        }
    }

    /// Whether `text` has the form of an API key or a service key. Other texts are rejected before the database is
    /// queried.
    private static func hasKeyForm(_ text: String) -> Bool { text.isVisibleASCII(1...128) }
}

extension Access {
    /// Authenticates an administrator by the credentials in the head of a request.
    ///
    /// - Parameters:
    ///   - project: the project that the request names, if it names one.
    ///   - realm: is set to the administrator's realm (a project or a tenant), which the log names even if the request
    ///     is rejected.
    /// - Throws: ``AccessRefusal``; any other error is a fault of the gateway.
    func authenticate(
        _ credential: CallerCredential, in project: ID<Project>?, needing scope: ServiceKeyScope,
        realm: inout ID<Realm>?
    ) async throws -> Administrator {
        let administrator = try await administrator(credential.administratorBearer, project)
        realm = administrator.project.realm
        try administrator.require(scope)
        return administrator
    }
}

/// The project and the tenant that an administrator's request may name: in its body, or in its query if it has no
/// body.
struct TargetFields: Decodable {
    let tenantId: String?
    let targetProjectId: String?

    /// Requires that the fields name the administrator's project and tenant, or nothing.
    ///
    /// - Parameter administrator: the administrator in the tenant that the request resolved to.
    func check(for administrator: Administrator) throws {
        guard targetProjectId.nonEmpty == nil || targetProjectId == administrator.project.id.rawValue else {
            throw AccessRefusal.otherProject
        }
        guard tenantId.nonEmpty == nil || tenantId == administrator.project.tenant?.id.rawValue else {
            throw RequestRefusal.rejected(.tenantNotFound)
        }
    }
}

extension EndpointCall {
    /// Returns the project that the body names, for an operation whose path names none.
    func targetProject() throws -> ID<Project>? {
        try decodedBody(as: TargetFields.self).targetProjectId.nonEmpty.map { ID($0) }
    }

    /// Rejects a query that names another project or tenant than the administrator's; see ``TargetFields/check(for:)``.
    /// For requests without a body.
    func checkProjectAndTenantInQuery(for administrator: Administrator) throws {
        let fields = TargetFields(
            tenantId: request.query("tenantId").nonEmpty, targetProjectId: request.query("targetProjectId"))
        try fields.check(for: administrator)
    }
}

extension ClientRequestBody {
    /// Rejects a body that names any project, or a tenant other than `tenant`.
    ///
    /// - Parameter tenant: the tenant that the request resolved to; `nil` for the project itself.
    func checkProjectAndTenant(expecting tenant: ID<Tenant>?) throws {
        guard targetProjectId == nil else { throw AccessRefusal.administratorsOnly }
        guard tenantId.nonEmpty == nil || tenantId == tenant?.rawValue else { throw TenantRefusal.unknown }
    }
}
