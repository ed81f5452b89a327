internal import Encoding
internal import HTTP
internal import Identity

/// The configurations of OpenID Connect providers, in the shape of Identity Platform's `OAuthIdpConfig`.
extension Endpoint {
    private static let collection = "/v2/projects/{project}/oauthIdpConfigs"
    private static let resource = collection + "/{idpId}"

    static let listOauthIdpConfigs = administrator(
        "listOauthIdpConfigs", .get, collection, needs: .readConfig
    ) { call, administrator in
        let page = try ListPage(call.request)
        let realm = try await call.configuration(for: administrator).realm
        let (items, next) = page.select(
            from: realm.providers.filter { $0.openID != nil }, orderedBy: { $0.provider.rawValue })
        return try .json(
            OauthIdpConfigs(
                oauthIdpConfigs: items.compactMap { OauthIdpConfig($0, in: realm) }, nextPageToken: next))
    }

    static let createOauthIdpConfig = administrator(
        "createOauthIdpConfig", .post, collection, needs: .config
    ) { call, administrator in
        guard let configID = call.request.query("oauthIdpConfigId").nonEmpty else {
            throw RequestRefusal.rejected(.missingProviderID)
        }
        let id = ProviderID(configID)
        guard id.isValidOpenIDName else {
            throw RequestRefusal.rejected(
                .invalidProviderID,
                "expected \"oidc.\" followed by 1 to 32 lower-case letters, digits or hyphens, got \"\(id.shown)\"")
        }
        let input = try call.body(as: OauthIdpConfigInput.self, for: administrator)
        let warnings = try call.requireImplemented(.ofOpenIDProvider, for: administrator.realm)
        let configuration = try await call.editConfiguration(
            as: administrator, discardingIdentities: try call.booleanInQuery("discardIdentities")
        ) {
            guard $0.realm.settings(of: id) == nil else { throw RequestRefusal.rejected(.configurationExists) }
            let initial = ProviderSettings(
                provider: id, isEnabled: false, clientIDs: [], openID: OpenIDSettings(issuer: ""))
            try input.apply(to: &$0, replacing: initial, maskedBy: .all)
        }
        return try .json(OauthIdpConfig(id, in: configuration, warnings: warnings))
    }

    static let getOauthIdpConfig = administrator(
        "getOauthIdpConfig", .get, resource, needs: .readConfig
    ) { call, administrator in
        try .json(OauthIdpConfig(call.providerID, in: try await call.configuration(for: administrator)))
    }

    static let updateOauthIdpConfig = administrator(
        "updateOauthIdpConfig", .patch, resource, needs: .config
    ) { call, administrator in
        let (id, mask) = (call.providerID, call.updateMask)
        let input = try call.body(as: OauthIdpConfigInput.self, for: administrator)
        let warnings = try call.requireImplemented(.ofOpenIDProvider, maskedBy: mask, for: administrator.realm)
        let configuration = try await call.editConfiguration(
            as: administrator, discardingIdentities: try call.booleanInQuery("discardIdentities")
        ) {
            guard let settings = $0.realm.settings(of: id), settings.openID != nil else {
                throw RequestRefusal.rejected(.configurationNotFound)
            }
            try input.apply(to: &$0, replacing: settings, maskedBy: mask)
        }
        return try .json(OauthIdpConfig(id, in: configuration, warnings: warnings))
    }

    static let deleteOauthIdpConfig = administrator(
        "deleteOauthIdpConfig", .delete, resource, needs: .config
    ) { call, administrator in
        let id = call.providerID
        _ = try await call.editConfiguration(as: administrator) {
            guard $0.realm.settings(of: id)?.openID != nil else {
                throw RequestRefusal.rejected(.configurationNotFound)
            }
            $0.remove(id)
        }
        return try .json(EmptyObject())
    }
}

extension EndpointCall {
    fileprivate var providerID: ProviderID { ProviderID(parameters["idpId"] ?? "") }
}

private struct OauthIdpConfigs: Encodable {
    let oauthIdpConfigs: [OauthIdpConfig]
    let nextPageToken: String?
}

private struct OauthIdpConfig: Encodable {
    let name: String
    let enabled: Bool
    let clientId: String?
    let clientIds: [String]
    let issuer: String
    let displayName: String?
    /// Whether the gateway trusts the provider's claim `email_verified`.
    let trustsEmail: Bool
    /// As the operator has written it, or the default.
    let responseType: OpenIDResponseType
    /// What the provider is to the project's apps, such as a social login. It determines whether App Review guideline
    /// 4.8 applies to the provider.
    let relation: String?
    /// The operator's reason for the relation.
    let relationReason: String?
    let warnings: [String]?

    init?(_ settings: ProviderSettings, in realm: Realm, warnings: [String] = []) {
        guard let openID = settings.openID else { return nil }
        name = "\(realm.resourceName)/oauthIdpConfigs/\(settings.provider.rawValue)"
        enabled = settings.isEnabled
        clientId = settings.clientIDs.first
        clientIds = settings.clientIDs
        issuer = openID.issuer
        displayName = openID.displayName
        trustsEmail = openID.trustsEmail
        responseType = openID.responseType ?? .default(for: settings)
        relation = settings.statedRelation?.rawValue
        relationReason = settings.relationReason?.text
        self.warnings = warnings.isEmpty ? nil : warnings
    }

    /// - Parameter warnings: in addition to those of the configuration.
    /// - Throws: `CONFIGURATION_NOT_FOUND`.
    init(
        _ id: ProviderID, in configuration: ProjectConfiguration, warnings: [String] = []
    ) throws(RequestRefusal) {
        let warnings = warnings + (configuration.warningTexts ?? [])
        guard let settings = configuration.realm.settings(of: id),
            let config = Self(settings, in: configuration.realm, warnings: warnings)
        else { throw .rejected(.configurationNotFound) }
        self = config
    }
}

extension OpenIDResponseType {
    /// What the gateway accepts: ID tokens, and authorization codes if it has a client secret, which it needs to redeem
    /// them.
    fileprivate static func `default`(for settings: ProviderSettings) -> OpenIDResponseType {
        OpenIDResponseType(idToken: true, code: settings.hasSecret)
    }
}

/// The body of a request that creates or updates a provider.
private struct OauthIdpConfigInput: Decodable {
    let enabled: Bool?
    let clientId: String?
    let clientIds: [String]?
    let clientSecret: String?
    let issuer: String?
    let displayName: String?
    let trustsEmail: Bool?
    let responseType: OpenIDResponseType?
    let relation: String?
    let relationReason: String?

    /// Sets the members that `mask` covers. Without a mask in the request, absent members get their defaults.
    func apply(
        to configuration: inout ProjectConfiguration, replacing old: ProviderSettings, maskedBy mask: FieldMask
    ) throws(RequestRefusal) {
        var settings = old
        var openID = old.openID ?? OpenIDSettings(issuer: "")
        mask.assign("enabled", enabled, to: &settings.isEnabled, default: false)
        mask.assign("issuer", issuer, to: &openID.issuer, default: "")
        mask.assign("displayName", displayName.nonEmpty, to: &openID.displayName)
        mask.assign("trustsEmail", trustsEmail, to: &openID.trustsEmail, default: false)
        mask.assign("relation", try RequestRefusal.enumValue(relation, at: "/relation"), to: &settings.statedRelation)
        mask.assign("relationReason", relationReason.nonEmpty.map { Reason($0) }, to: &settings.relationReason)
        var written = openID.responseType ?? OpenIDResponseType()
        mask.assign("responseType.idToken", responseType?.idToken, to: &written.idToken)
        mask.assign("responseType.code", responseType?.code, to: &written.code)
        // A client that writes back the default, which it has read, does not fix it.
        let isDefault = openID.responseType == nil && written == .default(for: old)
        openID.responseType = written == OpenIDResponseType() || isDefault ? nil : written
        settings.openID = openID
        settings.clientIDs = ClientIDsInput(clientId: clientId, clientIds: clientIds)
            .audiences(replacing: old.clientIDs, maskedBy: mask)
        configuration.set(settings)
        if let clientSecret, mask.contains("clientSecret") { configuration.set(Secret(clientSecret), of: old.provider) }
    }
}
