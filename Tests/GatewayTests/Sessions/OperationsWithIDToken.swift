import Encoding
import HTTP
import Identity
import Postgres
import Providers
import Simulators
import Storage
import Testing

@testable import DevMode
@testable import Gateway
@testable import Support

/// Calls every operation of the contract that accepts an ID token of the gateway.
struct OperationsWithIDToken: Sendable {
    /// A member of an operation's body that contains an ID token.
    struct Operation: Sendable {
        let id: String
        let path: String
        let member: String
        let isForAdministrators: Bool
    }

    typealias Body = @Sendable (OperationsWithIDToken, TestGateway.Tokens) async throws -> [String: JSON]

    /// The other members of a valid body, by operation.
    static let bodies: [String: Body] = [
        "signUp": { _, _ in ["email": "new@example.com", "password": "secret2"] },
        "signInWithPassword": { fixture, ada in
            let email = try await fixture.email(of: ada)
            return ["email": .string(email), "password": "secret1"]
        },
        "signInWithIdp": { fixture, ada in
            let credential = try fixture.gateway.googleCredential(SimulatedPerson(id: ada.localId))
            return ["requestUri": "http://localhost", "postBody": .string(credential.postBody)]
        },
        "createSignInUri": { _, _ in
            [
                "continueUri": "http://localhost/done", "state": "state", "operation": "LINK",
                "codeChallenge": .string(SignInPageVisit.challenge), "codeChallengeMethod": "S256",
            ]
        },
        "sendOobCode": { _, _ in ["requestType": "VERIFY_EMAIL"] },
        "signInWithEmailLink": { fixture, ada in
            let email = JSON.string(try await fixture.email(of: ada))
            var request: [String: JSON] = ["email": email]
            request["tenantId"] = fixture.tenant.map(JSON.string)
            let code = try await fixture.gateway.requestedCode("EMAIL_SIGNIN", request)
            return ["email": email, "oobCode": .string(code)]
        },
        "signInWithPhoneNumber": { fixture, _ in
            let number = "+1415\(Int.random(in: 2_000_000...9_999_999))"
            return try await fixture.gateway.phoneProof(number, tenant: fixture.tenant)
        },
        "unlinkOwnProvider": { _, _ in ["deleteProvider": ["password"], "allowNoSignInMethod": true] },
        "revokeToken": { fixture, ada in
            let credential = try fixture.gateway.appleCredential(SimulatedPerson(id: ada.localId))
            #expect(try await fixture.gateway.link(credential, to: ada.idToken).status == 200)
            return ["providerId": "apple.com", "tokenType": "CODE", "token": "code"]
        },
        "getOwnCredentialState": { _, _ in [:] },
        "mergeOwnAccounts": { fixture, ada in
            let other = try await fixture.signUp("other.\(ada.localId)@example.com")
            return ["dryRun": true, "idToken": .string(other.idToken), "targetIdToken": .string(other.idToken)]
        },
        "listSessions": { _, _ in [:] },
        "exportAccount": { _, _ in [:] },
        "revokeSession": { _, _ in ["sessionId": "current"] },
        "setAppTransaction": { _, _ in ["signedAppTransaction": "e30.e30.e30"] },
        "lookUpOwnAccount": { _, _ in [:] },
        "updateOwnAccount": { _, _ in ["displayName": "Ada"] },
        "deleteOwnAccount": { _, _ in [:] },
        "signInWithCustomToken": { fixture, ada in
            let token = try fixture.backend.customToken(uid: ada.localId, at: fixture.gateway.clock.now) {
                $0["tenant_id"] = fixture.tenant.map(JSON.string)
            }
            return ["token": .string(token)]
        },
        "startMfaEnrollment": { fixture, ada in
            try await fixture.verifyEmail(of: ada)
            return ["totpEnrollmentInfo": [:]]
        },
        "finalizeMfaEnrollment": { fixture, ada in
            try await fixture.verifyEmail(of: ada)
            var request: [String: JSON] = ["idToken": .string(ada.idToken), "totpEnrollmentInfo": [:]]
            request["tenantId"] = fixture.tenant.map(JSON.string)
            let started = try await fixture.gateway.post("/v2/accounts/mfaEnrollment:start", .object(request))
            let info = try #require(started.json["totpSessionInfo"], "\(started.text)")
            let app = try AuthenticatorApp(info)
            return [
                "totpVerificationInfo": [
                    "sessionInfo": info["sessionInfo"] ?? .null,
                    "verificationCode": .string(try app.code(at: fixture.gateway.clock.now)),
                ]
            ]
        },
        "withdrawMfaEnrollment": { fixture, ada in
            try await fixture.addFactor(to: ada)
            return ["mfaEnrollmentId": "factor"]
        },
        "generateRecoveryCodes": { fixture, ada in
            try await fixture.addFactor(to: ada)
            return [:]
        },
        "startPasskeyEnrollment": { _, _ in [:] },
        "finalizePasskeyEnrollment": { fixture, ada in
            var request: [String: JSON] = ["idToken": .string(ada.idToken)]
            request["tenantId"] = fixture.tenant.map(JSON.string)
            let started = try await fixture.gateway.post("/v2/accounts/passkeyEnrollment:start", .object(request))
            var device = try TestPasskey()
            return ["authenticatorRegistrationResponse": try device.register(started)]
        },
        "createSessionCookie": { _, _ in [:] },
        "createSessionCookieInTenant": { _, _ in [:] },
        "sendProjectOobCode": { _, _ in ["requestType": "VERIFY_EMAIL"] },
        "sendProjectOobCodeInTenant": { _, _ in ["requestType": "VERIFY_EMAIL"] },
    ]

    static let secondFactors = SecondFactorPolicy(state: .enabled, allowsTOTP: true)

    let gateway: TestGateway
    let backend: ServiceKey
    let tenant: String?

    /// - Parameter tenant: the tenant of the accounts; `nil` for the project itself.
    init(_ gateway: TestGateway, tenant: String?) async throws {
        self.gateway = gateway
        self.tenant = tenant
        backend = try await ServiceKey(in: gateway)
        guard let tenant else { return }
        var settings = TenantSettings()
        settings.allowsPasswords = true
        settings.allowsEmailLinks = true
        settings.secondFactors = Self.secondFactors
        try await PostgresTenantStore(pool: gateway.database.pool, supporting: .live).create(
            Tenant(id: ID(tenant), parent: ID("demo"), settings: settings), by: .system, at: gateway.clock.now)
    }

    /// Reads the operations from the contract that the gateway publishes.
    func operations() async throws -> [Operation] {
        let all = try await operationsOfContract()
        guard tenant != nil else { return all.filter { !$0.path.contains("{tenant}") } }
        // The tenant has no identity providers.
        return all.filter { !["signInWithIdp", "revokeToken"].contains($0.id) }
            .filter { !$0.isForAdministrators || $0.path.contains("{tenant}") }
    }

    private func operationsOfContract() async throws -> [Operation] {
        let contract = try await gateway.getWithoutAPIKey("/openapi.json").json
        guard case .object(let paths) = contract["paths"] else { return [] }
        return try paths.sorted { $0.key < $1.key }.flatMap { path, item in
            guard case .object(let methods) = item else { return [Operation]() }
            return try methods.values.flatMap { try Self.operations(described: $0, at: path, in: contract) }
        }
    }

    private static func operations(described: JSON, at path: String, in contract: JSON) throws -> [Operation] {
        // The operation's `id_token` is the one of Apple.
        guard let id = described["operationId"]?.string, id != "postAuthHandler",
            case .object(let content) = described["requestBody"]?["content"]
        else { return [] }
        let isForAdministrators = described["security"]?[0]?.keys == ["serviceKey"]
        return try content.values.flatMap { try members(of: $0["schema"], in: contract) }
            .map { Operation(id: id, path: path, member: $0, isForAdministrators: isForAdministrators) }
    }

    /// The members of a request that contain an ID token of the gateway: texts whose name ends with `IdToken` in any
    /// letter case.
    private static func members(of schema: JSON?, in contract: JSON) throws -> [String] {
        guard let reference = schema?["$ref"]?.string else { return [] }
        let name = try #require(reference.split(separator: "/").last)
        guard case .object(let properties) = contract["components"]?["schemas"]?[String(name)]?["properties"] else {
            return []
        }
        return properties.keys.filter { $0.lowercased().replacing("_", with: "").hasSuffix("idtoken") }.sorted()
    }

    func signUp(_ email: String) async throws -> TestGateway.Tokens {
        var body: [String: JSON] = ["email": .string(email), "password": "secret1"]
        body["tenantId"] = tenant.map(JSON.string)
        return try TestGateway.Tokens(try await gateway.post("/v1/accounts:signUp", .object(body)))
    }

    private func verifyEmail(of account: TestGateway.Tokens) async throws {
        _ = try await gateway.database.pool.execute(
            "UPDATE account SET email_verified = true WHERE id = \(account.localId)")
    }

    /// Stores a second factor with the ID `factor`, and marks the account's sessions as opened with it.
    private func addFactor(to account: TestGateway.Tokens) async throws {
        for statement: SQL in [
            """
            INSERT INTO second_factor (realm_id, account_id, owner_id, id, kind, enrolled_at, secret, last_step)
            SELECT realm_id, id, id, 'factor', 'totp', now(), '', 0 FROM account WHERE id = \(account.localId)
            """,
            "UPDATE account SET factor_count = 1 WHERE id = \(account.localId)",
            "UPDATE session SET second_factor = 'totp', second_factor_id = 'factor' WHERE account_id = \(account.localId)",
        ] { _ = try await gateway.database.pool.execute(statement) }
    }

    private func email(of account: TestGateway.Tokens) async throws -> String {
        try #require(try await gateway.accountSeenByUser(account.idToken)["email"]?.string)
    }

    /// Returns a valid body for the operation, without the token.
    func body(for operation: Operation, of account: TestGateway.Tokens) async throws -> [String: JSON] {
        let makeBody = try #require(Self.bodies[operation.id])
        var body = try await makeBody(self, account)
        if !operation.isForAdministrators { body["tenantId"] = tenant.map(JSON.string) }
        return body
    }

    /// Returns the outcome of a request with the token.
    func call(_ operation: Operation, _ body: [String: JSON], with token: String) async throws -> String {
        let body = JSON.object(body.merging([operation.member: .string(token)]) { $1 })
        guard operation.isForAdministrators else { return try await gateway.post(operation.path, body).outcome }
        let bearer = gateway.root.mode.publicURL == nil ? "owner" : backend.secret
        let path = operation.path.replacing("{project}", with: "demo").replacing("{tenant}", with: tenant ?? "")
        return try await gateway.send(
            .post, path, body: body.bytes, query: [], headers: ["Authorization": "Bearer \(bearer)"]
        ).outcome
    }
}
