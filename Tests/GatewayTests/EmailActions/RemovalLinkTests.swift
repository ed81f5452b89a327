import Identity
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("The link that removes an identity, in the notice about its linking")
struct RemovalLinkTests {
    /// An event after the attacker has linked an identity. `happen` receives the attacker's session.
    struct Event: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let happen: @Sendable (Intrusion, _ attacker: TestGateway.Tokens) async throws -> Void
    }

    /// The attacker's actions after linking an identity.
    private static let laterActions = [
        Event(testDescription: "nothing") { _, _ in },
        Event(testDescription: "sets another password") { intrusion, attacker in
            _ = try await intrusion.gateway.update(attacker.idToken, ["password": "known to eve"])
        },
        Event(testDescription: "takes another address") { intrusion, attacker in
            _ = try await intrusion.changeAddress(attacker, to: "evil@example.com")
        },
        Event(testDescription: "takes another address and resets the password by email") { intrusion, attacker in
            try await intrusion.takeOver(attacker)
        },
        Event(testDescription: "removes the address with the password") { intrusion, attacker in
            _ = try await intrusion.gateway.post(
                "/v1/accounts:unlink", ["idToken": .string(attacker.idToken), "deleteProvider": ["password"]])
        },
        Event(testDescription: "links a second identity") { intrusion, attacker in
            let gateway = intrusion.gateway
            let linked = try await gateway.link(gateway.appleCredential(Intrusion.attackerApple), to: attacker.idToken)
            #expect(linked.status == 200, "\(linked.text)")
        },
        Event(testDescription: "merges another account into this one") { intrusion, _ in
            let gateway = intrusion.gateway
            let merged = try await gateway.merge(
                intrusion.signInWithAttackerApple(), intoAccountOf: gateway.googleCredential(Intrusion.attackerGoogle))
            #expect(merged.status == 200, "\(merged.text)")
        },
        Event(testDescription: "unlinks the identity again") { intrusion, attacker in
            _ = try await intrusion.gateway.post(
                "/v1/accounts:unlink", ["idToken": .string(attacker.idToken), "deleteProvider": ["google.com"]])
        },
    ]

    @Test("The removal link ends the attacker's access, whatever the attacker changed later", arguments: laterActions)
    func evicts(event: Event) async throws {
        let intrusion = try await Intrusion()
        let gateway = intrusion.gateway
        let attacker = try await intrusion.signInAsAttacker()
        let code = try await intrusion.linkAttackerGoogle(attacker)
        try await event.happen(intrusion, attacker)
        gateway.clock.advance(by: .seconds(1))
        let passwordPage = try await gateway.submitActionPage(code)
        #expect(passwordPage.text.contains("Now set a new password"), "\(passwordPage.text)")
        #expect(try await gateway.lookup(attacker.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.refresh(attacker.refreshToken).status == 400)
        #expect(try await gateway.submitActionPage(code).text.contains("This link does not work"))
        let done = try await gateway.submitActionPage(
            passwordPage.requiredFormCode(), ["newPassword": "staple battery"])
        #expect(done.text.contains("Your password has been changed"), "\(done.text)")
        #expect(try await intrusion.attackersWorkingSignInMethods() == [])
        let back = try await gateway.signIn(email: Intrusion.victimEmail, password: "staple battery")
        #expect(back.json["localId"]?.string == intrusion.ada.localId)
        let user = try await gateway.accountSeenByAdmin(intrusion.ada.localId)
        #expect(user["emailVerified"] == true)
        #expect(user["providerUserInfo"]?[1] == nil, "the account has no identity besides the password")
    }

    @Test("The page of a removal link states what the removal does, and opening the page changes nothing")
    func viewing() async throws {
        let intrusion = try await Intrusion()
        let gateway = intrusion.gateway
        let attacker = try await intrusion.signInAsAttacker()
        let code = try await intrusion.linkAttackerGoogle(attacker)
        let before = try await gateway.databaseDump()
        for _ in 0..<3 {
            let page = try await gateway.openActionPage(code)
            #expect(page.status == 200)
            for text in ["Google", "Remove it", "you set a new password", "Demo"] {
                #expect(page.text.contains(text), "\(text)")
            }
        }
        #expect(try await gateway.databaseDump() == before)
        #expect(try await gateway.lookup(attacker.idToken).status == 200)
    }

    @Test("The code of a removal link cannot be used for another purpose")
    func otherPurposes() async throws {
        let intrusion = try await Intrusion()
        let gateway = intrusion.gateway
        let code = try await intrusion.linkAttackerGoogle(intrusion.signInAsAttacker())
        #expect(try await gateway.checkCode(code).outcome == "400 INVALID_OOB_CODE")
        #expect(try await gateway.resetPassword(code, "staple battery").outcome == "400 INVALID_OOB_CODE")
        #expect(try await gateway.applyCode(code).outcome == "400 INVALID_OOB_CODE")
        #expect(try await gateway.signInWithEmailLink(Intrusion.victimEmail, code).outcome == "400 INVALID_OOB_CODE")
        #expect(try await gateway.openActionPage(code).status == 200)
    }

    /// Events after which the link is invalid.
    private static let endings = [
        Event(testDescription: "seven days") { intrusion, _ in
            intrusion.gateway.clock.advance(by: Policy.removalLinkLifetime)
        },
        Event(testDescription: "a password reset") { intrusion, _ in
            let gateway = intrusion.gateway
            let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": .string(Intrusion.victimEmail)])
            let reset = try await gateway.resetPassword(code, "staple battery")
            #expect(reset.status == 200, "\(reset.text)")
        },
        Event(testDescription: "the deletion of the account") { intrusion, attacker in
            let deleted = try await intrusion.gateway.delete(attacker.idToken)
            #expect(deleted.status == 200, "\(deleted.text)")
        },
    ]

    @Test(
        "The removal link is invalid after seven days, a password reset, or the deletion of the account",
        arguments: endings)
    func ends(event: Event) async throws {
        let intrusion = try await Intrusion()
        let attacker = try await intrusion.signInAsAttacker()
        let code = try await intrusion.linkAttackerGoogle(attacker)
        try await event.happen(intrusion, attacker)
        for exchange in [
            try await intrusion.gateway.openActionPage(code), try await intrusion.gateway.submitActionPage(code),
        ] {
            #expect(exchange.status == 400)
        }
    }

    @Test(
        "The removal link works after the attacker used codes from another mailbox, and invalidates the unused codes")
    func afterOtherCodes() async throws {
        let intrusion = try await Intrusion()
        let gateway = intrusion.gateway
        let adasIdentity = SimulatedPerson.named("Ada", "Elsewhere")
        // Ada's own session. Ada and the attacker sign in with the same password.
        let ada = try await intrusion.signInAsAttacker()
        _ = try await gateway.link(gateway.appleCredential(adasIdentity), to: ada.idToken)
        gateway.clock.advance(by: .seconds(60))
        let attacker = try await intrusion.signInAsAttacker()
        let code = try await intrusion.linkAttackerGoogle(attacker)
        try await intrusion.takeOver(attacker)
        let confirmation = try #require(try await gateway.emails(.passwordChanged).last)
        #expect(confirmation.recipient == "evil@example.com")
        let removals = try #require(confirmation.content.removals)
        #expect(removals.map(\.provider.rawValue).sorted() == ["apple.com", "google.com"])
        gateway.clock.advance(by: .seconds(1))
        // The attacker removes Ada's identity with the code from the email to the attacker.
        let appleRemoval = try #require(removals.first { $0.provider == .apple })
        #expect(try await gateway.submitActionPage(appleRemoval.code).status == 200)
        gateway.clock.advance(by: .seconds(1))
        for adasCode in [code, try await gateway.latestCode(.emailChanged)] {
            #expect(try await gateway.openActionPage(adasCode).status == 200)
        }
        #expect(try await gateway.submitActionPage(code).text.contains("Now set a new password"))
        for removal in removals { #expect(try await gateway.openActionPage(removal.code).status == 400) }
        #expect(try await gateway.accountSeenByAdmin(intrusion.ada.localId)["email"]?.string == Intrusion.victimEmail)
    }
}

extension Intrusion {
    /// Changes the address to one that the attacker has verified, and resets the password by an email to that address.
    func takeOver(_ attacker: TestGateway.Tokens) async throws {
        let change = try await gateway.requestedCode(
            "VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(attacker.idToken), "newEmail": "evil@example.com"])
        gateway.clock.advance(by: .seconds(1))
        #expect(try await gateway.applyCode(change).status == 200)
        gateway.clock.advance(by: .seconds(1))
        let reset = try await gateway.requestedCode("PASSWORD_RESET", ["email": "evil@example.com"])
        #expect(try await gateway.resetPassword(reset, "known to eve").status == 200)
    }
}
