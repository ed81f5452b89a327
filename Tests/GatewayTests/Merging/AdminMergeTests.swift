import HTTP
import Identity
import Postgres
import Testing

@testable import Support

/// Administrators merge the account `ada` into `bob`. ``MergeCase`` describes the accounts.
@Suite("Merging as an administrator", .serialized)
struct AdminMergeTests {
    @Test("A merge does what the preview described, and undoing it restores both accounts", arguments: MergeCase.all)
    func mergeAndUndo(row: MergeCase) async throws {
        let gateway = try await row.gatewayWithAccounts()
        let before = try await gateway.accountsAsStored()
        let preview = try await gateway.previewMergeAsAdmin("ada", into: "bob")
        #expect(preview.json["moves"] == row.moves, "\(preview.text)")
        #expect(preview.json["drops"] == row.drops)
        #expect(try await gateway.accountsAsStored() == before)
        let merged = try await gateway.administerAccounts(":merge", ["mergeToken": preview.json["mergeToken"] ?? .null])
        #expect(merged.json["moves"] == row.moves, "\(merged.text)")
        // The start of `TestClock` (15 January 2027, 8:00), 10 s in `gatewayWithAccounts()`, and seven days, in which a
        // merge can be undone.
        #expect(merged.json["undoableUntil"] == "2027-01-22T08:00:10.000Z")
        #expect(merged.json["idToken"] == nil)
        #expect(try await gateway.administerAccounts(":lookup", ["localId": ["ada"]]).json["users"] == nil)
        gateway.clock.advance(by: .seconds(10))
        let undone = try await gateway.undoMergeAsAdmin("ada")
        #expect(
            undone.json == ["kind": "sekisho#UndoMergeResponse", "sourceLocalId": "ada", "localId": "bob"],
            "\(undone.text)")
        #expect(try await gateway.accountsAsStored() == before)
        #expect(try await gateway.undoMergeAsAdmin("ada").outcome.hasPrefix("400 MERGE_NOT_FOUND"))
        let events = try await gateway.recordedEvents()
        #expect(
            events.outbox.filter { $0.hasPrefix("account.") } == [
                "account.mergeUndone bob ada", "account.merged bob ada",
            ])
        #expect(
            events.audit.filter { $0.contains("account.") } == [
                "key:service account.mergeUndone ada bob", "key:service account.mergeUndone bob ada",
                "key:service account.merged ada bob", "key:service account.merged bob ada",
            ])
    }

    @Test(
        "The source's password signs in to the target until the merge is undone; merge and undo both end all sessions"
    )
    func sessions() async throws {
        let gateway = try await MergeCase.fullSourceIntoEmptyTarget.gatewayWithAccounts()
        let beforeMerge = try await gateway.signIn(email: "ada@example.com")
        #expect(try await gateway.mergeAsAdmin("ada", into: "bob").outcome == "200")
        let afterMerge = try await gateway.signIn(email: "ada@example.com")
        #expect(afterMerge.json["localId"] == "bob")
        #expect(try await gateway.undoMergeAsAdmin("ada").outcome == "200")
        let afterUndo = try await gateway.signIn(email: "ada@example.com")
        #expect(afterUndo.json["localId"] == "ada", "\(afterUndo.text)")
        for (exchange, isValid) in [(beforeMerge, false), (afterMerge, false), (afterUndo, true)] {
            let idToken = try #require(exchange.json["idToken"]?.string)
            let refreshToken = try #require(exchange.json["refreshToken"]?.string)
            #expect(try await (gateway.lookup(idToken).status == 200) == isValid)
            #expect(try await (gateway.refresh(refreshToken).status == 200) == isValid)
        }
    }

    @Test("An undo gives the source its members back, and the target keeps what it got after the merge")
    func laterChanges() async throws {
        let gateway = try await MergeCase.fullSourceIntoEmptyTarget.gatewayWithAccounts()
        #expect(try await gateway.mergeAsAdmin("ada", into: "bob").outcome == "200")
        #expect(try await gateway.linkIdentity(["providerId": "oidc.corp", "rawId": "c"], to: "bob").outcome == "200")
        let change: JSON = [
            "localId": "bob", "displayName": "Robert", "customAttributes": #"{"role":"admin"}"#, "disableUser": true,
        ]
        #expect(try await gateway.administerAccounts(":update", change).outcome == "200")
        #expect(try await gateway.undoMergeAsAdmin("ada").outcome == "200")
        let (ada, bob) = (try await gateway.accountSeenByAdmin("ada"), try await gateway.accountSeenByAdmin("bob"))
        #expect(ada["displayName"] == "Ada")
        #expect(ada["disabled"] == false)
        #expect(ada["customAttributes"]?.string == #"{"role":"editor"}"#)
        #expect(bob["displayName"] == "Robert")
        #expect(bob["photoUrl"] == nil)
        #expect(bob["disabled"] == true)
        #expect(try await gateway.identities(of: "bob").map { $0["providerId"]?.string } == ["oidc.corp"])
    }

    @Test("A merge token that is sent several times gets the same response each time, until the merge is undone")
    func retry() async throws {
        let gateway = try await MergeCase.fullSourceIntoEmptyTarget.gatewayWithAccounts()
        let body: JSON = [
            "mergeToken": try await gateway.previewMergeAsAdmin("ada", into: "bob").json["mergeToken"] ?? .null
        ]
        let outcomes = try await concurrently(6) { _ in try await gateway.administerAccounts(":merge", body) }
        #expect(Set(outcomes.map(\.text)).count == 1, "\(outcomes.map(\.text))")
        #expect(outcomes[0].outcome == "200")
        #expect(try await gateway.recordedEvents().outbox.count { $0.hasPrefix("account.merged") } == 1)
        #expect(try await gateway.undoMergeAsAdmin("ada").outcome == "200")
        #expect(try await gateway.administerAccounts(":merge", body).outcome.hasPrefix("400 MERGE_ALREADY_DONE"))
        #expect(try await gateway.mergeAsAdmin("ada", into: "bob").outcome == "200")
        #expect(try await gateway.administerAccounts(":merge", body).outcome.hasPrefix("400 MERGE_ALREADY_DONE"))
    }

    @Test(
        "Each invalid request for a merge is rejected with a specific error",
        arguments: [
            (["sourceLocalId": "ada", "localId": "bob"], "MISSING_MERGE_TOKEN"),
            (["localId": "bob", "dryRun": true], "MISSING_LOCAL_ID"),
            (["sourceLocalId": "ada", "dryRun": true], "MISSING_LOCAL_ID"),
            (["sourceLocalId": "ada", "localId": "ada", "dryRun": true], "MERGE_SAME_ACCOUNT"),
            (["sourceLocalId": "ada", "localId": "nobody", "dryRun": true], "USER_NOT_FOUND"),
            (["sourceLocalId": "ada", "localId": "carol", "dryRun": true], "PROVIDER_ALREADY_LINKED"),
            (["sourceLocalId": "ada", "localId": "dora", "dryRun": true], "USER_DISABLED"),
            (
                ["mergeToken": "x"],
                "INVALID_PENDING_TOKEN : The merge token is invalid or has expired; request a dry run again."
            ),
            (["mergeToken": "x", "dryRun": true], "Invalid JSON payload"),
        ] as [(JSON, String)])
    func refused(body: JSON, expected: String) async throws {
        let gateway = try await MergeCase.fullSourceIntoEmptyTarget.gatewayWithAccounts()
        try await gateway.makeAccount(["localId": "carol"], identities: [["providerId": "apple.com", "rawId": "a9"]])
        try await gateway.makeAccount(["localId": "dora", "disabled": true])
        let answer = try await gateway.administerAccounts(":merge", body)
        #expect(answer.outcome.hasPrefix("400 \(expected)"), "\(answer.text)")
    }

    @Test("An administrator's merge token is valid in its project, for ten minutes, unless one of the accounts changes")
    func preview() async throws {
        let gateway = try await MergeCase.fullSourceIntoEmptyTarget.gatewayWithAccounts()
        try await gateway.makeOtherProject(serviceKey: "sks_other")
        let token = try await gateway.previewMergeAsAdmin("ada", into: "bob").json["mergeToken"] ?? .null
        let elsewhere = try await gateway.administerAccounts(
            ":merge", ["mergeToken": token], in: "other", bearer: "sks_other")
        #expect(elsewhere.outcome.hasPrefix("400 INVALID_PENDING_TOKEN"))
        let asClient = try await gateway.post(
            "/v1/accounts:merge",
            [
                "idToken": try await gateway.signIn(email: "ada@example.com").json["idToken"] ?? .null,
                "mergeToken": token,
            ])
        #expect(
            asClient.outcome.hasPrefix("400 INVALID_PENDING_TOKEN"),
            "an administrator's merge token is not valid for a client")
        #expect(try await gateway.unlinkIdentity("google.com", of: "ada").outcome == "204")
        let changed = try await gateway.administerAccounts(":merge", ["mergeToken": token])
        #expect(changed.outcome.hasPrefix("400 MERGE_PREVIEW_OUTDATED"))
        let next = try await gateway.previewMergeAsAdmin("ada", into: "bob").json["mergeToken"] ?? .null
        gateway.clock.advance(by: .seconds(601))
        let late = try await gateway.administerAccounts(":merge", ["mergeToken": next])
        #expect(late.outcome.hasPrefix("400 INVALID_PENDING_TOKEN"))
    }
}
