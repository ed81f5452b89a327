import Crypto
import Identity
import Postgres
import Simulators
import Synchronization
import Testing

@testable import Gateway
@testable import Support

/// A grant is a token or an authorization code of Apple in the database. Tests read each grant as a line: state, token
/// type, client ID.
@Suite("accounts:revokeToken")
struct RevokeTokenTests {
    /// - Parameters:
    ///   - type: the member `tokenType` (default: an authorization code).
    ///   - caller: the tokens of the caller's session.
    ///   - more: further members of the request, which replace those above.
    private func revoke(
        _ token: String?, type: JSON = "3", by caller: TestGateway.Tokens, at gateway: TestGateway,
        _ more: [String: JSON] = [:]
    ) async throws -> Exchange {
        let body: [String: JSON] = [
            "providerId": "apple.com", "tokenType": type, "token": .string(token ?? ""),
            "idToken": .string(caller.idToken),
        ]
        return try await gateway.post("/v2/accounts:revokeToken", .object(body.merging(more) { $1 }))
    }

    @Test("An authorization code is exchanged, the resulting token is revoked, and the session stays valid")
    func code() async throws {
        let gateway = try await TestGateway(servesApple: true)
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        let code = try gateway.appleCredentialWithCode().code
        let answer = try await revoke(code, by: tokens, at: gateway)
        #expect(answer.status == 200)
        #expect(answer.json == [:])
        #expect(gateway.simulators.apple.revocations == 1)
        #expect(try await gateway.appleGrantLines() == ["REVOKED REFRESH_TOKEN com.example.app"])
        #expect(try await gateway.lookup(tokens.idToken).status == 200)
        // The deletion that Firebase apps send next has nothing left to revoke.
        #expect(try await gateway.delete(tokens.idToken).json["appleRevocation"]?.string == "NONE")
        try await gateway.processDueAppleGrants()
        #expect(try await gateway.appleGrantLines().isEmpty)
        #expect(gateway.simulators.apple.revocations == 1)
    }

    @Test("A revocation is in the audit trail, without the token")
    func audited() async throws {
        let gateway = try await TestGateway(servesApple: true)
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        let audited = try await gateway.newAuditEvents {
            let answer = try await revoke("a.token", type: "ACCESS_TOKEN", by: tokens, at: gateway)
            #expect(answer.status == 200)
        }
        #expect(audited.map(\.description) == ["user tokens.revoked \(tokens.localId) provider=apple.com"])
        #expect(audited.first?.network == "192.0.2.0/24")
        #expect(try await !gateway.auditTrailDump().contains("a.token"))
    }

    struct ClientRow: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Members of the app's settings, as JSON.
        let settings: String
        /// The client ID with which the gateway exchanges the code.
        let expected: String
    }

    @Test(
        "The code is exchanged with a client ID of the calling app, otherwise with that of the latest sign-in",
        arguments: [
            ClientRow(testDescription: "an app without client IDs", settings: "{}", expected: "com.example.app"),
            ClientRow(
                testDescription: "an app with its own client ID",
                settings: #"{"clientIds": {"apple.com": ["com.example.web"]}}"#,
                expected: "com.example.web"),
            ClientRow(
                testDescription: "a bundle ID that the provider lists",
                settings: #"{"bundleIds": ["com.example.web"]}"#,
                expected: "com.example.web"),
            ClientRow(
                testDescription: "a bundle ID that the provider does not list",
                settings: #"{"bundleIds": ["com.example.unlisted"]}"#, expected: "com.example.app"),
            ClientRow(
                testDescription: "two bundle IDs, one of them of the latest sign-in",
                settings: #"{"bundleIds": ["com.example.web", "com.example.app"]}"#, expected: "com.example.app"),
            ClientRow(
                testDescription: "client IDs that the provider does not list",
                settings: #"{"clientIds": {"apple.com": ["com.example.unlisted"]}}"#, expected: "com.example.app"),
        ])
    func clientIDs(row: ClientRow) async throws {
        let gateway = try await TestGateway(servesApple: true)
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        try await gateway.database.pool.execute(
            "UPDATE app SET settings = settings || \(row.settings)::text::jsonb WHERE project_id = 'demo'")
        let fresh = try gateway.withFreshCaches()
        for client in ["com.example.app", "com.example.web"] {
            let isWeb = client == "com.example.web"
            let code = try gateway.appleCredentialWithCode(
                client: client, redirectURI: isWeb ? "https://example.com/back" : nil
            )
            .code
            let answer = try await revoke(
                code, by: tokens, at: fresh, isWeb ? ["redirectUri": "https://example.com/back"] : [:])
            #expect(answer.status == (client == row.expected ? 200 : 400), "\(client): \(answer.text)")
        }
    }

    @Test("The token type can be a name, a number, or a number as text", arguments: ["CODE", "3", 3] as [JSON])
    func types(type: JSON) async throws {
        let gateway = try await TestGateway(servesApple: true)
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        #expect(
            try await revoke(gateway.appleCredentialWithCode().code, type: type, by: tokens, at: gateway).status == 200)
    }

    @Test(
        "Token types other than 1, 2 and 3, and other spellings of these numbers, are rejected",
        arguments: [0, 4, -1, -9_223_372_036_854_775_808, "0", "4", "-1", "-9223372036854775808", "1e0", "03"]
            as [JSON])
    func otherNumbers(type: JSON) async throws {
        let gateway = try await TestGateway(servesApple: true)
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        #expect(try await revoke("code", type: type, by: tokens, at: gateway).statusOrCode == "INVALID_ARGUMENT")
    }

    @Test(
        "Both the request's token and the stored token are revoked, because Apple reports success for unknown tokens",
        arguments: ["ACCESS_TOKEN", 2, "REFRESH_TOKEN", 1] as [JSON])
    func tokens(type: JSON) async throws {
        let gateway = try await TestGateway(servesApple: true)
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        #expect(try await revoke("a.token", type: type, by: tokens, at: gateway).status == 200)
        #expect(gateway.simulators.apple.revocations == 1)
        #expect(try await gateway.appleGrantLines() == ["REVOKING REFRESH_TOKEN com.example.app"])
        #expect(try await gateway.delete(tokens.idToken).json["appleRevocation"]?.string == "QUEUED")
        try await gateway.processDueAppleGrants()
        #expect(gateway.simulators.apple.revocations == 2)
        #expect(try await gateway.appleGrantLines().isEmpty)
    }

    @Test("A token that Apple rejects gives INVALID_IDP_RESPONSE, and the grant is unchanged")
    func rejectedToken() async throws {
        let gateway = try await TestGateway(
            servesApple: true,
            appleTokens: {
                AppleTokenEndpoint(
                    exchange: $0.exchange, check: $0.check, revoke: { _, _, _ in .rejected(.invalidRequest) })
            })
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        let answer = try await revoke("a.token", type: "ACCESS_TOKEN", by: tokens, at: gateway)
        #expect(answer.statusOrCode == "INVALID_IDP_RESPONSE")
        #expect(try await gateway.appleGrantLines() == ["AUTHORIZED REFRESH_TOKEN com.example.app"])
    }

    @Test("A worker revokes the code's token if the process ends before the exchange")
    func crash() async throws {
        // The redirect URI `crash:` marks the request during which the process ends. Apple does not get this URI.
        let crashes = Mutex(true)
        let gateway = try await TestGateway(
            servesApple: true,
            appleTokens: { endpoint in
                var endpoint = endpoint
                endpoint.exchange = { [exchange = endpoint.exchange] code, client in
                    if code.redirectURI == "crash:" && crashes.withLock({ $0 }) { throw CancellationError() }
                    return try await exchange(AuthorizationCode(code: code.code), client)
                }
                return endpoint
            })
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        _ = try await revoke(gateway.appleCredentialWithCode().code, by: tokens, at: gateway, ["redirectUri": "crash:"])
        #expect(
            try await gateway.appleGrantLines() == [
                "AUTHORIZED REFRESH_TOKEN com.example.app", "REVOKING CODE com.example.app",
            ])
        crashes.withLock { $0 = false }
        // The interrupted request's lease (exclusive use) of the grant ends after 30 seconds.
        gateway.clock.advance(by: .seconds(30))
        // The second call must not revoke the token again.
        for _ in 0..<2 { try await gateway.processDueAppleGrants() }
        #expect(gateway.simulators.apple.revocations == 1)
        #expect(try await gateway.appleGrantLines() == ["AUTHORIZED REFRESH_TOKEN com.example.app"])
    }

    @Test("Revocations are limited for each account, like changes of credentials")
    func limited() async throws {
        let gateway = try await TestGateway(limitsRates: true, servesApple: true)
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        for _ in 0..<Policy.credentialChangeLimit {
            #expect(try await revoke("unknown", by: tokens, at: gateway).statusOrCode == "INVALID_IDP_RESPONSE")
        }
        #expect(try await revoke("unknown", by: tokens, at: gateway).statusOrCode == "TOO_MANY_ATTEMPTS_TRY_LATER")
    }

    @Test("Codes that Apple rejects, other users' codes, other providers and invalid requests are rejected")
    func refused() async throws {
        let gateway = try await TestGateway(servesApple: true)
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        let outcomes = [
            try await revoke("unknown", by: tokens, at: gateway),
            try await revoke(gateway.appleCredentialWithCode(.mary).code, by: tokens, at: gateway),
            try await revoke("code", by: tokens, at: gateway, ["providerId": "google.com"]),
            try await revoke("code", by: tokens, at: gateway, ["providerId": ""]),
            try await revoke("code", type: "0", by: tokens, at: gateway),
            try await revoke("", by: tokens, at: gateway),
            try await revoke("code", by: tokens, at: gateway, ["redirectUri": "https://\0"]),
            try await revoke("code", by: tokens, at: gateway, ["idToken": ""]),
            try await revoke("code", by: tokens, at: gateway, ["idToken": "a.b.c"]),
            try await revoke("code", by: gateway.signUp(), at: gateway),
        ].map(\.statusOrCode)
        #expect(
            outcomes == [
                "INVALID_IDP_RESPONSE", "INVALID_IDP_RESPONSE", "INVALID_PROVIDER_ID", "MISSING_PROVIDER_ID",
                "INVALID_ARGUMENT", "INVALID_ARGUMENT", "INVALID_ARGUMENT", "MISSING_ID_TOKEN", "INVALID_ID_TOKEN",
                "INVALID_PROVIDER_ID",
            ])
        #expect(gateway.simulators.apple.revocations == 0)
        #expect(try await gateway.appleGrantLines() == ["AUTHORIZED REFRESH_TOKEN com.example.app"])
    }

    @Test("A private key that Apple rejects gives 503, and the grant and the session stay")
    func wrongKey() async throws {
        let gateway = try await TestGateway(servesApple: true)
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        let server = try #require(gateway.appleServer)
        server.registerClients(in: gateway.simulators.apple, key: try PrivateKey.generate(.es256).publicKey)
        let answer = try await revoke(gateway.appleCredentialWithCode().code, by: tokens, at: gateway)
        #expect(answer.status == 503)
        #expect(try await gateway.appleGrantLines() == ["AUTHORIZED REFRESH_TOKEN com.example.app"])
        #expect(try await gateway.lookup(tokens.idToken).status == 200)
    }

    @Test("A worker revokes the token if Apple's revocation endpoint fails after the exchange of the code")
    func queued() async throws {
        let gateway = try await TestGateway(servesApple: true)
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        gateway.simulators.apple.faultInjection.injectFault(.unavailable, at: SimulatedApple.revocationPath)
        #expect(try await revoke(gateway.appleCredentialWithCode().code, by: tokens, at: gateway).status == 200)
        gateway.simulators.apple.faultInjection.reset()
        // The request's lease (exclusive use) of the grant ends after 30 seconds.
        gateway.clock.advance(by: .seconds(30))
        try await gateway.processDueAppleGrants()
        #expect(gateway.simulators.apple.revocations == 1)
        #expect(try await gateway.appleGrantLines() == ["REVOKED REFRESH_TOKEN com.example.app"])
    }
}

extension Exchange {
    /// The status of an error, or its wire code if it has no status.
    fileprivate var statusOrCode: String? { json["error"]?["status"]?.string ?? wireCode }
}
