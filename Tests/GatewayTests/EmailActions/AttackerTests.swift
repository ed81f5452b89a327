import Testing

@testable import Support

/// Simulates random actions of an attacker who has the owner's password. The owner then uses one remedy: an emailed
/// link that gives the account back, or a password reset.
@Suite("Remedies after the theft of a password")
struct AttackerTests {
    @Test("After the owner's remedy, the attacker has no access, whatever the attacker did before", arguments: 0..<60)
    func nothingIsLeft(seed: Int) async throws {
        var random = SeededRandom(seed: UInt64(seed))
        let account = try await CompromisedAccount(ownerHasGoogle: Bool.random(using: &random))
        var attacker = try await Attacker(in: account, seed: seed)
        for _ in 0..<Int.random(in: 1...7, using: &random) {
            account.gateway.clock.advance(by: .seconds(Int.random(in: 1...60, using: &random)))
            try await attacker.take(Attacker.Action.allCases.randomElement(using: &random) ?? .changePassword)
        }
        account.gateway.clock.advance(by: .seconds(Int.random(in: 1...3600, using: &random)))
        let remedy = try await account.useRemedy(after: attacker.actions, &random)
        try await account.expectOwnerHasAccount(after: attacker.actions, remedy)
        let before = try await account.storedRows()
        let owner = try await account.signInAsOwner()
        try await attacker.tryEveryCredential(against: account.localId, after: remedy)
        #expect(try await account.storedRows() == before, "\(attacker.actions) then \(remedy)")
        #expect(try await account.gateway.lookup(owner.idToken).status == 200, "\(attacker.actions) then \(remedy)")
    }
}
