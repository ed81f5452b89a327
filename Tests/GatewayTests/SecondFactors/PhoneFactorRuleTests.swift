import HTTP
import Identity
import Postgres
import Testing

@testable import DevMode
@testable import Support

@Suite("Rules of telephone numbers as second factors")
struct PhoneFactorRuleTests {
    private static let number = "+15555550100"

    /// Requests a code for the first factor of the account.
    private static func sessionInfo(_ gateway: TestGateway, _ first: Exchange) async throws -> String {
        let factor = first.json["mfaInfo"]?[0]?["mfaEnrollmentId"] ?? .null
        let started = try await gateway.startSecondFactor(first, factor)
        return try #require(started.json["phoneResponseInfo"]?["sessionInfo"]?.string, "\(started.text)")
    }

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
        "A session that was opened with a number cannot enroll factors, so an account with only a number has none")
    func numberAlone() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let signedIn = try TestGateway.Tokens(await gateway.signIn(phoneNumber: Self.number))
        _ = try await gateway.database.pool.execute("UPDATE account SET email = 'a@example.com', email_verified = true")
        let started = try await gateway.post(
            "/v2/accounts/mfaEnrollment:start",
            ["idToken": .string(signedIn.idToken), "phoneEnrollmentInfo": ["phoneNumber": "+15555551100"]])
        #expect(started.wireCode == "UNSUPPORTED_FIRST_FACTOR")
    }

    @Test("A code enrolls only once, even if its number was withdrawn since")
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

    @Test("An enrolled number is demanded although the project enrolls no further ones, but not if factors are off")
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

    @Test("If second factors are required, a restricted session enrolls a number, and the new session is unrestricted")
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

    // MARK: Administrators

    private static func set(
        _ factors: [JSON], of localId: String, in gateway: TestGateway
    ) async throws -> Exchange {
        try await gateway.administerAccounts(
            ":update", ["localId": .string(localId), "mfa": ["enrollments": .array(factors)]])
    }

    @Test("A new account gets numbers with new IDs, each once")
    func creation() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        func create(_ id: String, _ factors: JSON) async throws -> Exchange {
            try await gateway.administerAccounts(
                "",
                [
                    "localId": .string(id), "email": .string("\(id)@example.com"), "emailVerified": true,
                    "password": "secret1", "mfaInfo": factors,
                ])
        }
        let numbers: JSON = [
            ["mfaEnrollmentId": "chosen", "phoneInfo": .string(Self.number), "displayName": "Work"],
            ["phoneInfo": .string(Self.number)], ["phoneInfo": "+15555551100"],
        ]
        #expect(try await create("ada", numbers).outcome == "200")
        let factors = try await gateway.accountSeenByAdmin("ada")["mfaInfo"]?.elements ?? []
        #expect(factors.count == 2)
        // Both were enrolled at the same time, so the order is that of their random IDs.
        #expect(factors.contains { $0["displayName"] == "Work" })
        #expect(factors.allSatisfy { $0["mfaEnrollmentId"]?.string?.utf8.count == 28 })
        _ = try await gateway.signInWithPhoneFactor()
        #expect(
            try await create("bob", [["phoneInfo": "1"]]).outcome == "400 INVALID_MFA_PHONE_NUMBER : Invalid format.")
        #expect(try await create("bob", [[:]]).outcome == "400 INVALID_MFA_PHONE_NUMBER : Invalid format.")
        let six = (0..<6).map { JSON.object(["phoneInfo": .string("+1555555200\($0)")]) }
        #expect(try await create("bob", .array(six)).wireCode == "SECOND_FACTOR_LIMIT_EXCEEDED")
        #expect(try await create("bob", []).outcome == "200")
        let events = try await gateway.auditTrail().filter { $0.action == "factor.added" }
        #expect(events.count == 2)
    }

    @Test("Numbers are exchanged, renamed and added; a factor with another number proves nothing for older sessions")
    func exchange() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        let (one, two) = ("+15555550100", "+15555551100")
        func factor(_ id: String, _ number: String, name: String? = nil) -> JSON {
            var factor: [String: JSON] = ["mfaEnrollmentId": .string(id), "phoneInfo": .string(number)]
            factor["displayName"] = name.map(JSON.string)
            return .object(factor)
        }
        #expect(
            try await Self.set([factor("a", one, name: "A"), factor("b", two)], of: ada.localId, in: gateway).outcome
                == "200")
        let session = try await gateway.signInWithPhoneFactor()
        #expect(
            try await Self.set([factor("a", one), factor("b", two)], of: ada.localId, in: gateway).outcome == "200")
        #expect(try await gateway.update(session.idToken, ["password": "secret1"]).outcome == "200")
        let renewed = try await gateway.signInWithPhoneFactor()
        #expect(
            try await Self.set([factor("a", two), factor("b", one)], of: ada.localId, in: gateway).outcome == "200")
        let factors = try await gateway.accountSeenByAdmin(ada.localId)["mfaInfo"]?.elements ?? []
        #expect(factors.map { $0["phoneInfo"]?.string } == [two, one])
        #expect(factors.first?["displayName"] == "A")
        #expect(
            try await gateway.update(renewed.idToken, ["password": "secret2"]).outcome
                == "400 CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    }

    @Test("A code to a number that the factor had before does not sign in")
    func replacedNumber() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.enrolled(Self.number, gateway.signUpVerified())
        let first = try await gateway.signIn()
        let sessionInfo = try await Self.sessionInfo(gateway, first)
        let id = first.json["mfaInfo"]?[0]?["mfaEnrollmentId"] ?? .null
        let set = try await Self.set(
            [["mfaEnrollmentId": id, "phoneInfo": "+15555551100"]], of: ada.localId, in: gateway)
        #expect(set.outcome == "200")
        let done = try await gateway.finalizeSignIn(
            first, sessionInfo, code: try #require(gateway.code(of: sessionInfo)))
        #expect(done.outcome == "400 MFA_ENROLLMENT_NOT_FOUND")
    }

    @Test("A one-time password does not become a number, and the list has at most five factors")
    func kinds() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpEnrolled()
        let number: JSON = ["mfaEnrollmentId": .string(ada.factor), "phoneInfo": .string(Self.number)]
        #expect(try await Self.set([number], of: ada.localId, in: gateway).wireCode == "MFA_ENROLLMENT_NOT_FOUND")
        let six = (0..<6).map { index in
            JSON.object(["mfaEnrollmentId": .string("\(index)"), "phoneInfo": .string("+1555555200\(index)")])
        }
        #expect(try await Self.set(six, of: ada.localId, in: gateway).wireCode == "SECOND_FACTOR_LIMIT_EXCEEDED")
        #expect(try await gateway.accountSeenByAdmin(ada.localId)["mfaInfo"]?[0]?["totpInfo"] == [:])
    }

    @Test("An import stores numbers beside a one-time password; an export shows whole numbers")
    func importing() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let imported = try await gateway.administerAccounts(
            ":batchCreate",
            [
                "users": [
                    [
                        "localId": "ada", "email": "ada@example.com", "emailVerified": true, "rawPassword": "secret1",
                        "mfaInfo": [
                            ["mfaEnrollmentId": "a", "phoneInfo": .string(Self.number), "displayName": "Work"],
                            ["totpInfo": ["sharedSecretKey": "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"]],
                            ["phoneInfo": "+15555551100"],
                        ],
                    ]
                ]
            ])
        #expect(imported.json["error"] == nil, "\(imported.text)")
        let exported = try await gateway.batchGet().json["users"]?[0]?["mfaInfo"]?.elements ?? []
        #expect(exported.count == 3)
        #expect(Set(exported.compactMap { $0["phoneInfo"]?.string }) == [Self.number, "+15555551100"])
        let first = try await gateway.signIn()
        let started = try await gateway.startSecondFactor(first, "a")
        let sessionInfo = try #require(started.json["phoneResponseInfo"]?["sessionInfo"]?.string)
        #expect(
            try await gateway.finalizeSignIn(first, sessionInfo, code: try #require(gateway.code(of: sessionInfo)))
                .outcome == "200")
    }

    // MARK: Limits

    @Test("The second factors of an account get five codes in an hour, whichever number they go to")
    func factorLimit() async throws {
        let gateway = try await TestGateway.withSecondFactors(limitsRates: true)
        let ada = try await gateway.signUpVerified()
        let numbers = (0..<5).map { "+1555555\(2000 + $0 * 1000)" }
        let factors = numbers.map { JSON.object(["mfaEnrollmentId": .string($0), "phoneInfo": .string($0)]) }
        #expect(try await Self.set(factors, of: ada.localId, in: gateway).outcome == "200")
        var sent = 0
        for round in 0..<3 {
            for (index, number) in numbers.enumerated() {
                let peer = "10.\(round).\(index).1"
                let first = try await gateway.signIn()
                let started = try await gateway.post(
                    "/v2/accounts/mfaSignIn:start",
                    [
                        "mfaPendingCredential": first.json["mfaPendingCredential"] ?? .null,
                        "mfaEnrollmentId": .string(number),
                    ], from: peer)
                sent += started.isSuccess ? 1 : 0
            }
            gateway.clock.advance(by: .seconds(600))
        }
        #expect(sent == 5)
    }

    @Test("An attacker's wrong codes for sign-ins by the number do not block it as a second factor")
    func stranger() async throws {
        let gateway = try await TestGateway.withSecondFactors(limitsRates: true) {
            // The gateway does not reveal to an attacker that the number is a second factor.
            $0.emailEnumerationProtection = true
        }
        // The attacker may even be in the owner's network.
        _ = try await gateway.enrolled(Self.number, gateway.signUpVerified())
        for _ in 0..<4 {
            gateway.clock.advance(by: .seconds(3600))
            let proof = try await gateway.phoneProof(Self.number)
            for _ in 0..<5 {
                _ = try await gateway.signInWithPhoneNumber(proof, ["code": "x"])
            }
        }
        gateway.clock.advance(by: .seconds(3600))
        let blocked = try await gateway.phoneProof(Self.number)
        #expect(
            try await gateway.signInWithPhoneNumber(blocked).wireCode
                == "TOO_MANY_ATTEMPTS_TRY_LATER")
        gateway.clock.advance(by: .seconds(3600))
        _ = try await gateway.signInWithPhoneFactor()
    }

    @Test("Codes that a stranger requests for a number and its block do not use up those for its second factor")
    func strangersCodes() async throws {
        let gateway = try await TestGateway.withSecondFactors(limitsRates: true) {
            $0.emailEnumerationProtection = true
        }
        _ = try await gateway.enrolled(Self.number, gateway.signUpVerified())
        gateway.clock.advance(by: .seconds(600))
        for index in 0..<12 {
            let number = index == 0 ? Self.number : "+15555550\(101 + index)"
            _ = try await gateway.sendCode(to: number, from: "198.51.100.\(index + 1)")
        }
        #expect(
            try await gateway.sendCode(to: "+15555550199", from: "203.0.113.1").wireCode
                == "TOO_MANY_ATTEMPTS_TRY_LATER")
        _ = try await gateway.signInWithPhoneFactor()
    }

    @Test("A test number is not enrolled; one that was enrolled before gets random codes")
    func testNumber() async throws {
        var sms = TestGateway.sms
        sms.testNumbers = [Self.number: "123456"]
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
        let set = try await Self.set(
            [["mfaEnrollmentId": "a", "phoneInfo": .string(Self.number)]], of: ada.localId, in: gateway)
        #expect(set.outcome == "200")
        let first = try await gateway.signIn()
        let sessionInfo = try await Self.sessionInfo(gateway, first)
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
