import HTTP
import Identity
import Postgres
import Providers
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("Merge notices", .serialized)
struct MergeNoticeTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Members of the source, the account `ada`.
        var source: [String: JSON] = [:]
        /// Members of the target, the account `bob`.
        var target: [String: JSON] = [:]
        /// Earlier addresses that an emailed link can restore.
        var recoveries: [(account: String, email: String)] = []
        /// The expected recipients, sorted, each followed by " +" if the email has a link that undoes the merge.
        let recipients: [String]

        static let verifiedAda: [String: JSON] = [
            "email": "ada@example.com", "emailVerified": true, "password": "secret1",
        ]
        static let verifiedBob: [String: JSON] = [
            "email": "bob@example.com", "emailVerified": true, "password": "secret2",
        ]
    }

    private static let rows = [
        Row(
            testDescription: "both addresses are verified", source: Row.verifiedAda, target: Row.verifiedBob,
            recipients: ["ada@example.com +", "bob@example.com"]),
        Row(
            testDescription: "only the source's address is verified, and it moves to the target",
            source: Row.verifiedAda,
            recipients: ["ada@example.com +"]),
        Row(
            testDescription: "only the target's address is verified", target: Row.verifiedBob,
            recipients: ["bob@example.com"]),
        Row(
            testDescription: "no address is verified", source: ["email": "unproven@example.com"],
            target: ["email": "bob@example.com"], recipients: []),
        Row(
            testDescription: "only a provider of the source's identity has verified the source's address",
            source: ["email": "ada@example.com"], recipients: ["ada@example.com +"]),
        Row(
            testDescription: "both accounts have verified addresses and earlier ones, and each address gets one email",
            source: Row.verifiedAda, target: Row.verifiedBob,
            recoveries: [
                ("ada", "was.ada@example.com"), ("bob", "was.bob@example.com"), ("bob", "ada@example.com"),
                ("ada", "bob@example.com"), ("bob", "was.ada@example.com"),
            ],
            recipients: ["ada@example.com +", "bob@example.com", "was.ada@example.com", "was.bob@example.com"]),
        Row(
            testDescription: "the source's address was never verified, but an earlier one can be restored",
            source: ["email": "unproven@example.com"], recoveries: [("ada", "was.ada@example.com")],
            recipients: ["was.ada@example.com"]),
    ]

    @Test("Merge notices are sent to verified addresses and to addresses that can be restored", arguments: rows)
    func emails(row: Row) async throws {
        let gateway = try await TestGateway.withServiceKey()
        try await gateway.makeAccount(
            .object(row.source.merging(["localId": "ada"]) { $1 }), identities: [MergeCase.googleIdentity])
        try await gateway.makeAccount(
            .object(row.target.merging(["localId": "bob"]) { $1 }), identities: [MergeCase.appleIdentity])
        // Linking may have changed the accounts' addresses, so the row's addresses are written again.
        for (id, account) in [("ada", row.source), ("bob", row.target)] {
            let email = account["email"]?.string
            _ = try await gateway.database.pool.execute(
                "UPDATE account SET email = \(email), email_verified = \(account["emailVerified"] == true) WHERE id = \(id)"
            )
        }
        for recovery in row.recoveries {
            try await gateway.storeRecoveryCode(of: recovery.account, restoring: recovery.email)
        }
        #expect(try await gateway.mergeAsAdmin("ada", into: "bob").outcome == "200")
        let emails = try await gateway.emails(.accountsMerged)
        #expect(emails.map { $0.recipient + ($0.content.code == nil ? "" : " +") }.sorted() == row.recipients)
        let methods: Set<ProviderID> =
            row.source["password"] == nil && row.target["password"] == nil
            ? [.google, .apple] : [.google, .apple, .password]
        #expect(emails.allSatisfy { Set($0.content.methods ?? []) == methods })
        #expect(try await gateway.emails().count == emails.count)
    }

    @Test("Merge notices are in the language of the client's request")
    func language() async throws {
        let gateway = try await TestGateway()
        let target = SimulatedPerson.ada
        _ = try await gateway.signIn(gateway.appleCredential(target))
        let source = try await gateway.signUpVerified()
        let pending = try #require(
            try await gateway.link(gateway.appleCredential(target), to: source.idToken).pendingToken)
        let preview = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(source.idToken), "dryRun": true, "pendingToken": .string(pending)])
        #expect(try await gateway.emails(.accountsMerged).isEmpty)
        let merged = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(source.idToken), "mergeToken": preview.json["mergeToken"] ?? .null],
            headers: ["X-Firebase-Locale": "ja"])
        #expect(merged.outcome == "200", "\(merged.text)")
        let emails = try await gateway.emails(.accountsMerged)
        #expect(emails.map(\.recipient).sorted() == ["ada.lovelace@example.com", "ada@example.com"])
        #expect(emails.allSatisfy { $0.language == "ja" && $0.content.methods == [.apple] })
        #expect(emails.count { $0.content.code != nil && $0.recipient == "ada@example.com" } == 1)
    }
}
