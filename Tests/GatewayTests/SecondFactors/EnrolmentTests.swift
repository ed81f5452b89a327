import Crypto
import Encoding
import Identity
import Postgres
import Storage
import Testing

@testable import Gateway
@testable import Support

@Suite("Enrolment of second factors")
struct EnrolmentTests {
    @Test("An enrolled one-time password is in look-ups and in the tokens of a session that replaces the caller's")
    func enrolment() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        let other = try TestGateway.Tokens(await gateway.signIn())
        let authTime = try claims(of: ada.idToken)["auth_time"]
        let started = try await gateway.startEnrolment(ada.idToken)
        let info = try #require(started.json["totpSessionInfo"])
        #expect(info["verificationCodeLength"] == 6)
        #expect(info["hashingAlgorithm"] == "SHA1")
        #expect(info["periodSec"] == 30)
        #expect(info["finalizeEnrollmentTime"]?.string == (gateway.clock.now + .seconds(600)).iso8601)
        let enrolled = try await gateway.enrol(ada)
        let tokens = try claims(of: enrolled.idToken)
        #expect(tokens["firebase"]?["sign_in_second_factor"] == "totp")
        #expect(tokens["firebase"]?["sign_in_provider"] == "password")
        #expect(tokens["auth_time"] == authTime)
        #expect(tokens["aud"] == "demo")
        #expect(try await gateway.lookup(ada.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.lookup(other.idToken).status == 200)
        let user = try await gateway.lookup(enrolled.idToken).json["users"]?[0]
        let factor = user?["mfaInfo"]?[0]
        #expect(factor?["mfaEnrollmentId"]?.string == enrolled.factor)
        #expect(factor?["displayName"] == "Phone")
        #expect(factor?["totpInfo"] == [:])
        #expect(factor?["phoneInfo"] == nil)
        #expect(user?["recoveryCodeInfo"] == nil)
        #expect(try await gateway.accountSeenByAdmin(ada.localId)["mfaInfo"]?[0] == factor)
        let refreshed = try await gateway.refresh(enrolled.refreshToken)
        let idToken = try #require(refreshed.json["id_token"]?.string)
        #expect(try claims(of: idToken)["firebase"]?["second_factor_identifier"]?.string == enrolled.factor)
    }

    @Test("The secret is stored encrypted")
    func sealed() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let enrolled = try await gateway.signUpEnrolled()
        #expect(try await gateway.tables(containing: Hexadecimal.encode(enrolled.app.secret)) == [])
        #expect(try await gateway.tables(containing: Base32.encode(enrolled.app.secret)) == [])
    }

    @Test("After re-encryption, the secrets of all factors can be decrypted with the new master key alone")
    func reencryption() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let apps = try await [
            gateway.signUpEnrolled().app, gateway.signUpEnrolled(email: "grace@example.com").app,
        ]
        // A telephone number has no secret.
        _ = try await gateway.enrolled("+15555550100", gateway.signUpVerified(email: "mary@example.com"))
        let store = EncryptedFactorSecrets(pool: gateway.database.pool)
        let both = try MasterKeys(current: TestGateway.newMasterKey, previous: TestGateway.masterKey)
        #expect(try await Reencryption.factorSecrets(in: store).reencrypt(with: SealedBox(keys: both)) == 2)
        #expect(try await Reencryption.factorSecrets(in: store).reencrypt(with: SealedBox(keys: both)) == 0)
        let secrets = FactorSecrets.sealing(under: try MasterKeys(current: TestGateway.newMasterKey))
        let opened = try await store.secrets(after: nil, limit: 10)
            .map { try secrets.open($0.secret, $0.factor, $0.realm) }
        #expect(Set(opened) == Set(apps.map(\.secret)))
    }

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

    static let rejections = [
        Row("start: telephone number", "400 OPERATION_NOT_ALLOWED : SMS based MFA not enabled.") {
            try await $0.post("/v2/accounts/mfaEnrollment:start", ["phoneEnrollmentInfo": [:]])
        },
        Row("start: no ID token", "400 MISSING_ID_TOKEN") {
            try await $0.post("/v2/accounts/mfaEnrollment:start", ["totpEnrollmentInfo": [:]])
        },
        Row("start: invalid ID token", "400 INVALID_ID_TOKEN") { try await $0.startEnrolment("no token") },
        Row(
            "start: anonymous", "400 UNSUPPORTED_FIRST_FACTOR : MFA is not available for the given first factor."
        ) { try await $0.startEnrolment(TestGateway.Tokens($0.post("/v1/accounts:signUp")).idToken) },
        Row(
            "start: custom token", "400 UNSUPPORTED_FIRST_FACTOR : MFA is not available for the given first factor."
        ) { gateway in
            let ada = try await gateway.signUpVerified()
            let key = try await ServiceKey(in: gateway)
            let signedIn = try await gateway.post(
                "/v1/accounts:signInWithCustomToken",
                ["token": .string(try key.customToken(uid: ada.localId, at: gateway.clock.now))])
            return try await gateway.startEnrolment(try #require(signedIn.json["idToken"]?.string))
        },
        Row(
            "start: unverified address",
            "400 UNVERIFIED_EMAIL : Need to verify email first before enrolling second factors."
        ) { try await $0.startEnrolment($0.signUp().idToken) },
        Row("start: no kind", "400 INVALID_ARGUMENT : ((Missing totpEnrollmentInfo.))") {
            try await $0.post(
                "/v2/accounts/mfaEnrollment:start", ["idToken": .string($0.signUpVerified().idToken)])
        },
        Row(
            "start: enrolled", "400 SECOND_FACTOR_EXISTS : The account has already enrolled a one-time password."
        ) { try await $0.startEnrolment($0.signUpEnrolled().idToken) },
        Row("start: old login", "400 CREDENTIAL_TOO_OLD_LOGIN_AGAIN") {
            let ada = try await $0.signUpVerified()
            $0.clock.advance(by: .seconds(301))
            return try await $0.startEnrolment(ada.idToken)
        },
        Row("finalize: no proof", "400 INVALID_ARGUMENT : ((Missing totpVerificationInfo.))") {
            try await $0.post(
                "/v2/accounts/mfaEnrollment:finalize", ["idToken": .string($0.signUpVerified().idToken)])
        },
        Row("finalize: no code", "400 MISSING_CODE") {
            try await $0.finalizeEnrolment($0.signUpVerified().idToken, sessionInfo: "", code: "")
        },
        Row("finalize: no session info", "400 MISSING_SESSION_INFO") {
            try await $0.finalizeEnrolment($0.signUpVerified().idToken, sessionInfo: "", code: "123456")
        },
        Row("finalize: foreign session info", "400 INVALID_SESSION_INFO") {
            try await $0.finalizeEnrolment($0.signUpVerified().idToken, sessionInfo: "abc", code: "123456")
        },
        Row("finalize: session info of another account", "400 INVALID_SESSION_INFO") {
            let started = try await $0.startEnrolment($0.signUpVerified(email: "eve@example.com").idToken)
            return try await $0.finalize(started, try await $0.signUpVerified().idToken)
        },
        Row("finalize: late", "400 INVALID_SESSION_INFO") { gateway in
            let ada = try await gateway.signUpVerified()
            let started = try await gateway.startEnrolment(ada.idToken)
            gateway.clock.advance(by: .seconds(601))
            return try await gateway.finalize(started, try TestGateway.Tokens(await gateway.signIn()).idToken)
        },
        Row("finalize: wrong code", "400 INVALID_CODE") {
            let ada = try await $0.signUpVerified()
            return try await $0.finalize(try await $0.startEnrolment(ada.idToken), ada.idToken, ahead: 100)
        },
        Row("finalize: code of another length", "400 INVALID_CODE") {
            let ada = try await $0.signUpVerified()
            let started = try await $0.startEnrolment(ada.idToken)
            let sessionInfo = try #require(started.json["totpSessionInfo"]?["sessionInfo"]?.string)
            return try await $0.finalizeEnrolment(ada.idToken, sessionInfo: sessionInfo, code: "12345")
        },
        Row("finalize twice", "400 SECOND_FACTOR_EXISTS : The account has already enrolled a one-time password.") {
            let ada = try await $0.signUpVerified()
            let started = try await $0.startEnrolment(ada.idToken)
            let first = try await $0.finalize(started, ada.idToken)
            return try await $0.finalize(started, try #require(first.json["idToken"]?.string))
        },
        Row("withdraw: unknown factor", "400 MFA_ENROLLMENT_NOT_FOUND") {
            try await $0.withdraw("unknown", $0.signUpEnrolled().idToken)
        },
        Row("withdraw: session without second factor", "400 CREDENTIAL_TOO_OLD_LOGIN_AGAIN") {
            let ada = try await $0.signUpVerified()
            let other = try TestGateway.Tokens(await $0.signIn())
            return try await $0.withdraw($0.enrol(ada).factor, other.idToken)
        },
        Row("recovery codes: no factor", "400 MFA_ENROLLMENT_NOT_FOUND") {
            try await $0.generateRecoveryCodes($0.signUpVerified().idToken)
        },
    ]

    @Test("A request is rejected", arguments: rejections)
    func rejection(row: Row) async throws {
        let gateway = try await TestGateway.withSecondFactors { $0.secondFactors.allowsSMS = false }
        #expect(try await row.send(gateway).outcome == row.outcome)
    }

    @Test("Factors cannot be enrolled where they are off", arguments: [(false, true), (true, false)])
    func disabled(isEnabled: Bool, allowsTOTP: Bool) async throws {
        let gateway = try await TestGateway.withSecondFactors {
            $0.secondFactors.state = isEnabled ? .enabled : .disabled
            $0.secondFactors.allowsTOTP = allowsTOTP
        }
        let outcome = "400 OPERATION_NOT_ALLOWED : TOTP based MFA not enabled."
        #expect(try await gateway.startEnrolment("").outcome == outcome)
        #expect(try await gateway.finalizeEnrolment("", sessionInfo: "", code: "").outcome == outcome)
    }

    @Test("Of two finalizations at once, one succeeds")
    func race() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        let started = try await gateway.startEnrolment(ada.idToken)
        async let first = gateway.finalize(started, ada.idToken)
        async let second = gateway.finalize(started, ada.idToken)
        let outcomes = try await [first, second].map(\.status)
        #expect(outcomes.sorted() == [200, 400])
    }

    @Test(
        "A withdrawn factor is no longer demanded, and the recovery codes are gone; the changes are audited and announced"
    )
    func withdrawal() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let enrolled = try await gateway.signUpEnrolled()
        #expect(try await gateway.generateRecoveryCodes(enrolled.idToken).status == 200)
        let withdrawn = try await gateway.withdraw(enrolled.factor, enrolled.idToken)
        let idToken = try #require(withdrawn.json["idToken"]?.string, "\(withdrawn.text)")
        #expect(try claims(of: idToken)["firebase"]?["sign_in_second_factor"] == nil)
        #expect(try await gateway.lookup(enrolled.idToken).outcome == "400 TOKEN_EXPIRED")
        let user = try await gateway.lookup(idToken).json["users"]?[0]
        #expect(user?["mfaInfo"] == nil)
        #expect(user?["recoveryCodeInfo"] == nil)
        #expect(try await gateway.signIn().json["idToken"] != nil)
        let kinds: [OutgoingEmail.Kind] = [.factorAdded, .factorRemoved, .recoveryCodesRenewed]
        #expect(try await gateway.emails().map(\.kind).filter { $0 != .verifyEmail } == kinds)
        let actions = try await gateway.auditTrail().map(\.action)
        for action in ["factor.added", "recoveryCode.renewed", "factor.removed"] { #expect(actions.contains(action)) }
    }
}

extension TestGateway {
    /// Finalizes an enrolment with the code of an authenticator app that has the secret of `started`.
    fileprivate func finalize(_ started: Exchange, _ idToken: String, ahead: Int64 = 0) async throws -> Exchange {
        let info = try #require(started.json["totpSessionInfo"], "\(started.text)")
        let app = try AuthenticatorApp(info)
        return try await finalizeEnrolment(
            idToken, sessionInfo: try #require(info["sessionInfo"]?.string),
            code: app.code(at: clock.now, ahead: ahead))
    }
}
