import Identity
import Postgres
import Simulators
import Testing

@testable import Gateway
@testable import Support

@Suite("Attacks on second factors")
struct SecondFactorAttackTests {
    private static let invalid = "400 INVALID_MFA_PENDING_CREDENTIAL"

    @Test("Of two uses of a pending credential at once, on two replicas, one signs in")
    func race() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpEnrolled()
        let replica = try gateway.replica()
        let first = try await gateway.signIn()
        let codes = try [0, 1].map { try ada.app.code(at: gateway.clock.now, ahead: $0) }
        async let one = gateway.finalizeSignIn(first, ada.factor, codes[0])
        async let two = replica.finalizeSignIn(first, ada.factor, codes[1])
        let statuses = try await [one, two].map(\.status)
        #expect(statuses.sorted() == [200, 400])
    }

    @Test("Of two uses of a code at once, on two replicas, one signs in, and the code does not work again")
    func codeRace() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpEnrolled()
        let replica = try gateway.replica()
        let pending = try await [gateway.signIn(), gateway.signIn(), gateway.signIn()]
        let code = try ada.app.code(at: gateway.clock.now)
        async let one = gateway.finalizeSignIn(pending[0], ada.factor, code)
        async let two = replica.finalizeSignIn(pending[1], ada.factor, code)
        let outcomes = try await [one, two].map(\.outcome)
        #expect(outcomes.sorted() == ["200", "400 INVALID_CODE"])
        #expect(try await gateway.finalizeSignIn(pending[2], ada.factor, code).outcome == "400 INVALID_CODE")
        let earlier = try ada.app.code(at: gateway.clock.now, ahead: -1)
        #expect(try await gateway.finalizeSignIn(pending[2], ada.factor, earlier).outcome == "400 INVALID_CODE")
    }

    @Test("The code that proved the enrolment does not sign in")
    func enrolmentCode() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpEnrolled()
        // The helper has advanced the clock by one step.
        let code = try ada.app.code(at: gateway.clock.now, ahead: -1)
        #expect(
            try await gateway.finalizeSignIn(gateway.signIn(), ada.factor, code).outcome == "400 INVALID_CODE")
    }

    /// A change after the first factor, after which the pending credential is not accepted.
    struct Change: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let outcome: String
        let finalize: @Sendable (TestGateway, EnrolledAccount, Exchange) async throws -> Exchange

        init(
            _ testDescription: String, _ outcome: String = SecondFactorAttackTests.invalid,
            finalize: @escaping @Sendable (TestGateway, EnrolledAccount, Exchange) async throws -> Exchange
        ) {
            self.testDescription = testDescription
            self.outcome = outcome
            self.finalize = finalize
        }
    }

    static let changes = [
        Change("expired") { gateway, ada, first in
            gateway.clock.advance(by: .seconds(301))
            return try await gateway.finalizeSignIn(first, ada.factor, ada.app.code(at: gateway.clock.now))
        },
        Change("another device") { gateway, ada, first in
            try await gateway.finalizeSignIn(first, ada.factor, ada.app.code(at: gateway.clock.now), device: "Eve")
        },
        Change("after a new password") { gateway, ada, first in
            let changed = try await gateway.update(ada.idToken, ["password": "secret2"])
            #expect(changed.status == 200, "\(changed.text)")
            return try await gateway.finalizeSignIn(first, ada.factor, ada.app.code(at: gateway.clock.now))
        },
        Change("after the end of all sessions") { gateway, ada, first in
            let ended = try await gateway.post(
                "/v1/accounts:revokeSession", ["idToken": .string(ada.idToken), "everywhere": true])
            #expect(ended.status == 204)
            return try await gateway.finalizeSignIn(first, ada.factor, ada.app.code(at: gateway.clock.now))
        },
        Change("disabled account", "400 USER_DISABLED") { gateway, ada, first in
            _ = try await gateway.database.pool.execute("UPDATE account SET disabled_at = now()")
            return try await gateway.finalizeSignIn(first, ada.factor, ada.app.code(at: gateway.clock.now))
        },
        Change("deleted account") { gateway, ada, first in
            #expect(try await gateway.delete(ada.idToken).status == 200)
            return try await gateway.finalizeSignIn(first, ada.factor, ada.app.code(at: gateway.clock.now))
        },
        Change("another project's key") { gateway, ada, first in
            try await gateway.makeOtherProject(apiKey: "pk_other")
            return try await gateway.finalizeSignIn(
                first, ada.factor, ada.app.code(at: gateway.clock.now), key: "pk_other")
        },
        Change("another tenant", "400 INVALID_MFA_PENDING_CREDENTIAL") { gateway, ada, first in
            let tenant = try await TenantFixture(gateway).makeTenant()
            return try await gateway.post(
                "/v2/accounts/mfaSignIn:finalize",
                [
                    "mfaPendingCredential": first.json["mfaPendingCredential"] ?? .null, "tenantId": .string(tenant),
                    "mfaEnrollmentId": .string(ada.factor),
                    "totpVerificationInfo": ["verificationCode": .string(try ada.app.code(at: gateway.clock.now))],
                ])
        },
        Change("another app of the project") { gateway, ada, first in
            let key = try await gateway.makeOtherAppKey()
            return try await gateway.finalizeSignIn(
                first, ada.factor, ada.app.code(at: gateway.clock.now), key: key)
        },
        Change("another account's factor", "400 MFA_ENROLLMENT_NOT_FOUND") { gateway, _, first in
            let eve = try await gateway.signUpEnrolled(email: "eve@example.com")
            return try await gateway.finalizeSignIn(first, eve.factor, eve.app.code(at: gateway.clock.now))
        },
        Change("another account's code", "400 INVALID_CODE") { gateway, ada, first in
            let eve = try await gateway.signUpEnrolled(email: "eve@example.com")
            return try await gateway.finalizeSignIn(first, ada.factor, eve.app.code(at: gateway.clock.now))
        },
        Change("no pending credential", "400 MISSING_CREDENTIAL : Please set MFA Pending Credential.") {
            gateway, _, _ in try await gateway.post("/v2/accounts/mfaSignIn:finalize")
        },
        Change("no proof", "400 INVALID_ARGUMENT : MFA provider not supported!") { gateway, _, first in
            try await gateway.post(
                "/v2/accounts/mfaSignIn:finalize",
                ["mfaPendingCredential": first.json["mfaPendingCredential"] ?? .null])
        },
        Change("no code", "400 MISSING_CODE") { gateway, ada, first in
            try await gateway.finalizeSignIn(first, ada.factor, "")
        },
        Change("no factor", "400 MISSING_MFA_ENROLLMENT_ID : Please set the ID of the second factor.") {
            gateway, _, first in try await gateway.finalizeSignIn(first, "", "123456")
        },
        Change("an enrolment instead of a sign-in") { gateway, ada, _ in
            let eve = try await gateway.signUpVerified(email: "eve@example.com")
            let started = try await gateway.startEnrolment(eve.idToken)
            return try await gateway.post(
                "/v2/accounts/mfaSignIn:finalize",
                [
                    "mfaPendingCredential": started.json["totpSessionInfo"]?["sessionInfo"] ?? .null,
                    "mfaEnrollmentId": .string(ada.factor), "totpVerificationInfo": ["verificationCode": "123456"],
                ])
        },
    ]

    @Test("A pending credential is rejected", arguments: changes)
    func rejection(change: Change) async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpEnrolled()
        let first = try await gateway.signIn()
        #expect(first.json["mfaPendingCredential"] != nil, "\(first.text)")
        #expect(try await change.finalize(gateway, ada, first).outcome == change.outcome)
    }

    @Test("A wrong code leaves the pending credential valid")
    func wrongCode() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpEnrolled()
        let first = try await gateway.signIn()
        for code in [try ada.app.code(at: gateway.clock.now, ahead: 5), "12345", "abcdef", "１２３４５６"] {
            #expect(try await gateway.finalizeSignIn(first, ada.factor, code).outcome == "400 INVALID_CODE")
        }
        #expect(
            try await gateway.finalizeSignIn(first, ada.factor, ada.app.code(at: gateway.clock.now)).status == 200)
    }

    @Test("Guessing is limited per network, per hour and in all, and the owner's network continues")
    func guessing() async throws {
        let gateway = try await TestGateway.withSecondFactors(limitsRates: true)
        let ada = try await gateway.signUpEnrolled()
        /// Guesses with wrong codes until the limits reject a guess.
        ///
        /// - Returns: the number of guesses that were compared.
        func guess(from network: Int, atMost limit: Int) async throws -> Int {
            let peer = "198.51.\(network).1"
            let first = try await gateway.post(
                "/v1/accounts:signInWithPassword", ["email": "ada@example.com", "password": "secret1"], from: peer)
            for number in 0..<limit {
                let code = try ada.app.code(at: gateway.clock.now, ahead: 50)
                let outcome = try await gateway.finalizeSignIn(first, ada.factor, code, from: peer).wireCode
                if outcome != "INVALID_CODE" { return number }
            }
            return limit
        }
        #expect(try await guess(from: 1, atMost: 20) == 10)
        #expect(try await guess(from: 2, atMost: 20) == 10)
        #expect(try await guess(from: 3, atMost: 20) == 10)
        #expect(try await guess(from: 4, atMost: 20) == 0)
        for hour in 1...3 {
            gateway.clock.advance(by: .seconds(3600))
            for network in 1...3 { _ = try await guess(from: 10 * hour + network, atMost: 10) }
        }
        // Now there were more than 100 wrong codes.
        gateway.clock.advance(by: .seconds(3600))
        let compared = try await guess(from: 100, atMost: 20)
        #expect(compared == 0)
        gateway.clock.advance(by: .seconds(86_400))
        #expect(try await guess(from: 101, atMost: 20) == 10)
        #expect(try await guess(from: 102, atMost: 20) == 0)
        let first = try await gateway.signIn()
        #expect(
            try await gateway.finalizeSignIn(first, ada.factor, ada.app.code(at: gateway.clock.now)).status == 200)
        #expect(try await gateway.emails(.manyWrongCodes).map(\.recipient) == ["ada@example.com"])
    }

    @Test("A thief of the password who guesses from many networks does not keep the owner out")
    func guessingThief() async throws {
        let gateway = try await TestGateway.withSecondFactors(limitsRates: true)
        let ada = try await gateway.signUpEnrolled()
        for network in 1...4 {
            let peer = "198.51.\(network).1"
            let first = try await gateway.post(
                "/v1/accounts:signInWithPassword", ["email": "ada@example.com", "password": "secret1"], from: peer)
            for _ in 0..<10 {
                let code = try ada.app.code(at: gateway.clock.now, ahead: network < 4 ? 50 : 0)
                let outcome = try await gateway.finalizeSignIn(first, ada.factor, code, from: peer).wireCode
                #expect(outcome == (network < 4 ? "INVALID_CODE" : "TOO_MANY_ATTEMPTS_TRY_LATER"))
            }
        }
        // The thief's right code from an unknown network was not compared either.
        let first = try await gateway.signIn()
        #expect(
            try await gateway.finalizeSignIn(first, ada.factor, ada.app.code(at: gateway.clock.now)).status == 200)
    }

    @Test("A code that was used before counts as a wrong one")
    func usedCode() async throws {
        let gateway = try await TestGateway.withSecondFactors(limitsRates: true)
        let ada = try await gateway.signUpEnrolled()
        let code = try ada.app.code(at: gateway.clock.now)
        #expect(try await gateway.finalizeSignIn(gateway.signIn(), ada.factor, code).status == 200)
        let first = try await gateway.signIn()
        for number in 1...11 {
            let used = try await gateway.finalizeSignIn(first, ada.factor, code)
            #expect(used.wireCode == (number <= 10 ? "INVALID_CODE" : "TOO_MANY_ATTEMPTS_TRY_LATER"), "\(number)")
        }
        let failures: Int64? = try await gateway.database.pool.query("SELECT failures FROM second_factor").first?
            .decode("failures")
        #expect(failures == 10)
    }

    @Test("A session does not count as one with a second factor after an administrator has removed that factor")
    func removedFactor() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let stolen = try await gateway.signUpEnrolled()
        let codes = try await gateway.generateRecoveryCodes(stolen.idToken).json["recoveryCodes"]
        let recovered = try await gateway.finalizeSignIn(
            gateway.signIn(), recoveryCode: try #require(codes?[0]?.string))
        #expect(try await gateway.resetFactors(of: stolen.localId).status == 200)
        gateway.clock.advance(by: .seconds(1))
        let owner = try await gateway.enrol(TestGateway.Tokens(await gateway.signIn()))
        for idToken in [stolen.idToken, try #require(recovered.json["idToken"]?.string)] {
            // The session continues, and its claims state how it was opened.
            #expect(try claims(of: idToken)["firebase"]?["sign_in_second_factor"] != nil)
            #expect(try await gateway.lookup(idToken).status == 200)
            let changed = try await gateway.update(idToken, ["password": "known to eve"])
            #expect(changed.outcome == "400 CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
        }
        #expect(try await gateway.update(owner.idToken, ["password": "secret2"]).status == 200)
    }

    @Test("A pending credential opens no session in a generation that began after the code was checked")
    func newGeneration() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        #expect(try await gateway.link(gateway.appleCredential(), to: ada.idToken).status == 200)
        let enrolled = try await gateway.enrol(ada)
        let codes = try await gateway.generateRecoveryCodes(enrolled.idToken).json["recoveryCodes"]
        let code = try #require(codes?[0]?.string)
        let first = try await gateway.signIn(gateway.appleCredential())
        let finalizing = try await gateway.database.pool.transaction { transaction in
            // The sign-in has read the account, and asks whether the network is known.
            _ = try await transaction.execute("LOCK TABLE known_network IN ACCESS EXCLUSIVE MODE")
            let finalizing = Task { try await gateway.finalizeSignIn(first, recoveryCode: code) }
            try await gateway.database.waitForBlockedStatements()
            _ = try await transaction.execute("UPDATE account SET generation = generation + 1")
            return finalizing
        }
        #expect(try await finalizing.value.outcome == Self.invalid)
    }

    @Test("A new identity with the verified address is linked by the second factor, and not before")
    func stoppedLink() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let mary = try await gateway.signUpEnrolled(email: "mary.somerville@gmail.com")
        let first = try await gateway.signIn(gateway.googleCredential(.mary))
        #expect(first.json["mfaPendingCredential"] != nil, "\(first.text)")
        let before = try await gateway.accountSeenByAdmin(mary.localId)
        #expect(before["providerUserInfo"]?[0]?["providerId"] == "password")
        #expect(before["providerUserInfo"]?[1] == nil)
        let done = try await gateway.finalizeSignIn(first, mary.factor, mary.app.code(at: gateway.clock.now))
        #expect(done.status == 200, "\(done.text)")
        let after = try await gateway.accountSeenByAdmin(mary.localId)
        #expect(after["providerUserInfo"]?[1] != nil)
    }

    @Test("A reset of the password on a verified address keeps the factor, and signs nobody in")
    func reset() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpEnrolled()
        let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        #expect(try await gateway.resetPassword(code).status == 200)
        let first = try await gateway.signIn(password: "another secret")
        #expect(first.json["idToken"] == nil)
        #expect(first.json["mfaInfo"]?[0]?["mfaEnrollmentId"]?.string == ada.factor)
    }

    @Test("A session without second factor changes nothing that protects the account")
    func stepUp() async throws {
        let gateway = try await TestGateway.withSecondFactors(profile: .firebase)
        let ada = try await gateway.signUpVerified()
        let eve = try TestGateway.Tokens(await gateway.signIn())
        let enrolled = try await gateway.enrol(ada)
        let attempts = try await [
            gateway.update(eve.idToken, ["password": "known to eve"]),
            gateway.update(eve.idToken, ["email": "eve@example.com"]),
            gateway.link(gateway.googleCredential(), to: eve.idToken),
            gateway.post("/v1/accounts:unlink", ["idToken": .string(eve.idToken), "deleteProvider": ["password"]]),
            gateway.withdraw(enrolled.factor, eve.idToken), gateway.generateRecoveryCodes(eve.idToken),
            gateway.delete(eve.idToken),
            gateway.post(
                "/v1/accounts:merge",
                [
                    "idToken": .string(eve.idToken), "dryRun": true,
                    "targetIdToken": .string(gateway.signUp(email: "eve@example.com").idToken),
                ]),
            gateway.post(
                "/v1/accounts:sendOobCode",
                [
                    "requestType": "VERIFY_AND_CHANGE_EMAIL", "newEmail": "eve2@example.com",
                    "idToken": .string(eve.idToken),
                ]),
        ]
        for attempt in attempts { #expect(attempt.outcome == "400 CREDENTIAL_TOO_OLD_LOGIN_AGAIN") }
        #expect(try await gateway.update(enrolled.idToken, ["password": "secret2"]).status == 200)
    }

    @Test("A credential alone does not prove the target of a merge that has factors")
    func mergeTarget() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let ada = try await gateway.signUpVerified()
        #expect(try await gateway.link(gateway.googleCredential(), to: ada.idToken).status == 200)
        _ = try await gateway.enrol(ada)
        let eve = try await gateway.signUp(email: "eve@example.com")
        let preview = try await gateway.post(
            "/v1/accounts:merge",
            [
                "idToken": .string(eve.idToken), "dryRun": true, "requestUri": "http://localhost",
                "postBody": .string(gateway.googleCredential().postBody),
            ])
        #expect(preview.outcome == "400 CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    }

    @Test("An undone merge returns the factors of the source, and the target keeps its own")
    func undoneMerge() async throws {
        let gateway = try await TestGateway.withSecondFactors()
        let source = try await gateway.signUpEnrolled()
        let target = try await gateway.signUpEnrolled(email: "grace@example.com")
        let preview = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(source.idToken), "targetIdToken": .string(target.idToken), "dryRun": true])
        let merged = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(source.idToken), "mergeToken": preview.json["mergeToken"] ?? .null])
        let idToken = try #require(merged.json["idToken"]?.string, "\(preview.text) \(merged.text)")
        #expect(try claims(of: idToken)["firebase"]?["second_factor_identifier"]?.string == target.factor)
        #expect(
            try await gateway.accountSeenByAdmin(target.localId)["mfaInfo"]?[0]?["mfaEnrollmentId"]?.string
                == target.factor)
        #expect(try await gateway.accountSeenByAdmin(target.localId)["mfaInfo"]?[1] == nil)
        let undone = try await gateway.administerAccounts(
            ":undoMerge", ["sourceLocalId": .string(source.localId), "allowNoSignInMethod": true])
        #expect(undone.isSuccess, "\(undone.text)")
        for account in [source, target] {
            let user = try await gateway.accountSeenByAdmin(account.localId)
            #expect(user["mfaInfo"]?[0]?["mfaEnrollmentId"]?.string == account.factor)
        }
    }
}
