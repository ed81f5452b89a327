import Encoding
import Identity
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

/// The attacks of the paper "Pre-hijacked accounts" by Sudhodanan and Paverd. The attacker's account has the victim's
/// email address before the victim has an account.
@Suite("Pre-hijacking of a user who verifies a mailbox")
struct MailboxPreHijackingTests {
    /// How the victim proves the ownership of the mailbox, and so takes the account over.
    enum Verification: String, CaseIterable, Sendable {
        case passwordReset, emailLink

        func perform(_ gateway: TestGateway) async throws -> Exchange {
            switch self {
            case .passwordReset:
                try await gateway.resetPassword(
                    gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"]), "the victim's own")
            case .emailLink:
                try await gateway.signInWithEmailLink(
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
        _ = try await gateway.link(gateway.googleCredential(attackerGoogle), to: attacker.idToken)
        _ = try await gateway.update(
            attacker.idToken, ["displayName": "Eve", "photoUrl": "https://evil.example/pixel"])
        gateway.clock.advance(by: .seconds(60))
        #expect(try await verification.perform(gateway).status == 200)
        #expect(try await gateway.lookup(attacker.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.refresh(attacker.refreshToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.signIn(password: "known to the attacker").outcome == "400 INVALID_PASSWORD")
        let signedIn = try await gateway.signIn(gateway.googleCredential(attackerGoogle))
        #expect(signedIn.json["localId"]?.string != attacker.localId)
        let victim = try TestGateway.Tokens(
            await gateway.signInWithEmailLink(
                "ada@example.com", gateway.requestedCode("EMAIL_SIGNIN", ["email": "ada@example.com"])))
        #expect(victim.localId == attacker.localId)
        let account = try await gateway.accountSeenByUser(victim.idToken)
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
        // The first address is verified, so a recovery code is sent to it when the account takes the victim's address.
        let attacker = try await gateway.signUpVerified(email: "eve@example.com", password: "known to the attacker")
        gateway.clock.advance(by: .seconds(1))
        let renewed = try TestGateway.Tokens(await gateway.update(attacker.idToken, ["email": "ada@example.com"]))
        let recovery = try await gateway.latestCode(.emailChanged)
        let change = try await gateway.requestedCode(
            "VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(renewed.idToken), "newEmail": "eve@example.com"])
        gateway.clock.advance(by: .seconds(1))
        #expect(try await verification.perform(gateway).status == 200)
        for code in [recovery, change] {
            #expect(try await gateway.checkCode(code).outcome == "400 INVALID_OOB_CODE")
            #expect(try await gateway.applyCode(code).outcome == "400 INVALID_OOB_CODE")
        }
        let codes = try await gateway.database.pool.query("SELECT purpose FROM oob_code")
        #expect(codes.isEmpty, "the codes are deleted, not only expired")
    }

    @Test("A sign-in of the victim with Apple invalidates all earlier codes of the attacker's account")
    func federated() async throws {
        let gateway = try await TestGateway { $0.emailEnumerationProtection = false }
        let victim = SimulatedPerson.ada
        let email = try #require(victim.email)
        let attacker = try await gateway.signUpVerified(email: "eve@example.com", password: "known to the attacker")
        gateway.clock.advance(by: .seconds(1))
        let renewed = try TestGateway.Tokens(await gateway.update(attacker.idToken, ["email": .string(email)]))
        let recovery = try await gateway.latestCode(.emailChanged)
        let change = try await gateway.requestedCode(
            "VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(renewed.idToken), "newEmail": "eve@example.com"])
        let reset = try await gateway.requestedCode("PASSWORD_RESET", ["email": .string(email)])
        #expect(try await gateway.signIn(gateway.appleCredential(victim)).json["localId"]?.string == attacker.localId)
        for code in [recovery, change, reset] {
            #expect(try await gateway.checkCode(code).outcome == "400 INVALID_OOB_CODE")
        }
    }

    @Test("A merge cannot be undone after a password reset of the target, the account that remains")
    func undoOfMerge() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.signUpVerified()
        let person = SimulatedPerson.named("Ada", "Lovelace").with { $0.email = "a.lovelace@gmail.com" }
        _ = try await gateway.link(gateway.googleCredential(person), to: ada.idToken)
        let guest = try await gateway.signUpAnonymously()
        #expect(try await gateway.merge(guest, intoAccountOf: gateway.googleCredential(person)).status == 200)
        _ = try await gateway.resetPassword(gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"]))
        #expect(try await gateway.undoMergeAsAdmin(guest.localId).outcome.hasPrefix("400 MERGE_NOT_UNDOABLE"))
    }
}
