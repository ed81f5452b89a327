internal import HTTP
internal import Identity

/// OpenID Connect providers, in the shape of Identity Platform's `OAuthIdpConfig`.
extension Endpoint {
    private static let collection = "/v2/projects/{project}/oauthIdpConfigs"
    private static let resource = collection + "/{idpId}"

    static let listOauthIdpConfigs = administrator(
        "listOauthIdpConfigs", .get, collection, needs: .config
    ) { call, administrator in
        let page = try ListPage(call.request)
        let project = try await call.configuration(for: administrator).project
        let (items, next) = page.part(of: project.providers.filter { $0.openID != nil }) { $0.provider.rawValue }
        return try .json(
            OauthIdpConfigs(
                oauthIdpConfigs: items.compactMap { OauthIdpConfig($0, in: project) }, nextPageToken: next))
    }

    static let createOauthIdpConfig = administrator(
        "createOauthIdpConfig", .post, collection, needs: .config
    ) { call, administrator in
        guard let named = call.request.query("oauthIdpConfigId").nonEmpty else {
            throw RequestRefusal.rejected(.missingProviderID)
        }
        let id = ProviderID(named)
        guard id.isGenericOpenID, id.canBeConfigured else {
            throw RequestRefusal.rejected(
                .invalidProviderID,
                "expected \"oidc.\" followed by 1 to 32 lower-case letters, digits or hyphens, got \"\(id.shown)\"")
        }
        let input = try call.body(as: OauthIdpConfigInput.self, for: administrator)
        let configuration = try await call.configure(
            as: administrator, discardingIdentities: try call.flag("discardIdentities")
        ) {
            guard $0.project.settings(of: id) == nil else { throw RequestRefusal.rejected(.configurationExists) }
            let initial = ProviderSettings(
                provider: id, isEnabled: false, clientIDs: [], openID: OpenIDSettings(issuer: ""))
            try input.apply(to: &$0, initial, .all)
        }
        return try .json(OauthIdpConfig(id, in: configuration))
    }

    static let getOauthIdpConfig = administrator(
        "getOauthIdpConfig", .get, resource, needs: .config
    ) { call, administrator in
        try .json(OauthIdpConfig(call.oauthIdp, in: try await call.configuration(for: administrator)))
    }

    static let updateOauthIdpConfig = administrator(
        "updateOauthIdpConfig", .patch, resource, needs: .config
    ) { call, administrator in
        let (id, mask) = (call.oauthIdp, call.mask)
        let input = try call.body(as: OauthIdpConfigInput.self, for: administrator)
        let configuration = try await call.configure(
            as: administrator, discardingIdentities: try call.flag("discardIdentities")
        ) {
            guard let settings = $0.project.settings(of: id), settings.openID != nil else {
                throw RequestRefusal.rejected(.configurationNotFound)
            }
            try input.apply(to: &$0, settings, mask)
        }
        return try .json(OauthIdpConfig(id, in: configuration))
    }

    static let deleteOauthIdpConfig = administrator(
        "deleteOauthIdpConfig", .delete, resource, needs: .config
    ) { call, administrator in
        let id = call.oauthIdp
        _ = try await call.configure(as: administrator) {
            guard $0.project.settings(of: id)?.openID != nil else {
                throw RequestRefusal.rejected(.configurationNotFound)
            }
            $0.remove(id)
        }
        return try .json(EmptyObject())
    }
}

extension EndpointCall {
    fileprivate var oauthIdp: ProviderID { ProviderID(parameters["idpId"] ?? "") }
}

private struct OauthIdpConfigs: Encodable {
    let oauthIdpConfigs: [OauthIdpConfig]
    let nextPageToken: String?
}

private struct OauthIdpConfig: Encodable {
    /// ID tokens are always accepted; codes only if there is a client secret to redeem them with.
    struct ResponseType: Encodable {
        let idToken = true
        let code: Bool
    }

    let name: String
    let enabled: Bool
    let clientId: String?
    let clientIds: [String]
    let issuer: String
    let displayName: String?
    let trustsEmail: Bool
    let responseType: ResponseType
    let relation: String?
    let warnings: [String]?

    init?(_ settings: ProviderSettings, in project: Project, warnings: [String]? = nil) {
        guard let openID = settings.openID else { return nil }
        name = "\(project.resourceName)/oauthIdpConfigs/\(settings.provider.rawValue)"
        enabled = settings.isEnabled
        clientId = settings.clientIDs.first
        clientIds = settings.clientIDs
        issuer = openID.issuer
        displayName = openID.displayName
        trustsEmail = openID.trustsEmail
        responseType = ResponseType(code: settings.hasSecret)
        relation = settings.statedRelation?.rawValue
        self.warnings = warnings
    }

    /// - Throws: `CONFIGURATION_NOT_FOUND`.
    init(_ id: ProviderID, in configuration: ProjectConfiguration) throws(RequestRefusal) {
        guard let settings = configuration.project.settings(of: id),
            let config = Self(settings, in: configuration.project, warnings: configuration.warningTexts)
        else { throw .rejected(.configurationNotFound) }
        self = config
    }
}

/// The body of a request that creates or updates a provider. `responseType` is ignored, because it follows from the
/// other members.
private struct OauthIdpConfigInput: Decodable {
    let enabled: Bool?
    let clientId: String?
    let clientIds: [String]?
    let clientSecret: String?
    let issuer: String?
    let displayName: String?
    let trustsEmail: Bool?
    let relation: String?

    func apply(
        to configuration: inout ProjectConfiguration, _ old: ProviderSettings, _ mask: FieldMask
    ) throws(RequestRefusal) {
        var settings = old
        var openID = old.openID ?? OpenIDSettings(issuer: "")
        mask.apply("enabled", enabled, to: &settings.isEnabled, default: false)
        mask.apply("issuer", issuer, to: &openID.issuer, default: "")
        mask.apply("displayName", displayName.nonEmpty, to: &openID.displayName)
        mask.apply("trustsEmail", trustsEmail, to: &openID.trustsEmail, default: false)
        mask.apply("relation", try RequestRefusal.enumValue(relation, at: "/relation"), to: &settings.statedRelation)
        settings.openID = openID
        settings.clientIDs = ClientIDsInput(clientId: clientId, clientIds: clientIds)
            .ids(insteadOf: old.clientIDs, maskedBy: mask)
        configuration.set(settings)
        if let clientSecret, mask.contains("clientSecret") { configuration.set(Secret(clientSecret), of: old.provider) }
    }
}
