import Encoding
import HTTP
import Identity
import Postgres
import Testing

@testable import DevMode
@testable import Support

@Suite("Rules of telephone numbers as second factors")
struct PhoneFactorRuleTests {
    private static let number = "+15555550100"

    @Test("A number that the account signs in with can be its second factor; then it proves no first factor any more")
    func sameNumber() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        let linked = try TestGateway.Tokens(
            await gateway.signIn(phoneNumber: Self.number, ["idToken": .string(ada.idToken)]))
        #expect(
            try await gateway.enrol(number: Self.number, try TestGateway.Tokens(await gateway.signIn())).outcome
                == "200")
        let proof = try await gateway.sendCode(to: Self.number)
        #expect(proof.wireCode == "UNSUPPORTED_FIRST_FACTOR")
        _ = try await gateway.signInWithPhoneFactor()
        #expect(try await gateway.lookup(linked.idToken).status == 200)
    }

    @Test(
        "A session that was opened with a number cannot enrol factors, so an account with only a number has none")
    func numberAlone() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let signedIn = try TestGateway.Tokens(await gateway.signIn(phoneNumber: Self.number))
        _ = try await gateway.database.pool.execute("UPDATE account SET email = 'a@example.com', email_verified = true")
        let started = try await gateway.post(
            "/v2/accounts/mfaEnrollment:start",
            ["idToken": .string(signedIn.idToken), "phoneEnrollmentInfo": ["phoneNumber": "+15555551100"]])
        #expect(started.wireCode == "UNSUPPORTED_FIRST_FACTOR")
    }

    @Test("A code enrols only once, even if its number was withdrawn since")
    func usedCode() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        let started = try await gateway.post(
            "/v2/accounts/mfaEnrollment:start",
            ["idToken": .string(ada.idToken), "phoneEnrollmentInfo": ["phoneNumber": .string(Self.number)]])
        let sessionInfo = try #require(started.json["phoneSessionInfo"]?["sessionInfo"]?.string)
        let code = try #require(gateway.code(of: sessionInfo))
        let enrolled = try await gateway.finalizeEnrolment(ada.idToken, sessionInfo, code)
        let idToken = try #require(enrolled.json["idToken"]?.string, "\(enrolled.text)")
        let factor = try #require(try claims(of: idToken)["firebase"]?["second_factor_identifier"]?.string)
        let withdrawn = try await gateway.withdraw(factor, idToken)
        let again = try await gateway.finalizeEnrolment(
            try #require(withdrawn.json["idToken"]?.string), sessionInfo, code)
        #expect(again.outcome == "400 INVALID_SESSION_INFO")
    }

    @Test("Codes say what they are for, in the queue and in the database")
    func purposes() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        _ = try await gateway.enrolled(Self.number, gateway.signUpVerified())
        _ = try await gateway.signInWithPhoneFactor()
        let rows = try await gateway.database.pool.query(
            """
            SELECT c.purpose || ' ' || (c.account_id IS NOT NULL) || ' ' || (c.factor_id IS NOT NULL) AS line
            FROM phone_code c ORDER BY c.purpose
            """)
        #expect(
            try rows.map { try $0.decode("line", as: String.self) }
                == ["MULTI_FACTOR_ENROLLMENT true false", "MULTI_FACTOR_SIGN_IN true true"])
        let messages = try await gateway.database.pool.query(
            "SELECT count(*)::int AS count FROM outgoing_sms WHERE account_id IS NOT NULL")
        #expect(try messages[0].decode("count", as: Int.self) == 2)
    }

    @Test("An enrolled number is demanded although the project enrols no further ones, but not if factors are off")
    func providersAndState() async throws {
        for (state, allowsSMS, demands) in [
            (SecondFactorPolicy.State.enabled, false, true), (.mandatory, false, true), (.disabled, true, false),
        ] {
            let gateway = try await TestGateway.withSecondFactors(state) { $0.secondFactors.allowsSMS = allowsSMS }
            let ada = try await gateway.signUpVerified()
            let set = try await gateway.administerAccounts(
                ":update",
                [
                    "localId": .string(ada.localId),
                    "mfa": ["enrollments": [["mfaEnrollmentId": "a", "phoneInfo": .string(Self.number)]]],
                ])
            #expect(set.outcome == "200")
            #expect(try await (gateway.signIn().json["idToken"] == nil) == demands)
            if demands { _ = try await gateway.signInWithPhoneFactor() }
        }
    }

    @Test("If second factors are required, a restricted session enrols a number, and the new session is unrestricted")
    func mandatory() async throws {
        let gateway = try await TestGateway.withSecondFactors(.mandatory)
        let ada = try await gateway.signUpVerified()
        #expect(try claims(of: ada.idToken)["aud"] == "demo/second-factor-enrollment")
        let enrolled = try await gateway.enrolled(Self.number, ada)
        #expect(try claims(of: enrolled.idToken)["aud"] == "demo")
        #expect(try claims(of: try await gateway.signInWithPhoneFactor().idToken)["aud"] == "demo")
        // No user can sign in by number alone, because such a session has no second factor.
        #expect(try await gateway.sendCode(to: "+15555551100").wireCode == "OPERATION_NOT_ALLOWED")
    }

    @Test("A recovery code replaces a lost telephone; refreshes keep the claims of the session")
    func recoveryCode() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.enrolled(Self.number, gateway.signUpVerified())
        let codes = try await gateway.generateRecoveryCodes(ada.idToken)
        let code = try #require(codes.json["recoveryCodes"]?[0]?.string, "\(codes.text)")
        let first = try await gateway.signIn()
        #expect(first.json["recoveryCodesAvailable"] == true)
        #expect(try await gateway.finalizeSignIn(first, recoveryCode: code).outcome == "200")
        let refreshed = try await gateway.refresh(try await gateway.signInWithPhoneFactor().refreshToken)
        let firebase = try claims(of: try #require(refreshed.json["id_token"]?.string))["firebase"]
        #expect(firebase?["sign_in_second_factor"] == "phone")
        #expect(firebase?["second_factor_identifier"] == first.json["mfaInfo"]?[0]?["mfaEnrollmentId"])
    }

    @Test("An account with a number and a one-time password signs in with either")
    func twoFactors() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.enrolled(Self.number, gateway.signUpVerified())
        gateway.clock.advance(by: .seconds(1))
        let enrolled = try await gateway.enrol(ada)
        let first = try await gateway.signIn()
        #expect(first.json["mfaInfo"]?[0]?["phoneInfo"] == "+*******0100")
        #expect(first.json["mfaInfo"]?[1]?["totpInfo"] == [:])
        #expect(
            try await gateway.finalizeSignIn(first, enrolled.factor, enrolled.app.code(at: gateway.clock.now)).outcome
                == "200")
        let signedIn = try await gateway.signInWithPhoneFactor()
        // The owner sees the whole number.
        let user = try await gateway.lookup(signedIn.idToken).json["users"]?[0]
        #expect(user?["mfaInfo"]?[0]?["phoneInfo"] == .string(Self.number))
        #expect(user?["mfaInfo"]?[0]?["unobfuscatedPhoneInfo"] == .string(Self.number))
        // The number can be withdrawn, and the one-time password stays.
        let factor = try #require(first.json["mfaInfo"]?[0]?["mfaEnrollmentId"]?.string)
        let withdrawn = try await gateway.withdraw(factor, signedIn.idToken)
        #expect(withdrawn.outcome == "200")
        #expect(try await gateway.signIn().json["mfaInfo"]?.elements.count == 1)
    }

    @Test("The link in the notice of an enrolment removes the number; notices name a telephone number")
    func removalLink() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        gateway.clock.advance(by: .seconds(1))
        let eve = try await gateway.enrolled(Self.number, TestGateway.Tokens(gateway.signIn()))
        let code = try await gateway.latestCode(.factorAdded)
        let page = try await gateway.openActionPage(code)
        #expect(page.text.contains("Remove a phone number"), "\(page.text)")
        #expect(try await gateway.submitActionPage(code).text.contains("Now set a new password"))
        #expect(try await gateway.lookup(eve.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.accountSeenByAdmin(ada.localId)["mfaInfo"] == nil)
        #expect(try await gateway.signIn().json["idToken"] != nil)
    }

    @Test("A merge and its undo return the number to the account that enrolled it, although both have the same one")
    func merge() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let source = try await gateway.enrolled(Self.number, gateway.signUpVerified())
        let target = try await gateway.enrolled(Self.number, gateway.signUpVerified(email: "grace@example.com"))
        let preview = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(source.idToken), "targetIdToken": .string(target.idToken), "dryRun": true])
        let merged = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(source.idToken), "mergeToken": preview.json["mergeToken"] ?? .null])
        #expect(merged.json["idToken"] != nil, "\(preview.text) \(merged.text)")
        #expect(try await gateway.accountSeenByAdmin(target.localId)["mfaInfo"]?.elements.count == 1)
        let undone = try await gateway.administerAccounts(
            ":undoMerge", ["sourceLocalId": .string(source.localId), "allowNoSignInMethod": true])
        #expect(undone.isSuccess, "\(undone.text)")
        for account in [source, target] {
            let user = try await gateway.accountSeenByAdmin(account.localId)
            #expect(user["mfaInfo"]?[0]?["phoneInfo"] == .string(Self.number))
        }
    }

    @Test("A merge gives no number to an account with second factors")
    func mergedNumber() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let source = try TestGateway.Tokens(await gateway.signIn(phoneNumber: Self.number))
        let target = try await gateway.signUpEnrolled()
        let preview = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(source.idToken), "targetIdToken": .string(target.idToken), "dryRun": true])
        let merged = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(source.idToken), "mergeToken": preview.json["mergeToken"] ?? .null])
        #expect(merged.json["idToken"] != nil, "\(preview.text) \(merged.text)")
        #expect(try await gateway.accountSeenByAdmin(target.localId)["phoneNumber"] == nil)
    }

    @Test("A test number is not enrolled; one that was enrolled before gets random codes")
    func testNumber() async throws {
        var sms = TestGateway.sms
        sms.testNumbers = [ByteText(Self.number): "123456"]
        let gateway = try await TestGateway(.firebase, sms: sms) {
            $0.emailEnumerationProtection = false
            $0.secondFactors = SecondFactorPolicy(state: .enabled, allowsSMS: true)
        }
        try await gateway.makeServiceKey()
        let ada = try await gateway.signUpVerified()
        let started = try await gateway.post(
            "/v2/accounts/mfaEnrollment:start",
            ["idToken": .string(ada.idToken), "phoneEnrollmentInfo": ["phoneNumber": .string(Self.number)]])
        #expect(started.outcome == "400 OPERATION_NOT_ALLOWED : A test number cannot be a second factor.")
        let set = try await gateway.setFactors(
            [["mfaEnrollmentId": "a", "phoneInfo": .string(Self.number)]], of: ada.localId)
        #expect(set.outcome == "200")
        let first = try await gateway.signIn()
        let sessionInfo = try await gateway.sessionInfo(ofFactorAfter: first)
        #expect(try await gateway.finalizeSignIn(first, sessionInfo, code: "123456").outcome == "400 INVALID_CODE")
        let sent = try await gateway.database.pool.query("SELECT count(*)::int AS count FROM outgoing_sms")
        #expect(try sent[0].decode("count", as: Int.self) == 1)
    }

    @Test("The credential of a sign-in starts no code from another app or device, and no code after a new password")
    func foreignCredential() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        _ = try await gateway.enrolled(Self.number, gateway.signUpVerified())
        let first = try await gateway.signIn()
        let body: JSON = [
            "mfaPendingCredential": first.json["mfaPendingCredential"] ?? .null,
            "mfaEnrollmentId": first.json["mfaInfo"]?[0]?["mfaEnrollmentId"] ?? .null,
        ]
        let device = try await gateway.post(
            "/v2/accounts/mfaSignIn:start", body, headers: ["User-Agent": "another device"])
        #expect(device.outcome == "400 INVALID_MFA_PENDING_CREDENTIAL")
        let reset = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        #expect(try await gateway.resetPassword(reset).status == 200)
        #expect(
            try await gateway.post("/v2/accounts/mfaSignIn:start", body).outcome
                == "400 INVALID_MFA_PENDING_CREDENTIAL")
        let codes = try await gateway.database.pool.query(
            "SELECT count(*)::int AS count FROM phone_code WHERE purpose = 'MULTI_FACTOR_SIGN_IN'")
        #expect(try codes[0].decode("count", as: Int.self) == 0)
    }
}
