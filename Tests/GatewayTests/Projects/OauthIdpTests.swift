import HTTP
import Identity
import Postgres
import Testing

@testable import DevMode
@testable import Gateway
@testable import Support

@Suite("Configuration of OpenID Connect providers", .serialized)
struct OauthIdpTests {
    static let configPath = "oauthIdpConfigs/oidc.corp"

    static let input: JSON = [
        "clientId": "c", "issuer": "https://id.example.com", "displayName": "Corp", "enabled": true,
        "clientSecret": "secret", "responseType": ["code": true],
    ]

    /// ``input`` as a response contains it.
    static let shown: JSON = [
        "name": "projects/demo/oauthIdpConfigs/oidc.corp", "enabled": true, "clientId": "c", "clientIds": ["c"],
        "issuer": "https://id.example.com", "displayName": "Corp", "trustsEmail": false,
        "responseType": ["code": true],
    ]

    @Test("Providers are created, returned, listed, changed and deleted, and responses contain no secrets")
    func createToDelete() async throws {
        let configurator = try await Configurator()
        try await configurator.enableApple()
        #expect(
            try await configurator.send(.post, "oauthIdpConfigs?oauthIdpConfigId=oidc.corp", Self.input).json
                == Self.shown)
        #expect(try await configurator.send(.get, Self.configPath).json == Self.shown)
        #expect(try await configurator.send(.get, "oauthIdpConfigs").json == ["oauthIdpConfigs": [Self.shown]])
        let changed = try await configurator.send(
            .patch, Self.configPath,
            // An empty client secret removes the stored one.
            [
                "displayName": nil, "issuer": "https://other.example.com", "clientIds": ["c", "d"],
                "trustsEmail": true, "clientSecret": "",
            ], mask: "displayName,issuer,clientIds,trustsEmail,clientSecret")
        #expect(
            changed.json == [
                "name": "projects/demo/oauthIdpConfigs/oidc.corp", "enabled": true, "clientId": "c",
                "clientIds": ["c", "d"], "issuer": "https://other.example.com", "trustsEmail": true,
                "responseType": ["code": true],
            ])
        #expect(try await configurator.send(.patch, Self.configPath, changed.json).json == changed.json)
        #expect(try await configurator.send(.delete, Self.configPath).text == "{}")
        #expect(try await configurator.send(.get, Self.configPath).outcome == "404 CONFIGURATION_NOT_FOUND")
        #expect(try await configurator.send(.patch, Self.configPath, [:]).outcome == "404 CONFIGURATION_NOT_FOUND")
        #expect(try await configurator.send(.delete, Self.configPath).outcome == "404 CONFIGURATION_NOT_FOUND")
    }

    @Test("A change of the issuer removes the client secret, unless it comes with the secret")
    func clientSecretOfFormerIssuer() async throws {
        let configurator = try await Configurator()
        try await configurator.enableApple()
        func patch(_ members: JSON, _ mask: String) async throws -> Bool {
            let changed = try await configurator.send(.patch, Self.configPath, members, mask: mask)
            #expect(changed.outcome == "200", "\(changed.text)")
            let rows = try await configurator.gateway.database.pool.query(
                "SELECT secret IS NOT NULL AS is_stored FROM identity_provider WHERE provider = 'oidc.corp'")
            return try rows[0].decode("is_stored")
        }
        _ = try await configurator.send(.post, "oauthIdpConfigs?oauthIdpConfigId=oidc.corp", Self.input)
        #expect(try await patch(["clientSecret": "secret"], "clientSecret"))
        #expect(try await patch(["displayName": "Company"], "displayName"))
        #expect(try await !patch(["issuer": "https://evil.example.com"], "issuer"))
        #expect(
            try await patch(
                ["issuer": "https://other.example.com", "clientSecret": "secret"], "issuer,clientSecret"))
        #expect(
            try await patch(
                ["issuer": "https://id.example.com", "clientSecret": "secret"], "issuer,clientSecret"))
    }

    @Test(
        "Invalid configurations are rejected",
        arguments: [
            ("", input, "400 MISSING_PROVIDER_ID"),
            (
                "?oauthIdpConfigId=oidc.Corp", input,
                #"400 INVALID_PROVIDER_ID : expected "oidc." followed by 1 to 32 lower-case letters, digits or hyphens, got "oidc.Corp""#
            ),
            (
                "?oauthIdpConfigId=google.com", input,
                #"400 INVALID_PROVIDER_ID : expected "oidc." followed by 1 to 32 lower-case letters, digits or hyphens, got "google.com""#
            ),
            (
                "?oauthIdpConfigId=oidc.a", ["issuer": "http://127.0.0.1", "clientId": "c"],
                "400 INVALID_CONFIG : oidc.a's issuer must be an https URL without user, query, fragment and dot segments"
            ),
            (
                "?oauthIdpConfigId=oidc.a", [:],
                "400 INVALID_CONFIG : oidc.a needs a client ID: without one, tokens for any app would be accepted; oidc.a's issuer must be an https URL without user, query, fragment and dot segments"
            ),
            (
                "?oauthIdpConfigId=oidc.a", input,
                "409 LOGIN_SERVICES_4_8 : app default: it shows oidc.a while apple.com is not configured and enabled (APPLE_NOT_ENABLED)"
            ),
            (
                "?oauthIdpConfigId=oidc.a",
                [
                    "issuer": "https://securetoken.google.com/another", "clientId": "c", "relation": "own",
                    "relationReason": "our own accounts",
                ],
                "400 INVALID_CONFIG : oidc.a's relation must be social or thirdPartyService, because its issuer is Google"
            ),
            (
                "?oauthIdpConfigId=oidc.a",
                ["issuer": "https://id.example.com", "clientId": "c", "relation": "own"],
                "400 INVALID_CONFIG : oidc.a's relationReason, which the relation own requires, must have at least 4 different letters or digits, and at most 500 characters"
            ),
            (
                "?oauthIdpConfigId=oidc.a",
                [
                    "issuer": "https://id.example.com", "clientId": "c", "relation": "own",
                    "relationReason": " \u{3000}\u{200B}\n",
                ],
                "400 INVALID_CONFIG : oidc.a's relationReason, which the relation own requires, must have at least 4 different letters or digits, and at most 500 characters"
            ),
        ] as [(String, JSON, String)])
    func refusals(query: String, body: JSON, expected: String) async throws {
        let configurator = try await Configurator()
        #expect(try await configurator.send(.post, "oauthIdpConfigs\(query)", body).outcome == expected)
        #expect(try await configurator.send(.get, "oauthIdpConfigs").json == ["oauthIdpConfigs": []])
    }

    @Test("The company's own account system needs no Apple, but a reason, which is returned and audited")
    func ownAccounts() async throws {
        let configurator = try await Configurator()
        let body: JSON = [
            "enabled": true, "issuer": "https://id.example.com", "clientId": "c", "relation": "own",
            "relationReason": " our own\n accounts ",
        ]
        let made = try await configurator.send(.post, "oauthIdpConfigs?oauthIdpConfigId=oidc.corp", body)
        #expect(made.outcome == "200")
        #expect(made.json["relationReason"] == "our own accounts")
        #expect(
            try await configurator.send(.patch, Self.configPath, ["relationReason": ""], mask: "relationReason").outcome
                .hasPrefix("400 INVALID_CONFIG : oidc.corp's relationReason"))
        #expect(try await configurator.send(.patch, Self.configPath, made.json).json == made.json)
        #expect(
            try await configurator.serviceKeyAuditTrail()
                == ["key:backend provider.added oidc.corp", "key:backend relation.declared oidc.corp"])
    }

    @Test("A relation of a public login that was stored before the rule has no effect")
    func storedRelation() async throws {
        let configurator = try await Configurator()
        let body: JSON = [
            "enabled": true, "issuer": "https://id.example.com", "clientId": "c", "relation": "own",
            "relationReason": "our own accounts",
        ]
        #expect(
            try await configurator.send(.post, "oauthIdpConfigs?oauthIdpConfigId=oidc.corp", body).outcome == "200")
        #expect(
            try await LoginMethodsTests.startSignIn(with: "oidc.corp", at: configurator)
                == LoginMethodsTests.usableOutcome)
        _ = try await configurator.gateway.database.pool.execute(
            "UPDATE identity_provider SET settings = jsonb_set(settings, '{openId,issuer}', '\"https://access.line.me\"')"
        )
        let stored = try Configurator(withFreshCachesOf: configurator)
        #expect(
            try await LoginMethodsTests.startSignIn(with: "oidc.corp", at: stored).hasPrefix(
                "400 OPERATION_NOT_ALLOWED : LOGIN_SERVICES_4_8 : "))
        #expect(try await stored.loginMethods().json["violations"] == ["APPLE_NOT_ENABLED"])
        #expect(!LoginMethodsTests.summary(try await stored.loginMethods()).contains("oidc.corp own"))
    }

    @Test("The response type is read back as written, and its default depends on the client secret")
    func responseType() async throws {
        let configurator = try await Configurator()
        try await configurator.enableApple()
        let path = "oauthIdpConfigs?oauthIdpConfigId=oidc.corp"
        let created = try await configurator.send(
            .post, path, ["clientId": "c", "issuer": "https://id.example.com", "enabled": true])
        #expect(created.json["responseType"] == ["idToken": true, "code": false])
        let rows: [(body: JSON, mask: String, expected: JSON)] = [
            (["responseType": ["idToken": true]], "responseType", ["idToken": true]),
            (["responseType": ["code": false]], "responseType.code", ["idToken": true, "code": false]),
            (["displayName": "Corp"], "displayName", ["idToken": true, "code": false]),
            (["responseType": ["code": true]], "responseType", ["code": true]),
            (["clientSecret": "s"], "responseType,clientSecret", ["idToken": true, "code": true]),
        ]
        for row in rows {
            let changed = try await configurator.send(.patch, Self.configPath, row.body, mask: row.mask)
            #expect(changed.json["responseType"] == row.expected, "\(row.body) \(row.mask)")
            #expect(try await configurator.send(.get, Self.configPath).json["responseType"] == row.expected)
        }
    }

    @Test("The issuer of an OpenID provider can be on loopback in dev mode")
    func loopback() async throws {
        let body: JSON = ["issuer": "http://127.0.0.1:9000", "clientId": "c"]
        let gateway = try await TestGateway(mode: .emulator(project: ID("demo")))
        let made = try await gateway.send(
            .post, "/v2/projects/demo/oauthIdpConfigs", body: try body.bytes,
            query: [("oauthIdpConfigId", "oidc.a")], headers: ["Authorization": "Bearer owner"])
        #expect(made.outcome == "200")
    }
}
