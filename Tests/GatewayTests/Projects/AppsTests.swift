import HTTP
import Identity
import Testing

@testable import Gateway
@testable import Support

@Suite("Configuration of apps", .serialized)
struct AppsTests {
    /// The input for an app.
    static let iosInput: JSON = [
        "appId": "ios", "displayName": "The app", "platform": "ios", "distribution": "appStore",
        "bundleIds": ["com.example.app"], "signInMethods": ["apple.com", "google.com", "password"],
        "clientIds": ["google.com": ["ios-client"]],
    ]

    /// ``iosInput`` as a response contains it: with default values and the result of the check of guideline 4.8.
    static func iosInResponse(_ change: (inout [String: JSON]) -> Void = { _ in }) -> JSON {
        guard case .object(var members) = iosInput else { return .null }
        members["loginServices"] = compliant
        for (name, value) in defaults { members[name] = members[name] ?? value }
        change(&members)
        return .object(members)
    }

    /// The `loginServices` of an app that does not violate guideline 4.8.
    static let compliant: JSON = ["compliant": true, "violations": [], "problems": []]

    /// The default values of an app's members.
    static let defaults: [String: JSON] = [
        "bundleIds": [], "linkOnlyMethods": [], "clientIds": [:], "requestedScopes": ["email", "name"],
        "androidPackages": [], "androidCertificates": [], "webDomains": [], "associatedDomains": [],
        "androidFingerprints": [], "redirectUris": [], "allowsSilentSignIn": false,
    ]

    /// The app that every new project has, as a response contains it.
    static let defaultApp: JSON = {
        let members: [String: JSON] = [
            "appId": "default", "displayName": "default", "platform": "other", "distribution": "other",
            "loginServices": compliant,
        ]
        return .object(members.merging(defaults) { $1 })
    }()

    @Test("Apps are created, returned, listed, changed and deleted")
    func createToDelete() async throws {
        let configurator = try await Configurator()
        #expect(try await configurator.send(.get, "apps").json == ["apps": [Self.defaultApp]])
        #expect(try await configurator.send(.post, "apps", Self.iosInput).json == Self.iosInResponse())
        #expect(try await configurator.send(.post, "apps", Self.iosInput).outcome == "409 CONFIGURATION_EXISTS")
        #expect(try await configurator.send(.get, "apps/ios").json == Self.iosInResponse())
        #expect(try await configurator.send(.get, "apps").json == ["apps": [Self.defaultApp, Self.iosInResponse()]])
        // The mask names members to change or to reset. It does not name `platform`, which therefore stays.
        let exemption: JSON = ["kind": "thirdPartyClient", "reason": "it reads that service's mail"]
        let changed = try await configurator.send(
            .patch, "apps/ios",
            ["exemption": exemption, "platform": "web", "bundleIds": [], "signInMethods": ["google.com"]],
            mask: "exemption,signInMethods,bundleIds")
        let declared: JSON = [
            "kind": "thirdPartyClient", "reason": "it reads that service's mail", "declaredBy": "key:backend",
            "declaredAt": .string(configurator.gateway.clock.now.iso8601),
        ]
        let expected = Self.iosInResponse {
            $0["exemption"] = declared
            $0["signInMethods"] = ["google.com"]
            $0["bundleIds"] = []
        }
        #expect(changed.json == expected)
        #expect(
            try await configurator.send(.patch, "apps/ios", changed.json).json == expected,
            "the response can be written back")
        let reset = try await configurator.send(.patch, "apps/ios", [:])
        #expect(reset.json["exemption"] == nil)
        #expect(reset.json["platform"] == "other")
        #expect(try await configurator.send(.delete, "apps/ios").outcome == "204")
        for method in [.get, .patch, .delete] as [HTTP.Method] {
            #expect(try await configurator.send(method, "apps/ios", [:]).outcome == "404 CONFIGURATION_NOT_FOUND")
        }
        #expect(
            try await configurator.serviceKeyAuditTrail() == [
                "key:backend app.added ios", "key:backend app.changed ios", "key:backend app.changed ios",
                "key:backend app.removed ios", "key:backend exemption.declared ios",
                "key:backend exemption.withdrawn ios",
            ])
    }

    @Test(
        "An app with an invalid member is rejected",
        // A member, its value (`nil` to omit it), and the outcome.
        arguments: [
            (
                "appId", "The App",
                "400 Invalid JSON payload received. /appId must have 1 to 63 characters: a to z, 0 to 9 and hyphens, but no hyphen at the beginning; account and console are reserved"
            ),
            (
                "appId", nil,
                "400 Invalid JSON payload received. /appId must have 1 to 63 characters: a to z, 0 to 9 and hyphens, but no hyphen at the beginning; account and console are reserved"
            ),
            (
                "platform", "amiga",
                "400 Invalid JSON payload received. /platform must be equal to one of the allowed values: ios, macos, tvos, watchos, visionos, android, windows, web, other"
            ),
            (
                "distribution", "disk",
                "400 Invalid JSON payload received. /distribution must be equal to one of the allowed values: appStore, marketplace, playStore, enterprise, web, other"
            ),
            ("exemption", ["reason": "x"], "400 Invalid JSON payload received. /exemption/kind must be present"),
            (
                "exemption", ["kind": "small", "reason": "x"],
                "400 Invalid JSON payload received. /exemption/kind must be equal to one of the allowed values: ownAccountsOnly, alternativeMarketplace, organisationAccounts, governmentIdentity, thirdPartyClient"
            ),
            (
                "exemption", ["kind": "ownAccountsOnly"],
                "400 INVALID_CONFIG : app ios: the reason of its exemption must have at least 4 different letters or digits, and at most 500 characters"
            ),
            (
                "exemption", ["kind": "ownAccountsOnly", "reason": "\u{3000}\u{200B}\n"],
                "400 INVALID_CONFIG : app ios: the reason of its exemption must have at least 4 different letters or digits, and at most 500 characters"
            ),
            (
                "signInMethods", ["apple.com", "apple.com", "x"],
                "400 INVALID_CONFIG : app ios: x is not a sign-in method: expected apple.com, google.com, oidc.*, passkey, password, phone or anonymous; app ios: apple.com is listed twice"
            ),
            (
                "clientIds", ["google.com": []],
                "400 INVALID_CONFIG : google.com for app ios needs a client ID: without one, tokens for any app would be accepted"
            ),
            (
                "bundleIds", ["a b"],
                "400 INVALID_CONFIG : app ios: each bundle ID must be at most 155 letters, digits, hyphens, underscores and dots, and listed once"
            ),
        ] as [(String, JSON?, String)])
    func refusals(member: String, value: JSON?, expected: String) async throws {
        let configurator = try await Configurator()
        let body = Self.iosInResponse { $0[member] = value }
        #expect(try await configurator.send(.post, "apps", body).outcome == expected)
        #expect(try await configurator.send(.get, "apps").json == ["apps": [Self.defaultApp]])
    }

    @Test(
        "A change by which an app would violate App Review guideline 4.8 is rejected, unless an exemption allows it",
        arguments: [
            (["signInMethods": ["google.com"]], "it shows google.com but not apple.com (APPLE_NOT_SHOWN)"),
            (
                ["platform": "ios", "bundleIds": ["com.other"]],
                "it shows google.com while none of its bundle IDs is among apple.com's client IDs for this app (APPLE_BUNDLE_ID_MISSING)"
            ),
            (
                ["exemption": ["kind": "ownAccountsOnly", "reason": "no other"]],
                "its exemption does not cover apple.com (EXEMPTION_CONTRADICTED); app default: its exemption does not cover google.com (EXEMPTION_CONTRADICTED)"
            ),
            (
                ["signInMethods": ["google.com"], "exemption": ["kind": "thirdPartyClient", "reason": "its mail"]],
                nil
            ),
            (
                [
                    "signInMethods": ["google.com", "password"],
                    "exemption": ["kind": "thirdPartyClient", "reason": "its mail"],
                ],
                "its exemption does not cover password (EXEMPTION_CONTRADICTED); app default: its exemption does not cover emailLink (EXEMPTION_CONTRADICTED); app default: it shows google.com but not apple.com (APPLE_NOT_SHOWN)"
            ),
            (
                ["platform": "web", "signInMethods": ["google.com"]],
                "it shows google.com but not apple.com (APPLE_NOT_SHOWN); to apply this rule only to apps for Apple's platforms, set the policy requiresAppleOnEveryPlatform to false"
            ),
            (["signInMethods": ["password"]], nil),
        ] as [(JSON, String?)])
    func guidelineViolation(body: JSON, problem: String?) async throws {
        let configurator = try await Configurator()
        try await configurator.enableApple()
        try await configurator.enableGoogle()
        let answer = try await configurator.send(.patch, "apps/default", body)
        #expect(answer.outcome == (problem.map { "409 LOGIN_SERVICES_4_8 : app default: \($0)" } ?? "200"))
    }

    @Test("Apps are accessible only with a service key of their project")
    func otherProject() async throws {
        let configurator = try await Configurator()
        let answer = try await configurator.gateway.send(
            .get, "/v2/projects/other/apps", by: configurator.serviceKey)
        #expect(answer.outcome == "403 The caller does not have permission")
        let client = try await configurator.gateway.send(
            .get, "\(Configurator.projectPath)/apps", body: [], query: [("key", TestGateway.apiKey)])
        #expect(client.outcome.hasPrefix("400 INSUFFICIENT_PERMISSION"))
    }
}
