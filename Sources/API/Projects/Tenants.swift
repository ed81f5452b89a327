internal import HTTP
internal import Identity

/// Tenants of a project, in the shape of Identity Platform's `Tenant`.
extension Endpoint {
    private static let collection = "/v2/projects/{project}/tenants"
    private static let resource = collection + "/{tenant}"

    static let listTenants = administrator(
        "listTenants", .get, collection, needs: .config
    ) { call, administrator in
        let page = try ListPage(call.request, maximum: 1000)
        let tenants = try await call.services.projects.tenancy.store.tenants(
            after: page.lastIDOfPreviousPage.map { ID($0) }, limit: page.limit, of: administrator.project.id)
        // As in Firebase, a full page has a token for the next page, even if that page is empty.
        return try .json(
            Tenants(
                tenants: tenants.map { TenantResource($0) },
                nextPageToken: tenants.count == page.limit ? tenants.last?.id.rawValue : nil))
    }

    static let createTenant = administrator(
        "createTenant", .post, collection, needs: .config
    ) { call, administrator in
        let input = try call.decodedBody(as: TenantInput.self)
        try input.requireImplemented()
        var settings = TenantSettings()
        input.apply(to: &settings, maskedBy: .all)
        return try .json(
            TenantResource(
                try await call.services.projects.tenancy.create(
                    settings, by: administrator.actor, in: administrator.project)))
    }

    static let getTenant = administrator(
        "getTenant", .get, resource, needs: .config
    ) { call, administrator in
        let tenant = try await call.services.projects.tenancy.tenant(
            call.tenantInPath(), of: administrator.project)
        guard let tenant else { throw RequestRefusal.rejected(.tenantNotFound) }
        return try .json(TenantResource(tenant))
    }

    static let updateTenant = administrator(
        "updateTenant", .patch, resource, needs: .config
    ) { call, administrator in
        let (input, mask) = (try call.decodedBody(as: TenantInput.self), call.updateMask)
        try input.requireImplemented()
        let changed = try await call.services.projects.tenancy.change(
            try call.tenantInPath(), by: administrator.actor, in: administrator.project
        ) { input.apply(to: &$0, maskedBy: mask) }
        guard let changed else { throw RequestRefusal.rejected(.tenantNotFound) }
        return try .json(TenantResource(changed.tenant, warnings: changed.warnings.texts))
    }

    static let deleteTenant = administrator(
        "deleteTenant", .delete, resource, needs: .config
    ) { call, administrator in
        // The tenant's accounts are deleted with it.
        try administrator.require(.writeUsers)
        let isDeleted = try await call.services.projects.tenancy.delete(
            try call.tenantInPath(), by: administrator.actor, in: administrator.project)
        guard isDeleted else { throw RequestRefusal.rejected(.tenantNotFound) }
        return try .json(EmptyObject())
    }
}

extension EndpointCall {
    fileprivate func tenantInPath() throws(RequestRefusal) -> ID<Tenant> {
        let id = ID<Tenant>(parameters["tenant"] ?? "")
        guard id.isValidTenantID else { throw .rejected(.tenantNotFound) }
        return id
    }
}

private struct Tenants: Encodable {
    let tenants: [TenantResource]
    let nextPageToken: String?
}

private struct TenantResource: Encodable {
    /// Always disabled: there are no second factors yet.
    struct MFA: Encodable {
        let state = "DISABLED"
        let enabledProviders: [String] = []
    }

    let name: String
    let tenantId: String
    let displayName: String?
    let allowPasswordSignup: Bool
    let enableEmailLinkSignin: Bool
    let enableAnonymousUser: Bool
    let disableAuth: Bool
    let mfaConfig = MFA()
    let warnings: [String]?

    init(_ tenant: Tenant, warnings: [String]? = nil) {
        self.warnings = warnings
        name = tenant.resourceName
        tenantId = tenant.id.rawValue
        displayName = tenant.settings.displayName
        allowPasswordSignup = tenant.settings.allowsPasswords
        enableEmailLinkSignin = tenant.settings.allowsEmailLinks
        enableAnonymousUser = tenant.settings.allowsAnonymous
        disableAuth = tenant.settings.isDisabled
    }
}

private struct TenantInput: Decodable {
    struct MFA: Decodable {
        let state: String?
    }

    let displayName: String?
    let allowPasswordSignup: Bool?
    let enableEmailLinkSignin: Bool?
    let enableAnonymousUser: Bool?
    let disableAuth: Bool?
    let mfaConfig: MFA?

    /// Rejects values that this release does not support.
    func requireImplemented() throws(RequestRefusal) {
        guard ["DISABLED", "STATE_UNSPECIFIED", nil].contains(mfaConfig?.state) else {
            throw .notImplemented("mfaConfig")
        }
    }

    /// Sets the members that `mask` covers. Without a mask in the request, absent members get their defaults.
    func apply(to settings: inout TenantSettings, maskedBy mask: FieldMask) {
        mask.assign("displayName", displayName.nonEmpty, to: &settings.displayName)
        mask.assign("allowPasswordSignup", allowPasswordSignup, to: &settings.allowsPasswords, default: false)
        mask.assign("enableEmailLinkSignin", enableEmailLinkSignin, to: &settings.allowsEmailLinks, default: false)
        mask.assign("enableAnonymousUser", enableAnonymousUser, to: &settings.allowsAnonymous, default: false)
        mask.assign("disableAuth", disableAuth, to: &settings.isDisabled, default: false)
    }
}

extension Tenant {
    /// The resource name in Identity Platform's format.
    var resourceName: String { "projects/\(parent)/tenants/\(id)" }
}

extension Project {
    /// The resource name of the realm: of the tenant if there is one, otherwise of the project.
    var resourceName: String { tenant?.resourceName ?? "projects/\(id)" }
}
