internal import Encoding
internal import HTTP
internal import Identity

/// Resolves the tenant that a request is about, before its handler runs.
extension EndpointCall {
    /// Resolves the tenant of a client's request. At sign-in, the body or the query names the tenant as `tenantId`. In
    /// later requests, the tokens in the body name the tenant.
    ///
    /// - Returns: the app in the tenant; the unchanged app if the request names no tenant.
    mutating func resolveTenant(for client: CallingApp, at endpoint: Endpoint) async throws -> CallingApp {
        guard client.realm.project.hasTenants || mayNameTenant, let tenant = try tenantNamedByClient() else {
            return client
        }
        guard let realm = try await realm(of: tenant, in: client.realm, at: endpoint) else {
            throw TenantRefusal.unknown
        }
        return CallingApp(realm: realm, app: client.app)
    }

    /// Resolves the tenant that an administrator names in the path, the query or the body. If several of these name a
    /// tenant, it must be the same one. An ID token in the body must not belong to another tenant.
    ///
    /// - Returns: the administrator in the tenant; the unchanged administrator if the request names no tenant.
    mutating func resolveTenant(
        for administrator: Administrator, at endpoint: Endpoint
    ) async throws -> Administrator {
        guard endpoint.acceptsTenantInQueryOrBody || endpoint.isBelowTenant || tenantsInQuery.isEmpty else {
            throw TenantRefusal.notForTenants
        }
        var names = tenantsInQuery + [endpoint.isBelowTenant ? parameters["tenant"] : nil]
        if endpoint.acceptsTenantInQueryOrBody, mayNameTenant { names.append(tenantNames().tenantId) }
        guard let tenant = try Self.singleTenant(names) else { return administrator }
        // `oken` is a part of `idToken` and of `id_token`. A body without it need not be parsed.
        if largeBody != nil || request.body.includes("oken"), let token = tenantNames().idToken.nonEmpty {
            _ = try Self.singleTenant([tenant.rawValue, services.projects.tenancy.tenantOfToken(token)?.rawValue])
        }
        guard let realm = try await realm(of: tenant, in: administrator.realm, at: endpoint) else {
            throw RequestRefusal.rejected(.tenantNotFound)
        }
        var administrator = administrator
        administrator.realm = realm
        return administrator
    }

    /// Returns the realm of a tenant; `nil` if there is no such tenant. An unknown tenant may be created; see
    /// ``Tenancy/realmOfTenant``.
    ///
    /// - Throws: ``TenantRefusal/disabled``, unless the endpoint serves disabled tenants.
    private func realm(of tenant: ID<Tenant>, in realm: Realm, at endpoint: Endpoint) async throws -> Realm? {
        guard tenant.isValidTenantID,
            let realm = try await services.projects.tenancy.realmOfTenant(tenant, realm)
        else { return nil }
        guard endpoint.servesDisabledTenants || realm.tenant?.settings.isDisabled != true else {
            throw TenantRefusal.disabled
        }
        return realm
    }

    private mutating func tenantNamedByClient() throws -> ID<Tenant>? {
        let named = tenantNames()
        let tokens = [named.idToken, named.refreshToken].compactMap {
            $0.nonEmpty.flatMap(services.projects.tenancy.tenantOfToken)
        }
        return try Self.singleTenant([named.tenantId] + tenantsInQuery + tokens.map(\.rawValue))
    }

    /// Parses the body, and stores the result for the handler.
    private mutating func tenantNames() -> TenantNames {
        if let largeBody { return largeBody.tenantNames }
        if let form { return TenantNames(form: form) }
        parseBody()
        // `checkProjectAndTenant` rejects a request whose body names a tenant that was not read here.
        return (try? decodedBody(as: TenantNames.self)) ?? TenantNames()
    }

    /// Whether the query names a tenant, or the body may contain `tenantId` or `tenant_id`. A client's body without
    /// these members can name a tenant only by a token, and is parsed only if the project has tenants.
    private var mayNameTenant: Bool {
        largeBody != nil || !tenantsInQuery.isEmpty || request.body.includes("tenant")
    }

    /// The values of both spellings. If one spelling were ignored, the request would apply to the project itself.
    private var tenantsInQuery: [String?] {
        [request.query("tenantId").nonEmpty, request.query("tenant_id").nonEmpty].filter { $0 != nil }
    }

    /// Returns the tenant that all names denote; `nil` if there are no names.
    ///
    /// - Throws: `.mismatch` if the names differ.
    private static func singleTenant(_ names: [String?]) throws(TenantRefusal) -> ID<Tenant>? {
        let tenants = Set(names.compactMap(\.nonEmpty).map { ID<Tenant>($0) })
        guard tenants.count < 2 else { throw .mismatch }
        return tenants.first
    }
}

/// The members of a body that can name a tenant.
struct TenantNames: Decodable {
    var tenantId: String?
    var idToken: String?
    var refreshToken: String?
}

extension TenantNames {
    init(form pairs: [(name: ByteText, value: String)]) {
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
    /// Whether the bytes contain `text`. `Collection.contains(_:)` is about 100× slower, and this runs on every
    /// request.
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
