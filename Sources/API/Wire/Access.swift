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

    /// The administrator with the same key in `project`, which is the project of the key or one of its tenants.
    func working(in project: Project) -> Administrator {
        Administrator(project: project, actor: actor, scopes: scopes)
    }

    func require(_ scope: ServiceKeyScope) throws(AccessRefusal) {
        guard scopes.allows(scope) else { throw .scopeMissing(scope) }
    }
}

/// Authenticates callers.
public struct Access: Sendable {
    /// Authenticates a client. Throws ``AccessRefusal``; any other error is a fault.
    public var client: @Sendable (CallerCredential) async throws -> CallingApp
    /// Authenticates an administrator by a bearer secret, in the project that the path or the body names, if any. Throws
    /// as ``client`` does.
    public var administrator: @Sendable (_ bearer: String, ID<Project>?) async throws -> Administrator
    /// Whether a client request is rejected if it states a caller that its app does not list; see ``AllowedCallers``.
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
    /// Authenticates an administrator by the credentials in the head of a request.
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

/// Resolves the tenant that a request is about, before its handler runs.
extension EndpointCall {
    /// Resolves a tenant that is named by `tenantId` in the body or the query, or by the tokens in the body. Clients
    /// name the tenant when they sign in; later requests have a token.
    ///
    /// - Returns: the app in the tenant, or unchanged if the request names none.
    mutating func resolveTenant(for client: CallingApp, at endpoint: Endpoint) async throws -> CallingApp {
        guard client.project.hasTenants || mentionsTenants, let tenant = try tenantNamedByClient() else {
            return client
        }
        guard let project = try await project(of: tenant, in: client.project, at: endpoint) else {
            throw TenantRefusal.unknown
        }
        self.tenant = tenant
        return CallingApp(project: project, app: client.app)
    }

    /// Resolves a tenant that is named in the path, the query or the body. All names have to be the same.
    ///
    /// - Returns: the administrator in the tenant, or unchanged if the request names none.
    mutating func resolveTenant(
        for administrator: Administrator, at endpoint: Endpoint
    ) async throws -> Administrator {
        guard endpoint.acceptsTenantByName || endpoint.isBelowTenant || tenantInQuery == nil else {
            throw TenantRefusal.notForTenants
        }
        var names = [tenantInQuery, endpoint.isBelowTenant ? parameters["tenant"] : nil]
        if endpoint.acceptsTenantByName, mentionsTenants { names.append(tenantNames().tenantId) }
        guard let tenant = try Self.singleTenant(names) else { return administrator }
        if request.body.includes("oken"), let token = tenantNames().idToken.nonEmpty {
            _ = try Self.singleTenant([tenant.rawValue, services.projects.tenancy.named(token)?.rawValue])
        }
        guard let project = try await project(of: tenant, in: administrator.project, at: endpoint) else {
            throw RequestRefusal.rejected(.tenantNotFound)
        }
        self.tenant = tenant
        return administrator.working(in: project)
    }

    /// Returns the project as it applies to the tenant; `nil` if there is no such tenant.
    private func project(of tenant: ID<Tenant>, in project: Project, at endpoint: Endpoint) async throws -> Project? {
        guard tenant.isValidTenantID, let project = try await services.projects.tenancy.tenant(tenant, project) else {
            return nil
        }
        guard endpoint.servesDisabledTenants || project.tenant?.settings.isDisabled != true else {
            throw TenantRefusal.disabled
        }
        return project
    }

    private mutating func tenantNamedByClient() throws -> ID<Tenant>? {
        let named = tenantNames()
        let tokens = [named.idToken, named.refreshToken].compactMap {
            $0.nonEmpty.flatMap(services.projects.tenancy.named)
        }
        return try Self.singleTenant([named.tenantId, tenantInQuery] + tokens.map(\.rawValue))
    }

    /// Parses the body, and stores the result for the handler.
    private mutating func tenantNames() -> TenantNames {
        if let form { return TenantNames(form: form) }
        parseBody()
        // `checkTarget` rejects a request whose body names a tenant that was not read here.
        return (try? decoded(as: TenantNames.self)) ?? TenantNames()
    }

    /// Whether the request may name a tenant. If not, as for most requests, its body need not be parsed for the tenant.
    private var mentionsTenants: Bool {
        tenantInQuery != nil || request.body.includes("tenant")
    }

    /// Accepts both spellings. If one were ignored, the request would apply to the project itself.
    private var tenantInQuery: String? { request.query("tenantId").nonEmpty ?? request.query("tenant_id").nonEmpty }

    /// Returns the tenant that all of the names have in common; `nil` if there are no names.
    ///
    /// - Throws: `.mismatch` if the names differ.
    private static func singleTenant(_ names: [String?]) throws(TenantRefusal) -> ID<Tenant>? {
        let names = Set(names.compactMap(\.nonEmpty))
        guard names.count < 2 else { throw .mismatch }
        return names.first.map { ID($0) }
    }
}

/// The project and the tenant that an administrator's request may name in its body, or in its query if it has no body.
struct TargetFields: Decodable {
    let tenantId: String?
    let targetProjectId: String?

    /// Requires that the fields name the administrator's project and tenant, or nothing. The tenant is already resolved.
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
        try decoded(as: TargetFields.self).targetProjectId.nonEmpty.map { ID($0) }
    }

    /// The project and the tenant that the query names, for a request without a body.
    var targetFields: TargetFields {
        TargetFields(tenantId: request.query("tenantId").nonEmpty, targetProjectId: request.query("targetProjectId"))
    }
}

extension ClientRequest {
    /// Rejects a body that names a project, or a tenant other than `tenant`.
    ///
    /// - Parameter tenant: the tenant that the request resolved to; `nil` for the project itself.
    func checkTarget(in tenant: ID<Tenant>?) throws {
        guard targetProjectId == nil else { throw AccessRefusal.administratorsOnly }
        guard tenantId.nonEmpty == nil || tenantId == tenant?.rawValue else { throw TenantRefusal.unknown }
    }
}

/// The members of a body that can name a tenant.
private struct TenantNames: Decodable {
    var tenantId: String?
    var idToken: String?
    var refreshToken: String?
}

extension TenantNames {
    init(form pairs: [(String, String)]) {
        self.init()
        for (name, value) in pairs {
            switch name {
            case "tenant_id", "tenantId": tenantId = value
            case "refresh_token", "refreshToken": refreshToken = value
            default: continue
            }
        }
    }
}

extension [UInt8] {
    /// Whether the bytes contain `text`. `Collection.contains(_:)` is about 100× slower, and this runs on every request.
    fileprivate func includes(_ text: StaticString) -> Bool {
        let part = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        return withUnsafeBufferPointer { bytes in
            guard bytes.count >= part.count else { return false }
            var start = 0
            while start <= bytes.count - part.count {
                var length = 0
                while length < part.count, bytes[start + length] == part[length] { length += 1 }
                if length == part.count { return true }
                start += 1
            }
            return false
        }
    }
}
