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

    /// The attacker's account has the victim's address in place of a verified address of the attacker. Returns it with
    /// a code that recovers the attacker's address, and a code that changes the address to it.
    private static func attackersAccount(
        takingAddress email: String, at gateway: TestGateway
    ) async throws -> (attacker: TestGateway.Tokens, recovery: String, change: String) {
        let attacker = try await gateway.signUpVerified(email: "eve@example.com", password: "known to the attacker")
        gateway.clock.advance(by: .seconds(1))
        let renewed = try TestGateway.Tokens(await gateway.update(attacker.idToken, ["email": .string(email)]))
        let recovery = try await gateway.latestCode(.emailChanged)
        let change = try await gateway.requestedCode(
            "VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(renewed.idToken), "newEmail": "eve@example.com"])
        gateway.clock.advance(by: .seconds(1))
        return (renewed, recovery, change)
    }

    /// The attacker's recovery code gives the attacker the account back, but not the victim's new account.
    private static func expectSeparateAccounts(
        of attacker: TestGateway.Tokens, andVictim victim: String, _ recovery: String, at gateway: TestGateway
    ) async throws {
        #expect(victim != attacker.localId)
        #expect(try await gateway.lookup(attacker.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.applyCode(recovery).json["email"] == "eve@example.com")
        let holders = try await gateway.database.pool.query("SELECT email, id FROM account ORDER BY email DESC")
            .map { try $0.decode("id", as: String.self) }
        #expect(holders == [attacker.localId, victim])
    }

    @Test(
        "A victim whose address replaced an attacker's proven address gets an account that no code of the attacker opens",
        arguments: Verification.allCases)
    func replacedAddress(verification: Verification) async throws {
        let gateway = try await TestGateway { $0.emailEnumerationProtection = false }
        let (attacker, recovery, change) = try await Self.attackersAccount(
            takingAddress: "ada@example.com", at: gateway)
        #expect(try await verification.perform(gateway).status == 200)
        #expect(try await gateway.checkCode(change).outcome == "400 INVALID_OOB_CODE")
        #expect(try await gateway.emails(.accountReplaced).map(\.recipient) == ["ada@example.com"])
        let victim = try TestGateway.Tokens(
            await gateway.signInWithEmailLink(
                "ada@example.com", gateway.requestedCode("EMAIL_SIGNIN", ["email": "ada@example.com"])))
        try await Self.expectSeparateAccounts(of: attacker, andVictim: victim.localId, recovery, at: gateway)
        #expect(try await gateway.lookup(victim.idToken).status == 200)
    }

    @Test("The same applies to a victim who signs in with Apple")
    func federated() async throws {
        let gateway = try await TestGateway { $0.emailEnumerationProtection = false }
        let victim = SimulatedPerson.ada
        let email = try #require(victim.email)
        let (attacker, recovery, change) = try await Self.attackersAccount(takingAddress: email, at: gateway)
        let reset = try await gateway.requestedCode("PASSWORD_RESET", ["email": .string(email)])
        let signedIn = try await gateway.signIn(gateway.appleCredential(victim))
        #expect(signedIn.json["isNewUser"] == true)
        for code in [change, reset] {
            #expect(try await gateway.checkCode(code).outcome == "400 INVALID_OOB_CODE")
        }
        #expect(try await gateway.emails(.accountReplaced).map(\.recipient) == [email])
        try await Self.expectSeparateAccounts(
            of: attacker, andVictim: try #require(signedIn.json["localId"]?.string), recovery, at: gateway)
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
