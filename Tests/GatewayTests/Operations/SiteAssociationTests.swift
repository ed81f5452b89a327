import API
import HTTP
import Identity
import Testing

@testable import Gateway
@testable import Support

@Suite("Files that associate apps with the host")
struct SiteAssociationTests {
    static let applePath = "/.well-known/apple-app-site-association"
    static let androidPath = "/.well-known/assetlinks.json"
    /// A certificate's SHA-256 as the configuration has it, and as Android's file has it.
    static let configuredFingerprint = String(repeating: "e3b0c442", count: 8)
    static let androidFingerprint = Array(repeating: "E3:B0:C4:42", count: 8).joined(separator: ":")

    static let app: [String: JSON] = [
        "appId": "shop", "bundleIds": ["com.example.app", "com.example.app.widget"],
        "androidPackages": ["com.example.droid"], "androidFingerprints": [.string(configuredFingerprint)],
        "associatedDomains": ["auth.example.com"],
    ]

    static let appleIDs: JSON = ["TEAM123456.com.example.app", "TEAM123456.com.example.app.widget"]

    /// Matches links to `/demo/__/auth/links` whose query parameter `name` has this value.
    static func linkPattern(_ name: String, _ value: String) -> JSON {
        ["/": "/demo/__/auth/links", "?": .object([name: .string(value)])]
    }

    /// Requests a file at a host. Fresh caches contain the app that ``configurator(with:)`` created.
    private func file(_ path: String, of configurator: Configurator, at host: String) async throws -> Exchange {
        try await configurator.gateway.withFreshCaches().send(
            .get, path, body: [], query: [], headers: ["Host": host])
    }

    /// A project that has Apple as a provider, and the app.
    private func configurator(with app: [String: JSON] = app) async throws -> Configurator {
        let configurator = try await Configurator()
        try await configurator.enableApple()
        #expect(try await configurator.send(.post, "apps", .object(app)).outcome == "200")
        return configurator
    }

    @Test("Apple's file has each app as team ID and bundle ID, and lets an app open only links that name its bundle ID")
    func appleFile() async throws {
        let file = try await file(Self.applePath, of: configurator(), at: "auth.example.com")
        #expect(file.status == 200 && file.headers["Content-Type"] == "application/json; charset=UTF-8")
        #expect(
            file.json == [
                "webcredentials": ["apps": Self.appleIDs],
                "applinks": [
                    "details": [
                        [
                            "appIDs": ["TEAM123456.com.example.app"],
                            "components": [Self.linkPattern("ibi", "com.example.app")],
                        ],
                        [
                            "appIDs": ["TEAM123456.com.example.app.widget"],
                            "components": [Self.linkPattern("ibi", "com.example.app.widget")],
                        ],
                    ]
                ],
            ])
    }

    @Test("Android's file has fingerprints in Android's format, and lets a package open only links with its name")
    func androidFile() async throws {
        let opensLinks = "delegate_permission/common.handle_all_urls"
        #expect(
            try await file(Self.androidPath, of: configurator(), at: "auth.example.com").json == [
                [
                    "relation": [.string(opensLinks), "delegate_permission/common.get_login_creds"],
                    "target": [
                        "namespace": "android_app", "package_name": "com.example.droid",
                        "sha256_cert_fingerprints": [.string(Self.androidFingerprint)],
                    ],
                    "relation_extensions": .object([
                        opensLinks: ["dynamic_app_link_components": [Self.linkPattern("apn", "com.example.droid")]]
                    ]),
                ]
            ])
    }

    @Test(
        "Apple's file names an app only at the hosts that are its associated domains",
        arguments: [
            ("AUTH.example.com:8443", appleIDs), ("other.example.com", []), ("example.com", []),
            ("auth.example.com.evil.example", []), ("", []),
        ] as [(String, JSON)])
    func hosts(host: String, apps: JSON) async throws {
        let configurator = try await configurator()
        #expect(try await file(Self.applePath, of: configurator, at: host).json["webcredentials"]?["apps"] == apps)
    }

    @Test("Apple's file has the app's own team ID if the app belongs to another team")
    func ownTeam() async throws {
        let configurator = try await configurator(
            with: Self.app.merging(["teamId": "OTHERTEAM1", "bundleIds": ["com.example.app"]]) { $1 })
        let file = try await file(Self.applePath, of: configurator, at: "auth.example.com")
        #expect(file.json["webcredentials"] == ["apps": ["OTHERTEAM1.com.example.app"]])
    }

    @Test("The file with which Apple verifies the host has the configured text, or does not exist")
    func domainFile() async throws {
        let gateway = try await TestGateway()
        let path = "/.well-known/apple-developer-domain-association.txt"
        #expect(try await gateway.getWithoutAPIKey(path).status == 404)
        var root = gateway.root
        root.appleDomainAssociation = "MIIQ\r\nUwYJ"
        let request = Request(id: "0", method: .get, path: path, peer: "192.0.2.1")
        let response = await root.pipeline(on: gateway.database.pool).respond(to: request)
        #expect(response.status == 200 && Exchange(response).text == "MIIQ\r\nUwYJ\n")
        #expect(response.headers["Content-Type"]?.hasPrefix("text/plain") == true)
    }
}
