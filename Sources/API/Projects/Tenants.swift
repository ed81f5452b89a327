internal import HTTP
internal import Identity

/// Tenants of a project, in the shape of Identity Platform's `Tenant`.
extension Endpoint {
    private static let collection = "/v2/projects/{project}/tenants"
    private static let resource = collection + "/{tenant}"

    static let listTenants = administrator(
        "listTenants", .get, collection, needs: .readConfig
    ) { call, administrator in
        let page = try ListPage(call.request, maximum: 1000)
        let tenants = try await call.services.projects.tenancy.store.tenants(
            after: page.lastIDOfPreviousPage.map { ID($0) }, limit: page.limit, of: administrator.realm.project.id)
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
        let warnings = try call.requireImplemented(.ofTenant, for: administrator.realm)
        var settings = TenantSettings()
        try input.apply(to: &settings, maskedBy: .all, realm: administrator.realm)
        // It decides who is believed.
        if settings.secondFactors != SecondFactorPolicy() { try administrator.require(.trust) }
        let tenant = try await call.services.projects.tenancy.create(
            settings, by: administrator.actor, in: administrator.realm)
        return try .json(TenantResource(tenant, warnings: warnings))
    }

    static let getTenant = administrator(
        "getTenant", .get, resource, needs: .readConfig
    ) { call, administrator in
        let tenant = try await call.services.projects.tenancy.tenant(
            call.tenantInPath(), of: administrator.realm)
        guard let tenant else { throw RequestRefusal.rejected(.tenantNotFound) }
        return try .json(TenantResource(tenant))
    }

    static let updateTenant = administrator(
        "updateTenant", .patch, resource, needs: .config
    ) { call, administrator in
        let (input, mask) = (try call.decodedBody(as: TenantInput.self), call.updateMask)
        let warnings = try call.requireImplemented(.ofTenant, maskedBy: mask, for: administrator.realm)
        let changed = try await call.services.projects.tenancy.change(
            try call.tenantInPath(), by: administrator.actor, in: administrator.realm
        ) {
            let projectDeletesGuests = administrator.realm.policy.deletesUnusedAnonymousAccounts
            let deletedGuests = $0.deletesUnusedAnonymousAccounts ?? projectDeletesGuests
            let secondFactors = $0.secondFactors
            try input.apply(to: &$0, maskedBy: mask, realm: administrator.realm)
            // It decides who is believed.
            if $0.secondFactors != secondFactors { try administrator.require(.trust) }
            // The janitor deletes accounts as soon as this is on.
            if $0.deletesUnusedAnonymousAccounts ?? projectDeletesGuests, !deletedGuests {
                try administrator.require(.writeUsers)
            }
        }
        guard let changed else { throw RequestRefusal.rejected(.tenantNotFound) }
        return try .json(TenantResource(changed.tenant, warnings: warnings + (changed.warnings.texts ?? [])))
    }

    static let deleteTenant = administrator(
        "deleteTenant", .delete, resource, needs: .config.withRecentProof
    ) { call, administrator in
        // The tenant's accounts are deleted with it.
        try administrator.require(.writeUsers)
        let isDeleted = try await call.services.projects.tenancy.delete(
            try call.tenantInPath(), by: administrator.actor, in: administrator.realm)
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
    let name: String
    let tenantId: String
    let displayName: String?
    let allowPasswordSignup: Bool
    let enableEmailLinkSignin: Bool
    let enableAnonymousUser: Bool
    let disableAuth: Bool
    /// Absent members have the values of the project.
    let client: ClientConfig?
    let autodeleteAnonymousUsers: Bool?
    let emailPrivacyConfig: EmailPrivacyConfig?
    let passwordPolicyConfig: PasswordPolicyConfig?
    let mfaConfig: MFAConfig
    let recaptchaConfig = RecaptchaConfig()
    let smsRegionConfig = EmptyObject()
    let warnings: [String]?

    init(_ tenant: Tenant, warnings: [String] = []) {
        self.warnings = warnings.isEmpty ? nil : warnings
        let settings = tenant.settings
        let hasPermissions = settings.allowsSignUp != nil || settings.allowsDeletion != nil
        client =
            hasPermissions
            ? ClientConfig(allowsSignUp: settings.allowsSignUp, allowsDeletion: settings.allowsDeletion) : nil
        autodeleteAnonymousUsers = settings.deletesUnusedAnonymousAccounts
        emailPrivacyConfig = settings.emailEnumerationProtection.map(EmailPrivacyConfig.init)
        passwordPolicyConfig = settings.passwordPolicy.map(PasswordPolicyConfig.init)
        name = tenant.resourceName
        tenantId = tenant.id.rawValue
        displayName = tenant.settings.displayName
        allowPasswordSignup = tenant.settings.allowsPasswords
        enableEmailLinkSignin = tenant.settings.allowsEmailLinks
        enableAnonymousUser = tenant.settings.allowsAnonymous
        disableAuth = tenant.settings.isDisabled
        mfaConfig = MFAConfig(settings.secondFactors)
    }
}

private struct TenantInput: Decodable {
    let displayName: String?
    let allowPasswordSignup: Bool?
    let enableEmailLinkSignin: Bool?
    let enableAnonymousUser: Bool?
    let disableAuth: Bool?
    let client: ClientConfig?
    let autodeleteAnonymousUsers: Bool?
    let emailPrivacyConfig: EmailPrivacyConfig?
    let passwordPolicyConfig: PasswordPolicyInput?
    let mfaConfig: MFAConfigInput?

    /// Sets the members that `mask` covers. Without a mask in the request, absent members get their defaults; those
    /// that a tenant shares with its project get the values of the project.
    func apply(
        to settings: inout TenantSettings, maskedBy mask: FieldMask, realm: Realm
    ) throws(RequestRefusal) {
        mask.assign("displayName", displayName.nonEmpty, to: &settings.displayName)
        mask.assign("allowPasswordSignup", allowPasswordSignup, to: &settings.allowsPasswords, default: false)
        mask.assign("enableEmailLinkSignin", enableEmailLinkSignin, to: &settings.allowsEmailLinks, default: false)
        mask.assign("enableAnonymousUser", enableAnonymousUser, to: &settings.allowsAnonymous, default: false)
        mask.assign("disableAuth", disableAuth, to: &settings.isDisabled, default: false)
        mask.assign("client.permissions.disabledUserSignup", client?.allowsSignUp, to: &settings.allowsSignUp)
        mask.assign("client.permissions.disabledUserDeletion", client?.allowsDeletion, to: &settings.allowsDeletion)
        mask.assign(
            "autodeleteAnonymousUsers", autodeleteAnonymousUsers, to: &settings.deletesUnusedAnonymousAccounts)
        mask.assign(
            "emailPrivacyConfig.enableImprovedEmailPrivacy", emailPrivacyConfig?.enableImprovedEmailPrivacy,
            to: &settings.emailEnumerationProtection)
        try applyPasswordPolicy(to: &settings, maskedBy: mask, realm: realm)
        if mask.coversAllFields { settings.secondFactors = SecondFactorPolicy() }
        try mfaConfig?.apply(to: &settings.secondFactors, maskedBy: mask, at: "mfaConfig")
    }

    /// A tenant without rules of its own starts from those of the project.
    private func applyPasswordPolicy(
        to settings: inout TenantSettings, maskedBy mask: FieldMask, realm: Realm
    ) throws(RequestRefusal) {
        if mask.coversAllFields || (mask.contains("passwordPolicyConfig") && passwordPolicyConfig == nil) {
            settings.passwordPolicy = nil
        }
        guard let passwordPolicyConfig, passwordPolicyConfig.hasRules, mask.touches("passwordPolicyConfig") else {
            return
        }
        var policy = settings.passwordPolicy ?? realm.policy.passwordPolicy
        try passwordPolicyConfig.apply(to: &policy, maskedBy: mask)
        settings.passwordPolicy = policy
    }
}

extension Tenant {
    /// The resource name in Identity Platform's format.
    var resourceName: String { "projects/\(parent)/tenants/\(id)" }
}

extension Realm {
    /// The resource name of the realm: of the tenant if there is one, otherwise of the project.
    var resourceName: String { tenant?.resourceName ?? "projects/\(project.id)" }
}
