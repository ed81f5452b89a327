import Encoding
import Identity
import JSON
import Simulators
import Testing

@testable import DevMode

/// An attacker with a session of a victim has merged the victim's account into the attacker's account.
struct StolenAccount: Sendable {
    static let email = "ada@example.com"
    /// The attacker's Apple account, which proves the ownership of the merge's target.
    static let attackerApple = SimulatedPerson.grace

    let gateway: TestGateway
    /// The victim's session before the merge.
    let victim: TestGateway.Tokens
    /// The session that the merge opened in the attacker's account, which is the target.
    let attacker: TestGateway.Tokens
    /// The code in the email that tells the victim about the merge.
    let mergeNoticeCode: String

    /// - Parameter targetHasAddress: whether the attacker's account has an address before the merge; otherwise the
    ///   merge gives it the victim's.
    init(targetHasAddress: Bool = true) async throws {
        let gateway = try await TestGateway.withServiceKey()
        _ = try await gateway.signIn(Self.apple(in: gateway, targetHasAddress))
        victim = try await gateway.signUpVerified()
        #expect(try await gateway.link(gateway.googleCredential(), to: victim.idToken).status == 200)
        _ = try await gateway.update(victim.idToken, ["displayName": "Ada"])
        gateway.clock.advance(by: .seconds(1))
        let merged = try await gateway.merge(victim, intoAccountOf: Self.apple(in: gateway, targetHasAddress))
        attacker = try TestGateway.Tokens(merged)
        mergeNoticeCode = try #require(try await gateway.emails(.accountsMerged).compactMap(\.content.code).first)
        gateway.clock.advance(by: .seconds(1))
        self.gateway = gateway
    }

    private static func apple(in gateway: TestGateway, _ hasAddress: Bool) throws -> ProviderCredential {
        try gateway.appleCredential(attackerApple) { if !hasAddress { $0.claims["email"] = nil } }
    }

    /// The address of the attacker's account.
    func attackerEmail() async throws -> String {
        try #require(try await gateway.accountSeenByAdmin(attacker.localId)["email"]?.string)
    }

    func unlink(_ provider: String) async throws -> Exchange {
        try await gateway.post(
            "/v1/accounts:unlink", ["idToken": .string(attacker.idToken), "deleteProvider": [.string(provider)]])
    }
}
