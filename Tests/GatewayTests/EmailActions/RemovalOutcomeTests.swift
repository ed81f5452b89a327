import Encoding
import Identity
import JSON
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("Effects of a removal link")
struct RemovalOutcomeTests {
    @Test("The removal link deletes the account's other codes, and invalidates pending tokens")
    func pending() async throws {
        let intrusion = try await Intrusion()
        let gateway = intrusion.gateway
        let attacker = try await intrusion.signInAsAttacker()
        let impostor = SimulatedPerson.named("Eve", "Impostor").with { $0.email = Intrusion.victimEmail }
        let code = try await intrusion.linkAttackerGoogle(attacker)
        let conflict = try await gateway.signIn(
            gateway.googleCredential(impostor) { $0.claims["email_verified"] = .bool(false) })
        let change = try await gateway.requestedCode(
            "VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(attacker.idToken), "newEmail": "evil@example.com"])
        let reset = try await gateway.requestedCode("PASSWORD_RESET", ["email": .string(Intrusion.victimEmail)])
        let passwordPage = try await gateway.submitActionPage(code)
        for old in [change, reset] { #expect(try await gateway.checkCode(old).outcome == "400 INVALID_OOB_CODE") }
        _ = try await gateway.submitActionPage(passwordPage.requiredFormCode(), ["newPassword": "staple battery"])
        let owner = try TestGateway.Tokens(
            await gateway.signIn(email: Intrusion.victimEmail, password: "staple battery"))
        let pending = try #require(conflict.pendingToken, "\(conflict.text)")
        let late = try await gateway.signInWithIdp([
            "pendingToken": .string(pending), "idToken": .string(owner.idToken),
        ])
        #expect(late.outcome.hasPrefix("400 INVALID_PENDING_TOKEN"), "\(late.text)")
        #expect(try await gateway.database.pool.query("SELECT 1 FROM oob_code").isEmpty)
    }

    @Test("The removal writes audit events with the client's network and the request ID, and an outbox event")
    func audited() async throws {
        let intrusion = try await Intrusion()
        let gateway = intrusion.gateway
        let attacker = try await intrusion.signInAsAttacker()
        let code = try await intrusion.linkAttackerGoogle(attacker)
        let renewed = try await intrusion.changeAddress(attacker, to: "evil@example.com")
        _ = try await gateway.update(renewed.idToken, ["password": "known to eve"])
        let events = try await gateway.newAuditEvents { _ = try await gateway.submitActionPage(code) }
        let id = intrusion.ada.localId
        #expect(
            events.map(\.description) == [
                "user email.changed \(id)", "user identity.unlinked \(id) provider=google.com",
                "user password.removed \(id)",
            ])
        #expect(events.allSatisfy { $0.network == "192.0.2.0/24" && $0.requestID == "0" })
        #expect(try await gateway.recordedEvents().outbox.contains("identity.unlinked \(id) google.com"))
    }

    @Test("The removal leaves the account without an address if another account has meanwhile verified the address")
    func addressTaken() async throws {
        let intrusion = try await Intrusion()
        let gateway = intrusion.gateway
        let attacker = try await intrusion.signInAsAttacker()
        let code = try await intrusion.linkAttackerGoogle(attacker)
        _ = try await intrusion.changeAddress(attacker, to: "evil@example.com")
        _ = try await gateway.signUpVerified(email: Intrusion.victimEmail, password: "another user's")
        let done = try await gateway.submitActionPage(code)
        #expect(done.status == 200)
        #expect(done.text.contains("Another account now uses this address"))
        #expect(try await intrusion.attackersWorkingSignInMethods() == [])
        #expect(try await gateway.accountSeenByAdmin(intrusion.ada.localId)["email"] == nil)
    }

    @Test("The removal page does not ask for a new password if the project does not allow passwords")
    func withoutPasswords() async throws {
        let intrusion = try await Intrusion()
        let gateway = intrusion.gateway
        let code = try await intrusion.linkAttackerGoogle(intrusion.signInAsAttacker())
        _ = try await gateway.database.pool.execute(
            "UPDATE realm SET policy = policy || jsonb_build_object('allowsPasswords', 'false')")
        let done = try await gateway.withFreshCaches().submitActionPage(code)
        #expect(done.text.contains("Removed") && !done.text.contains("<form"))
    }

    /// A sign-in method that a client adds to an account with a verified address.
    struct AddedMethod: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let provider: ProviderID
        let add: @Sendable (TestGateway, TestGateway.Tokens) async throws -> Exchange
    }

    private static let methods = [
        AddedMethod(testDescription: "a password", provider: .password) {
            try await $0.update($1.idToken, ["password": "known to eve"])
        },
        AddedMethod(testDescription: "a password, by a sign-up with the account's ID token", provider: .password) {
            try await $0.post(
                "/v1/accounts:signUp",
                ["idToken": .string($1.idToken), "email": "person@gmail.com", "password": "known to eve"])
        },
        AddedMethod(testDescription: "an email link", provider: .emailLink) { gateway, tokens in
            let code = try await gateway.requestedCode("EMAIL_SIGNIN", ["email": "evil@example.com"])
            return try await gateway.signInWithEmailLink("evil@example.com", code, ["idToken": .string(tokens.idToken)])
        },
    ]

    @Test(
        "The removal link removes an added password or address for email links, and keeps the first identity",
        arguments: methods)
    func passwordOrEmailLink(row: AddedMethod) async throws {
        let gateway = try await TestGateway(.sekisho) { $0.emailEnumerationProtection = false }
        let person = SimulatedPerson.named("Per", "Son").with { $0.email = "person@gmail.com" }
        let owner = try TestGateway.Tokens(await gateway.signIn(gateway.googleCredential(person)))
        gateway.clock.advance(by: .seconds(60))
        #expect(try await row.add(gateway, owner).status == 200)
        let notice = try #require(try await gateway.emails(.identityLinked).last)
        #expect(notice.recipient == "person@gmail.com" && notice.content.provider == row.provider)
        gateway.clock.advance(by: .seconds(60))
        let passwordPage = try await gateway.submitActionPage(try #require(notice.content.code))
        #expect(passwordPage.text.contains("Now set a new password"), "\(passwordPage.text)")
        let account = try await gateway.accountSeenByUser(
            TestGateway.Tokens(await gateway.signIn(gateway.googleCredential(person))).idToken)
        #expect(account["localId"]?.string == owner.localId, "the identity with which the account was created stays")
        #expect(account["email"] == "person@gmail.com" && account["passwordUpdatedAt"] == nil)
        #expect(account["providerUserInfo"]?[1] == nil, "only the first identity remains")
    }

    @Test(
        "The removal link is invalid after an administrator has set the address, the password or validSince",
        arguments: [
            ["email": .string(Intrusion.victimEmail)], ["password": "given by support"], ["validSince": "1800000000"],
        ] as [[String: JSON]])
    func administratorChange(change: [String: JSON]) async throws {
        let intrusion = try await Intrusion()
        let gateway = intrusion.gateway
        let attacker = try await intrusion.changeAddress(try await intrusion.signInAsAttacker(), to: "evil@example.com")
        // Only a verified address gets a notice with a removal link.
        _ = try await gateway.database.pool.execute("UPDATE account SET email_verified = true")
        #expect(
            try await gateway.link(gateway.googleCredential(Intrusion.attackerGoogle), to: attacker.idToken).status
                == 200
        )
        let code = try #require(try await gateway.emails(.identityLinked).last?.content.code)
        let id = JSON.string(intrusion.ada.localId)
        #expect(
            try await gateway.administerAccounts(":update", .object(change.merging(["localId": id]) { $1 })).outcome
                == "200")
        let before = try await gateway.accountsAsStored()
        #expect(try await gateway.submitActionPage(code).status == 400)
        #expect(try await gateway.accountsAsStored() == before)
    }
}
