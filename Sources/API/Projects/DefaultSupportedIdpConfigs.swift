internal import Encoding
internal import HTTP
internal import Identity

/// The configurations of built-in providers, in the shape of Identity Platform's `DefaultSupportedIdpConfig`.
extension Endpoint {
    private static let collection = "/v2/projects/{project}/defaultSupportedIdpConfigs"
    private static let resource = collection + "/{idpId}"

    static let listDefaultSupportedIdpConfigs = administrator(
        "listDefaultSupportedIdpConfigs", .get, collection, needs: .readConfig
    ) { call, administrator in
        let page = try ListPage(call.request)
        let realm = try await call.configuration(for: administrator).realm
        let (items, next) = page.select(
            from: realm.providers.filter { realm.project.supportedProviders.builtIn($0.provider) != nil },
            orderedBy: { $0.provider.rawValue })
        return try .json(
            DefaultSupportedIdpConfigs(
                defaultSupportedIdpConfigs: items.map { DefaultSupportedIdpConfig($0, in: realm) },
                nextPageToken: next))
    }

    static let createDefaultSupportedIdpConfig = administrator(
        "createDefaultSupportedIdpConfig", .post, collection, needs: .config
    ) { call, administrator in
        guard let idpID = call.request.query("idpId").nonEmpty else {
            throw RequestRefusal.rejected(.missingProviderID)
        }
        let id = ProviderID(idpID)
        let supported = administrator.realm.project.supportedProviders
        guard supported.builtIn(id) != nil else {
            let expected = supported.all.map(\.id.rawValue).joined(beforeLast: "or")
            throw RequestRefusal.rejected(.invalidProviderID, "expected \(expected), got \"\(id.shown)\"")
        }
        let input = try call.body(as: DefaultSupportedIdpInput.self, for: administrator)
        let warnings = try call.requireImplemented(.ofDefaultProvider, for: administrator.realm)
        let configuration = try await call.editConfiguration(as: administrator) {
            guard $0.realm.settings(of: id) == nil else { throw RequestRefusal.rejected(.configurationExists) }
            let initial = ProviderSettings(provider: id, isEnabled: false, clientIDs: [])
            try input.apply(to: &$0, replacing: initial, maskedBy: .all)
        }
        return try .json(DefaultSupportedIdpConfig(id, in: configuration, warnings: warnings))
    }

    static let getDefaultSupportedIdpConfig = administrator(
        "getDefaultSupportedIdpConfig", .get, resource, needs: .readConfig
    ) { call, administrator in
        try .json(DefaultSupportedIdpConfig(call.providerID, in: try await call.configuration(for: administrator)))
    }

    static let updateDefaultSupportedIdpConfig = administrator(
        "updateDefaultSupportedIdpConfig", .patch, resource, needs: .config
    ) { call, administrator in
        let (id, mask) = (call.providerID, call.updateMask)
        let input = try call.body(as: DefaultSupportedIdpInput.self, for: administrator)
        let warnings = try call.requireImplemented(.ofDefaultProvider, maskedBy: mask, for: administrator.realm)
        let configuration = try await call.editConfiguration(as: administrator) {
            guard let settings = $0.realm.builtInProvider(id) else {
                throw RequestRefusal.rejected(.configurationNotFound)
            }
            try input.apply(to: &$0, replacing: settings, maskedBy: mask)
        }
        return try .json(DefaultSupportedIdpConfig(id, in: configuration, warnings: warnings))
    }

    static let deleteDefaultSupportedIdpConfig = administrator(
        "deleteDefaultSupportedIdpConfig", .delete, resource, needs: .config
    ) { call, administrator in
        let id = call.providerID
        _ = try await call.editConfiguration(as: administrator) {
            guard $0.realm.builtInProvider(id) != nil else {
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

extension Realm {
    /// Returns the settings of a built-in provider; `nil` if it is not configured.
    fileprivate func builtInProvider(_ id: ProviderID) -> ProviderSettings? {
        project.supportedProviders.builtIn(id).flatMap { settings(of: $0.id) }
    }
}

private struct DefaultSupportedIdpConfigs: Encodable {
    let defaultSupportedIdpConfigs: [DefaultSupportedIdpConfig]
    let nextPageToken: String?
}

private struct DefaultSupportedIdpConfig: Encodable {
    struct Apple: Encodable {
        let codeFlowConfig: CodeFlow?
        let bundleIds: [String]
        let acceptsUnhashedNonces: Bool
    }

    struct CodeFlow: Encodable {
        let teamId: String
        let keyId: String
    }

    let name: String
    let enabled: Bool
    let clientId: String?
    let clientIds: [String]
    let appleSignInConfig: Apple?
    /// What the provider is to the project's apps, such as a social login. It determines whether App Review guideline
    /// 4.8 applies to the provider.
    let relation: String?
    /// See ``ProviderSettings/hostedDomains``.
    let hostedDomains: [String]?
    let warnings: [String]?

    init(_ settings: ProviderSettings, in realm: Realm, warnings: [String] = []) {
        name = "\(realm.resourceName)/defaultSupportedIdpConfigs/\(settings.provider.rawValue)"
        enabled = settings.isEnabled
        clientId = settings.clientIDs.first
        clientIds = settings.clientIDs
        appleSignInConfig =
            settings.provider == .apple
            ? Apple(
                codeFlowConfig: settings.apple.map { CodeFlow(teamId: $0.teamID, keyId: $0.keyID) },
                // In Identity Platform's format, the first client ID is `clientId`, and the others are `bundleIds`.
                bundleIds: Array(settings.clientIDs.dropFirst()),
                acceptsUnhashedNonces: settings.apple?.acceptsUnhashedNonces ?? false) : nil
        relation = settings.statedRelation?.rawValue
        hostedDomains = settings.hostedDomains.isEmpty ? nil : settings.hostedDomains
        self.warnings = warnings.isEmpty ? nil : warnings
    }

    /// - Parameter warnings: in addition to those of the configuration.
    /// - Throws: `CONFIGURATION_NOT_FOUND`.
    init(
        _ id: ProviderID, in configuration: ProjectConfiguration, warnings: [String] = []
    ) throws(RequestRefusal) {
        let warnings = warnings + (configuration.warningTexts ?? [])
        guard let settings = configuration.realm.builtInProvider(id) else {
            throw .rejected(.configurationNotFound)
        }
        self.init(settings, in: configuration.realm, warnings: warnings)
    }
}

/// The body of a request that creates or updates the configuration of a built-in provider.
private struct DefaultSupportedIdpInput: Decodable {
    struct Apple: Decodable {
        let codeFlowConfig: CodeFlow?
        let bundleIds: [String]?
        let acceptsUnhashedNonces: Bool?
    }

    struct CodeFlow: Decodable {
        let teamId: String?
        let keyId: String?
        let privateKey: String?
    }

    private static let codeFlowPath = "appleSignInConfig.codeFlowConfig"

    let enabled: Bool?
    let clientId: String?
    let clientIds: [String]?
    let clientSecret: String?
    let appleSignInConfig: Apple?
    let relation: String?
    let hostedDomains: [String]?

    /// Sets the members that `mask` covers. Without a mask in the request, absent members get their defaults.
    func apply(
        to configuration: inout ProjectConfiguration, replacing old: ProviderSettings, maskedBy mask: FieldMask
    ) throws(RequestRefusal) {
        let kinds = configuration.realm.project.supportedProviders.builtIn(old.provider)?.settings ?? []
        guard kinds.contains(.clientSecret) || clientSecret == nil else {
            throw .invalidField("/clientSecret", "must be absent: \(old.provider.rawValue) uses a private key")
        }
        guard kinds.contains(.apple) || appleSignInConfig == nil else {
            throw .invalidField("/appleSignInConfig", "must be absent: it is for apple.com only")
        }
        var settings = old
        mask.assign("enabled", enabled, to: &settings.isEnabled, default: false)
        settings.clientIDs = ClientIDsInput(
            clientId: clientId, clientIds: clientIds, bundleIds: appleSignInConfig?.bundleIds
        ).audiences(replacing: old.clientIDs, maskedBy: mask)
        mask.assign("relation", try RequestRefusal.enumValue(relation, at: "/relation"), to: &settings.statedRelation)
        mask.assign("hostedDomains", hostedDomains, to: &settings.hostedDomains, default: [])
        if old.provider == .apple { settings.apple = appleSettings(replacing: old.apple, maskedBy: mask) }
        configuration.set(settings)
        let secret = appleSignInConfig?.codeFlowConfig?.privateKey ?? clientSecret
        if let secret, mask.contains(old.provider == .apple ? "\(Self.codeFlowPath).privateKey" : "clientSecret") {
            configuration.set(Secret(secret), of: old.provider)
        }
    }

    /// Returns the settings that only Apple has; `nil` if all of them have their defaults.
    private func appleSettings(replacing old: AppleSettings?, maskedBy mask: FieldMask) -> AppleSettings? {
        let defaults = AppleSettings(teamID: "", keyID: "")
        var settings = old ?? defaults
        let input = appleSignInConfig?.codeFlowConfig
        mask.assign("\(Self.codeFlowPath).teamId", input?.teamId, to: &settings.teamID, default: "")
        mask.assign("\(Self.codeFlowPath).keyId", input?.keyId, to: &settings.keyID, default: "")
        mask.assign(
            "appleSignInConfig.acceptsUnhashedNonces", appleSignInConfig?.acceptsUnhashedNonces,
            to: &settings.acceptsUnhashedNonces, default: false)
        return settings == defaults ? nil : settings
    }
}
