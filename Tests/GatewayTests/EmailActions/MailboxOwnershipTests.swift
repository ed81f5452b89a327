import Encoding
import HTTP
import Identity
import JSON
import Providers
import Simulators
import Testing

@testable import DevMode
@testable import Support

/// An attacker's identity that became part of the account before the owner proved the mailbox, or with another account.
@Suite("The mailbox decides which identities are the owner's")
struct MailboxOwnershipTests {
    private static let email = "ada@example.com"
    private static let google = SimulatedPerson.named("Eve", "Attacker")

    /// A way in which the attacker's Google identity gets into an account whose verified address is the owner's.
    struct Intrusion: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Returns the ID of the account.
        let intrude: @Sendable (TestGateway) async throws -> String
    }

    private static func verify(_ idToken: String, at gateway: TestGateway) async throws {
        gateway.clock.advance(by: .seconds(60))
        let code = try await gateway.requestedCode("VERIFY_EMAIL", ["idToken": .string(idToken)])
        #expect(try await gateway.applyCode(code).status == 200)
        gateway.clock.advance(by: .seconds(60))
    }

    /// Creates an account with the attacker's Google identity, which claims the owner's address without proof.
    private static func createAccountWithGoogle(_ gateway: TestGateway) async throws -> TestGateway.Tokens {
        let credential = try gateway.googleCredential(google) { draft in
            draft.claims["email"] = .string(email)
            draft.claims["email_verified"] = .bool(false)
        }
        return try TestGateway.Tokens(await gateway.signIn(credential))
    }

    private static let intrusions = [
        Intrusion(testDescription: "the identity created the account, and the owner verified the address later") {
            gateway in
            let attacker = try await createAccountWithGoogle(gateway)
            try await verify(attacker.idToken, at: gateway)
            return attacker.localId
        },
        Intrusion(testDescription: "the identity was linked before the owner verified the address") { gateway in
            let attacker = try await gateway.signUp(email: email, password: "known to eve")
            let changed = try await gateway.link(gateway.googleCredential(google), to: attacker.idToken)
            #expect(changed.status == 200, "\(changed.text)")
            try await verify(attacker.idToken, at: gateway)
            return attacker.localId
        },
        Intrusion(testDescription: "the owner's account was merged into the account of the identity") { gateway in
            // Without an address, so that the merge gives the owner's address to the account.
            let own = try TestGateway.Tokens(
                await gateway.signIn(gateway.googleCredential(google) { $0.claims["email"] = nil }))
            gateway.clock.advance(by: .seconds(60))
            let owner = try await gateway.signUpVerified(email: email, password: "stolen secret")
            let merged = try await gateway.merge(
                owner, intoAccountOf: gateway.googleCredential(google) { $0.claims["email"] = nil })
            #expect(merged.json["localId"]?.string == own.localId, "\(merged.text)")
            return own.localId
        },
        Intrusion(testDescription: "the identity was linked 31 days ago") { gateway in
            let owner = try await gateway.signUpVerified(email: email, password: "stolen secret")
            let changed = try await gateway.link(gateway.googleCredential(google), to: owner.idToken)
            #expect(changed.status == 200, "\(changed.text)")
            gateway.clock.advance(by: .seconds(31 * 86_400))
            return owner.localId
        },
    ]

    private static func gateway() async throws -> TestGateway {
        try await TestGateway(.sekisho) { $0.emailEnumerationProtection = false }
    }

    private static func attackerHasAccess(to localId: String, at gateway: TestGateway) async throws -> Bool {
        try await gateway.signIn(gateway.googleCredential(google)).json["localId"]?.string == localId
    }

    @Test("The page of a password reset lists the attacker's identity, and removes it", arguments: intrusions)
    func page(intrusion: Intrusion) async throws {
        let gateway = try await Self.gateway()
        let localId = try await intrusion.intrude(gateway)
        let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": .string(Self.email)])
        #expect(try await gateway.openActionPage(code).checkboxes == ["remove.google.com"])
        let done = try await gateway.submitActionPage(
            code, ["newPassword": "staple battery", "remove.google.com": "true"])
        #expect(done.text.contains("Your password has been changed"), "\(done.text)")
        #expect(try await !Self.attackerHasAccess(to: localId, at: gateway))
    }

    @Test("A password reset through the API emails a link that removes the attacker's identity", arguments: intrusions)
    func api(intrusion: Intrusion) async throws {
        let gateway = try await Self.gateway()
        let localId = try await intrusion.intrude(gateway)
        let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": .string(Self.email)])
        #expect(try await gateway.resetPassword(code, "staple battery").status == 200)
        let removals = try #require(try await gateway.emails(.passwordChanged).last?.content.removals)
        #expect(removals.map(\.provider) == [.google])
        gateway.clock.advance(by: .seconds(60))
        let page = try await gateway.submitActionPage(removals[0].code)
        #expect(page.text.contains("Now set a new password"), "\(page.text)")
        #expect(try await !Self.attackerHasAccess(to: localId, at: gateway))
    }

    @Test(
        "An identity is the owner's without question only if its provider has verified exactly the account's address",
        arguments: [
            ("ada@example.com", true, false), ("ada@example.com", false, true), ("else@example.com", true, true),
        ])
    func withoutQuestion(address: String, isVerified: Bool, isListed: Bool) async throws {
        let gateway = try await Self.gateway()
        let owner = try await gateway.signUpVerified(email: Self.email, password: "stolen secret")
        let credential = try gateway.googleCredential(Self.google) { draft in
            draft.claims["email"] = .string(address)
            draft.claims["email_verified"] = .bool(isVerified)
        }
        #expect(try await gateway.link(credential, to: owner.idToken).status == 200)
        let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": .string(Self.email)])
        #expect(try await gateway.openActionPage(code).checkboxes == (isListed ? ["remove.google.com"] : []))
        #expect(
            try await gateway.submitActionPage(code, ["newPassword": "staple battery", "remove.google.com": "true"])
                .status == 200)
        #expect(try await Self.attackerHasAccess(to: owner.localId, at: gateway) != isListed)
    }

    @Test("Recovery judges identities by the recovered address, and offers to remove the one that created the account")
    func recovery() async throws {
        let gateway = try await Self.gateway()
        let attacker = try await Self.createAccountWithGoogle(gateway)
        try await Self.verify(attacker.idToken, at: gateway)
        // The provider has verified the attacker's own address, which becomes the account's address.
        let session = try TestGateway.Tokens(await gateway.signIn(gateway.googleCredential(Self.google)))
        let changed = try await gateway.update(session.idToken, ["email": .string(try #require(Self.google.email))])
        #expect(changed.status == 200, "\(changed.text)")
        gateway.clock.advance(by: .seconds(60))
        let code = try await gateway.latestCode(.emailChanged)
        #expect(try await gateway.openActionPage(code).checkboxes == ["remove.google.com"])
        #expect(
            try await gateway.submitActionPage(code, ["remove.google.com": "true"]).text
                .contains("Now set a new password"))
        #expect(try await !Self.attackerHasAccess(to: attacker.localId, at: gateway))
    }

    @Test("The page that confirms an address lists the account's sign-in methods, and removes those that are selected")
    func confirmation() async throws {
        let gateway = try await Self.gateway()
        let attacker = try await gateway.signUp(email: Self.email, password: "known to eve")
        #expect(try await gateway.link(gateway.googleCredential(Self.google), to: attacker.idToken).status == 200)
        gateway.clock.advance(by: .seconds(60))
        let code = try await gateway.requestedCode("VERIFY_EMAIL", ["idToken": .string(attacker.idToken)])
        let page = try await gateway.openActionPage(code)
        #expect(page.text.contains("Password, <bdi>Google</bdi>") && page.checkboxes == ["remove.google.com"])
        let next = try await gateway.submitActionPage(code, ["remove.google.com": "true"])
        #expect(next.text.contains("Now set a new password"), "\(next.text)")
        #expect(try await gateway.lookup(attacker.idToken).outcome == "400 TOKEN_EXPIRED")
        #expect(try await gateway.signIn(email: Self.email, password: "known to eve").status == 400)
        #expect(try await !Self.attackerHasAccess(to: attacker.localId, at: gateway))
        let done = try await gateway.submitActionPage(next.requiredFormCode(), ["newPassword": "staple battery"])
        #expect(done.text.contains("Your password has been changed"), "\(done.text)")
        let owner = try await gateway.signIn(email: Self.email, password: "staple battery")
        #expect(owner.json["localId"]?.string == attacker.localId)
    }

    @Test("The page that confirms a new address does the same")
    func confirmationOfNewAddress() async throws {
        let gateway = try await Self.gateway()
        let attacker = try TestGateway.Tokens(await gateway.signIn(gateway.googleCredential(Self.google)))
        let code = try await gateway.requestedCode(
            "VERIFY_AND_CHANGE_EMAIL", ["idToken": .string(attacker.idToken), "newEmail": .string(Self.email)])
        #expect(try await gateway.openActionPage(code).checkboxes == ["remove.google.com"])
        let next = try await gateway.submitActionPage(code, ["remove.google.com": "true"])
        #expect(next.text.contains("Now set a new password"), "\(next.text)")
        #expect(try await !Self.attackerHasAccess(to: attacker.localId, at: gateway))
    }
}
