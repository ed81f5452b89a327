import HTTP
import Identity
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("Recovery of an address")
struct RecoveryRemedyTests {
    /// How the attacker adds a sign-in method to the victim's account. `add` receives the attacker's session.
    struct Addition: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let add: @Sendable (Intrusion, _ attacker: TestGateway.Tokens) async throws -> Exchange
    }

    /// Before each addition, the test links the attacker's Google identity.
    private static let additions = [
        Addition(testDescription: "nothing besides the Google identity") { intrusion, attacker in
            try await intrusion.gateway.lookup(attacker.idToken)
        },
        Addition(testDescription: "an identity of an older account, by a merge") { intrusion, _ in
            let gateway = intrusion.gateway
            return try await gateway.merge(
                intrusion.signInWithAttackerApple(), intoAccountOf: gateway.googleCredential(Intrusion.attackerGoogle))
        },
        Addition(testDescription: "an identity of an older account, moved by an administrator") { intrusion, _ in
            try await intrusion.gateway.moveIdentity(
                "apple.com", of: intrusion.signInWithAttackerApple().localId,
                ["targetLocalId": .string(intrusion.ada.localId), "allowNoSignInMethod": true])
        },
        Addition(testDescription: "the address and password of an older account, by a merge") { intrusion, attacker in
            let gateway = intrusion.gateway
            let addressRemoved = try await gateway.update(attacker.idToken, ["deleteAttribute": ["EMAIL"]])
            #expect(addressRemoved.status == 200, "\(addressRemoved.text)")
            let own = try TestGateway.Tokens(
                await gateway.signIn(email: "eve@example.com", password: "known to eve"))
            let merged = try await gateway.merge(own, intoAccountOf: gateway.googleCredential(Intrusion.attackerGoogle))
            #expect(try await intrusion.attackersWorkingSignInMethods().contains("own address"))
            return merged
        },
    ]

    @Test("Recovery removes every sign-in method that was added after the change of address", arguments: additions)
    func recovery(row: Addition) async throws {
        let intrusion = try await Intrusion()
        let gateway = intrusion.gateway
        // Creates the attacker's own account, which is older than the change of address.
        _ = try await intrusion.signInWithAttackerApple()
        gateway.clock.advance(by: .seconds(60))
        let attacker = try await intrusion.changeAddress(intrusion.signInAsAttacker(), to: "evil@example.com")
        let code = try await gateway.latestCode(.emailChanged)
        _ = try await gateway.link(gateway.googleCredential(Intrusion.attackerGoogle), to: attacker.idToken)
        gateway.clock.advance(by: .seconds(1))
        let added = try await row.add(intrusion, attacker)
        #expect(added.status == 200, "\(added.text)")
        gateway.clock.advance(by: .seconds(1))
        #expect(try await gateway.applyCode(code).json["email"]?.string == Intrusion.victimEmail)
        // The password from before the change stays, because the gateway cannot know that the attacker knows it.
        #expect(try await intrusion.attackersWorkingSignInMethods().filter { $0 != "password of the account" } == [])
    }

    @Test("The recovery page offers to remove identities from before the change, and then asks for a new password")
    func page() async throws {
        let intrusion = try await Intrusion()
        let gateway = intrusion.gateway
        let attacker = try await intrusion.signInAsAttacker()
        _ = try await intrusion.linkAttackerGoogle(attacker)
        let renewed = try await intrusion.changeAddress(attacker, to: "evil@example.com")
        _ = try await gateway.link(gateway.appleCredential(Intrusion.attackerApple), to: renewed.idToken)
        let code = try await gateway.latestCode(.emailChanged)
        #expect(try await gateway.openActionPage(code).checkboxes == ["remove.google.com"])
        let passwordPage = try await gateway.submitActionPage(
            code, ["remove.google.com": "true", "remove.password": "true"])
        #expect(passwordPage.text.contains("Now set a new password"))
        #expect(passwordPage.checkboxes == [])
        let done = try await gateway.submitActionPage(
            passwordPage.requiredFormCode(), ["newPassword": "staple battery"])
        #expect(done.text.contains("Your password has been changed"))
        #expect(try await intrusion.attackersWorkingSignInMethods() == [])
        #expect(
            try await gateway.signIn(email: Intrusion.victimEmail, password: "staple battery").json["localId"]?.string
                == intrusion.ada.localId)
    }

    @Test("Recovery stays possible if the attacker removes the address and the password")
    func addressRemoved() async throws {
        let intrusion = try await Intrusion()
        let gateway = intrusion.gateway
        let attacker = try await intrusion.signInAsAttacker()
        _ = try await intrusion.linkAttackerGoogle(attacker)
        let unlinked = try await gateway.post(
            "/v1/accounts:unlink", ["idToken": .string(attacker.idToken), "deleteProvider": ["password"]])
        #expect(unlinked.status == 200, "\(unlinked.text)")
        let code = try await gateway.latestCode(.emailChanged)
        #expect(try await gateway.applyCode(code).json["email"]?.string == Intrusion.victimEmail)
    }
}
