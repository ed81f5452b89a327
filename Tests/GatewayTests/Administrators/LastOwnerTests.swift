import HTTP
import Identity
import Postgres
import Testing

@testable import Gateway
@testable import Support

@Suite("The last owner", .serialized)
struct LastOwnerTests {
    /// A way in which an owner could go.
    enum Removal: String, Sendable, CaseIterable {
        case disable, delete, batchDelete, overwrite, merge, resetFactors, replaceApp, removeRole, demote, deleteOwn
        case withdrawFactor

        func perform(on owner: ConsoleVisitor, in fixture: ConsoleFixture) async throws -> Exchange {
            let id = JSON.string(owner.id)
            switch self {
            case .disable: return try await fixture.administer("update", ["localId": id, "disableUser": true])
            case .delete: return try await fixture.administer("delete", ["localId": id])
            case .batchDelete: return try await fixture.administer("batchDelete", ["localIds": [id], "force": true])
            case .overwrite:
                return try await fixture.administer(
                    "batchCreate", ["users": [["localId": id]], "allowOverwrite": true])
            case .merge:
                let merge: JSON = ["sourceLocalId": id, "localId": "target", "dryRun": true]
                let preview = try await fixture.administer("merge", merge)
                return try await fixture.administer("merge", ["mergeToken": preview.json["mergeToken"] ?? .null])
            case .resetFactors: return try await fixture.administer("update", ["localId": id, "mfa": [:]])
            case .replaceApp:
                let phone: JSON = ["mfaEnrollmentId": "phone", "phoneInfo": "+15555550100"]
                return try await fixture.administer("update", ["localId": id, "mfa": ["enrollments": [phone]]])
            case .removeRole: return try await send(.delete, owner, in: fixture)
            case .demote: return try await send(.patch, owner, ["role": "viewer"], in: fixture)
            case .deleteOwn:
                let (idToken, _) = try await fixture.signInToAPI(owner)
                return try await fixture.gateway.post(
                    "/v1/accounts:delete", ["idToken": idToken], key: ConsoleFixture.apiKey)
            case .withdrawFactor:
                let (idToken, factor) = try await fixture.signInToAPI(owner)
                return try await fixture.gateway.post(
                    "/v2/accounts/mfaEnrollment:withdraw", ["idToken": idToken, "mfaEnrollmentId": factor],
                    key: ConsoleFixture.apiKey)
            }
        }

        private func send(
            _ method: HTTP.Method, _ owner: ConsoleVisitor, _ body: JSON? = nil, in fixture: ConsoleFixture
        ) async throws -> Exchange {
            try await fixture.gateway.send(
                method, "/v2/projects/other/administrators/\(owner.id)", body, by: fixture.operatorsKey)
        }
    }

    private static let refusal =
        "400 OPERATION_NOT_ALLOWED : The last owner of all projects keeps the role and the account."

    @Test(
        "The last owner stays; an invited, a disabled and another project's owner do not count",
        arguments: Removal.allCases)
    func lastOwner(removal: Removal) async throws {
        let fixture = try await ConsoleFixture()
        _ = try await fixture.gateway.send(
            .post, "/v1/projects/other/accounts", ["localId": "target", "email": "target@example.com"],
            by: fixture.operatorsKey)
        let ada = try await fixture.signIn(as: "owner")
        #expect(try await fixture.invite("invited@example.com", "owner").outcome == "200")
        _ = try await fixture.signIn("shop@example.com", as: "owner", in: "demo")
        let alone = try await removal.perform(on: ada, in: fixture)
        #expect(alone.outcome.hasPrefix(Self.refusal), "\(alone.text)")
        let eve = try await fixture.signIn("eve@example.com", as: "owner")
        let change: JSON = ["localId": .string(eve.id), "disableUser": true]
        #expect(try await fixture.administer("update", change).outcome == "200")
        let besideDisabled = try await removal.perform(on: ada, in: fixture)
        #expect(besideDisabled.outcome.hasPrefix(Self.refusal), "\(besideDisabled.text)")
        #expect(try await fixture.roles(of: ada) == [ConsoleFixture.operators: .owner])
        let enable: JSON = ["localId": .string(eve.id), "disableUser": false]
        #expect(try await fixture.administer("update", enable).outcome == "200")
        let besideEnabled = try await removal.perform(on: ada, in: fixture)
        #expect(besideEnabled.status < 300, "\(besideEnabled.text)")
    }

    @Test(
        "Of two owners, one stays if two requests remove both at once",
        arguments: [
            (Removal.disable, Removal.disable), (.delete, .delete), (.removeRole, .removeRole),
            (.disable, .removeRole), (.batchDelete, .resetFactors), (.merge, .delete), (.replaceApp, .disable),
        ])
    func twoAtOnce(first: Removal, second: Removal) async throws {
        let fixture = try await ConsoleFixture()
        _ = try await fixture.gateway.send(
            .post, "/v1/projects/other/accounts", ["localId": "target", "email": "target@example.com"],
            by: fixture.operatorsKey)
        let ada = try await fixture.signIn(as: "owner")
        let eve = try await fixture.signIn("eve@example.com", as: "owner")
        let database = fixture.gateway.database
        var answers: [Exchange] = []
        try await database.withSeparateConnection { separate in
            // Both requests have read what they decide from before either one can write.
            let tasks = try await separate.transaction { transaction in
                _ = try await transaction.query("SELECT FROM account WHERE realm_id = 'other' FOR UPDATE")
                _ = try await transaction.query("SELECT FROM administrator FOR UPDATE")
                let tasks = [
                    Task { try await first.perform(on: ada, in: fixture) },
                    Task { try await second.perform(on: eve, in: fixture) },
                ]
                try await database.waitForBlockedStatements(2)
                return tasks
            }
            for task in tasks { answers.append(try await task.value) }
        }
        #expect(answers.filter { $0.status < 300 }.count == 1, "\(answers.map(\.text))")
        #expect(answers.filter { $0.outcome.hasPrefix(Self.refusal) }.count == 1)
        let owners: SQL = """
            SELECT FROM administrator m JOIN account a ON a.realm_id = m.realm_id AND a.id = m.account_id
            WHERE m.role = 'owner' AND m.invitation_hash IS NULL AND a.disabled_at IS NULL
            """
        #expect(try await database.pool.query(owners).count == 1)
    }
}
