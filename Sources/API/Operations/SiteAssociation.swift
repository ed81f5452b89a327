internal import HTTP
internal import Identity

extension Endpoint {
    /// The apps for Apple's platforms that may use passwords saved for this host and open its links (Apple: "Supporting
    /// associated domains").
    static let getAppleAppSiteAssociation = unauthenticated(
        "getAppleAppSiteAssociation", "/.well-known/apple-app-site-association"
    ) { try await $0.siteAssociation { AppleAppSiteAssociation($0) } }

    /// The Android apps that may use passwords saved for this host and open its links, as a statement list of Digital
    /// Asset Links.
    static let getAssetLinks = unauthenticated("getAssetLinks", "/.well-known/assetlinks.json") {
        try await $0.siteAssociation { apps in apps.flatMap { app in app.packages.map { AssetLink($0, of: app) } } }
    }

    /// The file by which Apple verifies that the operator controls the host.
    static let getAppleDomainAssociation = unauthenticated(
        "getAppleDomainAssociation", "/.well-known/apple-developer-domain-association.txt"
    ) { call in
        guard let text = call.services.operations.appleDomainAssociation else { throw RequestRefusal.notFound }
        return .text(status: 200, text)
    }
}

extension EndpointCall {
    /// Returns a document about the apps whose associated hosts include the host of the request.
    fileprivate func siteAssociation(_ document: ([AssociatedApp]) -> some Encodable) async throws -> Response {
        let apps = try await services.operations.associatedApps().filter { $0.isAssociated(with: requestedHost) }
        var response = try Response.json(document(apps))
        response.headers.add("Cache-Control", "public, max-age=300")
        return response
    }

    /// The host of the request, without its port.
    private var requestedHost: String { String((request.headers["Host"] ?? "").prefix { $0 != ":" }) }
}

private struct AppleAppSiteAssociation: Encodable {
    struct WebCredentials: Encodable {
        let apps: [String]
    }

    struct AppLinks: Encodable {
        let details: [Detail]
    }

    struct Detail: Encodable {
        let appIDs: [String]
        let components: [LinkPattern]
    }

    let webcredentials: WebCredentials
    let applinks: AppLinks

    init(_ apps: [AssociatedApp]) {
        let details = apps.flatMap { app in
            // The team ID is never `nil` here, because ``AssociatedApp/bundleIDs`` is empty without a team.
            app.bundleIDs.map {
                Detail(
                    appIDs: ["\(app.teamID ?? "").\($0)"],
                    components: [LinkPattern(of: app.project, parameter: AppLink.bundleIDParameter, value: $0)])
            }
        }
        webcredentials = WebCredentials(apps: details.flatMap(\.appIDs).withoutDuplicates)
        applinks = AppLinks(details: details)
    }
}

/// The links that one app opens.
private struct LinkPattern: Encodable {
    enum CodingKeys: String, CodingKey {
        case path = "/"
        case query = "?"
    }

    let path: String
    let query: [String: String]

    init(of project: ID<Project>, parameter: String, value: String) {
        path = AppLink.path(of: project)
        query = [parameter: value]
    }
}

private struct AssetLink: Encodable {
    private static let opensLinks = "delegate_permission/common.handle_all_urls"
    private static let sharesCredentials = "delegate_permission/common.get_login_creds"

    struct Target: Encodable {
        enum CodingKeys: String, CodingKey {
            case namespace
            case package = "package_name"
            case fingerprints = "sha256_cert_fingerprints"
        }

        let namespace = "android_app"
        let package: String
        let fingerprints: [String]
    }

    /// The links that the app opens on Android 15 and later. On earlier releases, the app's manifest determines them.
    struct Extension: Encodable {
        enum CodingKeys: String, CodingKey {
            case components = "dynamic_app_link_components"
        }

        let components: [LinkPattern]
    }

    enum CodingKeys: String, CodingKey {
        case relation, target
        case extensions = "relation_extensions"
    }

    let relation = [opensLinks, sharesCredentials]
    let target: Target
    let extensions: [String: Extension]

    init(_ package: String, of app: AssociatedApp) {
        target = Target(package: package, fingerprints: app.fingerprints)
        let pattern = LinkPattern(of: app.project, parameter: AppLink.packageParameter, value: package)
        extensions = [Self.opensLinks: Extension(components: [pattern])]
    }
}
