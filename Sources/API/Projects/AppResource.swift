internal import Encoding
internal import Identity

/// An app in a response.
struct AppResource: Encodable {
    /// The operator's claim that App Review guideline 4.8 does not require the app to offer Sign in with Apple.
    struct Exemption: Encodable {
        let kind: String
        let reason: String
        let declaredBy: String?
        let declaredAt: String?
    }

    let appId: String
    let displayName: String
    let platform: String
    let distribution: String
    let bundleIds: [String]
    let signInMethods: [String]?
    /// Providers whose identities users of the app can link, but not sign in with.
    let linkOnlyMethods: [String]
    let clientIds: [ByteText: [String]]
    let requestedScopes: [String]
    let androidPackages: [String]
    /// SHA-1 fingerprints of the certificates of packages that may use the app's API keys.
    let androidCertificates: [String]
    let webDomains: [String]
    let associatedDomains: [String]
    let teamId: String?
    /// SHA-256 fingerprints of the certificates in `assetlinks.json`.
    let androidFingerprints: [String]
    let redirectUris: [String]
    let allowsSilentSignIn: Bool
    let exemption: Exemption?
    let brand: BrandConfig?
    let loginServices: LoginServicesReport
    let warnings: [String]?

    init(_ configured: ConfiguredApp, in realm: Realm, warnings: [String]? = nil) {
        let settings = configured.app.settings
        appId = configured.app.id.rawValue
        displayName = configured.name
        platform = settings.platform.rawValue
        distribution = settings.distribution.rawValue
        bundleIds = settings.bundleIDs
        signInMethods = settings.signInMethods?.map(\.rawValue)
        linkOnlyMethods = settings.linkOnlyMethods.map(\.rawValue)
        clientIds = settings.clientIDs
        requestedScopes = settings.requestedScopeNames ?? AppSettings.RequestedScope.allCases.map(\.rawValue)
        androidPackages = settings.callers.androidPackages
        androidCertificates = settings.callers.androidCertificates
        webDomains = settings.callers.webDomains
        associatedDomains = settings.association.domains
        teamId = settings.association.teamID
        androidFingerprints = settings.association.androidFingerprints
        redirectUris = settings.redirectURIs
        allowsSilentSignIn = settings.allowsSilentSignIn
        exemption = settings.exemption.map {
            Exemption(
                kind: $0.kind.rawValue, reason: $0.reason.text, declaredBy: $0.declaration?.actor,
                declaredAt: $0.declaration?.declaredAt.iso8601)
        }
        brand = settings.brand == Brand() ? nil : BrandConfig(settings.brand)
        loginServices = LoginServicesReport(LoginServices(of: configured.app, in: realm))
        self.warnings = warnings
    }

    /// - Throws: `CONFIGURATION_NOT_FOUND`.
    init(_ id: ID<App>, in configuration: ProjectConfiguration) throws(RequestRefusal) {
        guard let app = configuration.app(id) else { throw .rejected(.configurationNotFound) }
        self.init(app, in: configuration.realm, warnings: configuration.warningTexts)
    }
}

/// The violations of App Review guideline 4.8 (Login Services) by one app.
struct LoginServicesReport: Encodable {
    struct Problem: Encodable {
        let violation: String
        let providerId: String
        /// Completes a sentence that begins with the app's name.
        let description: String
    }

    let compliant: Bool
    /// The kinds of violation in ``problems``, each once, in the same order.
    let violations: [String]
    let problems: [Problem]

    init(_ services: LoginServices) {
        compliant = services.isCompliant
        problems = services.violations.map {
            Problem(violation: $0.kind.rawValue, providerId: $0.provider.rawValue, description: $0.description)
        }
        violations = problems.map(\.violation).withoutDuplicates
    }
}

extension ProjectConfiguration {
    /// Describes the problems that existed before an edit and remain; `nil` if there are none.
    var warningTexts: [String]? { warnings.texts }
}

extension [ConfigurationProblem] {
    /// The descriptions of the problems; `nil` if there are none.
    var texts: [String]? { isEmpty ? nil : map(\.description) }
}
