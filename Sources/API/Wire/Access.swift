internal import Encoding
internal import HTTP
public import Identity

/// The caller of the client API: one app of one project.
public struct CallingApp: Sendable {
    public let realm: Realm
    public let app: App

    public init(realm: Realm, app: App) {
        self.realm = realm
        self.app = app
    }
}

/// The credentials of a request, unchecked. An empty value counts as absent.
public struct CallerCredential: Sendable {
    public let apiKey: String?
    /// The token of the scheme `Bearer`.
    public let bearer: String?

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
    /// Stands for the credential of an ``InProcessCaller``, whose permissions ``Access/speaking(for:at:)`` returns.
    static let inProcess = CallerCredential(apiKey: nil, bearer: "")

    /// Reads the credentials of a request. Ignores authentication schemes other than `Bearer`.
    init(_ request: Request) {
        let key = request.query("key").nonEmpty ?? request.headers["x-goog-api-key"].nonEmpty
        self.init(apiKey: key, bearer: Self.bearer(in: request.headers))
    }

    /// Returns the token of the scheme `Bearer`; `nil` if there is none.
    static func bearer(in headers: Headers) -> String? {
        let words = headers["Authorization"]?.split(separator: " ", maxSplits: 1) ?? []
        return words.count == 2 && words[0].lowercased() == "bearer" ? String(words[1]) : nil
    }
}

/// A caller with administrator rights in one project: a backend with its service key, or a person who uses the console.
public struct Administrator: Sendable {
    public internal(set) var realm: Realm
    /// The actor in the audit trail. ``RequestPipeline`` adds the trace of the request.
    public internal(set) var actor: AuditActor
    public let scopes: ServiceKeyScopes
    /// The person's account in the operators' project; `nil` for a service key.
    public let person: ID<Account>?

    public init(realm: Realm, actor: AuditActor, scopes: ServiceKeyScopes, person: ID<Account>? = nil) {
        self.realm = realm
        self.actor = actor
        self.scopes = scopes
        self.person = person
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
}

/// The person for whom a page makes a request in the process. A request from outside never has one.
public struct InProcessCaller: Sendable {
    /// Returns what the person may do in the project that the request names, for an operation that may need a recent
    /// proof. Throws ``AccessRefusal`` or another ``Refusal``.
    let administrator: @Sendable (ID<Project>?, _ recentProof: Bool) async throws -> Administrator

    public init(
        administrator: @escaping @Sendable (ID<Project>?, _ recentProof: Bool) async throws -> Administrator
    ) {
        self.administrator = administrator
    }
}

extension Access {
    /// The access that returns the permissions of `caller`, whatever the bearer token is; unchanged without a caller.
    func speaking(for caller: InProcessCaller?, at endpoint: Endpoint) -> Access {
        guard let caller else { return self }
        var access = self
        let recentProof = endpoint.needs?.recentProof ?? false
        access.administrator = { _, project in try await caller.administrator(project, recentProof) }
        return access
    }

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
        realm = administrator.realm.id
        try administrator.require(scope)
        return administrator
    }
}

/// The reason why the credentials of a request do not permit the request.
public enum AccessRefusal: Refusal, Hashable {
    case missingCredentials
    case unknownKey
    /// The bearer token is not a valid service key, or only clients may call the operation.
    case bearerNotAccepted
    /// The bearer token is `owner`: the client takes the gateway for an emulator.
    case emulatorToken
    /// The service key is valid, but the request names another project than the key's.
    case otherProject
    /// The request has an API key, but needs a service key.
    case administratorsOnly
    case scopeMissing(ServiceKeyScope)

    public var code: ErrorCode {
        switch self {
        case .missingCredentials, .otherProject, .scopeMissing: .permissionDenied
        case .unknownKey: .apiKeyInvalid
        case .bearerNotAccepted, .emulatorToken: .unauthenticated
        case .administratorsOnly: .insufficientPermission
        }
    }

    public var detail: String? {
        switch self {
        case .missingCredentials, .unknownKey, .bearerNotAccepted, .emulatorToken, .otherProject: nil
        case .administratorsOnly: "Only authenticated requests can specify target_project_id."
        case .scopeMissing(let scope): scope.missingScopeDetail
        }
    }

    /// The same sentences as Firebase's, except for ``emulatorToken`` and ``scopeMissing(_:)``, which Firebase does not
    /// have.
    public var message: String {
        switch self {
        case .missingCredentials: "The request is missing a valid API key."
        case .unknownKey: "API key not valid. Please pass a valid API key."
        case .bearerNotAccepted:
            "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other "
                + "valid authentication credential."
        case .emulatorToken:
            "This gateway is not an emulator, and does not accept the token \"owner\". Unset FIREBASE_AUTH_EMULATOR_HOST "
                + "in the client: while the variable is set, the client also accepts unsigned ID tokens. Use a service key."
        case .otherProject: "The caller does not have permission"
        case .administratorsOnly, .scopeMissing: codeWithDetail
        }
    }

    public var metadata: [String: String] {
        self == .unknownKey ? ["service": "identitytoolkit.googleapis.com"] : [:]
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
        guard targetProjectId.nonEmpty == nil || targetProjectId.map({ ID($0) }) == administrator.realm.project.id
        else {
            throw AccessRefusal.otherProject
        }
        guard tenantId.nonEmpty == nil || tenantId.map({ ID($0) }) == administrator.realm.tenant?.id else {
            throw RequestRefusal.rejected(.tenantNotFound)
        }
    }
}

extension EndpointCall {
    /// Returns the project that the body names, for an operation whose path names none.
    func targetProject() throws -> ID<Project>? {
        let fields = try targetFields()
        return fields.targetProjectId.nonEmpty.map { ID($0) }
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
    /// Rejects a body that names any project, or another tenant than the client's.
    ///
    /// - Parameter client: the client in the tenant that the request resolved to.
    func checkProjectAndTenant(for client: CallingApp) throws {
        guard targetProjectId == nil else { throw AccessRefusal.administratorsOnly }
        guard tenantId.nonEmpty == nil || tenantId.map({ ID($0) }) == client.realm.tenant?.id else {
            throw TenantRefusal.unknown
        }
    }
}
