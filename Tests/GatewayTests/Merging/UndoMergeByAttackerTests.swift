import Identity
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

/// The attacker's account was merged into the victim's, and the link that undoes the merge is in the attacker's mailbox.
@Suite("The link in the notice of a merge, used by an attacker", .serialized)
struct UndoMergeByAttackerTests {
    private static let owner = SimulatedPerson.grace

    private struct Case {
        let gateway: TestGateway
        let victim: TestGateway.Tokens
        let attacker: TestGateway.Tokens
        let code: String

        init(victimHasAddress: Bool) async throws {
            gateway = try await TestGateway.administered()
            func proof(_ gateway: TestGateway) throws -> Proof {
                try gateway.apple(owner) { if !victimHasAddress { $0.claims["email"] = nil } }
            }
            _ = try await gateway.signIn(proof(gateway))
            attacker = try await gateway.signUpVerified(email: "eve@example.com", password: "attacker's own")
            #expect(try await gateway.link(gateway.google(), to: attacker.idToken).status == 200)
            gateway.clock.advance(by: .seconds(1))
            #expect(try await gateway.merge(attacker, by: proof(gateway)).outcome == "200")
            victim = try TestGateway.Tokens(await gateway.signIn(proof(gateway)))
            code = try #require(try await gateway.emails(.accountsMerged).compactMap(\.content.code).first)
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
        "The undo link changes nothing in an account that has removed what came with the merge",
        arguments: [true, false])
    func removed(victimHasAddress: Bool) async throws {
        let row = try await Case(victimHasAddress: victimHasAddress)
        var victim = row.victim
        let unlinked = try await row.gateway.post(
            "/v1/accounts:unlink", ["idToken": .string(victim.idToken), "deleteProvider": ["google.com"]])
        #expect(unlinked.outcome == "200")
        if !victimHasAddress {
            let change: [String: JSON] = ["email": "ada@example.com", "password": "the victim's own"]
            victim = try TestGateway.Tokens(await row.gateway.update(victim.idToken, change))
        }
        row.gateway.clock.advance(by: .seconds(1))
        let before = try await row.victimAsStored()
        let undone = try await row.gateway.submit(row.code)
        #expect(undone.formCode != nil, "\(undone.text)")
        #expect(try await row.victimAsStored() == before)
        #expect(try await row.gateway.lookup(victim.idToken).status == 200)
        #expect(try await row.gateway.refresh(victim.refreshToken).status == 200)
        let attacker = try await row.gateway.signIn(email: "eve@example.com", password: "attacker's own")
        #expect(attacker.json["localId"]?.string == row.attacker.localId)
        #expect(try await row.gateway.identities(of: row.attacker.localId).count == 1)
    }

    @Test("The undo link removes only what came with the merge, and ends the victim's session")
    func notRemoved() async throws {
        let row = try await Case(victimHasAddress: true)
        let account = try await row.gateway.user(row.victim.localId)
        #expect(try await row.gateway.submit(row.code).status == 200)
        #expect(try await row.gateway.lookup(row.victim.idToken).outcome == "400 TOKEN_EXPIRED")
        let after = try await row.gateway.user(row.victim.localId)
        for member in ["email", "emailVerified", "passwordUpdatedAt"] { #expect(after[member] == account[member]) }
        let providers = try await row.gateway.identities(of: row.victim.localId).map { $0["providerId"]?.string }
        #expect(providers == ["apple.com"])
        let again = try await row.gateway.signIn(row.gateway.apple(Self.owner))
        #expect(again.json["localId"]?.string == row.victim.localId)
    }
}
