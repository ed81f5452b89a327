internal import HTTP
internal import Identity

/// How a request finds the tenant that it is about, before its handler runs.
extension EndpointCall {
    /// By `tenantId` in the body or the query, or by the tokens that the request shows: clients of a tenant's users
    /// name it when they sign in, and hardly ever after that.
    func entering(_ client: CallingApp, at endpoint: Endpoint) async throws -> (EndpointCall, CallingApp) {
        guard client.project.hasTenants || mentionsTenants, let tenant = try namedByClient() else {
            return (self, client)
        }
        guard let home = try await home(of: tenant, in: client.project, at: endpoint) else {
            throw TenantRefusal.unknown
        }
        return (inside(tenant), CallingApp(project: home, app: client.app))
    }

    /// By the path, the query or the body, which must not disagree.
    func entering(_ administrator: Administrator, at endpoint: Endpoint) async throws -> (EndpointCall, Administrator) {
        guard endpoint.takesTenantsByName || endpoint.isBelowTenant || tenantInQuery == nil else {
            throw TenantRefusal.notForTenants
        }
        var names = [tenantInQuery, endpoint.isBelowTenant ? parameters["tenant"] : nil]
        if endpoint.takesTenantsByName, mentionsTenants { names.append(TenantNames(of: self).tenantId) }
        guard let tenant = try Self.only(names) else { return (self, administrator) }
        guard let home = try await home(of: tenant, in: administrator.project, at: endpoint) else {
            throw RequestRefusal.rejected(.tenantNotFound)
        }
        return (inside(tenant), administrator.working(in: home))
    }

    private func inside(_ tenant: ID<Tenant>) -> EndpointCall {
        var call = self
        call.tenant = tenant
        return call
    }

    private func home(of tenant: ID<Tenant>, in project: Project, at endpoint: Endpoint) async throws -> Project? {
        guard tenant.canBeTenant, let home = try await services.tenancy.home(tenant, project) else { return nil }
        guard endpoint.servesDisabledTenants || home.tenant?.settings.isDisabled != true else {
            throw TenantRefusal.disabled
        }
        return home
    }

    private func namedByClient() throws -> ID<Tenant>? {
        let named = TenantNames(of: self)
        let tokens = [named.idToken, named.refreshToken].compactMap { $0.nonEmpty.flatMap(services.tenancy.named) }
        return try Self.only([named.tenantId, tenantInQuery] + tokens.map(\.rawValue))
    }

    /// Most requests do not, and their bodies are not parsed for it.
    private var mentionsTenants: Bool {
        tenantInQuery != nil || request.body.holds("tenant")
    }

    /// In either spelling: one that is passed over would leave the request to the project itself.
    private var tenantInQuery: String? { request.query("tenantId").nonEmpty ?? request.query("tenant_id").nonEmpty }

    private static func only(_ names: [String?]) throws(TenantRefusal) -> ID<Tenant>? {
        let names = Set(names.compactMap(\.nonEmpty))
        guard names.count < 2 else { throw .mismatch }
        return names.first.map { ID($0) }
    }
}

/// What in a body may name a tenant. A body that cannot be read names none; its handler refuses it.
private struct TenantNames: Decodable {
    var tenantId: String?
    var idToken: String?
    var refreshToken: String?

    init(of call: EndpointCall) {
        if let pairs = call.form {
            for (name, value) in pairs {
                switch name {
                case "tenant_id", "tenantId": tenantId = value
                case "refresh_token", "refreshToken": refreshToken = value
                default: continue
                }
            }
        } else if let names = try? call.decoded(as: TenantNames.self) {
            self = names
        }
    }
}

extension [UInt8] {
    /// The standard library's search for a part takes a hundred times as long, which each request would feel.
    fileprivate func holds(_ text: StaticString) -> Bool {
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
