import Encoding
import Identity
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

/// The attacker's account was merged into the victim's. The link that undoes the merge is in the attacker's mailbox.
@Suite("The link in the notice of a merge, used by an attacker", .serialized)
struct UndoMergeByAttackerTests {
    /// The victim's Apple account, which proves the ownership of the merge's target.
    private static let victimApple = SimulatedPerson.grace

    private struct Fixture {
        let gateway: TestGateway
        /// The victim's session, which was opened after the merge.
        let victim: TestGateway.Tokens
        /// The attacker's session before the merge, which then deleted the attacker's account.
        let attacker: TestGateway.Tokens
        /// The code in the notice of the merge, which the attacker received.
        let mergeNoticeCode: String

        /// - Parameter victimHasAddress: whether the victim's account has an address before the merge; otherwise, the
        ///   merge gives it the attacker's.
        init(victimHasAddress: Bool) async throws {
            gateway = try await TestGateway.withServiceKey()
            func victimCredential(_ gateway: TestGateway) throws -> ProviderCredential {
                try gateway.appleCredential(victimApple) { if !victimHasAddress { $0.claims["email"] = nil } }
            }
            _ = try await gateway.signIn(victimCredential(gateway))
            attacker = try await gateway.signUpVerified(email: "eve@example.com", password: "attacker's own")
            #expect(try await gateway.link(gateway.googleCredential(), to: attacker.idToken).status == 200)
            gateway.clock.advance(by: .seconds(1))
            #expect(try await gateway.merge(attacker, intoAccountOf: victimCredential(gateway)).outcome == "200")
            victim = try TestGateway.Tokens(await gateway.signIn(victimCredential(gateway)))
            mergeNoticeCode = try #require(try await gateway.emails(.accountsMerged).compactMap(\.content.code).first)
        }

        /// The rows of the victim's account, its identities and its sessions.
        func victimAsStored() async throws -> [String] {
            let id = victim.localId
            return try await gateway.database.pool.query(
                """
                SELECT to_jsonb(a)::text AS line FROM account a WHERE id = \(id)
                UNION ALL SELECT to_jsonb(l)::text FROM linked_identity l WHERE account_id = \(id)
                UNION ALL SELECT to_jsonb(s)::text FROM session s WHERE account_id = \(id) ORDER BY line
                """
            ).map { try $0.decode("line") }
        }
    }

    @Test(
        "The undo link does not change the victim's account if the victim has removed or replaced all that the merge added",
        arguments: [true, false])
    func additionsRemoved(victimHasAddress: Bool) async throws {
        let fixture = try await Fixture(victimHasAddress: victimHasAddress)
        var victim = fixture.victim
        let unlinked = try await fixture.gateway.post(
            "/v1/accounts:unlink", ["idToken": .string(victim.idToken), "deleteProvider": ["google.com"]])
        #expect(unlinked.outcome == "200")
        if !victimHasAddress {
            let change: [String: JSON] = ["email": "ada@example.com", "password": "the victim's own"]
            victim = try TestGateway.Tokens(await fixture.gateway.update(victim.idToken, change))
        }
        fixture.gateway.clock.advance(by: .seconds(1))
        let before = try await fixture.victimAsStored()
        let undone = try await fixture.gateway.submitActionPage(fixture.mergeNoticeCode)
        #expect(undone.formCode != nil, "\(undone.text)")
        #expect(try await fixture.victimAsStored() == before)
        #expect(try await fixture.gateway.lookup(victim.idToken).status == 200)
        #expect(try await fixture.gateway.refresh(victim.refreshToken).status == 200)
        let attacker = try await fixture.gateway.signIn(email: "eve@example.com", password: "attacker's own")
        #expect(attacker.json["localId"]?.string == fixture.attacker.localId)
        #expect(try await fixture.gateway.identities(of: fixture.attacker.localId).count == 1)
    }

    @Test("The undo link removes from the victim's account only what the merge added, and ends the victim's session")
    func additionsKept() async throws {
        let fixture = try await Fixture(victimHasAddress: true)
        let before = try await fixture.gateway.accountSeenByAdmin(fixture.victim.localId)
        #expect(try await fixture.gateway.submitActionPage(fixture.mergeNoticeCode).status == 200)
        #expect(try await fixture.gateway.lookup(fixture.victim.idToken).outcome == "400 TOKEN_EXPIRED")
        let after = try await fixture.gateway.accountSeenByAdmin(fixture.victim.localId)
        for member in ["email", "emailVerified", "passwordUpdatedAt"] { #expect(after[member] == before[member]) }
        let identities = try await fixture.gateway.identities(of: fixture.victim.localId)
        #expect(identities.map { $0["providerId"]?.string } == ["apple.com"])
        let again = try await fixture.gateway.signIn(fixture.gateway.appleCredential(Self.victimApple))
        #expect(again.json["localId"]?.string == fixture.victim.localId)
    }
}
