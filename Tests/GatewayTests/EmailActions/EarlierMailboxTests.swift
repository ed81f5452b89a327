import HTTP
import Identity
import JSON
import Postgres
import Simulators
import Testing

@testable import Support

/// Two users have proven a mailbox for one account. The owner of the earlier mailbox can take the account back.
@Suite("An account with an earlier mailbox")
struct EarlierMailboxTests {
    private static let apple = SimulatedPerson.named("Eve", "Apple").with { $0.email = "eve@example.com" }

    /// How an attacker proves the mailbox eve@example.com without a session.
    enum Proof: String, CaseIterable, Sendable {
        case resetOnPage, resetThroughAPI, emailLink, apple

        func perform(_ gateway: TestGateway) async throws {
            switch self {
            case .resetOnPage:
                let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "eve@example.com"])
                #expect(try await gateway.openActionPage(code).text.contains("you get a new account"))
                let page = try await gateway.submitActionPage(code, ["newPassword": "known to eve"])
                #expect(page.text.contains("Your password has been changed"), "\(page.text)")
            case .resetThroughAPI:
                let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "eve@example.com"])
                #expect(try await gateway.resetPassword(code, "known to eve").status == 200)
            case .emailLink:
                let code = try await gateway.requestedCode("EMAIL_SIGNIN", ["email": "eve@example.com"])
                let signedIn = try await gateway.signInWithEmailLink("eve@example.com", code)
                #expect(signedIn.json["isNewUser"] == true, "\(signedIn.text)")
            case .apple:
                let signedIn = try await gateway.signIn(gateway.appleCredential(EarlierMailboxTests.apple))
                #expect(signedIn.json["isNewUser"] == true, "\(signedIn.text)")
            }
        }
    }

    /// A gateway with the account of a victim, Ada. An attacker with a session has changed its address.
    private struct StolenAccount {
        let gateway: TestGateway
        let ada: TestGateway.Tokens
        /// The attacker's session.
        let session: TestGateway.Tokens
        /// The code in Ada's mailbox.
        let recovery: String

        init(linkingGoogle: Bool = false) async throws {
            gateway = try await TestGateway(.sekisho) { $0.emailEnumerationProtection = false }
            ada = try await gateway.signUpVerified(email: "ada@example.com", password: "stolen secret")
            gateway.clock.advance(by: .seconds(60))
            if linkingGoogle { _ = try await gateway.link(gateway.googleCredential(.mary), to: ada.idToken) }
            gateway.clock.advance(by: .seconds(60))
            let attacker = try TestGateway.Tokens(
                await gateway.signIn(email: "ada@example.com", password: "stolen secret"))
            session = try TestGateway.Tokens(
                await gateway.update(attacker.idToken, ["email": "eve@example.com"]))
            recovery = try await gateway.latestCode(.emailChanged)
            gateway.clock.advance(by: .seconds(60))
        }

        func expectRecovered() async throws {
            let recovered = try await gateway.applyCode(recovery)
            #expect(recovered.json["email"] == "ada@example.com", "\(recovered.text)")
            let accounts = try await gateway.database.pool.query(
                "SELECT id FROM account WHERE email = 'ada@example.com'")
            #expect(try accounts.map { try $0.decode("id", as: String.self) } == [ada.localId])
        }
    }

    @Test("An attacker who proves another address of a victim's account gets a new account", arguments: Proof.allCases)
    func reclaim(proof: Proof) async throws {
        let stolen = try await StolenAccount()
        let gateway = stolen.gateway
        try await proof.perform(gateway)
        let attackers = try await gateway.database.pool.query("SELECT id FROM account WHERE email = 'eve@example.com'")
        #expect(try attackers.map { try $0.decode("id", as: String.self) } != [stolen.ada.localId])
        #expect(try await gateway.lookup(stolen.session.idToken).outcome == "400 TOKEN_EXPIRED")
        let notices = try await gateway.emails(.accountReplaced)
        #expect(notices.map(\.recipient) == ["eve@example.com"])
        try await stolen.expectRecovered()
    }

    @Test("If only administrators create accounts, no proof of another address of an account creates one")
    func signUpNotAllowed() async throws {
        let stolen = try await StolenAccount()
        let gateway = stolen.gateway
        let restricted = try await gateway.send(
            .patch, "/v2/projects/demo/config", ["client": ["permissions": ["disabledUserSignup": true]]],
            by: ServiceKey(in: gateway), query: [("updateMask", "client.permissions.disabledUserSignup")])
        #expect(restricted.outcome == "200")
        let reset = try await gateway.requestedCode("PASSWORD_RESET", ["email": "eve@example.com"])
        let page = try await gateway.submitActionPage(reset, ["newPassword": "known to eve"])
        #expect(page.text.contains("This is not available"), "\(page.text)")
        #expect(try await gateway.resetPassword(reset, "known to eve").outcome == "400 OPERATION_NOT_ALLOWED")
        let link = try await gateway.requestedCode("EMAIL_SIGNIN", ["email": "eve@example.com"])
        let refused = "400 ADMIN_ONLY_OPERATION"
        #expect(try await gateway.signInWithEmailLink("eve@example.com", link).outcome == refused)
        #expect(try await gateway.signIn(gateway.appleCredential(Self.apple)).outcome == refused)
        let verification = try await gateway.requestedCode(
            "VERIFY_EMAIL", ["idToken": .string(stolen.session.idToken)])
        let choice = try await gateway.submitActionPage(verification, ["step": "createAccount"])
        #expect(choice.text.contains("This is not available"), "\(choice.text)")
        let accounts = try await gateway.database.pool.query("SELECT id FROM account")
        #expect(try accounts.map { try $0.decode("id", as: String.self) } == [stolen.ada.localId])
        try await stolen.expectRecovered()
    }

    @Test("An attacker who disavows another address of a victim's account does not void the victim's remedy")
    func disavowal() async throws {
        let stolen = try await StolenAccount()
        let code = try await stolen.gateway.requestedCode(
            "VERIFY_EMAIL", ["idToken": .string(stolen.session.idToken)])
        let page = try await stolen.gateway.submitActionPage(code, ["step": "disavow"])
        #expect(page.text.contains("Thank you for telling us"), "\(page.text)")
        try await stolen.expectRecovered()
    }

    @Test("An attacker who confirms another address and removes other identities does not void the victim's remedy")
    func otherIdentities() async throws {
        let stolen = try await StolenAccount(linkingGoogle: true)
        let code = try await stolen.gateway.requestedCode(
            "VERIFY_EMAIL", ["idToken": .string(stolen.session.idToken)])
        let page = try await stolen.gateway.submitActionPage(code, ["remove.google.com": "true"])
        #expect(page.text.contains("Now set a new password"), "\(page.text)")
        try await stolen.expectRecovered()
    }

    @Test("A disabled account keeps its address, and the user who proves the address gets no account")
    func disabled() async throws {
        let gateway = try await StolenAccount().gateway
        let code = try await gateway.requestedCode("EMAIL_SIGNIN", ["email": "eve@example.com"])
        _ = try await gateway.database.pool.execute("UPDATE account SET disabled_at = now()")
        #expect(try await gateway.signInWithEmailLink("eve@example.com", code).outcome == "400 USER_DISABLED")
        #expect(try await gateway.signIn(gateway.appleCredential(Self.apple)).outcome == "400 USER_DISABLED")
        let accounts = try await gateway.database.pool.query("SELECT email FROM account")
        #expect(try accounts.map { try $0.decode("email", as: String?.self) } == ["eve@example.com"])
    }

    @Test("After the recovery code has expired, the user who proves the address reclaims the account")
    func expiredRemedy() async throws {
        let stolen = try await StolenAccount()
        stolen.gateway.clock.advance(by: .seconds(73 * 3600))
        let code = try await stolen.gateway.requestedCode("EMAIL_SIGNIN", ["email": "eve@example.com"])
        let signedIn = try await stolen.gateway.signInWithEmailLink("eve@example.com", code)
        #expect(signedIn.json["localId"]?.string == stolen.ada.localId)
    }

    /// An attacker's account, whose verified address is about to become the address of a victim, Ada.
    private func attackersAccount() async throws -> (TestGateway, TestGateway.Tokens, confirmation: String) {
        let gateway = try await TestGateway(.sekisho) { $0.emailEnumerationProtection = false }
        let attacker = try await gateway.signUpVerified(email: "eve@example.com", password: "known to eve")
        let code = try await gateway.requestedCode(
            "VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(attacker.idToken), "newEmail": "ada@example.com"])
        return (gateway, attacker, code)
    }

    @Test("The page that confirms a change of a verified address offers the victim a new account")
    func confirmation() async throws {
        let (gateway, attacker, code) = try await attackersAccount()
        #expect(try await gateway.openActionPage(code).text.contains("Not your account?"))
        let next = try await gateway.submitActionPage(code, ["step": "createAccount"])
        #expect(next.text.contains("You have a new account"), "\(next.text)")
        _ = try await gateway.submitActionPage(next.requiredFormCode(), ["newPassword": "staple battery"])
        let victim = try TestGateway.Tokens(
            await gateway.signIn(email: "ada@example.com", password: "staple battery"))
        #expect(victim.localId != attacker.localId)
        #expect(try await gateway.accountSeenByUser(victim.idToken)["emailVerified"] == true)
        #expect(try await gateway.accountSeenByUser(attacker.idToken)["email"] == "eve@example.com")
        #expect(try await gateway.submitActionPage(code, ["step": "createAccount"]).status == 400)
    }

    @Test("The page that resets a password offers the victim a new account until the attacker's code expires")
    func reset() async throws {
        let (gateway, attacker, confirmation) = try await attackersAccount()
        #expect(try await gateway.applyCode(confirmation).status == 200)
        let recovery = try await gateway.latestCode(.emailChanged)
        gateway.clock.advance(by: .seconds(60))
        // Through the API, the account stays the same, but the notice warns the victim.
        let first = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        #expect(try await gateway.resetPassword(first, "staple battery").status == 200)
        #expect(try await gateway.emails(.passwordChanged).map(\.content.hasEarlierMailbox) == [true])
        let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        let page = try await gateway.openActionPage(code)
        #expect(page.text.contains("Can be taken back until") && page.checkboxes == ["newAccount"], "\(page.text)")
        let done = try await gateway.submitActionPage(code, ["newPassword": "new staple", "newAccount": "true"])
        #expect(done.text.contains("Your password has been changed"), "\(done.text)")
        let victim = try TestGateway.Tokens(await gateway.signIn(email: "ada@example.com", password: "new staple"))
        #expect(victim.localId != attacker.localId)
        #expect(try await gateway.applyCode(recovery).json["email"] == "eve@example.com")
        #expect(try await gateway.lookup(victim.idToken).status == 200)
    }

    @Test("Without an earlier mailbox, pages offer no new account, and ignore the choice of one")
    func noEarlierMailbox() async throws {
        let gateway = try await TestGateway(.sekisho) { $0.emailEnumerationProtection = false }
        let ada = try await gateway.signUpVerified(email: "ada@example.com", password: "stolen secret")
        let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        #expect(try await gateway.openActionPage(code).checkboxes == [])
        #expect(
            try await gateway.submitActionPage(code, ["newPassword": "staple battery", "newAccount": "true"]).status
                == 200)
        let signedIn = try TestGateway.Tokens(
            await gateway.signIn(email: "ada@example.com", password: "staple battery"))
        #expect(signedIn.localId == ada.localId)
        #expect(try await gateway.emails(.passwordChanged).map(\.content.hasEarlierMailbox) == [nil])
        let verification = try await gateway.requestedCode("VERIFY_EMAIL", ["idToken": .string(signedIn.idToken)])
        #expect(try await gateway.submitActionPage(verification, ["step": "createAccount"]).status == 400)
    }
}
