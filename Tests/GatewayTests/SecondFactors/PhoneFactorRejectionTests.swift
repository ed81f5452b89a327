import Identity
import Postgres
import Testing

@testable import Support

/// The order of checks of Firebase's emulator, and the rules that only this gateway has.
@Suite("Rejected requests about telephone numbers as second factors")
struct PhoneFactorRejectionTests {
    private static let number = "+15555550100"
    private static let notEnabled = "400 OPERATION_NOT_ALLOWED : SMS based MFA not enabled."
    private static let unsupported = "400 UNSUPPORTED_FIRST_FACTOR : MFA is not available for the given first factor."
    private static let exists =
        "400 SECOND_FACTOR_EXISTS : Phone number already enrolled as second factor for this account."

    struct Row: CustomTestStringConvertible {
        let testDescription: String
        let outcome: String
        let send: @Sendable (TestGateway) async throws -> Exchange

        init(
            _ testDescription: String, _ outcome: String,
            send: @escaping @Sendable (TestGateway) async throws -> Exchange
        ) {
            self.testDescription = testDescription
            self.outcome = outcome
            self.send = send
        }
    }

    private static func start(_ gateway: TestGateway, _ body: [String: JSON]) async throws -> Exchange {
        try await gateway.post("/v2/accounts/mfaEnrollment:start", .object(body))
    }

    private static func start(
        _ gateway: TestGateway, _ idToken: String, _ number: JSON = .string(number)
    ) async throws -> Exchange {
        try await start(gateway, ["idToken": .string(idToken), "phoneEnrollmentInfo": ["phoneNumber": number]])
    }

    private static func finalize(
        _ gateway: TestGateway, _ idToken: String?, _ proof: JSON?
    ) async throws -> Exchange {
        var body: [String: JSON] = [:]
        body["idToken"] = idToken.map(JSON.string)
        body["phoneVerificationInfo"] = proof
        return try await gateway.post("/v2/accounts/mfaEnrollment:finalize", .object(body))
    }

    static let enrolments = [
        Row("start: no ID token", "400 MISSING_ID_TOKEN") { try await start($0, ["phoneEnrollmentInfo": [:]]) },
        Row("start: anonymous", unsupported) {
            try await start($0, TestGateway.Tokens($0.post("/v1/accounts:signUp")).idToken)
        },
        Row("start: session by telephone number", unsupported) {
            let signedIn = try await $0.signIn(phoneNumber: "+15555551100")
            return try await start($0, try #require(signedIn.json["idToken"]?.string))
        },
        Row(
            "start: unverified address, before the missing member",
            "400 UNVERIFIED_EMAIL : Need to verify email first before enrolling second factors."
        ) { try await start($0, ["idToken": .string($0.signUp().idToken)]) },
        Row("start: no kind", "400 INVALID_ARGUMENT : ((Missing phoneEnrollmentInfo.))") {
            try await start($0, ["idToken": .string($0.signUpVerified().idToken)])
        },
        Row("start: no number", "400 INVALID_PHONE_NUMBER : Invalid format.") {
            try await start($0, ["idToken": .string($0.signUpVerified().idToken), "phoneEnrollmentInfo": [:]])
        },
        Row("start: number without a plus sign", "400 INVALID_PHONE_NUMBER : Invalid format.") {
            try await start($0, $0.signUpVerified().idToken, "15555550100")
        },
        Row("start: enrolled number, in another notation", exists) {
            let ada = try await $0.enrolled(number, $0.signUpVerified())
            return try await start($0, ada.idToken, "+1 (555) 555-0100")
        },
        Row("start: old login", "400 CREDENTIAL_TOO_OLD_LOGIN_AGAIN") {
            let ada = try await $0.signUpVerified()
            $0.clock.advance(by: .seconds(301))
            return try await start($0, ada.idToken)
        },
        Row("start: sixth factor", "400 SECOND_FACTOR_LIMIT_EXCEEDED") {
            var tokens = try await $0.signUpVerified()
            for index in 0..<5 {
                tokens = try await $0.enrolled("+1555555\(2000 + index)", tokens)
            }
            return try await start($0, tokens.idToken)
        },
        Row(
            "start: region that is not allowed",
            "400 OPERATION_NOT_ALLOWED : SMS unable to be sent until this region enabled by the app developer."
        ) { try await start($0, $0.signUpVerified().idToken, "+4915123456789") },
        Row("finalize: no ID token", "400 MISSING_ID_TOKEN") { try await finalize($0, nil, nil) },
        Row("finalize: no proof", "400 INVALID_ARGUMENT : ((Missing phoneVerificationInfo.))") {
            try await finalize($0, $0.signUpVerified().idToken, nil)
        },
        Row("finalize: no code", "400 MISSING_CODE") { try await finalize($0, $0.signUpVerified().idToken, [:]) },
        Row("finalize: no session info", "400 MISSING_SESSION_INFO") {
            try await finalize($0, $0.signUpVerified().idToken, ["code": "123456"])
        },
        Row("finalize: unknown session info", "400 INVALID_SESSION_INFO") {
            try await finalize($0, $0.signUpVerified().idToken, ["code": "123456", "sessionInfo": "x"])
        },
        Row("finalize: code for a sign-in", "400 INVALID_SESSION_INFO") {
            try await finalize($0, $0.signUpVerified().idToken, .object($0.phoneProof(number)))
        },
        Row("finalize: wrong code", "400 INVALID_CODE") {
            let ada = try await $0.signUpVerified()
            let started = try await start($0, ada.idToken)
            return try await finalize(
                $0, ada.idToken,
                ["code": "x", "sessionInfo": started.json["phoneSessionInfo"]?["sessionInfo"] ?? .null])
        },
        Row("finalize: late", "400 SESSION_EXPIRED") {
            let started = try await start($0, $0.signUpVerified().idToken)
            $0.clock.advance(by: .seconds(601))
            let sessionInfo = try #require(started.json["phoneSessionInfo"]?["sessionInfo"]?.string)
            return try await $0.finalizeEnrolment(
                try TestGateway.Tokens(await $0.signIn()).idToken, sessionInfo, try #require($0.code(of: sessionInfo)))
        },
        Row("finalize: code from before a new password", "400 INVALID_SESSION_INFO") {
            let ada = try await $0.signUpVerified()
            let started = try await start($0, ada.idToken)
            let sessionInfo = try #require(started.json["phoneSessionInfo"]?["sessionInfo"]?.string)
            let changed = try await $0.update(ada.idToken, ["password": "secret2"])
            return try await $0.finalizeEnrolment(
                try #require(changed.json["idToken"]?.string), sessionInfo, try #require($0.code(of: sessionInfo)))
        },
    ]

    @Test("An enrolment is rejected in the order of Firebase's checks", arguments: enrolments)
    func enrolment(row: Row) async throws {
        let gateway = try await TestGateway.withSecondFactors()
        #expect(try await row.send(gateway).outcome == row.outcome)
    }

    @Test(
        "Enrolment is refused before all other checks unless the state and the providers allow it",
        arguments: [(SecondFactorPolicy.State.disabled, true), (.enabled, false), (.mandatory, false)])
    func notAllowed(state: SecondFactorPolicy.State, allowsSMS: Bool) async throws {
        let gateway = try await TestGateway.withSecondFactors(state) { $0.secondFactors.allowsSMS = allowsSMS }
        #expect(try await Self.start(gateway, ["phoneEnrollmentInfo": [:]]).outcome == Self.notEnabled)
        #expect(try await Self.finalize(gateway, nil, [:]).outcome == Self.notEnabled)
    }

    private static func startSignIn(_ gateway: TestGateway, _ body: [String: JSON]) async throws -> Exchange {
        try await gateway.post("/v2/accounts/mfaSignIn:start", .object(body))
    }

    private static func finalizeSignIn(
        _ gateway: TestGateway, _ credential: JSON?, _ proof: [String: JSON]
    ) async throws -> Exchange {
        try await gateway.post(
            "/v2/accounts/mfaSignIn:finalize",
            .object(proof.merging(["mfaPendingCredential": credential ?? .null]) { $1 }))
    }

    static let signIns = [
        Row(
            "start: no credential",
            "400 MISSING_MFA_PENDING_CREDENTIAL : Request does not have MFA pending credential."
        ) { try await startSignIn($0, ["mfaEnrollmentId": "x"]) },
        Row("start: no factor", "400 MISSING_MFA_ENROLLMENT_ID : Please set the ID of the second factor.") {
            try await startSignIn($0, ["mfaPendingCredential": "x"])
        },
        Row("start: unknown credential", "400 INVALID_MFA_PENDING_CREDENTIAL") {
            try await startSignIn($0, ["mfaPendingCredential": "x", "mfaEnrollmentId": "x"])
        },
        Row("start: unknown factor", "400 MFA_ENROLLMENT_NOT_FOUND") {
            try await $0.startSecondFactor($0.signIn(), "x")
        },
        Row("start: factor of another account", "400 MFA_ENROLLMENT_NOT_FOUND") {
            let eve = try await $0.enrolled(number, $0.signUpVerified(email: "eve@example.com"))
            let factor = try claims(of: eve.idToken)["firebase"]?["second_factor_identifier"]
            return try await $0.startSecondFactor($0.signIn(), factor ?? .null)
        },
        Row("start: one-time password", "400 INVALID_ARGUMENT : MFA provider not supported!") {
            let eve = try await $0.signUpEnrolled(email: "eve@example.com")
            return try await $0.startSecondFactor($0.signIn(email: "eve@example.com"), .string(eve.factor))
        },
        Row("finalize: no credential", "400 MISSING_CREDENTIAL : Please set MFA Pending Credential.") {
            try await finalizeSignIn($0, nil, ["phoneVerificationInfo": ["sessionInfo": "x", "code": "x"]])
        },
        Row("finalize: no proof", "400 INVALID_ARGUMENT : MFA provider not supported!") {
            try await finalizeSignIn($0, $0.signIn().json["mfaPendingCredential"], [:])
        },
        Row("finalize: no code", "400 MISSING_CODE") {
            try await finalizeSignIn($0, $0.signIn().json["mfaPendingCredential"], ["phoneVerificationInfo": [:]])
        },
        Row("finalize: no session info", "400 MISSING_SESSION_INFO") {
            try await finalizeSignIn(
                $0, $0.signIn().json["mfaPendingCredential"], ["phoneVerificationInfo": ["code": "x"]])
        },
        Row("finalize: unknown session info", "400 INVALID_SESSION_INFO") {
            try await finalizeSignIn(
                $0, $0.signIn().json["mfaPendingCredential"],
                ["phoneVerificationInfo": ["code": "x", "sessionInfo": "x"]])
        },
        Row("finalize: one-time password of a telephone number", "400 INVALID_ARGUMENT : MFA provider not supported!") {
            let first = try await $0.signIn()
            return try await $0.finalizeSignIn(
                first, try #require(first.json["mfaInfo"]?[0]?["mfaEnrollmentId"]?.string), "123456")
        },
        Row("finalize: late code", "400 SESSION_EXPIRED") {
            let first = try await $0.signIn()
            let started = try await $0.startSecondFactor(first, first.json["mfaInfo"]?[0]?["mfaEnrollmentId"] ?? .null)
            let sessionInfo = try #require(started.json["phoneResponseInfo"]?["sessionInfo"]?.string)
            let code = try #require($0.code(of: sessionInfo))
            $0.clock.advance(by: .seconds(601))
            return try await $0.finalizeSignIn($0.signIn(), sessionInfo, code: code)
        },
        Row("finalize: sixth attempt at a code", "400 TOO_MANY_ATTEMPTS_TRY_LATER") {
            let first = try await $0.signIn()
            let started = try await $0.startSecondFactor(first, first.json["mfaInfo"]?[0]?["mfaEnrollmentId"] ?? .null)
            let sessionInfo = try #require(started.json["phoneResponseInfo"]?["sessionInfo"]?.string)
            for _ in 0..<5 {
                #expect(try await $0.finalizeSignIn(first, sessionInfo, code: "x").outcome == "400 INVALID_CODE")
            }
            return try await $0.finalizeSignIn(first, sessionInfo, code: try #require($0.code(of: sessionInfo)))
        },
        Row("finalize: disabled account", "400 USER_DISABLED") {
            let first = try await $0.signIn()
            let started = try await $0.startSecondFactor(first, first.json["mfaInfo"]?[0]?["mfaEnrollmentId"] ?? .null)
            let sessionInfo = try #require(started.json["phoneResponseInfo"]?["sessionInfo"]?.string)
            _ = try await $0.database.pool.execute("UPDATE account SET disabled_at = now()")
            return try await $0.finalizeSignIn(first, sessionInfo, code: try #require($0.code(of: sessionInfo)))
        },
    ]

    @Test("The second step of a sign-in is rejected in the order of Firebase's checks", arguments: signIns)
    func signIn(row: Row) async throws {
        let gateway = try await TestGateway.withSecondFactors()
        #expect(try await gateway.enrol(number: Self.number, gateway.signUpVerified()).outcome == "200")
        #expect(try await row.send(gateway).outcome.hasPrefix(row.outcome))
    }
}
