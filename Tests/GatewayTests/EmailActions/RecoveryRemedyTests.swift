import HTTP
import Identity
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("Recovery of an address")
struct RecoveryRemedyTests {
    struct Addition: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let add: @Sendable (Intrusion, TestGateway.Tokens) async throws -> Exchange
    }

    /// The test links the attacker's Google identity before each of these.
    private static let additions = [
        Addition(testDescription: "only the linked identity") { intrusion, stolen in
            try await intrusion.gateway.lookup(stolen.idToken)
        },
        Addition(testDescription: "an older identity, merged in") { intrusion, _ in
            let gateway = intrusion.gateway
            return try await gateway.merge(
                intrusion.signInWithAttackerApple(), by: gateway.google(Intrusion.attackerGoogle))
        },
        Addition(testDescription: "an older identity, moved in") { intrusion, _ in
            try await intrusion.gateway.moveIdentity(
                "apple.com", of: intrusion.signInWithAttackerApple().localId,
                ["targetLocalId": .string(intrusion.ada.localId), "allowNoSignInMethod": true])
        },
        Addition(testDescription: "an older password with its address, merged in") { intrusion, stolen in
            let gateway = intrusion.gateway
            let emptied = try await gateway.update(stolen.idToken, ["deleteAttribute": ["EMAIL"]])
            #expect(emptied.status == 200, "\(emptied.text)")
            let own = try TestGateway.Tokens(
                await gateway.signIn(email: "eve@example.com", password: "known to eve"))
            let merged = try await gateway.merge(own, by: gateway.google(Intrusion.attackerGoogle))
            #expect(try await intrusion.workingSignInMethods().contains("own address"))
            return merged
        },
    ]

    @Test("Recovery removes every sign-in method that was added after the change of address", arguments: additions)
    func recovery(row: Addition) async throws {
        let intrusion = try await Intrusion()
        let gateway = intrusion.gateway
        _ = try await intrusion.signInWithAttackerApple()
        gateway.clock.advance(by: .seconds(60))
        let stolen = try await intrusion.changeAddress(intrusion.signInAsAttacker(), to: "evil@example.com")
        let code = try await gateway.code(.emailChanged)
        _ = try await gateway.link(gateway.google(Intrusion.attackerGoogle), to: stolen.idToken)
        gateway.clock.advance(by: .seconds(1))
        let added = try await row.add(intrusion, stolen)
        #expect(added.status == 200, "\(added.text)")
        gateway.clock.advance(by: .seconds(1))
        #expect(try await gateway.apply(code).json["email"]?.string == Intrusion.victim)
        // A password from before the change stays, because nothing indicates that the attacker knows it.
        #expect(try await intrusion.workingSignInMethods().filter { $0 != "password of the account" } == [])
    }

    @Test("The recovery page offers to remove identities from before the change, and then asks for a new password")
    func page() async throws {
        let intrusion = try await Intrusion()
        let gateway = intrusion.gateway
        let stolen = try await intrusion.signInAsAttacker()
        _ = try await intrusion.linkAttackerGoogle(stolen)
        let renewed = try await intrusion.changeAddress(stolen, to: "evil@example.com")
        _ = try await gateway.link(gateway.apple(Intrusion.attackerApple), to: renewed.idToken)
        let code = try await gateway.code(.emailChanged)
        #expect(try await gateway.openPage(code).checkboxes == ["remove.google.com"])
        let next = try await gateway.submit(code, ["remove.google.com": "true", "remove.password": "true"])
        #expect(next.text.contains("Now set a new password"))
        #expect(next.checkboxes == [])
        let done = try await gateway.submit(next.requiredFormCode(), ["newPassword": "staple battery"])
        #expect(done.text.contains("Your password has been changed"))
        #expect(try await intrusion.workingSignInMethods() == [])
        #expect(
            try await gateway.signIn(email: Intrusion.victim, password: "staple battery").json["localId"]?.string
                == intrusion.ada.localId)
    }

    @Test("Recovery stays possible if the attacker removes the address and the password")
    func addressRemoved() async throws {
        let intrusion = try await Intrusion()
        let gateway = intrusion.gateway
        let stolen = try await intrusion.signInAsAttacker()
        _ = try await intrusion.linkAttackerGoogle(stolen)
        let unlinked = try await gateway.post(
            "/v1/accounts:unlink", ["idToken": .string(stolen.idToken), "deleteProvider": ["password"]])
        #expect(unlinked.status == 200, "\(unlinked.text)")
        let code = try await gateway.code(.emailChanged)
        #expect(try await gateway.apply(code).json["email"]?.string == Intrusion.victim)
    }
}
