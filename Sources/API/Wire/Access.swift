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

    /// - Throws: ``AccessRefusal`` if there is no bearer token.
    var administratorBearer: String {
        get throws(AccessRefusal) {
            guard let bearer else { throw apiKey == nil ? .missingCredentials : .administratorsOnly }
            return bearer
        }
    }
}

extension CallerCredential {
    /// Ignores schemes other than `Bearer`.
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

    /// The same key, working in `project`, which is its project or a tenant of it.
    func working(in project: Project) -> Administrator {
        Administrator(project: project, actor: actor, scopes: scopes)
    }

    func require(_ scope: ServiceKeyScope) throws(AccessRefusal) {
        guard scopes.allow(scope) else { throw .scopeMissing(scope) }
    }
}

/// Why a request is rejected before an operation sees it.
public enum AccessRefusal: Refusal, Hashable {
    case missingCredentials
    case unknownKey
    case bearerNotAccepted
    /// A valid service key of another project than the request names.
    case otherProject
    /// An API key where a service key is needed.
    case administratorsOnly
    case scopeMissing(ServiceKeyScope)

    public var code: ErrorCode {
        switch self {
        case .missingCredentials, .otherProject, .scopeMissing: .permissionDenied
        case .unknownKey: .apiKeyInvalid
        case .bearerNotAccepted: .unauthenticated
        case .administratorsOnly: .insufficientPermission
        }
    }

    public var detail: String? {
        switch self {
        case .missingCredentials, .unknownKey, .bearerNotAccepted, .otherProject: nil
        case .administratorsOnly: "Only authenticated requests can specify target_project_id."
        case .scopeMissing(let scope): scope.missingDetail
        }
    }

    /// Google's sentences.
    public var message: String {
        switch self {
        case .missingCredentials: "The request is missing a valid API key."
        case .unknownKey: "API key not valid. Please pass a valid API key."
        case .bearerNotAccepted:
            "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other "
                + "valid authentication credential."
        case .otherProject: "The caller does not have permission"
        case .administratorsOnly, .scopeMissing: codeWithDetail
        }
    }

    public var metadata: [String: String] {
        self == .unknownKey ? ["service": "identitytoolkit.googleapis.com"] : [:]
    }
}

/// Authenticates callers.
public struct Access: Sendable {
    /// Throws ``AccessRefusal``; any other error is a fault.
    public var client: @Sendable (CallerCredential) async throws -> CallingApp
    /// Takes a bearer secret and the project that the path names, if it names one. Throws as ``client`` does.
    public var administrator: @Sendable (_ bearer: String, ID<Project>?) async throws -> Administrator
    /// Whether a key is accepted only from the callers that its app lists; see ``AllowedCallers``.
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
    /// The look-ups are called only with text that can be a key.
    public static func keys(
        client: @escaping @Sendable (String) async throws -> CallingApp?,
        administrator: @escaping @Sendable (String) async throws -> Administrator?
    ) -> Access {
        Access(checksCallers: true) { credential in
            guard credential.bearer == nil else { throw AccessRefusal.bearerNotAccepted }
            guard let key = credential.apiKey else { throw AccessRefusal.missingCredentials }
            guard canBeKey(key), let client = try await client(key) else { throw AccessRefusal.unknownKey }
            return client
        } administrator: { bearer, project in
            guard canBeKey(bearer), let administrator = try await administrator(bearer) else {
                throw AccessRefusal.bearerNotAccepted
            }
            guard project == nil || project == administrator.project.id else { throw AccessRefusal.otherProject }
            return administrator
        }
    }

    private static func canBeKey(_ text: String) -> Bool {
        text.utf8.count <= 128 && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension Access {
    /// Authenticates an administrator by the head of a request.
    ///
    /// - Parameters:
    ///   - project: the project that the request names, if it names one.
    ///   - realm: is set to the administrator's realm, which the log names even if the request is rejected.
    /// - Throws: ``AccessRefusal``; any other error is a fault.
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
