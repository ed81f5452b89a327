import Identity
import Postgres
import Simulators
import Testing

@testable import DevMode
@testable import Support

@Suite("An account whose earlier address can be restored", .serialized)
struct RecoveryPendingTests {
    @Test(
        "A client cannot preview or commit a merge of an account whose earlier address can be restored",
        arguments: [true, false])
    func pending(isPendingAtPreview: Bool) async throws {
        let gateway = try await TestGateway.administered()
        let target = try await gateway.signIn(gateway.apple(.grace)).json["localId"]?.string
        let source = try await gateway.signUpVerified()
        let pendingToken = try #require(try await gateway.link(gateway.apple(.grace), to: source.idToken).pendingToken)
        let proof: JSON = [
            "idToken": .string(source.idToken), "dryRun": true, "pendingToken": .string(pendingToken),
        ]
        let refused = "400 RECOVERY_PENDING"
        if isPendingAtPreview {
            try await gateway.storeRecoveryCode(of: source.localId, to: "was.ada@example.com")
            #expect(try await gateway.post("/v1/accounts:merge", proof).outcome.hasPrefix(refused))
        } else {
            let preview = try await gateway.post("/v1/accounts:merge", proof)
            try await gateway.storeRecoveryCode(of: source.localId, to: "was.ada@example.com")
            let commit: JSON = ["idToken": .string(source.idToken), "mergeToken": preview.json["mergeToken"] ?? .null]
            let before = try await gateway.dump()
            #expect(try await gateway.post("/v1/accounts:merge", commit).outcome.hasPrefix(refused))
            #expect(try await gateway.dump() == before)
            _ = try await gateway.database.pool.execute(
                "DELETE FROM oob_code WHERE purpose = 'RECOVER_EMAIL'")
            #expect(
                try await gateway.post("/v1/accounts:merge", commit).outcome == "200", "the merge token is still valid")
            return
        }
        let merged = try await gateway.merge(source.localId, into: try #require(target))
        #expect(merged.outcome == "200", "an administrator may merge: \(merged.text)")
    }

    @Test("A changed address blocks the merge until the recovery link expires")
    func changed() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signIn(gateway.apple(.grace))
        let ada = try await gateway.signUpVerified()
        gateway.clock.advance(by: .seconds(1))
        var tokens = try TestGateway.Tokens(await gateway.update(ada.idToken, ["email": "eve@example.com"]))
        for isRecoveryPending in [true, false] {
            let conflict = try await gateway.link(gateway.apple(.grace), to: tokens.idToken)
            let pendingToken = try #require(conflict.pendingToken)
            let preview = try await gateway.post(
                "/v1/accounts:merge",
                ["idToken": .string(tokens.idToken), "dryRun": true, "pendingToken": .string(pendingToken)])
            #expect(preview.outcome.hasPrefix(isRecoveryPending ? "400 RECOVERY_PENDING" : "200"), "\(preview.text)")
            gateway.clock.advance(by: Policy.recoveryLifetime)
            tokens = try TestGateway.Tokens(await gateway.signIn(email: "eve@example.com"))
        }
    }

    @Test("A removal link sent to an earlier address blocks the merge until it expires, as a recovery link does")
    func removalLink() async throws {
        let gateway = try await TestGateway()
        _ = try await gateway.signIn(gateway.apple(.grace))
        let ada = try await gateway.signUpVerified()
        let linked = try TestGateway.Tokens(await gateway.link(gateway.google(), to: ada.idToken))
        gateway.clock.advance(by: .seconds(1))
        _ = try await gateway.update(linked.idToken, ["email": "eve@example.com"])
        gateway.clock.advance(by: Policy.recoveryLifetime)
        for outcome in ["400 RECOVERY_PENDING", "200"] {
            let tokens = try TestGateway.Tokens(await gateway.signIn(email: "eve@example.com"))
            let conflict = try await gateway.link(gateway.apple(.grace), to: tokens.idToken)
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
    func storeRecoveryCode(of account: String, to email: String) async throws {
        _ = try await database.pool.execute(
            """
            INSERT INTO oob_code (hash, project_id, purpose, account_id, email, created_at, expires_at)
            SELECT sha256(convert_to(\(account + email), 'UTF8')), 'demo', 'RECOVER_EMAIL', \(account), \(email),
                to_timestamp(\(clock.now.seconds)), to_timestamp(\(clock.now.seconds + 3600))
            """)
    }
}
