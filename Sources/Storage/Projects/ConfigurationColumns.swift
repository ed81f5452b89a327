internal import FoundationEssentials
internal import Identity

/// The column `app.settings`. Unknown members are ignored, because a newer release wrote them.
struct AppColumn: Codable {
    struct Exemption: Codable {
        let kind: LoginServicesExemption.Kind
        let reason: String
    }

    let platform: AppSettings.Platform?
    let distribution: AppSettings.Distribution?
    let bundleId: String?
    let signInMethods: [String]?
    let clientIds: [String: [String]]?
    let exemption: Exemption?

    init(_ settings: AppSettings) {
        platform = settings.platform
        distribution = settings.distribution
        bundleId = settings.bundleID
        signInMethods = settings.signInMethods?.map(\.rawValue)
        clientIds = settings.clientIDs
        exemption = settings.exemption.map { Exemption(kind: $0.kind, reason: $0.reason) }
    }

    var settings: AppSettings {
        AppSettings(
            platform: platform ?? .other, distribution: distribution ?? .other, bundleID: bundleId,
            signInMethods: signInMethods?.map { ProviderID($0) }, clientIDs: clientIds ?? [:],
            exemption: exemption.map { LoginServicesExemption(kind: $0.kind, reason: $0.reason) })
    }
}

/// The column `identity_provider.settings`.
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
    }

    let enabled: Bool
    let clientIds: [String]
    let apple: Apple?
    let openId: OpenID?

    init(_ settings: ProviderSettings) {
        enabled = settings.isEnabled
        clientIds = settings.clientIDs
        apple = settings.apple.map {
            Apple(teamId: $0.teamID, keyId: $0.keyID, acceptsUnhashedNonces: $0.acceptsUnhashedNonces)
        }
        openId = settings.openID.map {
            OpenID(issuer: $0.issuer, displayName: $0.displayName, trustsEmail: $0.trustsEmail)
        }
    }

    func settings(of provider: String, hasSecret: Bool) -> ProviderSettings {
        ProviderSettings(
            provider: ProviderID(provider), isEnabled: enabled, clientIDs: clientIds, hasSecret: hasSecret,
            apple: apple.map {
                AppleSettings(teamID: $0.teamId, keyID: $0.keyId, acceptsUnhashedNonces: $0.acceptsUnhashedNonces)
            },
            openID: openId.map {
                OpenIDSettings(issuer: $0.issuer, displayName: $0.displayName, trustsEmail: $0.trustsEmail)
            })
    }
}

/// A row of `identity_provider` within the statement that reads a project.
struct ProviderRow: Decodable {
    let provider: String
    let hasSecret: Bool
    let settings: ProviderColumn

    var value: ProviderSettings { settings.settings(of: provider, hasSecret: hasSecret) }
}

extension Encodable {
    /// For a column of type `jsonb`.
    func columnText() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
}

extension Decodable {
    init(columnText: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(columnText.utf8)) }
}
