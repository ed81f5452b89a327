import Identity
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

/// The attacks of the paper "Pre-hijacked accounts" by Sudhodanan and Paverd. The victim verifies the mailbox.
@Suite("Pre-hijacking of a user who verifies a mailbox")
struct MailboxPreHijackingTests {
    /// How the victim verifies the mailbox.
    enum Verification: String, CaseIterable, Sendable {
        case reset, link

        func perform(_ gateway: TestGateway) async throws -> Exchange {
            switch self {
            case .reset:
                try await gateway.reset(
                    gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"]), "the victim's own")
            case .link:
                try await gateway.signInWithLink(
                    "ada@example.com", gateway.requestedCode("EMAIL_SIGNIN", ["email": "ada@example.com"]))
            }
        }
    }

    @Test(
        "The victim's verification removes the attacker's sessions, password, identity and profile",
        arguments: Verification.allCases)
    func nothingSurvives(verification: Verification) async throws {
        let gateway = try await TestGateway(.sekisho) { $0.emailEnumerationProtection = false }
        let attacker = try await gateway.signUp(password: "known to the attacker")
        let attackerGoogle = SimulatedPerson.named("Eve", "Attacker")
        _ = try await gateway.link(gateway.google(attackerGoogle), to: attacker.idToken)
        _ = try await gateway.update(
            attacker.idToken, ["displayName": "Eve", "photoUrl": "https://evil.example/pixel"])
        gateway.clock.advance(by: .seconds(60))
        #expect(try await verification.perform(gateway).status == 200)
        #expect(try await gateway.lookup(attacker.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.refresh(attacker.refreshToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.signIn(password: "known to the attacker").outcome == "400 INVALID_PASSWORD")
        let back = try await gateway.signIn(gateway.google(attackerGoogle))
        #expect(back.json["localId"]?.string != attacker.localId)
        let victim = try TestGateway.Tokens(
            await gateway.signInWithLink(
                "ada@example.com", gateway.requestedCode("EMAIL_SIGNIN", ["email": "ada@example.com"])))
        #expect(victim.localId == attacker.localId)
        let account = try await gateway.account(victim.idToken)
        #expect(account["displayName"] == nil)
        #expect(account["photoUrl"] == nil)
        #expect(account["emailVerified"] == true)
        #expect(try await gateway.emails(.accountReclaimed).map(\.recipient) == ["ada@example.com"])
    }

    @Test(
        "The victim's verification invalidates the attacker's codes for a change or a recovery of the address",
        arguments: Verification.allCases)
    func pendingChanges(verification: Verification) async throws {
        let gateway = try await TestGateway { $0.emailEnumerationProtection = false }
        // Verified once, so that a recovery code is sent when the account takes the victim's address.
        let attacker = try await gateway.signUpVerified(email: "eve@example.com", password: "known to the attacker")
        gateway.clock.advance(by: .seconds(1))
        let renewed = try TestGateway.Tokens(await gateway.update(attacker.idToken, ["email": "ada@example.com"]))
        let recovery = try await gateway.code(.emailChanged)
        let change = try await gateway.requestedCode(
            "VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(renewed.idToken), "newEmail": "eve@example.com"])
        gateway.clock.advance(by: .seconds(1))
        #expect(try await verification.perform(gateway).status == 200)
        for code in [recovery, change] {
            #expect(try await gateway.check(code).outcome == "400 INVALID_OOB_CODE")
            #expect(try await gateway.apply(code).outcome == "400 INVALID_OOB_CODE")
        }
        let pending = try await gateway.database.pool.query("SELECT purpose FROM oob_code")
        #expect(pending.isEmpty, "deleted, not only expired")
    }

    @Test("A federated sign-in of the victim invalidates codes that were sent before")
    func federated() async throws {
        let gateway = try await TestGateway { $0.emailEnumerationProtection = false }
        let victim = SimulatedPerson.ada
        let email = try #require(victim.email)
        let attacker = try await gateway.signUpVerified(email: "eve@example.com", password: "known to the attacker")
        gateway.clock.advance(by: .seconds(1))
        let renewed = try TestGateway.Tokens(await gateway.update(attacker.idToken, ["email": .string(email)]))
        let recovery = try await gateway.code(.emailChanged)
        let change = try await gateway.requestedCode(
            "VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(renewed.idToken), "newEmail": "eve@example.com"])
        let reset = try await gateway.requestedCode("PASSWORD_RESET", ["email": .string(email)])
        #expect(try await gateway.signIn(gateway.apple(victim)).json["localId"]?.string == attacker.localId)
        for code in [recovery, change, reset] {
            #expect(try await gateway.check(code).outcome == "400 INVALID_OOB_CODE")
        }
    }

    @Test("A merge cannot be undone after a password reset")
    func merge() async throws {
        let gateway = try await TestGateway.administered()
        let ada = try await gateway.signUpVerified()
        let person = SimulatedPerson.named("Ada", "Lovelace").with { $0.email = "a.lovelace@gmail.com" }
        _ = try await gateway.link(gateway.google(person), to: ada.idToken)
        let guest = try await gateway.signUpAnonymously()
        #expect(try await gateway.merge(guest, by: gateway.google(person)).status == 200)
        _ = try await gateway.reset(gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"]))
        #expect(try await gateway.undoMerge(guest.localId).outcome.hasPrefix("400 MERGE_NOT_UNDOABLE"))
    }
}
