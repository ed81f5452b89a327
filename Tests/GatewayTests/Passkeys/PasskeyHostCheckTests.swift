import HTTP
import Identity
import Testing

@testable import Gateway
@testable import Support

@Suite("Checks of the hosts of RP IDs")
struct PasskeyHostCheckTests {
    static let webAuthn = "https://example.com/.well-known/webauthn"
    static let apple = "https://example.com/.well-known/apple-app-site-association"
    static let android = "https://example.com/.well-known/assetlinks.json"
    static let fingerprint = Array(repeating: "E3:B0:C4:42", count: 8).joined(separator: ":")

    /// The complete documents of a host other than the gateway's.
    static let documents: [String: JSON] = [
        webAuthn: ["origins": ["https://shop.example.net", "https://other.example.net"]],
        apple: ["webcredentials": ["apps": ["TEAM123456.com.example.app"]]],
        android: [
            [
                "relation": ["delegate_permission/common.get_login_creds"],
                "target": [
                    "namespace": "android_app", "package_name": "com.example.droid",
                    "sha256_cert_fingerprints": [.string(fingerprint)],
                ],
            ]
        ],
    ]

    /// A project with related origins and apps, whose RP ID has this host.
    private func configurator(rpID: String = "example.com") async throws -> Configurator {
        let configurator = try await Configurator()
        try await configurator.enableApple()
        let app: JSON = [
            "appId": "shop", "bundleIds": ["com.example.app"], "androidPackages": ["com.example.droid"],
            "androidFingerprints": [.string(String(repeating: "e3b0c442", count: 8))],
        ]
        #expect(try await configurator.send(.post, "apps", app).outcome == "200")
        let changed = try await configurator.send(
            .patch, "config",
            ["passkeys": ["rpId": .string(rpID), "relatedOrigins": ["https://shop.example.net"]]])
        #expect(changed.outcome == "200", "\(changed.text)")
        return configurator
    }

    private func findings(
        of configurator: Configurator, send: (ClientRequest) async throws -> ClientResponse
    ) async throws -> [String] {
        try await PasskeyHostCheck(pool: configurator.gateway.database.pool, publicURL: "https://auth.example.com")
            .findings(send: send)
            .map { "\($0.isGood ? "ok" : "wrong") \($0.text)" }
    }

    @Test(
        "A note says why the gateway's own pages do not offer the passkeys of a project",
        arguments: [
            ([], true), (["https://auth.example.com"], false), (["https://auth.example.com:8443"], true),
        ] as [([JSON], Bool)])
    func pageNotes(origins: [JSON], isNoted: Bool) async throws {
        let configurator = try await configurator()
        let changed = try await configurator.send(
            .patch, "config",
            ["passkeys": ["rpId": "example.com", "relatedOrigins": [], "origins": .array(origins)]])
        #expect(changed.outcome == "200", "\(changed.text)")
        let notes = try await PasskeyHostCheck(
            pool: configurator.gateway.database.pool, publicURL: "https://auth.example.com"
        ).pageNotes()
        #expect(notes.allSatisfy { $0.isGood && $0.isNote })
        #expect(
            notes.map(\.text).filter { $0.hasSuffix("neither origins nor relatedOrigins has https://auth.example.com") }
                .isEmpty != isNoted)
    }

    private func fetchedURLs(of configurator: Configurator) async throws -> [String] {
        var urls: [String] = []
        _ = try await findings(of: configurator) { request in
            urls.append(request.url)
            throw ClientFault.timedOut
        }
        return urls
    }

    private static func response(
        to request: ClientRequest, _ documents: [String: JSON], type: String = "application/json"
    ) throws -> ClientResponse {
        guard let document = documents[request.url] else { return ClientResponse(status: 404) }
        return ClientResponse(status: 200, headers: ["Content-Type": type], body: try document.bytes)
    }

    @Test("A host that publishes everything passes, and only public addresses are reached")
    func complete() async throws {
        let findings = try await findings(of: configurator()) { request in
            guard case .fromProject(allowingPrivateAddresses: false) = request.destination else {
                throw ClientFault.destinationNotAllowed
            }
            return try Self.response(to: request, Self.documents, type: "application/json; charset=utf-8")
        }
        #expect(
            findings
                == [Self.webAuthn, Self.apple, Self.android].map { "ok project demo, passkeys: \($0) is complete" })
    }

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let url: String
        let document: JSON?
        let problem: String
    }

    static let rows = [
        Row(
            testDescription: "no related origins", url: webAuthn, document: ["origins": []],
            problem: "does not list https://shop.example.net"),
        Row(
            testDescription: "related origins with a slash", url: webAuthn,
            document: ["origins": ["https://shop.example.net/"]], problem: "does not list https://shop.example.net"),
        Row(
            testDescription: "another document", url: webAuthn, document: ["sites": []],
            problem: "is not a document of this kind"),
        Row(
            testDescription: "no document", url: webAuthn, document: nil, problem: "is answered with status 404"),
        Row(
            testDescription: "links without credentials", url: apple, document: ["applinks": ["details": []]],
            problem: "does not list TEAM123456.com.example.app"),
        Row(
            testDescription: "an app of another team", url: apple,
            document: ["webcredentials": ["apps": ["OTHER12345.com.example.app"]]],
            problem: "does not list TEAM123456.com.example.app"),
        Row(
            testDescription: "no Android apps", url: android, document: [],
            problem: "does not list com.example.droid (\(fingerprint))"),
        Row(
            testDescription: "an Android app that opens links only", url: android,
            document: [
                [
                    "relation": ["delegate_permission/common.handle_all_urls"],
                    "target": [
                        "package_name": "com.example.droid", "sha256_cert_fingerprints": [.string(fingerprint)],
                    ],
                ]
            ], problem: "does not list com.example.droid (\(fingerprint))"),
    ]

    @Test("A document that lacks something is named", arguments: rows)
    func incomplete(row: Row) async throws {
        var documents = Self.documents
        documents[row.url] = row.document
        let findings = try await findings(of: configurator()) { [documents] in try Self.response(to: $0, documents) }
        #expect(
            findings.filter { $0.hasPrefix("wrong") } == [
                "wrong project demo, passkeys: \(row.url) \(row.problem)"
            ])
    }

    @Test("Browsers ignore related origins of another media type")
    func mediaType() async throws {
        let findings = try await findings(of: configurator()) {
            try Self.response(to: $0, Self.documents, type: "text/plain")
        }
        #expect(
            findings.filter { $0.hasPrefix("wrong") } == [
                "wrong project demo, passkeys: \(Self.webAuthn) does not have the media type application/json"
            ])
    }

    @Test("A host that does not answer is named with the reason")
    func unreachable() async throws {
        let findings = try await findings(of: configurator()) { _ in throw ClientFault.timedOut }
        #expect(findings.first == "wrong project demo, passkeys: \(Self.webAuthn) cannot be fetched (timedOut)")
        #expect(findings.count == 3)
    }

    @Test("Nothing is fetched from the gateway's own host, and nothing while passkeys are off")
    func nothing() async throws {
        let own = try await configurator(rpID: "auth.example.com")
        #expect(try await fetchedURLs(of: own) == [])
        let configurator = try await configurator()
        #expect(try await fetchedURLs(of: configurator).count == 3)
        #expect(try await configurator.send(.patch, "config", ["passkeys": ["enabled": false]]).outcome == "200")
        #expect(try await fetchedURLs(of: configurator) == [])
    }
}
