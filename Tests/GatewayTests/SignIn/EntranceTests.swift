import Encoding
import Identity
import Postgres
import Simulators
import Testing

@testable import Support

/// The operations that answer tokens, each with the entrance of ``SignInCompletion`` that it takes. Ada has a password,
/// an Apple identity and a session.
@Suite("Entrances to a session")
struct EntranceTests {
    enum Entrance {
        /// Passes the gates of a sign-in.
        case signIn
        /// Renews the session of a caller, which must be active.
        case callerChange
        /// Continues a session.
        case refresh
    }

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let operation: String
        let entrance: Entrance
        let path: String
        /// The outcome if Ada's account is disabled (``Entrance/signIn``) or her session has ended.
        let blockedOutcome: String
        /// Returns the body of the request, after the requests that precede it.
        let body: @Sendable (TestGateway, TestGateway.Tokens) async throws -> [String: JSON]

        init(
            _ testDescription: String, _ operation: String, _ entrance: Entrance, _ path: String,
            blocked: String? = nil,
            body: @escaping @Sendable (TestGateway, TestGateway.Tokens) async throws -> [String: JSON]
        ) {
            self.testDescription = "\(operation): \(testDescription)"
            self.operation = operation
            self.entrance = entrance
            self.path = path
            blockedOutcome = blocked ?? (entrance == .signIn ? "400 USER_DISABLED" : "400 TOKEN_EXPIRED")
            self.body = body
        }
    }

    static let rows = [
        Row("password", "signUp", .signIn, "/v1/accounts:signUp", blocked: "200") { _, _ in
            ["email": "eve@example.com", "password": "secret1"]
        },
        Row("anonymous", "signUp", .signIn, "/v1/accounts:signUp", blocked: "200") { _, _ in [:] },
        Row("with an ID token", "signUp", .callerChange, "/v1/accounts:signUp") {
            ["idToken": .string($1.idToken), "email": "ada@example.com", "password": "secret2"]
        },
        Row("sign-in", "signInWithPassword", .signIn, "/v1/accounts:signInWithPassword") { _, _ in
            ["email": "ada@example.com", "password": "secret1"]
        },
        Row("sign-in", "signInWithIdp", .signIn, "/v1/accounts:signInWithIdp") { gateway, _ in
            ["postBody": .string(try gateway.appleCredential().postBody), "requestUri": "http://localhost"]
        },
        Row("with an ID token", "signInWithIdp", .callerChange, "/v1/accounts:signInWithIdp") { gateway, ada in
            [
                "postBody": .string(try gateway.googleCredential().postBody), "requestUri": "http://localhost",
                "idToken": .string(ada.idToken),
            ]
        },
        Row("sign-in", "signInWithEmailLink", .signIn, "/v1/accounts:signInWithEmailLink") { gateway, _ in
            let code = try await gateway.requestedCode("EMAIL_SIGNIN", ["email": "ada@example.com"])
            return ["email": "ada@example.com", "oobCode": .string(code)]
        },
        Row("with an ID token", "signInWithEmailLink", .callerChange, "/v1/accounts:signInWithEmailLink") {
            let code = try await $0.requestedCode("EMAIL_SIGNIN", ["email": "ada@example.com"])
            return ["email": "ada@example.com", "oobCode": .string(code), "idToken": .string($1.idToken)]
        },
        Row("sign-in", "signInWithCustomToken", .signIn, "/v1/accounts:signInWithCustomToken") {
            let key = try await ServiceKey(in: $0)
            return ["token": .string(try key.customToken(uid: $1.localId, at: $0.clock.now))]
        },
        Row("sign-in", "signInWithPhoneNumber", .signIn, "/v1/accounts:signInWithPhoneNumber") { gateway, ada in
            try await gateway.setPhoneNumber("+15555550100", of: ada.localId)
            return try await gateway.phoneProof("+15555550100")
        },
        Row("with an ID token", "signInWithPhoneNumber", .callerChange, "/v1/accounts:signInWithPhoneNumber") {
            try await $0.phoneProof("+15555550100").merging(["idToken": .string($1.idToken)]) { $1 }
        },
        Row("password", "updateOwnAccount", .callerChange, "/v1/accounts:update") {
            ["idToken": .string($1.idToken), "password": "secret2"]
        },
        Row("password", "unlinkOwnProvider", .callerChange, "/v1/accounts:unlink") {
            ["idToken": .string($1.idToken), "deleteProvider": ["password"]]
        },
        Row("password and code", "finalizeMfaSignIn", .signIn, "/v2/accounts/mfaSignIn:finalize") { gateway, ada in
            let enrolled = try await gateway.enrol(ada)
            let first = try await gateway.signIn()
            return [
                "mfaPendingCredential": first.json["mfaPendingCredential"] ?? .null,
                "mfaEnrollmentId": .string(enrolled.factor),
                "totpVerificationInfo": ["verificationCode": .string(try enrolled.app.code(at: gateway.clock.now))],
            ]
        },
        Row("telephone number", "finalizeMfaSignIn", .signIn, "/v2/accounts/mfaSignIn:finalize") { gateway, ada in
            #expect(try await gateway.enrol(number: "+15555550100", ada).outcome == "200")
            let first = try await gateway.signIn()
            let factor = try #require(first.json["mfaInfo"]?[0]?["mfaEnrollmentId"])
            let started = try await gateway.startSecondFactor(first, factor)
            let sessionInfo = try #require(started.json["phoneResponseInfo"]?["sessionInfo"]?.string)
            return [
                "mfaPendingCredential": first.json["mfaPendingCredential"] ?? .null,
                "phoneVerificationInfo": [
                    "sessionInfo": .string(sessionInfo), "code": .string(try #require(gateway.code(of: sessionInfo))),
                ],
            ]
        },
        Row("one-time password", "finalizeMfaEnrollment", .callerChange, "/v2/accounts/mfaEnrollment:finalize") {
            let started = try await $0.startEnrolment($1.idToken)
            let info = try #require(started.json["totpSessionInfo"], "\(started.text)")
            let app = try AuthenticatorApp(info)
            return [
                "idToken": .string($1.idToken),
                "totpVerificationInfo": [
                    "sessionInfo": info["sessionInfo"] ?? .null,
                    "verificationCode": .string(try app.code(at: $0.clock.now)),
                ],
            ]
        },
        Row("one-time password", "withdrawMfaEnrollment", .callerChange, "/v2/accounts/mfaEnrollment:withdraw") {
            let enrolled = try await $0.enrol($1)
            return ["idToken": .string(enrolled.idToken), "mfaEnrollmentId": .string(enrolled.factor)]
        },
        Row("passkey", "finalizePasskeyEnrollment", .callerChange, "/v2/accounts/passkeyEnrollment:finalize") {
            var device = try TestPasskey()
            let started = try await $0.startPasskeyEnrolment($1.idToken)
            return [
                "idToken": .string($1.idToken),
                "authenticatorRegistrationResponse": try device.register(started),
            ]
        },
        Row("passkey", "finalizePasskeySignIn", .signIn, "/v2/accounts/passkeySignIn:finalize") {
            var device = try await $0.enrolPasskey($1).device
            return ["authenticatorAuthenticationResponse": try device.sign(await $0.startPasskeySignIn())]
        },
        Row("passkey", "finalizePasskeySignUp", .signIn, "/v2/accounts/passkeySignUp:finalize", blocked: "200") {
            gateway, _ in
            var device = try TestPasskey()
            let started = try await gateway.post("/v2/accounts/passkeySignUp:start", [:])
            return ["authenticatorRegistrationResponse": try device.register(started)]
        },
        Row("into another account", "mergeOwnAccounts", .callerChange, "/v1/accounts:merge") { gateway, ada in
            let target = try TestGateway.Tokens(await gateway.signIn(gateway.googleCredential(.mary)))
            let preview = try await gateway.post(
                "/v1/accounts:merge",
                ["idToken": .string(ada.idToken), "targetIdToken": .string(target.idToken), "dryRun": true])
            return ["idToken": .string(ada.idToken), "mergeToken": preview.json["mergeToken"] ?? .null]
        },
        Row("refresh token", "refreshTokens", .refresh, "/v1/token") {
            ["grant_type": "refresh_token", "refresh_token": .string($1.refreshToken)]
        },
    ]

    @Test("The table lists every operation of the contract whose response has a refresh token")
    func complete() async throws {
        let contract = try await TestGateway().getWithoutAPIKey("/openapi.json").json
        let paths = try #require(contract["paths"])
        var operations: Set<String> = []
        for path in paths.keys {
            for method in paths[path]?.keys ?? [] {
                guard let operation = paths[path]?[method],
                    let schema = operation["responses"]?["200"]?["content"]?["application/json"]?["schema"]
                else { continue }
                let name = schema["$ref"]?.string?.split(separator: "/").last.map(String.init) ?? ""
                let members = (contract["components"]?["schemas"]?[name] ?? schema)["properties"]?.keys ?? []
                if !members.isDisjoint(with: ["refreshToken", "refresh_token"]) {
                    operations.insert(try #require(operation["operationId"]?.string))
                }
            }
        }
        #expect(Set(Self.rows.map(\.operation)) == operations)
    }

    @Test(
        "A sign-in needs an enabled account, and a change needs the caller's active session; both open one session",
        arguments: rows, [false, true])
    func entrance(row: Row, isBlocked: Bool) async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        _ = try await gateway.link(gateway.appleCredential(), to: ada.idToken)
        let body = try await row.body(gateway, ada)
        if isBlocked {
            _ = try await gateway.database.pool.execute(
                row.entrance == .signIn
                    ? "UPDATE account SET disabled_at = now()" : "UPDATE session SET ended_at = now()")
        }
        let before = try await sessions(in: gateway)
        let answer = try await gateway.post(row.path, .object(body))
        let opens = !isBlocked || row.blockedOutcome == "200"
        #expect(answer.outcome == (opens ? "200" : row.blockedOutcome), "\(answer.text)")
        let tokens = answer.json["refreshToken"] ?? answer.json["refresh_token"]
        #expect((tokens != nil) == opens)
        let opened = try await sessions(in: gateway).subtracting(before)
        #expect(opened.count == (opens && row.entrance != .refresh ? 1 : 0))
    }

    @Test(
        "No operation signs in to an account with second factors by the first factor alone, except a custom token and a passkey",
        arguments: rows.filter { $0.entrance == .signIn && $0.operation != "finalizeMfaSignIn" })
    func enrolled(row: Row) async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        _ = try await gateway.link(gateway.appleCredential(), to: ada.idToken)
        let body = try await row.body(gateway, ada)
        let enrolled = try await gateway.enrol(TestGateway.Tokens(await gateway.signIn()))
        let before = try await sessions(in: gateway)
        let answer = try await gateway.post(row.path, .object(body))
        guard row.operation != "signInWithPhoneNumber" else {
            #expect(answer.wireCode == "UNSUPPORTED_FIRST_FACTOR")
            #expect(try await sessions(in: gateway) == before)
            return
        }
        #expect(answer.status == 200, "\(answer.text)")
        // A passkey is two factors.
        let isExempt =
            ["signInWithCustomToken", "signUp", "finalizePasskeySignIn", "finalizePasskeySignUp"]
            .contains(row.operation)
        #expect((answer.json["refreshToken"] != nil) == isExempt)
        #expect(try await sessions(in: gateway).subtracting(before).count == (isExempt ? 1 : 0))
        if !isExempt {
            let done = try await gateway.finalizeSignIn(
                answer, enrolled.factor, enrolled.app.code(at: gateway.clock.now))
            #expect(done.status == 200, "\(done.text)")
        }
    }

    @Test(
        "No change by a session without second factor opens a session of an account with second factors",
        arguments: rows.filter { $0.entrance == .callerChange && $0.operation != "withdrawMfaEnrollment" })
    func enrolledCaller(row: Row) async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        _ = try await gateway.link(gateway.appleCredential(), to: ada.idToken)
        let body = try await row.body(gateway, ada)
        _ = try await gateway.enrol(TestGateway.Tokens(await gateway.signIn()))
        let before = try await sessions(in: gateway)
        let answer = try await gateway.post(row.path, .object(body))
        let refusals = [
            "finalizeMfaEnrollment": "SECOND_FACTOR_EXISTS", "signInWithPhoneNumber": "UNSUPPORTED_FIRST_FACTOR",
        ]
        #expect(
            answer.wireCode == refusals[row.operation, default: "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"], "\(answer.text)")
        #expect(try await sessions(in: gateway).subtracting(before) == [])
    }

    @Test("A refresh keeps the claims of a session that was opened before the enrolment, and adds none")
    func refreshAfterEnrolment() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        _ = try await gateway.enrol(TestGateway.Tokens(await gateway.signIn()))
        let refreshed = try await gateway.refresh(ada.refreshToken)
        let idToken = try #require(refreshed.json["id_token"]?.string, "\(refreshed.text)")
        #expect(try claims(of: idToken)["firebase"]?["sign_in_second_factor"] == nil)
    }

    private func sessions(in gateway: TestGateway) async throws -> Set<String> {
        Set(try await gateway.database.pool.query("SELECT id::text AS id FROM session").map { try $0.decode("id") })
    }
}
