internal import Encoding
internal import HTTP
internal import Identity

extension Endpoint {
    /// Returns the sign-in methods that an app may show. Apple comes first if the app also shows a provider for which
    /// App Review guideline 4.8 requires Sign in with Apple.
    static let getLoginMethods = client("getLoginMethods", .get, "/v1/loginMethods") { call, client in
        let requestedApp = call.request.query("appId").nonEmpty.map { ID<App>($0) }
        let app =
            if let requestedApp, requestedApp != client.app.id {
                try await call.services.projects.app(requestedApp, client.realm.project.id)
            } else {
                client.app
            }
        guard let app else { throw RequestRefusal.notFound }
        return try .json(LoginMethods(of: app, in: client.realm))
    }
}

private struct LoginMethods: Encodable {
    let appId: String
    let methods: [LoginMethod]
    /// Providers whose identities users can link, but not sign in with.
    let linkOnlyMethods: [LoginMethod]
    let anonymous: Bool
    let emailLink: Bool
    let compliant: Bool
    /// See ``LoginServicesReport/violations``.
    let violations: [String]
    let problems: [LoginServicesReport.Problem]

    init(of app: App, in realm: Realm) {
        let services = LoginServices(of: app, in: realm)
        let report = LoginServicesReport(services)
        appId = app.id.rawValue
        methods = services.offered.filter { $0 != .anonymous }.map { LoginMethod($0, for: app, in: realm) }
        linkOnlyMethods = services.linkOnly.map { LoginMethod($0, for: app, in: realm) }
        anonymous = services.offered.contains(.anonymous)
        emailLink = services.offersEmailLinks
        compliant = report.compliant
        violations = report.violations
        problems = report.problems
    }
}

/// What an app needs to show the button of a method and to start the sign-in.
private struct LoginMethod: Encodable {
    /// How the app derives the nonce for the provider from the nonce for the gateway.
    struct Nonce: Encodable {
        /// Whether the gateway rejects an ID token without a nonce.
        let required: Bool
        /// `sha256`: the app sends the hash of the nonce to the provider. `none`: the app sends the nonce itself.
        let transform: String
    }

    let providerId: String
    /// `apple`, `password`, or the provider's relation to the project's apps, such as `social`.
    let kind: String
    let displayName: String?
    /// All methods are equally prominent.
    let prominence = "equal"
    let visible = true
    /// The client ID with which the app starts the sign-in; see ``ProviderStart/clientID``. For Apple: a bundle ID if
    /// the app's platform is one of Apple's, a Services ID if it is `android`, `windows` or `web`, and either of them
    /// if it is `other`.
    let clientId: String?
    let issuer: String?
    let scopes: [String]?
    let nonce: Nonce?
    let hostedDomains: [String]?
    let buttons: AppleButtons?

    init(_ provider: ProviderID, for app: App, in realm: Realm) {
        let settings = realm.settings(of: provider)
        let start = settings.flatMap { ProviderStart(of: $0, for: app, in: realm) }
        providerId = provider.rawValue
        kind = provider == .apple ? "apple" : settings.map { realm.relation(of: $0).rawValue } ?? "password"
        displayName = settings?.openID?.displayName
        clientId = start?.clientID
        issuer = settings?.openID?.issuer
        scopes = start?.scopes
        nonce = start.map { Nonce(required: $0.requiresNonce, transform: $0.hashesNonce ? "sha256" : "none") }
        hostedDomains = settings.flatMap { $0.hostedDomains.isEmpty ? nil : $0.hostedDomains }
        buttons = provider == .apple ? AppleButtons() : nil
    }
}
