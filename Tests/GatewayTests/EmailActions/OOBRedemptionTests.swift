import HTTP
import Identity
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("A code that verifies or changes an address")
struct VerificationTests {
    @Test("A code verifies the address to which it was sent, works once, and ends no session")
    func verify() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        let code = try await gateway.requestedCode("VERIFY_EMAIL", ["idToken": .string(ada.idToken)])
        let checked = try await gateway.checkCode(code)
        #expect(
            checked.json == [
                "kind": "identitytoolkit#ResetPasswordResponse", "requestType": "VERIFY_EMAIL",
                "email": "ada@example.com",
            ])
        let applied = try await gateway.applyCode(code)
        #expect(applied.json["emailVerified"] == true)
        #expect(applied.json["localId"]?.string == ada.localId)
        #expect(applied.json["idToken"] == nil)
        #expect(try await gateway.accountSeenByUser(ada.idToken)["emailVerified"] == true)
        for _ in 0..<2 { #expect(try await gateway.applyCode(code).outcome == "400 INVALID_OOB_CODE") }
    }

    @Test("A code for a new address makes it the account's verified address, and ends the sessions")
    func change() async throws {
        let gateway = try await TestGateway { $0.emailEnumerationProtection = true }
        let ada = try await gateway.signUpVerified()
        let code = try await gateway.requestedCode(
            "VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(ada.idToken), "newEmail": "new@example.com"])
        #expect(try await gateway.emails(.changeEmail).last?.recipient == "new@example.com")
        let applied = try await gateway.applyCode(code)
        #expect(applied.json["newEmail"] == "new@example.com", "\(applied.text)")
        #expect(applied.json["email"] == "new@example.com")
        #expect(try await gateway.lookup(ada.idToken).outcome == "400 TOKEN_EXPIRED")
        let back = try await gateway.signIn(email: "new@example.com")
        #expect(back.json["localId"]?.string == ada.localId)
        #expect(try await gateway.accountSeenByUser(try TestGateway.Tokens(back).idToken)["emailVerified"] == true)
    }

    @Test("A code verifies the first address of an account, for a client and for a backend", arguments: [false, true])
    func firstAddress(byBackend: Bool) async throws {
        let gateway = try await TestGateway { $0.emailEnumerationProtection = true }
        let managed = try await TestGateway.Tokens(gateway.signIn(gateway.appleCredential(.alan)))
        let body: [String: JSON] = ["idToken": .string(managed.idToken), "newEmail": "new@example.com"]
        let code: String
        if byBackend {
            let answer = try await gateway.send(
                .post, "/v1/projects/demo/accounts:sendOobCode",
                .object(body.merging(["requestType": "VERIFY_AND_CHANGE_EMAIL", "returnOobLink": true]) { $1 }),
                by: ServiceKey(in: gateway))
            code = try #require(answer.json["oobCode"]?.string, "\(answer.text)")
        } else {
            code = try await gateway.requestedCode("VERIFY_AND_CHANGE_EMAIL", body)
            #expect(try await gateway.emails(.changeEmail).last?.recipient == "new@example.com")
        }
        #expect(try await gateway.checkCode(code).json["newEmail"] == "new@example.com")
        #expect(try await !gateway.openActionPage(code).text.contains("Current address"))
        let applied = try await gateway.applyCode(code)
        #expect(applied.json["localId"]?.string == managed.localId, "\(applied.text)")
        #expect(applied.json["newEmail"] == "new@example.com")
        #expect(applied.json["emailVerified"] == true)
        #expect(try await gateway.lookup(managed.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.applyCode(code).outcome == "400 INVALID_OOB_CODE")
    }

    @Test("A code for a first address is invalid if the account has another address meanwhile")
    func firstAddressTooLate() async throws {
        let gateway = try await TestGateway { $0.emailEnumerationProtection = true }
        let managed = try await TestGateway.Tokens(gateway.signIn(gateway.appleCredential(.alan)))
        let code = try await gateway.requestedCode(
            "VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(managed.idToken), "newEmail": "new@example.com"])
        _ = try await gateway.database.pool.execute("UPDATE account SET email = 'other@example.com'")
        #expect(try await gateway.applyCode(code).outcome == "400 INVALID_OOB_CODE")
    }

    @Test("A first address needs a recent login, and does not reveal whether another account has it")
    func firstAddressOfOther() async throws {
        let gateway = try await TestGateway { $0.emailEnumerationProtection = true }
        _ = try await gateway.signUp(email: "new@example.com")
        let managed = try await TestGateway.Tokens(gateway.signIn(gateway.appleCredential(.alan)))
        let body: JSON = [
            "requestType": "VERIFY_AND_CHANGE_EMAIL", "idToken": .string(managed.idToken),
            "newEmail": "new@example.com",
        ]
        let answer = try await gateway.post("/v1/accounts:sendOobCode", body)
        #expect(answer.json["email"] == "new@example.com", "\(answer.text)")
        let code = try #require(try await gateway.emails(.changeEmail).last?.content.code)
        #expect(try await gateway.applyCode(code).outcome == "400 EMAIL_EXISTS")
        gateway.clock.advance(by: .seconds(301))
        #expect(
            try await gateway.post("/v1/accounts:sendOobCode", body).outcome == "400 CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
    }

    @Test("A code for a new address is used up without a change if another account has taken the address")
    func taken() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        let code = try await gateway.requestedCode(
            "VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(ada.idToken), "newEmail": "new@example.com"])
        _ = try await gateway.signUp(email: "new@example.com")
        #expect(try await gateway.applyCode(code).outcome == "400 EMAIL_EXISTS")
        #expect(try await gateway.applyCode(code).outcome == "400 INVALID_OOB_CODE")
        #expect(try await gateway.accountSeenByUser(ada.idToken)["email"] == "ada@example.com")
    }

    @Test("A recovery code restores a verified address, ends the sessions, and removes sign-in methods added later")
    func recover() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUpVerified()
        gateway.clock.advance(by: .seconds(10))
        let attacker = try TestGateway.Tokens(await gateway.update(ada.idToken, ["email": "attacker@example.com"]))
        let email = try #require(try await gateway.emails(.emailChanged).last)
        #expect(email.recipient == "ada@example.com")
        gateway.clock.advance(by: .seconds(10))
        let linked = try await gateway.link(gateway.googleCredential(.named("Eve", "Attacker")), to: attacker.idToken)
        #expect(linked.status == 200, "\(linked.text)")
        let latest = try TestGateway.Tokens(await gateway.update(attacker.idToken, ["password": "the attacker's own"]))
        let code = try #require(email.content.code)
        #expect(
            try await gateway.checkCode(code).json == [
                "kind": "identitytoolkit#ResetPasswordResponse", "requestType": "RECOVER_EMAIL",
                "email": "ada@example.com", "newEmail": "attacker@example.com",
            ])
        let applied = try await gateway.applyCode(code)
        #expect(applied.json["email"] == "ada@example.com", "\(applied.text)")
        #expect(applied.json["emailVerified"] == true)
        #expect(try await gateway.lookup(latest.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(
            try await gateway.signIn(email: "ada@example.com", password: "the attacker's own").outcome
                == "400 INVALID_PASSWORD")
        let back = try await gateway.signIn(gateway.googleCredential(.named("Eve", "Attacker")))
        #expect(back.json["localId"]?.string != ada.localId)
        let reset = try await gateway.resetPassword(
            gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"]), "another secret")
        #expect(reset.status == 200, "\(reset.text)")
        #expect(try await gateway.signIn(password: "another secret").json["localId"]?.string == ada.localId)
    }

    @Test("An address that was never verified gets no recovery code")
    func unverifiedAddress() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        _ = try await gateway.update(ada.idToken, ["email": "new@example.com"])
        #expect(try await gateway.emails().isEmpty)
    }

    @Test("The first address can be restored even after the second one was restored")
    func severalRecoveries() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUpVerified()
        var codes: [String] = []
        var idToken = ada.idToken
        for address in ["b@example.com", "c@example.com"] {
            gateway.clock.advance(by: .seconds(1))
            let code = try await gateway.requestedCode(
                "VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(idToken), "newEmail": .string(address)])
            #expect(try await gateway.applyCode(code).status == 200)
            codes.append(try #require(try await gateway.emails(.emailChanged).last?.content.code))
            idToken = try TestGateway.Tokens(await gateway.signIn(email: address)).idToken
        }
        #expect(try await gateway.applyCode(codes[1]).json["email"] == "b@example.com")
        #expect(try await gateway.applyCode(codes[0]).json["email"] == "ada@example.com")
    }
}

@Suite("A code that resets a password")
struct ResetTests {
    @Test("A reset code sets the password once, ends the sessions, and queues a notice")
    func reset() async throws {
        let gateway = try await TestGateway { $0.emailEnumerationProtection = true }
        let ada = try await gateway.signUpVerified()
        let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        let answer = try await gateway.resetPassword(code, "another secret")
        #expect(
            answer.json == [
                "kind": "identitytoolkit#ResetPasswordResponse", "requestType": "PASSWORD_RESET",
                "email": "ada@example.com",
            ])
        #expect(try await gateway.lookup(ada.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.refresh(ada.refreshToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.signIn().outcome == "400 INVALID_LOGIN_CREDENTIALS")
        #expect(try await gateway.signIn(password: "another secret").status == 200)
        #expect(try await gateway.resetPassword(code).outcome == "400 INVALID_OOB_CODE")
        #expect(try await gateway.emails(.passwordChanged).map(\.recipient) == ["ada@example.com"])
    }

    @Test("An old password beside a reset code is ignored, and one without a code is not supported")
    func oldPassword() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signUp()
        let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        func reset(_ members: [String: JSON]) async throws -> Exchange {
            let passwords: [String: JSON] = ["oldPassword": "wrong", "newPassword": "another secret"]
            return try await gateway.post("/v1/accounts:resetPassword", .object(passwords.merging(members) { $1 }))
        }
        for members in [[:], ["oobCode": ""], ["email": "ada@example.com"]] as [[String: JSON]] {
            #expect(try await reset(members).status == 501)
        }
        #expect(try await reset(["oobCode": .string(code)]).outcome == "200")
        #expect(try await gateway.signIn(password: "another secret").outcome == "200")
    }

    @Test("A weak password does not use up the reset code")
    func weak() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signUp()
        let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        #expect(
            try await gateway.resetPassword(code, "short").outcome
                == "400 WEAK_PASSWORD : Password should be at least 6 characters")
        #expect(try await gateway.resetPassword(code).status == 200)
    }

    @Test(
        "A reset keeps the identities of a verified account, unless the project's policy unlinks them",
        arguments: [true, false])
    func identities(unlinks: Bool) async throws {
        let gateway = try await TestGateway { $0.resetUnlinksIdentities = unlinks }
        let ada = try await gateway.signUpVerified()
        let person = SimulatedPerson.named("Ada", "Lovelace")
        _ = try await gateway.link(gateway.googleCredential(person), to: ada.idToken)
        _ = try await gateway.resetPassword(gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"]))
        let back = try await gateway.signIn(gateway.googleCredential(person))
        #expect((back.json["localId"]?.string == ada.localId) != unlinks)
    }

    /// An event after which a reset code is invalid. `outcome` is that of a later request with the code.
    struct Invalidation: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let happen: @Sendable (TestGateway, TestGateway.Tokens) async throws -> Void
        var outcome = "400 INVALID_OOB_CODE"
    }

    @Test(
        "A reset code is invalid after a change of the password or address, a deletion of the account, an hour or another reset",
        arguments: [
            Invalidation(testDescription: "a change of the password") {
                _ = try await $0.update($1.idToken, ["password": "chosen now"])
            },
            Invalidation(testDescription: "a change of the address") {
                _ = try await $0.update($1.idToken, ["email": "b@example.com"])
            },
            Invalidation(testDescription: "the deletion of the account") { _ = try await $0.delete($1.idToken) },
            Invalidation(
                testDescription: "an hour",
                happen: { gateway, _ in gateway.clock.advance(by: .seconds(3600)) },
                outcome: "400 EXPIRED_OOB_CODE"),
            Invalidation(testDescription: "another reset") { gateway, _ in
                _ = try await gateway.resetPassword(
                    gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"]))
            },
        ])
    func invalidCode(row: Invalidation) async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        try await row.happen(gateway, ada)
        #expect(try await gateway.checkCode(code).outcome == row.outcome)
        #expect(try await gateway.resetPassword(code).outcome == row.outcome)
    }

    @Test("Only one of twenty concurrent requests redeems a reset code")
    func race() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signUp()
        let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        let outcomes = try await concurrently(20) { try await gateway.resetPassword(code, "password \($0)").outcome }
        #expect(outcomes.filter { $0.hasPrefix("200") }.count == 1, "\(outcomes)")
        #expect(outcomes.filter { $0 == "400 INVALID_OOB_CODE" }.count == 19, "\(outcomes)")
    }

    @Test("Codes are rejected for another purpose and in another project, and so are altered and missing codes")
    func otherPurposeOrProject() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        let reset = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        let verify = try await gateway.requestedCode("VERIFY_EMAIL", ["idToken": .string(ada.idToken)])
        #expect(try await gateway.applyCode(reset).outcome == "400 INVALID_OOB_CODE")
        #expect(try await gateway.resetPassword(verify).outcome == "400 INVALID_OOB_CODE")
        #expect(try await gateway.signInWithEmailLink("ada@example.com", verify).outcome == "400 INVALID_OOB_CODE")
        #expect(try await gateway.resetPassword(String(reset.reversed())).outcome == "400 INVALID_OOB_CODE")
        #expect(try await gateway.resetPassword("").outcome == "400 MISSING_OOB_CODE")
        #expect(
            try await gateway.resetPassword(String(repeating: "x", count: 10_000)).outcome == "400 INVALID_OOB_CODE")
        try await gateway.makeOtherProject()
        // The table permits a code without an account only for EMAIL_SIGNIN.
        _ = try await gateway.database.pool.execute(
            "UPDATE oob_code SET realm_id = 'other', account_id = NULL, purpose = 'EMAIL_SIGNIN'")
        #expect(try await gateway.checkCode(reset).outcome == "400 INVALID_OOB_CODE")
    }

    @Test("A reset code is rejected for a disabled account")
    func disabled() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.signUp()
        let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        _ = try await gateway.administerAccounts(":update", ["localId": .string(ada.localId), "disableUser": true])
        let outcome = try await gateway.resetPassword(code).outcome
        #expect(outcome == "400 USER_DISABLED", "\(outcome)")
    }

    @Test(
        "A reset code becomes invalid if an administrator sets password, validSince or address, but not after other changes",
        arguments: [
            (["disableUser": false], "200"), (["displayName": "Ada"], "200"),
            (["password": "secret2"], "400 INVALID_OOB_CODE"), (["validSince": "1"], "400 INVALID_OOB_CODE"),
            (["email": "ada@example.com"], "400 INVALID_OOB_CODE"),
        ] as [([String: JSON], String)])
    func administered(change: [String: JSON], outcome: String) async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.signUp()
        let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        let body = JSON.object(change.merging(["localId": .string(ada.localId)]) { $1 })
        #expect(try await gateway.administerAccounts(":update", body).outcome == "200")
        #expect(try await gateway.checkCode(code).outcome == outcome)
    }
}
