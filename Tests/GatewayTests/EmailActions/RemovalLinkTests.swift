import Identity
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("The link in a notice about an added identity, which removes the identity")
struct RemovalLinkTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let act: @Sendable (Intrusion, TestGateway.Tokens) async throws -> Void
    }

    /// The attacker's actions after linking an identity.
    private static let laterActions = [
        Row(testDescription: "nothing") { _, _ in },
        Row(testDescription: "sets another password") { intrusion, stolen in
            _ = try await intrusion.gateway.update(stolen.idToken, ["password": "known to eve"])
        },
        Row(testDescription: "takes another address") { intrusion, stolen in
            _ = try await intrusion.changeAddress(stolen, to: "evil@example.com")
        },
        Row(testDescription: "takes another address and resets the password by email") { intrusion, stolen in
            try await intrusion.takeOver(stolen)
        },
        Row(testDescription: "removes the address with the password") { intrusion, stolen in
            _ = try await intrusion.gateway.post(
                "/v1/accounts:unlink", ["idToken": .string(stolen.idToken), "deleteProvider": ["password"]])
        },
        Row(testDescription: "links a second identity") { intrusion, stolen in
            let gateway = intrusion.gateway
            let linked = try await gateway.link(gateway.apple(Intrusion.attackerApple), to: stolen.idToken)
            #expect(linked.status == 200, "\(linked.text)")
        },
        Row(testDescription: "merges another account in") { intrusion, _ in
            let gateway = intrusion.gateway
            let merged = try await gateway.merge(
                intrusion.signInWithAttackerApple(), by: gateway.google(Intrusion.attackerGoogle))
            #expect(merged.status == 200, "\(merged.text)")
        },
        Row(testDescription: "unlinks the identity again") { intrusion, stolen in
            _ = try await intrusion.gateway.post(
                "/v1/accounts:unlink", ["idToken": .string(stolen.idToken), "deleteProvider": ["google.com"]])
        },
    ]

    @Test("The removal link ends the attacker's access, whatever the attacker changed later", arguments: laterActions)
    func evicts(row: Row) async throws {
        let intrusion = try await Intrusion()
        let gateway = intrusion.gateway
        let stolen = try await intrusion.signInAsAttacker()
        let code = try await intrusion.linkAttackerGoogle(stolen)
        try await row.act(intrusion, stolen)
        gateway.clock.advance(by: .seconds(1))
        let next = try await gateway.submit(code)
        #expect(next.text.contains("Now set a new password"), "\(next.text)")
        #expect(try await gateway.lookup(stolen.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.refresh(stolen.refreshToken).status == 400)
        #expect(try await gateway.submit(code).text.contains("This link does not work"))
        let done = try await gateway.submit(next.requiredFormCode(), ["newPassword": "staple battery"])
        #expect(done.text.contains("Your password has been changed"), "\(done.text)")
        #expect(try await intrusion.workingSignInMethods() == [])
        let back = try await gateway.signIn(email: Intrusion.victim, password: "staple battery")
        #expect(back.json["localId"]?.string == intrusion.ada.localId)
        let user = try await gateway.user(intrusion.ada.localId)
        #expect(user["emailVerified"] == true)
        #expect(user["providerUserInfo"]?[1] == nil)
    }

    @Test("The page of a removal link states the consequences, and opening it changes nothing")
    func viewing() async throws {
        let intrusion = try await Intrusion()
        let gateway = intrusion.gateway
        let stolen = try await intrusion.signInAsAttacker()
        let code = try await intrusion.linkAttackerGoogle(stolen)
        let before = try await gateway.dump()
        for _ in 0..<3 {
            let page = try await gateway.openPage(code)
            #expect(page.status == 200)
            for text in ["Google", "Remove it", "you set a new password", "Demo"] {
                #expect(page.text.contains(text), "\(text)")
            }
        }
        #expect(try await gateway.dump() == before)
        #expect(try await gateway.lookup(stolen.idToken).status == 200)
    }

    @Test("The code of a removal link cannot be used for another purpose")
    func otherPurposes() async throws {
        let intrusion = try await Intrusion()
        let gateway = intrusion.gateway
        let code = try await intrusion.linkAttackerGoogle(intrusion.signInAsAttacker())
        #expect(try await gateway.check(code).outcome == "400 INVALID_OOB_CODE")
        #expect(try await gateway.reset(code, "staple battery").outcome == "400 INVALID_OOB_CODE")
        #expect(try await gateway.apply(code).outcome == "400 INVALID_OOB_CODE")
        #expect(try await gateway.signInWithLink(Intrusion.victim, code).outcome == "400 INVALID_OOB_CODE")
        #expect(try await gateway.openPage(code).status == 200)
    }

    /// Events after which the link is invalid.
    private static let endings = [
        Row(testDescription: "the end of its seven days") { intrusion, _ in
            intrusion.gateway.clock.advance(by: Policy.removalLinkLifetime)
        },
        Row(testDescription: "a reset") { intrusion, _ in
            let gateway = intrusion.gateway
            let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": .string(Intrusion.victim)])
            let reset = try await gateway.reset(code, "staple battery")
            #expect(reset.status == 200, "\(reset.text)")
        },
        Row(testDescription: "a reclaim") { intrusion, stolen in
            let owner = SimulatedPerson.named("Grace", "Owner").with { $0.email = "grace.owner@example.com" }
            _ = try await intrusion.changeAddress(stolen, to: "grace.owner@example.com")
            let reclaimed = try await intrusion.gateway.signIn(intrusion.gateway.apple(owner))
            #expect(reclaimed.json["localId"]?.string == intrusion.ada.localId, "\(reclaimed.text)")
        },
        Row(testDescription: "the deletion of the account") { intrusion, stolen in
            let deleted = try await intrusion.gateway.delete(stolen.idToken)
            #expect(deleted.status == 200, "\(deleted.text)")
        },
    ]

    @Test(
        "The removal link is invalid after seven days, a reset, a reclaim or the account's deletion", arguments: endings
    )
    func ends(row: Row) async throws {
        let intrusion = try await Intrusion()
        let stolen = try await intrusion.signInAsAttacker()
        let code = try await intrusion.linkAttackerGoogle(stolen)
        try await row.act(intrusion, stolen)
        for exchange in [try await intrusion.gateway.openPage(code), try await intrusion.gateway.submit(code)] {
            #expect(exchange.status == 400)
        }
    }

    @Test("The removal link works after the attacker used codes sent to another mailbox, and invalidates these codes")
    func furthestBack() async throws {
        let intrusion = try await Intrusion()
        let gateway = intrusion.gateway
        let adasIdentity = SimulatedPerson.named("Ada", "Elsewhere")
        _ = try await gateway.link(gateway.apple(adasIdentity), to: intrusion.signInAsAttacker().idToken)
        gateway.clock.advance(by: .seconds(60))
        let stolen = try await intrusion.signInAsAttacker()
        let code = try await intrusion.linkAttackerGoogle(stolen)
        try await intrusion.takeOver(stolen)
        let confirmation = try #require(try await gateway.emails(.passwordChanged).last)
        #expect(confirmation.recipient == "evil@example.com")
        let sent = try #require(confirmation.content.removals)
        #expect(sent.map(\.provider.rawValue).sorted() == ["apple.com", "google.com"])
        gateway.clock.advance(by: .seconds(1))
        // The attacker removes Ada's identity with the code from the email to the attacker.
        let appleRemoval = try #require(sent.first { $0.provider == .apple })
        #expect(try await gateway.submit(appleRemoval.code).status == 200)
        gateway.clock.advance(by: .seconds(1))
        for recovery in [code, try await gateway.code(.emailChanged)] {
            #expect(try await gateway.openPage(recovery).status == 200)
        }
        #expect(try await gateway.submit(code).text.contains("Now set a new password"))
        for removal in sent { #expect(try await gateway.openPage(removal.code).status == 400) }
        #expect(try await gateway.user(intrusion.ada.localId)["email"]?.string == Intrusion.victim)
    }
}

extension Intrusion {
    /// Changes the address to one that the attacker has verified, and resets the password by an email to that address.
    func takeOver(_ stolen: TestGateway.Tokens) async throws {
        let change = try await gateway.requestedCode(
            "VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(stolen.idToken), "newEmail": "evil@example.com"])
        gateway.clock.advance(by: .seconds(1))
        #expect(try await gateway.apply(change).status == 200)
        gateway.clock.advance(by: .seconds(1))
        let reset = try await gateway.requestedCode("PASSWORD_RESET", ["email": "evil@example.com"])
        #expect(try await gateway.reset(reset, "known to eve").status == 200)
    }
}
