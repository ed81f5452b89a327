import Identity
import Postgres
import Testing

@testable import Support

@Suite("Telephone numbers, and the links that undo changes")
struct NumberRemedyTests {
    private static let number = "+15555550100"

    /// When an account proved its number, and when it got it.
    private func times(of account: String, in gateway: TestGateway) async throws -> [String?] {
        let row = try await gateway.database.pool.query(
            "SELECT phone_proven_at::text AS proven, phone_added_at::text AS added FROM account WHERE id = \(account)")
        return [try row[0].decode("proven"), try row[0].decode("added")]
    }

    @Test("The undo of a merge keeps the times of a number that the merge did not move")
    func unmovedNumber() async throws {
        let gateway = try await TestGateway.withServiceKey()
        try await gateway.makeAccount(["localId": "ada"], identities: [MergeCase.googleIdentity])
        try await gateway.makeAccount(["localId": "bob"], identities: [MergeCase.appleIdentity])
        try await gateway.setPhoneNumber(Self.number, of: "bob", provenAt: gateway.clock.now)
        let before = try await times(of: "bob", in: gateway)
        #expect(before.allSatisfy { $0 != nil })
        #expect(try await gateway.mergeAsAdmin("ada", into: "bob").outcome == "200")
        #expect(try await gateway.undoMergeAsAdmin("ada").outcome == "200")
        #expect(try await times(of: "bob", in: gateway) == before)
    }

    @Test(
        "The link that undoes a merge returns a number only if it was added seven days before the merge",
        arguments: [(6, false), (8, true)])
    func numberOfIntruder(days: Int, returns: Bool) async throws {
        let gateway = try await TestGateway.withPhoneNumbers()
        try await gateway.makeServiceKey()
        let ada = try await gateway.signUpVerified()
        let linked = try TestGateway.Tokens(
            await gateway.signIn(phoneNumber: Self.number, ["idToken": .string(ada.idToken)]))
        #expect(linked.localId == ada.localId)
        gateway.clock.advance(by: .seconds(days * 86_400))
        let eve = try await gateway.signUp(email: "eve@example.com")
        let stolen = try TestGateway.Tokens(await gateway.signIn())
        let preview = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(stolen.idToken), "targetIdToken": .string(eve.idToken), "dryRun": true])
        let merged = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(stolen.idToken), "mergeToken": preview.json["mergeToken"] ?? .null])
        #expect(merged.json["idToken"] != nil, "\(merged.text)")
        let notice = try await gateway.emails(.accountsMerged).last { $0.content.code != nil }
        _ = try await gateway.submitActionPage(try #require(notice?.content.code))
        let returned = try await gateway.accountSeenByAdmin(ada.localId)["phoneNumber"]?.string
        #expect(returned == (returns ? Self.number : nil))
        #expect(try await times(of: ada.localId, in: gateway).allSatisfy { ($0 != nil) == returns })
        #expect(try await gateway.accountSeenByAdmin(eve.localId)["phoneNumber"] == nil)
    }

    @Test("A reset that keeps a number keeps the link that removes it")
    func removalLinkAfterReset() async throws {
        let gateway = try await TestGateway.withPhoneNumbers { $0.resetUnlinksIdentities = false }
        try await gateway.makeServiceKey()
        let ada = try await gateway.signUpVerified()
        _ = try TestGateway.Tokens(await gateway.signIn(phoneNumber: Self.number, ["idToken": .string(ada.idToken)]))
        let link = try await gateway.latestCode(.identityLinked)
        let reset = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
        #expect(try await gateway.resetPassword(reset).status == 200)
        #expect(try await gateway.accountSeenByAdmin(ada.localId)["phoneNumber"]?.string == Self.number)
        _ = try await gateway.submitActionPage(link)
        #expect(try await gateway.accountSeenByAdmin(ada.localId)["phoneNumber"] == nil)
    }
}
