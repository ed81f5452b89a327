import Encoding
import Identity
import Postgres
import Simulators
import Testing

@testable import Gateway
@testable import Support

/// A token of the new team proves the ownership of the target, although the target's identity has not moved yet.
@Suite("Merging into an account whose identity has not moved to another team")
struct TransferMergeTests {
    /// A gateway whose app has moved, and the dry run of a merge of an anonymous account into Ada's.
    private struct Fixture {
        let transfer: TeamTransferTests.Fixture
        let anonymous: TestGateway.Tokens
        private let mergeToken: String

        init() async throws {
            transfer = try await TeamTransferTests.Fixture.withMovedApp()
            let gateway = transfer.gateway
            anonymous = try await gateway.signUpAnonymously()
            let preview = try await gateway.post(
                "/v1/accounts:merge",
                [
                    "idToken": .string(anonymous.idToken), "dryRun": true, "requestUri": "http://localhost",
                    "postBody": .string(try gateway.appleCredentialWithCode(TeamTransferTests.ada).postBody),
                ])
            mergeToken = try #require(preview.json["mergeToken"]?.string, "\(preview.text)")
        }

        func commit() async throws -> Exchange {
            try await transfer.gateway.post(
                "/v1/accounts:merge",
                ["idToken": .string(anonymous.idToken), "mergeToken": .string(mergeToken)])
        }
    }

    @Test("The merge completes the transfer of the target's identity")
    func completesTransfer() async throws {
        let fixture = try await Fixture()
        let (transfer, gateway) = (fixture.transfer, fixture.transfer.gateway)
        try await gateway.appleGrantWorkers.checkDueTokens()
        let merged = try await fixture.commit()
        #expect(merged.json["localId"]?.string == transfer.ada.localId, "\(merged.text)")
        #expect(
            try await transfer.identity(of: transfer.ada) == transfer.identityAfterTransfer(of: TeamTransferTests.ada),
            "the session from before the transfer is still valid")
        #expect(
            try await transfer.credentialState(of: transfer.ada) == "UNKNOWN", "no longer TRANSFERRED")
        let transfers = try await gateway.database.pool.query(
            "SELECT actor FROM audit_event WHERE action = 'identity.transferred'")
        #expect(try transfers.map { try $0.decode("actor", as: String.self) } == ["user"])
        #expect(
            try await gateway.emails(.accountsMerged).map(\.recipient)
                == [transfer.identityAfterTransfer(of: TeamTransferTests.ada).email],
            "the notice of the merge goes to the address at the new team")
        try await gateway.processDueAppleGrants()
        #expect(
            try await gateway.appleGrantLines() == [
                "AUTHORIZED REFRESH_TOKEN com.example.app", "UNKNOWN REFRESH_TOKEN com.example.app",
            ], "the code of the proof is redeemed, and its token replaces that of the old team")
    }

    @Test("The merge fails if the user has disconnected the app from the new team after the dry run")
    func disconnected() async throws {
        let fixture = try await Fixture()
        let (transfer, gateway) = (fixture.transfer, fixture.transfer.gateway)
        let before = try await transfer.identity(of: transfer.ada)
        gateway.clock.advance(by: .seconds(60))
        try await gateway.postAcceptedNotification(
            gateway.appleNotification(.consentRevoked, about: TeamTransferTests.ada))
        #expect(try await fixture.commit().outcome.hasPrefix("400 MERGE_PREVIEW_OUTDATED"))
        #expect(try await gateway.lookup(fixture.anonymous.idToken).status == 200, "the source was not merged")
        #expect(try await transfer.identity(of: transfer.ada) == before)
    }

    @Test("The merge fails if another account has received the subject at the new team after the dry run")
    func subjectTaken() async throws {
        let fixture = try await Fixture()
        let (transfer, gateway) = (fixture.transfer, fixture.transfer.gateway)
        // Without `transfer_sub`, the sign-in does not find Ada's account, and creates another one.
        let signedIn = try await gateway.signIn(
            gateway.appleCredential(TeamTransferTests.ada) { $0.claims["transfer_sub"] = nil })
        #expect(signedIn.json["isNewUser"] == true)
        #expect(try await fixture.commit().outcome.hasPrefix("400 MERGE_PREVIEW_OUTDATED"))
        #expect(try await gateway.lookup(fixture.anonymous.idToken).status == 200, "the source was not merged")
        #expect(try await gateway.isSessionValid(transfer.ada))
    }
}
