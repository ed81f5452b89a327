internal import HTTP
internal import Identity
internal import JSON

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

    /// The other sites whose pages may use the passkeys of the host (WebAuthn Level 3 §5.11).
    static let getRelatedOrigins = unauthenticated("getRelatedOrigins", "/.well-known/webauthn") {
        try await $0.relyingPartyDocument { RelatedOrigins(origins: $0.relatedOrigins) }
    }

    /// Tells password managers that the host has passkeys (W3C: "A Well-Known URL for Relying Party Passkey
    /// Endpoints"). The pages on which users create and manage passkeys are the app's, and are not listed.
    static let getPasskeyEndpoints = unauthenticated("getPasskeyEndpoints", "/.well-known/passkey-endpoints") {
        try await $0.relyingPartyDocument { _ in EmptyObject() }
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

    /// Returns a document about the project whose RP ID is the host of the request.
    fileprivate func relyingPartyDocument(
        _ document: (PublishedRelyingParty) -> some Encodable
    ) async throws -> Response {
        let host = requestedHost.lowercased()
        guard let relyingParty = try await services.operations.relyingParties().first(where: { $0.rpID == host }) else {
            throw RequestRefusal.notFound
        }
        // Browsers accept only this media type, without parameters.
        var response = Response(
            status: 200, headers: ["Content-Type": "application/json"],
            body: try StrictJSON.encode(document(relyingParty)))
        response.headers.add("Cache-Control", "public, max-age=300")
        return response
    }

    /// The host of the request, without its port.
    private var requestedHost: String { String((request.headers["Host"] ?? "").prefix { $0 != ":" }) }
}

private struct RelatedOrigins: Encodable {
    let origins: [String]
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
