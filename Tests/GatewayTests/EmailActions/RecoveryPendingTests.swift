import Identity
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

/// While a recovery is pending, an emailed link can restore an earlier address of the account.
@Suite("An account whose earlier address can be restored", .serialized)
struct RecoveryPendingTests {
    @Test(
        "A client cannot preview or commit a merge of an account whose earlier address can be restored",
        arguments: [true, false])
    func pending(isPendingAtPreview: Bool) async throws {
        let gateway = try await TestGateway.withServiceKey()
        let target = try #require(try await gateway.signIn(gateway.appleCredential(.grace)).json["localId"]?.string)
        let source = try await gateway.signUpVerified()
        let pendingToken = try #require(
            try await gateway.link(gateway.appleCredential(.grace), to: source.idToken).pendingToken)
        let dryRun: JSON = [
            "idToken": .string(source.idToken), "dryRun": true, "pendingToken": .string(pendingToken),
        ]
        let refusal = "400 RECOVERY_PENDING"
        if isPendingAtPreview {
            try await gateway.storeRecoveryCode(of: source.localId, restoring: "was.ada@example.com")
            #expect(try await gateway.post("/v1/accounts:merge", dryRun).outcome.hasPrefix(refusal))
        } else {
            let preview = try await gateway.post("/v1/accounts:merge", dryRun)
            try await gateway.storeRecoveryCode(of: source.localId, restoring: "was.ada@example.com")
            let commit: JSON = ["idToken": .string(source.idToken), "mergeToken": preview.json["mergeToken"] ?? .null]
            let before = try await gateway.databaseDump()
            #expect(try await gateway.post("/v1/accounts:merge", commit).outcome.hasPrefix(refusal))
            #expect(try await gateway.databaseDump() == before)
            _ = try await gateway.database.pool.execute(
                "DELETE FROM oob_code WHERE purpose = 'RECOVER_EMAIL'")
            #expect(
                try await gateway.post("/v1/accounts:merge", commit).outcome == "200", "the merge token is still valid")
            return
        }
        let merged = try await gateway.mergeAsAdmin(source.localId, into: target)
        #expect(merged.outcome == "200", "an administrator may merge: \(merged.text)")
    }

    @Test("After a change of address, a merge is rejected until the recovery link expires")
    func changed() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signIn(gateway.appleCredential(.grace))
        let ada = try await gateway.signUpVerified()
        gateway.clock.advance(by: .seconds(1))
        var tokens = try TestGateway.Tokens(await gateway.update(ada.idToken, ["email": "eve@example.com"]))
        for isRecoveryPending in [true, false] {
            let conflict = try await gateway.link(gateway.appleCredential(.grace), to: tokens.idToken)
            let pendingToken = try #require(conflict.pendingToken)
            let preview = try await gateway.post(
                "/v1/accounts:merge",
                ["idToken": .string(tokens.idToken), "dryRun": true, "pendingToken": .string(pendingToken)])
            #expect(preview.outcome.hasPrefix(isRecoveryPending ? "400 RECOVERY_PENDING" : "200"), "\(preview.text)")
            gateway.clock.advance(by: Policy.recoveryLifetime)
            tokens = try TestGateway.Tokens(await gateway.signIn(email: "eve@example.com"))
        }
    }

    @Test("After a removal link was sent to an earlier address, a merge is rejected until that link expires")
    func removalLink() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signIn(gateway.appleCredential(.grace))
        let ada = try await gateway.signUpVerified()
        let linked = try TestGateway.Tokens(await gateway.link(gateway.googleCredential(), to: ada.idToken))
        gateway.clock.advance(by: .seconds(1))
        _ = try await gateway.update(linked.idToken, ["email": "eve@example.com"])
        // The recovery link expires, but the removal link, which was sent for the Google identity, is still valid.
        gateway.clock.advance(by: Policy.recoveryLifetime)
        for outcome in ["400 RECOVERY_PENDING", "200"] {
            let tokens = try TestGateway.Tokens(await gateway.signIn(email: "eve@example.com"))
            let conflict = try await gateway.link(gateway.appleCredential(.grace), to: tokens.idToken)
            let pendingToken = try #require(conflict.pendingToken)
            let preview = try await gateway.post(
                "/v1/accounts:merge",
                ["idToken": .string(tokens.idToken), "dryRun": true, "pendingToken": .string(pendingToken)])
            #expect(preview.outcome.hasPrefix(outcome), "\(preview.text)")
            gateway.clock.advance(by: Policy.removalLinkLifetime)
        }
    }
}

extension TestGateway {
    /// Stores a code that restores `email` as the address of the account.
    func storeRecoveryCode(of account: String, restoring email: String) async throws {
        _ = try await database.pool.execute(
            """
            INSERT INTO oob_code (hash, realm_id, purpose, account_id, email, created_at, expires_at)
            SELECT sha256(convert_to(\(account + email), 'UTF8')), 'demo', 'RECOVER_EMAIL', \(account), \(email),
                to_timestamp(\(clock.now.seconds)), to_timestamp(\(clock.now.seconds + 3600))
            """)
    }
}
