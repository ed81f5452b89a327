internal import Encoding
internal import FoundationEssentials
internal import Identity

/// The JSON in the column `app.settings`. Ignores unknown members, which a newer release may have written.
struct AppColumn: Codable {
    struct Exemption: Codable {
        let kind: LoginServicesExemption.Kind
        let reason: String
        let declaredBy: String?
        /// In microseconds since 1970.
        let declaredAt: Int64?
    }

    let platform: AppSettings.Platform?
    let distribution: AppSettings.Distribution?
    let bundleIds: [String]?
    let signInMethods: [String]?
    let linkOnlyMethods: [String]?
    let clientIds: [ByteText: [String]]?
    let requestedScopes: [String]?
    let androidPackages: [String]?
    let androidCertificates: [String]?
    let webDomains: [String]?
    let associatedDomains: [String]?
    let teamId: String?
    let androidFingerprints: [String]?
    let redirectUris: [String]?
    let allowsSilentSignIn: Bool?
    let exemption: Exemption?
    /// In microseconds since 1970.
    let graceEndsAt: Int64?
    let brand: BrandColumn?

    init(_ app: App) {
        let settings = app.settings
        platform = settings.platform
        distribution = settings.distribution
        bundleIds = settings.bundleIDs
        signInMethods = settings.signInMethods?.map(\.rawValue)
        linkOnlyMethods = settings.linkOnlyMethods.map(\.rawValue)
        clientIds = settings.clientIDs
        requestedScopes = settings.requestedScopeNames
        androidPackages = settings.callers.androidPackages
        androidCertificates = settings.callers.androidCertificates
        webDomains = settings.callers.webDomains
        associatedDomains = settings.association.domains
        teamId = settings.association.teamID
        androidFingerprints = settings.association.androidFingerprints
        redirectUris = settings.redirectURIs
        allowsSilentSignIn = settings.allowsSilentSignIn ? true : nil
        exemption = settings.exemption.map {
            Exemption(
                kind: $0.kind, reason: $0.reason.text, declaredBy: $0.declaration?.actor,
                declaredAt: $0.declaration?.declaredAt.microseconds)
        }
        graceEndsAt = app.graceEndsAt?.microseconds
        brand = settings.brand == Brand() ? nil : BrandColumn(settings.brand)
    }

    func app(_ id: ID<App>) -> App {
        var settings = settings
        if let brand { settings.brand = brand.brand }
        settings.allowsSilentSignIn = allowsSilentSignIn ?? false
        return App(id: id, settings: settings, graceEndsAt: graceEndsAt.map(Instant.init(microseconds:)))
    }

    private var settings: AppSettings {
        AppSettings(
            platform: platform ?? .other, distribution: distribution ?? .other, bundleIDs: bundleIds ?? [],
            signInMethods: signInMethods?.map { ProviderID($0) },
            linkOnlyMethods: (linkOnlyMethods ?? []).map { ProviderID($0) },
            clientIDs: clientIds ?? [:],
            requestedScopes: Set(
                requestedScopes?.compactMap(AppSettings.RequestedScope.init(rawValue:))
                    ?? AppSettings.RequestedScope.allCases),
            callers: AllowedCallers(
                androidPackages: androidPackages ?? [], androidCertificates: androidCertificates ?? [],
                webDomains: webDomains ?? []),
            association: AppAssociation(
                domains: associatedDomains ?? [], teamID: teamId, androidFingerprints: androidFingerprints ?? []),
            redirectURIs: redirectUris ?? [],
            exemption: exemption?.value)
    }
}

extension AppColumn.Exemption {
    fileprivate var value: LoginServicesExemption {
        var value = LoginServicesExemption(kind: kind, reason: reason)
        if let declaredBy, let declaredAt {
            value.declaration = .init(actor: declaredBy, declaredAt: Instant(microseconds: declaredAt))
        }
        return value
    }
}

/// An app in the JSON array `apps` of ``SQL/realmColumns``.
struct AppRow: Decodable {
    let id: String
    let name: String
    let settings: AppColumn
}

/// The JSON in the column `identity_provider.settings`.
struct ProviderColumn: Codable {
    struct Apple: Codable {
        let teamId: String
        let keyId: String
        let acceptsUnhashedNonces: Bool
    }

    struct OpenID: Codable {
        let issuer: String
        let displayName: String?
        let trustsEmail: Bool
        let responseType: OpenIDResponseType?
    }

    let enabled: Bool
    let clientIds: [String]
    let apple: Apple?
    let openId: OpenID?
    let relation: ProviderRelation?
    let relationReason: String?
    let hostedDomains: [String]?

    init(_ settings: ProviderSettings) {
        enabled = settings.isEnabled
        clientIds = settings.clientIDs
        apple = settings.apple.map {
            Apple(teamId: $0.teamID, keyId: $0.keyID, acceptsUnhashedNonces: $0.acceptsUnhashedNonces)
        }
        openId = settings.openID.map {
            OpenID(
                issuer: $0.issuer, displayName: $0.displayName, trustsEmail: $0.trustsEmail,
                responseType: $0.responseType)
        }
        relation = settings.statedRelation
        relationReason = settings.relationReason?.text
        hostedDomains = settings.hostedDomains
    }

    func settings(of provider: String, hasSecret: Bool) -> ProviderSettings {
        ProviderSettings(
            provider: ProviderID(provider), isEnabled: enabled, clientIDs: clientIds, hasSecret: hasSecret,
            apple: apple.map {
                AppleSettings(teamID: $0.teamId, keyID: $0.keyId, acceptsUnhashedNonces: $0.acceptsUnhashedNonces)
            },
            openID: openId.map {
                OpenIDSettings(
                    issuer: $0.issuer, displayName: $0.displayName, trustsEmail: $0.trustsEmail,
                    responseType: $0.responseType)
            }, statedRelation: relation, relationReason: relationReason,
            hostedDomains: hostedDomains ?? [])
    }
}

/// A provider in the JSON array `providers` of ``SQL/realmColumns``.
struct ProviderRow: Decodable {
    let provider: String
    let hasSecret: Bool
    let settings: ProviderColumn

    var value: ProviderSettings { settings.settings(of: provider, hasSecret: hasSecret) }
}

/// The JSON in the column `realm.passkey_settings`.
struct PasskeyColumn: Codable {
    let enabled: Bool?
    let rpId: String?
    let origins: [String]?
    let relatedOrigins: [String]?
    let topOrigins: [String]?

    init(_ settings: PasskeySettings) {
        enabled = settings.isEnabled
        rpId = settings.rpID
        origins = settings.origins
        relatedOrigins = settings.relatedOrigins
        topOrigins = settings.topOrigins
    }

    var settings: PasskeySettings {
        PasskeySettings(
            isEnabled: enabled ?? false, rpID: rpId, origins: origins ?? [], relatedOrigins: relatedOrigins ?? [],
            topOrigins: topOrigins ?? [])
    }
}

extension Encodable {
    /// Encodes the value as the JSON text of a column.
    func columnText() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
}

extension Decodable {
    /// Decodes the JSON text of a column.
    init(columnText: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(columnText.utf8)) }
}

/// The column `project.policy`: a JSON object with those policy members that differ from the profile, a named set of
/// defaults. The values are strings.
enum PolicyColumn {
    static func json(_ policy: Policy, of profile: Policy.Profile) throws -> String {
        String(decoding: try JSONEncoder().encode(policy.overrides(of: profile)), as: UTF8.self)
    }

    static func policy(_ json: String, of profile: Policy.Profile) throws -> Policy {
        let overrides = try JSONDecoder().decode([String: String].self, from: Data(json.utf8))
        return Policy(profile, overrides: overrides)
    }
}
