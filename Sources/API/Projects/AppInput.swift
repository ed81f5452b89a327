internal import Identity

/// The body of a request that creates or updates an app. Unknown members and `loginServices` are ignored.
struct AppInput: Decodable {
    struct Exemption: Decodable {
        let kind: String?
        let reason: String?
    }

    let appId: String?
    let displayName: String?
    let platform: String?
    let distribution: String?
    let bundleIds: [String]?
    let signInMethods: [String]?
    let linkOnlyMethods: [String]?
    let clientIds: [String: [String]]?
    let requestedScopes: [String]?
    let androidPackages: [String]?
    /// SHA-1 fingerprints of the certificates of packages that may use the app's API keys.
    let androidCertificates: [String]?
    let webDomains: [String]?
    let associatedDomains: [String]?
    let teamId: String?
    /// SHA-256 fingerprints of the certificates in `assetlinks.json`.
    let androidFingerprints: [String]?
    let redirectUris: [String]?
    let exemption: Exemption?

    func apply(to app: inout ConfiguredApp, _ mask: FieldMask) throws(RequestRefusal) {
        mask.apply("displayName", displayName, to: &app.name, default: app.app.id.rawValue)
        var settings = app.app.settings
        mask.apply(
            "platform", try Self.enumValue(platform, at: "/platform"), to: &settings.platform, default: .other)
        mask.apply(
            "distribution", try Self.enumValue(distribution, at: "/distribution"), to: &settings.distribution,
            default: .other)
        mask.apply("bundleIds", bundleIds, to: &settings.bundleIDs, default: [])
        mask.apply("signInMethods", signInMethods?.map { ProviderID($0) }, to: &settings.signInMethods)
        mask.apply(
            "linkOnlyMethods", linkOnlyMethods?.map { ProviderID($0) }, to: &settings.linkOnlyMethods, default: [])
        mask.apply("clientIds", clientIds, to: &settings.clientIDs, default: [:])
        mask.apply(
            "requestedScopes", try scopes(), to: &settings.requestedScopes,
            default: Set(AppSettings.RequestedScope.allCases))
        mask.apply("androidPackages", androidPackages, to: &settings.callers.androidPackages, default: [])
        mask.apply("androidCertificates", androidCertificates, to: &settings.callers.androidCertificates, default: [])
        mask.apply("webDomains", webDomains, to: &settings.callers.webDomains, default: [])
        mask.apply("associatedDomains", associatedDomains, to: &settings.association.domains, default: [])
        mask.apply("teamId", teamId.nonEmpty, to: &settings.association.teamID)
        mask.apply(
            "androidFingerprints", androidFingerprints, to: &settings.association.androidFingerprints, default: [])
        mask.apply("redirectUris", redirectUris, to: &settings.redirectURIs, default: [])
        mask.apply("exemption", try declaredExemption(), to: &settings.exemption)
        app.app.settings = settings
    }

    private func scopes() throws(RequestRefusal) -> Set<AppSettings.RequestedScope>? {
        guard let requestedScopes else { return nil }
        var scopes: Set<AppSettings.RequestedScope> = []
        for (index, name) in requestedScopes.enumerated() {
            if let scope: AppSettings.RequestedScope = try Self.enumValue(name, at: "/requestedScopes/\(index)") {
                scopes.insert(scope)
            }
        }
        return scopes
    }

    private func declaredExemption() throws(RequestRefusal) -> LoginServicesExemption? {
        guard let exemption else { return nil }
        guard let kind: LoginServicesExemption.Kind = try Self.enumValue(exemption.kind, at: "/exemption/kind") else {
            throw .invalidField("/exemption/kind", "must be present")
        }
        return LoginServicesExemption(kind: kind, reason: exemption.reason ?? "")
    }

    private static func enumValue<Value: RawRepresentable<String> & CaseIterable>(
        _ name: String?, at pointer: String
    ) throws(RequestRefusal) -> Value? {
        try RequestRefusal.enumValue(name, at: pointer)
    }
}
