import Encoding
import Identity
import Postgres
import Testing

@testable import Support

/// Administrators merge the account `ada` into `bob`, and undo the merge. ``MergeCase`` describes the accounts.
@Suite("Undoing a merge", .serialized)
struct UndoMergeTests {
    /// Events after a merge, each of which makes it impossible to undo the merge.
    enum Event: String, CaseIterable, Sendable {
        case expired = "the end of the seven days in which a merge can be undone"
        case reset = "a password reset"
        case password = "a new password"
        case email = "another address"
        case signOut = "the end of all sessions"
        case phoneRemoved = "a removed phone number"
        case unverified = "an address set to unverified"
        case unlinked = "an unlinked identity"
        case moved = "an identity that was moved to another account"
        case deleted = "the deletion of the target"
        case replaced = "the deletion of the target, and a new account with its ID"
        case overwritten = "an import that overwrites the target"
        case merged = "a merge of the target into a third account"
        case idTaken = "a new account with the source's ID"
        case idUsed = "a new account with the source's ID, deleted again"

        var expectedError: String {
            switch self {
            case .expired, .reset, .password, .email, .signOut, .phoneRemoved, .unverified, .unlinked, .moved:
                "MERGE_NOT_UNDOABLE"
            case .deleted, .replaced, .overwritten, .merged: "MERGE_NOT_FOUND"
            case .idTaken, .idUsed: "DUPLICATE_LOCAL_ID"
            }
        }

        func happen(in gateway: TestGateway) async throws -> Exchange {
            switch self {
            case .expired:
                gateway.clock.advance(by: .seconds(7 * 86_400))
                return try await gateway.administerAccounts(":query")
            case .reset:
                let input: JSON = ["requestType": "PASSWORD_RESET", "email": "ada@example.com", "returnOobLink": true]
                let code = try await gateway.administerAccounts(":sendOobCode", input).json["oobCode"] ?? .null
                return try await gateway.post(
                    "/v1/accounts:resetPassword", ["oobCode": code, "newPassword": "secret3"])
            case .password: return try await change(["password": "secret3"], in: gateway)
            case .email: return try await change(["email": "eve@example.com"], in: gateway)
            // Now: the start of `TestClock` (1,800,000,000 s), 10 s until the merge, and 1 s after it.
            case .signOut: return try await change(["validSince": "1800000011"], in: gateway)
            case .phoneRemoved: return try await change(["deleteProvider": ["phone"]], in: gateway)
            case .unverified: return try await change(["emailVerified": false], in: gateway)
            case .unlinked: return try await gateway.unlinkIdentity("google.com", of: "bob")
            case .moved:
                try await gateway.makeAccount(["localId": "eve"])
                return try await gateway.moveIdentity("google.com", of: "bob", ["targetLocalId": "eve"])
            case .deleted: return try await gateway.administerAccounts(":delete", ["localId": "bob"])
            case .replaced:
                _ = try await gateway.administerAccounts(":delete", ["localId": "bob"])
                return try await gateway.createAccountAsAdmin(["localId": "bob"])
            case .overwritten:
                return try await gateway.administerAccounts(
                    ":batchCreate", ["users": [["localId": "bob"]], "allowOverwrite": true])
            case .merged:
                try await gateway.makeAccount(["localId": "eve"])
                return try await gateway.mergeAsAdmin("bob", into: "eve")
            case .idTaken: return try await gateway.createAccountAsAdmin(["localId": "ada"])
            case .idUsed:
                try await gateway.makeAccount(["localId": "ada"])
                gateway.clock.advance(by: .seconds(1))
                return try await gateway.administerAccounts(":delete", ["localId": "ada"])
            }
        }

        private func change(_ change: [String: JSON], in gateway: TestGateway) async throws -> Exchange {
            try await gateway.administerAccounts(
                ":update", .object(change.merging(["localId": "bob"]) { changed, _ in changed }))
        }
    }

    @Test(
        "Undoing a merge is rejected with a specific error after each event that prevents it",
        arguments: Event.allCases)
    func refused(event: Event) async throws {
        let gateway = try await MergeCase.fullSourceIntoEmptyTarget.gatewayWithAccounts()
        #expect(try await gateway.mergeAsAdmin("ada", into: "bob").outcome == "200")
        gateway.clock.advance(by: .seconds(1))
        let happened = try await event.happen(in: gateway)
        #expect(happened.isSuccess, "\(happened.text)")
        let before = try await gateway.databaseDump()
        let answer = try await gateway.undoMergeAsAdmin("ada")
        #expect(answer.outcome.hasPrefix("400 \(event.expectedError)"), "\(answer.text)")
        #expect(try await gateway.databaseDump() == before)
    }

    @Test("Undoing a merge is rejected after a reclaim of the target, whose address is proved by another user")
    func reclaimed() async throws {
        let gateway = try await TestGateway.withServiceKey()
        try await gateway.makeAccount(["localId": "ada"], identities: [["providerId": "oidc.corp", "rawId": "c"]])
        try await gateway.makeAccount(["localId": "bob", "email": "ada@example.com", "password": "secret1"])
        #expect(try await gateway.mergeAsAdmin("ada", into: "bob").outcome == "200")
        let input: JSON = ["requestType": "EMAIL_SIGNIN", "email": "ada@example.com", "returnOobLink": true]
        let code = try await gateway.administerAccounts(":sendOobCode", input).json["oobCode"] ?? .null
        let signedIn = try await gateway.post(
            "/v1/accounts:signInWithEmailLink", ["email": "ada@example.com", "oobCode": code])
        #expect(signedIn.json["localId"] == "bob", "\(signedIn.text)")
        let undone = try await gateway.undoMergeAsAdmin("ada").outcome
        #expect(undone.hasPrefix("400 MERGE_NOT_UNDOABLE"), "\(undone)")
    }

    @Test(
        "Undoing a merge is rejected as long as another account has the source's address or phone number",
        arguments: ["email", "phoneNumber"])
    func taken(member: String) async throws {
        let gateway = try await MergeCase.fullSourceIntoFullTarget.gatewayWithAccounts()
        #expect(try await gateway.mergeAsAdmin("ada", into: "bob").outcome == "200")
        try await gateway.makeAccount(["localId": "eve", member: MergeCase.fullAda[member] ?? .null])
        let expected = member == "email" ? "400 EMAIL_EXISTS" : "400 PHONE_NUMBER_EXISTS"
        #expect(try await gateway.undoMergeAsAdmin("ada").outcome == expected)
        #expect(try await gateway.administerAccounts(":delete", ["localId": "eve"]).outcome == "200")
        #expect(try await gateway.undoMergeAsAdmin("ada").outcome == "200")
    }

    @Test("Only one of several concurrent requests undoes the merge")
    func race() async throws {
        let gateway = try await MergeCase.fullSourceIntoEmptyTarget.gatewayWithAccounts()
        let before = try await gateway.accountsAsStored()
        #expect(try await gateway.mergeAsAdmin("ada", into: "bob").outcome == "200")
        let outcomes = try await concurrently(6) { _ in try await gateway.undoMergeAsAdmin("ada").outcome }
        #expect(outcomes.count { $0 == "200" } == 1, "\(outcomes)")
        #expect(outcomes.count { $0.hasPrefix("400 MERGE_NOT_FOUND") } == 5)
        #expect(try await gateway.accountsAsStored() == before)
    }

    @Test("Undoing a merge does not remove the target's last sign-in method unless the request allows it")
    func lastSignInMethod() async throws {
        let gateway = try await TestGateway.withServiceKey()
        try await gateway.makeAccount(["localId": "ada"], identities: [MergeCase.googleIdentity])
        try await gateway.makeAccount(["localId": "bob"], identities: [MergeCase.appleIdentity])
        #expect(try await gateway.mergeAsAdmin("ada", into: "bob").outcome == "200")
        #expect(try await gateway.unlinkIdentity("apple.com", of: "bob").outcome == "204")
        #expect(try await gateway.undoMergeAsAdmin("ada").outcome.hasPrefix("400 LAST_SIGN_IN_METHOD"))
        #expect(try await gateway.undoMergeAsAdmin("ada", ["allowNoSignInMethod": true]).outcome == "200")
        #expect(try await gateway.identities(of: "ada").count == 1)
    }

    @Test("Two merges into the same account can both be undone")
    func several() async throws {
        let gateway = try await MergeCase.fullSourceIntoEmptyTarget.gatewayWithAccounts()
        try await gateway.makeAccount(["localId": "eve", "displayName": "Eve"])
        let before = try await gateway.accountsAsStored()
        for source in ["ada", "eve"] { #expect(try await gateway.mergeAsAdmin(source, into: "bob").outcome == "200") }
        for source in ["ada", "eve"] {
            let undone = try await gateway.undoMergeAsAdmin(source)
            #expect(undone.outcome == "200", "\(undone.text)")
        }
        #expect(try await gateway.accountsAsStored() == before)
    }

    @Test("If two accounts with the same ID were merged one after the other, an undo restores only the second account")
    func twoMergesOfOneID() async throws {
        let gateway = try await MergeCase.fullSourceIntoEmptyTarget.gatewayWithAccounts()
        #expect(try await gateway.mergeAsAdmin("ada", into: "bob").outcome == "200")
        try await gateway.makeAccount(["localId": "ada", "displayName": "Another"])
        #expect(try await gateway.mergeAsAdmin("ada", into: "bob").outcome == "200")
        #expect(try await gateway.undoMergeAsAdmin("ada").outcome == "200")
        #expect(try await gateway.accountSeenByAdmin("ada")["displayName"] == "Another")
        #expect(try await gateway.accountSeenByAdmin("bob")["email"] == "ada@example.com")
    }

    @Test("In the account that an undo restores, columns that were added after the merge have their default values")
    func newerColumns() async throws {
        let gateway = try await MergeCase.fullSourceIntoEmptyTarget.gatewayWithAccounts()
        #expect(try await gateway.mergeAsAdmin("ada", into: "bob").outcome == "200")
        _ = try await gateway.database.pool.execute("ALTER TABLE account ADD COLUMN later text NOT NULL DEFAULT 'new'")
        _ = try await gateway.database.pool.execute("UPDATE account SET later = 'changed'")
        #expect(try await gateway.undoMergeAsAdmin("ada").outcome == "200")
        let row = try await gateway.database.pool.query("SELECT later FROM account WHERE id = 'ada'").first
        #expect(try row?.decode("later") == "new")
    }

    @Test("Undoing a merge by API needs a service key of the project, and the source's ID")
    func otherProject() async throws {
        let gateway = try await MergeCase.fullSourceIntoEmptyTarget.gatewayWithAccounts()
        try await gateway.makeOtherProject(serviceKey: "sks_other")
        #expect(try await gateway.mergeAsAdmin("ada", into: "bob").outcome == "200")
        let body: JSON = ["sourceLocalId": "ada"]
        #expect(try await gateway.administerAccounts(":undoMerge", body, bearer: "sks_other").status == 403)
        let own = try await gateway.administerAccounts(":undoMerge", body, in: "other", bearer: "sks_other")
        #expect(own.outcome.hasPrefix("400 MERGE_NOT_FOUND"))
        #expect(try await gateway.post("/v1/projects/demo/accounts:undoMerge", body).status == 400)
        #expect(try await gateway.administerAccounts(":undoMerge").outcome == "400 MISSING_LOCAL_ID")
    }
}
