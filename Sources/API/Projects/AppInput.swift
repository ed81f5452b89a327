internal import Encoding
internal import Identity

/// The body of a request that creates or updates an app. Unknown members are ignored, and so is `loginServices`, which
/// the gateway computes.
struct AppInput: Decodable {
    /// The operator's claim that App Review guideline 4.8 does not require the app to offer Sign in with Apple.
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
    /// Providers whose identities users of the app can link, but not sign in with.
    let linkOnlyMethods: [String]?
    let clientIds: [ByteText: [String]]?
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
    let allowsSilentSignIn: Bool?
    let exemption: Exemption?
    let brand: BrandInput?

    /// Sets the members that `mask` covers. Without a mask in the request, absent members get their defaults.
    ///
    /// - Parameter images: the images of the project that ``brand`` names.
    func apply(
        to app: inout ConfiguredApp, maskedBy mask: FieldMask, images: [BrandImage]
    ) throws(RequestRefusal) {
        mask.assign("displayName", displayName, to: &app.name, default: app.app.id.rawValue)
        var settings = app.app.settings
        mask.assign(
            "platform", try Self.enumValue(platform, at: "/platform"), to: &settings.platform, default: .other)
        mask.assign(
            "distribution", try Self.enumValue(distribution, at: "/distribution"), to: &settings.distribution,
            default: .other)
        mask.assign("bundleIds", bundleIds, to: &settings.bundleIDs, default: [])
        mask.assign("signInMethods", signInMethods?.map { ProviderID($0) }, to: &settings.signInMethods)
        mask.assign(
            "linkOnlyMethods", linkOnlyMethods?.map { ProviderID($0) }, to: &settings.linkOnlyMethods, default: [])
        mask.assign("clientIds", clientIds, to: &settings.clientIDs, default: [:])
        mask.assign(
            "requestedScopes", try scopes(), to: &settings.requestedScopes,
            default: Set(AppSettings.RequestedScope.allCases))
        mask.assign("androidPackages", androidPackages, to: &settings.callers.androidPackages, default: [])
        mask.assign("androidCertificates", androidCertificates, to: &settings.callers.androidCertificates, default: [])
        mask.assign("webDomains", webDomains, to: &settings.callers.webDomains, default: [])
        mask.assign("associatedDomains", associatedDomains, to: &settings.association.domains, default: [])
        mask.assign("teamId", teamId.nonEmpty, to: &settings.association.teamID)
        mask.assign(
            "androidFingerprints", androidFingerprints, to: &settings.association.androidFingerprints, default: [])
        mask.assign("redirectUris", redirectUris, to: &settings.redirectURIs, default: [])
        mask.assign("allowsSilentSignIn", allowsSilentSignIn, to: &settings.allowsSilentSignIn, default: false)
        mask.assign("exemption", try declaredExemption(), to: &settings.exemption)
        try (brand ?? BrandInput()).apply(to: &settings.brand, maskedBy: mask, images: images, keepingAbsent: false)
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
