import Crypto
import HTTP
import Identity
import Postgres
import Providers
import Storage
import Testing

@testable import Gateway
@testable import Support

@Suite("Configuration of Apple and Google", .serialized)
struct DefaultSupportedIdpTests {
    /// ``Configurator/appleInput(enabled:)`` as a response contains it.
    static let shownApple: JSON = [
        "name": "projects/demo/defaultSupportedIdpConfigs/apple.com", "enabled": true,
        "clientId": "com.example.web", "clientIds": ["com.example.web", "com.example.app"],
        "appleSignInConfig": [
            "codeFlowConfig": ["teamId": .string(AppleServer.team), "keyId": .string(AppleServer.keyID)],
            "bundleIds": ["com.example.app"], "acceptsUnhashedNonces": false,
        ],
    ]

    /// ``Configurator/googleInput`` as a response contains it.
    static let shownGoogle: JSON = [
        "name": "projects/demo/defaultSupportedIdpConfigs/google.com", "enabled": true,
        "clientId": "google-client", "clientIds": ["google-client"],
    ]

    @Test("Providers are created, returned, listed and deleted, and responses contain no secrets")
    func createToDelete() async throws {
        let configurator = try await Configurator()
        let empty = try await configurator.send(.get, "defaultSupportedIdpConfigs")
        #expect(empty.json == ["defaultSupportedIdpConfigs": []])
        let made = try await configurator.send(
            .post, "defaultSupportedIdpConfigs?idpId=apple.com", try Configurator.appleInput())
        #expect(made.json == Self.shownApple)
        try await configurator.enableGoogle()
        #expect(try await configurator.send(.get, Configurator.googlePath).json == Self.shownGoogle)
        let list = try await configurator.send(.get, "defaultSupportedIdpConfigs")
        #expect(list.json == ["defaultSupportedIdpConfigs": [Self.shownApple, Self.shownGoogle]])
        let first = try await configurator.send(.get, "defaultSupportedIdpConfigs?pageSize=1")
        #expect(first.json == ["defaultSupportedIdpConfigs": [Self.shownApple], "nextPageToken": "apple.com"])
        let second = try await configurator.send(.get, "defaultSupportedIdpConfigs?pageSize=1&pageToken=apple.com")
        #expect(second.json == ["defaultSupportedIdpConfigs": [Self.shownGoogle]])
        #expect(try await configurator.send(.delete, Configurator.googlePath).text == "{}")
        #expect(try await configurator.send(.get, Configurator.googlePath).outcome == "404 CONFIGURATION_NOT_FOUND")
        #expect(
            try await configurator.serviceKeyAuditTrail() == [
                "key:backend provider.added apple.com", "key:backend provider.added google.com",
                "key:backend provider.removed google.com",
            ])
    }

    @Test("The private key is encrypted for its provider only, and can be re-encrypted with another master key")
    func secret() async throws {
        let configurator = try await Configurator()
        try await configurator.enableApple()
        let store = ProviderSecretStore(pool: configurator.gateway.database.pool)
        let keys = configurator.gateway.masterKeys
        let stored = try await store.secret(of: .apple, in: ID("demo"), under: keys)
        #expect(try stored?.expose() == Configurator.applePrivateKey.get())
        let rotatedKeys = try MasterKeys(current: TestGateway.newMasterKey, previous: TestGateway.masterKey)
        let (column, box) = (Reencryption.providerSecrets(in: store), SealedBox(keys: rotatedKeys))
        #expect(try await column.reencrypt(with: box) == 1)
        #expect(try await column.reencrypt(with: box) == 0)
        await #expect(throws: SealFault.self) { try await store.secret(of: .apple, in: ID("demo"), under: keys) }
        _ = try await configurator.gateway.database.pool.execute(
            "UPDATE identity_provider SET provider = 'google.com'")
        await #expect(throws: SealFault.tagMismatch) {
            try await store.secret(of: .google, in: ID("demo"), under: rotatedKeys)
        }
    }

    struct Change: CustomTestStringConvertible {
        let testDescription: String
        let body: JSON
        let mask: String?
        /// The member of the response that is compared with `expected`.
        let member: String
        let expected: JSON
    }

    @Test(
        "An update changes only the members that the mask names, or without a mask all members",
        arguments: [
            Change(
                testDescription: "the first client ID", body: ["clientId": "com.b"], mask: "clientId",
                member: "clientIds",
                expected: ["com.b", "com.example.app"]),
            Change(
                testDescription: "the bundle IDs, which are all client IDs but the first",
                body: ["appleSignInConfig": ["bundleIds": ["com.a", "com.b", "com.example.web"]]],
                mask: "appleSignInConfig.bundleIds", member: "clientIds",
                expected: ["com.example.web", "com.a", "com.b"]),
            Change(
                testDescription: "all client IDs", body: ["clientIds": ["x", "y"], "clientId": "z"],
                mask: "clientIds", member: "clientIds", expected: ["x", "y"]),
            Change(
                testDescription: "client IDs that the mask does not name",
                body: ["clientIds": ["x", "y"], "clientId": "z"],
                mask: "enabled", member: "clientIds", expected: ["com.example.web", "com.example.app"]),
            Change(
                testDescription: "whether the provider is enabled", body: ["enabled": false], mask: "enabled",
                member: "enabled",
                expected: false),
            Change(
                testDescription: "only the key ID",
                body: ["appleSignInConfig": ["codeFlowConfig": ["keyId": "OTHERKEY12", "teamId": "OTHERTEAM1"]]],
                mask: "appleSignInConfig.codeFlowConfig.keyId", member: "appleSignInConfig",
                expected: [
                    "codeFlowConfig": ["teamId": .string(AppleServer.team), "keyId": "OTHERKEY12"],
                    "bundleIds": ["com.example.app"], "acceptsUnhashedNonces": false,
                ]),
            Change(
                testDescription: "whether unhashed nonces are accepted",
                body: ["appleSignInConfig": ["acceptsUnhashedNonces": true]],
                mask: "appleSignInConfig.acceptsUnhashedNonces", member: "appleSignInConfig",
                expected: [
                    "codeFlowConfig": ["teamId": .string(AppleServer.team), "keyId": .string(AppleServer.keyID)],
                    "bundleIds": ["com.example.app"], "acceptsUnhashedNonces": true,
                ]),
            Change(
                testDescription: "all members, without a mask", body: ["clientId": "com.b"], mask: nil,
                member: "appleSignInConfig", expected: ["bundleIds": [], "acceptsUnhashedNonces": false]),
        ])
    func mask(row: Change) async throws {
        let configurator = try await Configurator()
        try await configurator.enableApple()
        let changed = try await configurator.send(.patch, Configurator.applePath, row.body, mask: row.mask)
        #expect(changed.outcome == "200")
        #expect(changed.json[row.member] == row.expected)
        #expect(try await configurator.send(.get, Configurator.applePath).json == changed.json)
    }

    @Test("A configuration can be written back unchanged")
    func roundTrip() async throws {
        let configurator = try await Configurator()
        try await configurator.enableApple()
        try await configurator.enableGoogle()
        for path in [Configurator.applePath, Configurator.googlePath] {
            let shown = try await configurator.send(.get, path)
            #expect(try await configurator.send(.patch, path, shown.json).json == shown.json)
        }
    }

    @Test(
        "Invalid configurations are rejected",
        arguments: [
            (
                "?idpId=facebook.com", [:],
                #"400 INVALID_PROVIDER_ID : expected apple.com or google.com, got "facebook.com""#
            ),
            ("?idpId=oidc.a", [:], #"400 INVALID_PROVIDER_ID : expected apple.com or google.com, got "oidc.a""#),
            ("", [:], "400 MISSING_PROVIDER_ID"),
            (
                "?idpId=google.com", [:],
                "400 INVALID_CONFIG : google.com needs a client ID: without one, tokens for any app would be accepted"
            ),
            (
                "?idpId=google.com", ["clientId": "a b", "clientSecret": "\n"],
                "400 INVALID_CONFIG : client ID 1 of google.com must be 1 to 255 visible ASCII characters, and listed once; google.com's client secret must be printable ASCII of at most 512 bytes"
            ),
            (
                "?idpId=google.com", ["clientId": "a", "appleSignInConfig": [:]],
                "400 Invalid JSON payload received. /appleSignInConfig must be absent: it is for apple.com only"
            ),
            (
                "?idpId=apple.com", ["clientId": "a", "clientSecret": "s"],
                "400 Invalid JSON payload received. /clientSecret must be absent: apple.com uses a private key"
            ),
            (
                "?idpId=apple.com",
                [
                    "clientId": "a",
                    "appleSignInConfig": ["codeFlowConfig": ["teamId": "T", "keyId": "k", "privateKey": "PEM"]],
                ],
                "400 INVALID_CONFIG : apple.com's team ID must be ten upper-case letters or digits; apple.com's key ID must be ten upper-case letters or digits; apple.com's private key must be a P-256 key in PEM, as in the .p8 file"
            ),
            (
                "?idpId=apple.com", ["clientId": "a", "appleSignInConfig": ["acceptsUnhashedNonces": true]],
                "400 INVALID_CONFIG : apple.com's team ID must be ten upper-case letters or digits; apple.com's key ID must be ten upper-case letters or digits"
            ),
            (
                "?idpId=google.com", ["enabled": true, "clientId": "a"],
                "409 LOGIN_SERVICES_4_8 : app default: it shows google.com while apple.com is not configured and enabled (APPLE_NOT_ENABLED)"
            ),
        ] as [(String, JSON, String)])
    func refusals(query: String, body: JSON, expected: String) async throws {
        let configurator = try await Configurator()
        let refused = try await configurator.send(.post, "defaultSupportedIdpConfigs\(query)", body)
        #expect(refused.outcome == expected)
        #expect(
            try await configurator.send(.get, "defaultSupportedIdpConfigs").json == ["defaultSupportedIdpConfigs": []])
    }

    @Test("An RSA key is rejected for Apple")
    func rsa() async throws {
        let configurator = try await Configurator()
        let pem = try PrivateKey.generate(.rs256).pem
        let refused = try await configurator.send(
            .post, "defaultSupportedIdpConfigs?idpId=apple.com",
            ["clientId": "a", "appleSignInConfig": ["codeFlowConfig": ["privateKey": .string(pem)]]])
        #expect(refused.outcome.hasPrefix("400 INVALID_CONFIG : apple.com's private key must be"))
        #expect(!refused.text.contains("BEGIN"))
    }

    @Test(
        "Provider IDs other than apple.com and google.com are not found",
        arguments: ["facebook.com", "oidc.a", "apple.com%20", "..", "%00"])
    func unknown(id: String) async throws {
        let configurator = try await Configurator()
        for method in [.get, .patch, .delete] as [HTTP.Method] {
            let answer = try await configurator.send(
                method, "defaultSupportedIdpConfigs/\(id)", method == .get ? nil : [:])
            #expect(answer.status == 404)
        }
    }

    @Test("A provider cannot be created twice")
    func twice() async throws {
        let configurator = try await Configurator()
        try await configurator.enableApple()
        let again = try await configurator.send(
            .post, "defaultSupportedIdpConfigs?idpId=apple.com", try Configurator.appleInput())
        #expect(again.outcome == "409 CONFIGURATION_EXISTS")
        #expect(again.json["error"]?["status"] == "ALREADY_EXISTS")
    }

    @Test(
        "Apple cannot be removed, disabled or left without a private key while a social provider is enabled",
        arguments: [
            (.delete, nil, nil, "while apple.com is not configured and enabled (APPLE_NOT_ENABLED)"),
            (
                .patch, ["enabled": false], "enabled",
                "while apple.com is not configured and enabled (APPLE_NOT_ENABLED)"
            ),
            (
                .patch, ["appleSignInConfig": ["codeFlowConfig": ["privateKey": ""]]],
                "appleSignInConfig.codeFlowConfig.privateKey",
                "while apple.com lacks a team ID, key ID, private key or client ID for this app (APPLE_CANNOT_WORK)"
            ),
        ] as [(HTTP.Method, JSON?, String?, String)])
    func requiredApple(method: HTTP.Method, body: JSON?, mask: String?, problem: String) async throws {
        let configurator = try await Configurator()
        try await configurator.enableApple()
        try await configurator.enableGoogle()
        let refused = try await configurator.send(method, Configurator.applePath, body, mask: mask)
        #expect(
            refused.outcome == "409 LOGIN_SERVICES_4_8 : app default: it shows google.com \(problem)")
        #expect(refused.json["error"]?["status"] == "FAILED_PRECONDITION")
        #expect(try await configurator.send(.get, Configurator.applePath).json == Self.shownApple)
        #expect(
            try await configurator.send(.patch, Configurator.googlePath, ["enabled": false], mask: "enabled").outcome
                == "200")
        #expect(try await configurator.send(method, Configurator.applePath, body, mask: mask).outcome == "200")
    }
}
