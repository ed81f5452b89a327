import Identity
import Postgres
import Simulators
import Storage
import Testing

@testable import DevMode
@testable import Support

@Suite("The audit trail of end users")
struct AccountAuditTests {
    struct Action: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The expected events: action and detail.
        let events: [String]
        /// Returns the tokens of the account that the events are about.
        let prepare: @Sendable (TestGateway) async throws -> TestGateway.Tokens
        let perform: @Sendable (TestGateway, TestGateway.Tokens) async throws -> Exchange

        init(
            _ testDescription: String, _ events: [String],
            of prepare: @escaping @Sendable (TestGateway) async throws -> TestGateway.Tokens = {
                try await $0.signUp()
            },
            perform: @escaping @Sendable (TestGateway, TestGateway.Tokens) async throws -> Exchange
        ) {
            self.testDescription = testDescription
            self.events = events
            self.prepare = prepare
            self.perform = perform
        }
    }

    static let actions: [Action] = [
        Action("signing in", []) { gateway, _ in try await gateway.signIn() },
        Action("a refresh", []) { try await $0.refresh($1.refreshToken) },
        Action("a new name", []) { try await $0.update($1.idToken, ["displayName": "Ada"]) },
        Action("signing in with Apple", []) { gateway, _ in try await gateway.signIn(gateway.appleCredential()) },
        Action("a sign-in method for an anonymous account", ["email.changed", "password.changed"]) {
            try await $0.signUpAnonymously()
        } perform: {
            try await $0.post(
                "/v1/accounts:signUp",
                ["idToken": .string($1.idToken), "email": "a@example.com", "password": "secret9"])
        },
        Action("a new password", ["password.changed"]) { try await $0.update($1.idToken, ["password": "secret9"]) },
        Action("a new address", ["email.changed"]) { try await $0.update($1.idToken, ["email": "b@example.com"]) },
        Action("a removed password", ["password.removed"]) {
            try await $0.update($1.idToken, ["deleteAttribute": ["PASSWORD"]])
        },
        Action("signing out elsewhere", ["session.revoked all=true"]) {
            try await $0.update($1.idToken, ["validSince": "1"])
        },
        Action("signing out everywhere", ["session.revoked all=true"]) {
            try await $0.post("/v1/accounts:revokeSession", ["idToken": .string($1.idToken), "everywhere": true])
        },
        Action("a linked identity", ["identity.linked provider=apple.com"]) {
            try await $0.link($0.appleCredential(), to: $1.idToken)
        },
        Action("a removed identity", ["identity.unlinked provider=apple.com"]) { gateway in
            let tokens = try await gateway.signUp()
            _ = try await gateway.link(gateway.appleCredential(), to: tokens.idToken)
            return tokens
        } perform: {
            try await $0.post(
                "/v1/accounts:unlink", ["idToken": .string($1.idToken), "deleteProvider": ["apple.com"]])
        },
        Action("a verified address", ["email.verified"]) {
            try await $0.applyCode($0.requestedCode("VERIFY_EMAIL", ["idToken": .string($1.idToken)]))
        },
        Action("a reset for a verified address", ["password.changed"]) {
            try await $0.signUpVerified()
        } perform: { gateway, _ in
            try await gateway.resetPassword(gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"]))
        },
        Action("a reset for a verified address, on the page", ["password.changed"]) {
            try await $0.signUpVerified()
        } perform: { gateway, _ in
            let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"])
            return try await gateway.submitActionPage(code, ["newPassword": "staple battery"])
        },
        Action("a reset for an unverified address", ["account.reclaimed", "password.changed"]) { gateway, _ in
            try await gateway.resetPassword(gateway.requestedCode("PASSWORD_RESET", ["email": "ada@example.com"]))
        },
        Action(
            "a reclaim by an address that Apple verified", ["account.reclaimed provider=apple.com", "password.removed"]
        ) { gateway, _ in
            let person = SimulatedPerson.named("ada", "Town").with { $0.email = "ada@example.com" }
            return try await gateway.signIn(gateway.appleCredential(person))
        },
        Action("the deletion of the account", ["account.deleted"]) { try await $0.delete($1.idToken) },
    ]

    @Test(
        "Changed sign-in methods and addresses, ended sessions and deletions are recorded; sign-ins and names are not",
        arguments: actions)
    func recordedActions(row: Action) async throws {
        let gateway = try await TestGateway()
        let tokens = try await row.prepare(gateway)
        let events = try await gateway.newAuditEvents {
            let answer = try await row.perform(gateway, tokens)
            #expect(answer.isSuccess, "\(answer.text)")
        }
        let expected = row.events.map { event in
            let parts = event.split(separator: " ", maxSplits: 1).map(String.init)
            return (["user", parts[0], tokens.localId] + parts.dropFirst()).joined(separator: " ")
        }
        #expect(events.map(\.description) == expected)
        #expect(events.allSatisfy { $0.network == "192.0.2.0/24" && $0.requestID == "0" })
    }

    @Test("A merge is recorded under both account IDs")
    func merge() async throws {
        let gateway = try await TestGateway()
        let (source, target) = try await mergeAnonymousAccount(in: gateway)
        #expect(
            Set(try await gateway.auditTrail().map(\.description)) == [
                "user account.merged \(target) source=\(source)", "user account.merged \(source) target=\(target)",
            ])
    }

    /// Merges an anonymous account into one with an Apple identity, and returns the IDs of both.
    private func mergeAnonymousAccount(in gateway: TestGateway) async throws -> (source: String, target: String) {
        let target = try #require(try await gateway.signIn(gateway.appleCredential()).json["localId"]?.string)
        let anonymous = try await gateway.signUpAnonymously()
        let pending = try #require(
            try await gateway.link(gateway.appleCredential(), to: anonymous.idToken).pendingToken)
        let preview = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(anonymous.idToken), "dryRun": true, "pendingToken": .string(pending)])
        let merged = try await gateway.post(
            "/v1/accounts:merge",
            ["idToken": .string(anonymous.idToken), "mergeToken": preview.json["mergeToken"] ?? .null])
        #expect(merged.status == 200, "\(merged.text)")
        return (anonymous.localId, target)
    }

    @Test("The audit trail contains no personal data and no secrets")
    func dump() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let accountClearing = AccountClearing(pool: gateway.database.pool)
        _ = try await mergeAnonymousAccount(in: gateway)
        var secrets: Set<String> = []
        for action in Self.actions {
            try await accountClearing.clear(gateway.realm.id)
            // The code of an action is in the latest email, so no two actions may have the same time.
            gateway.clock.advance(by: .seconds(1))
            let tokens = try await action.prepare(gateway)
            let answer = try await action.perform(gateway, tokens)
            #expect(answer.isSuccess, "\(action.testDescription): \(answer.text)")
            secrets.formUnion([tokens.idToken, tokens.refreshToken])
            for member in ["idToken", "refreshToken"] {
                if let text = answer.json[member]?.string { secrets.insert(text) }
            }
        }
        for row in AdminAuditTests.rows {
            try await accountClearing.clear(gateway.realm.id)
            try await AdminAuditTests.populate(gateway)
            let answer = try await gateway.administerAccounts(row.operation, row.body)
            for member in ["oobCode", "oobLink"] { if let text = answer.json[member]?.string { secrets.insert(text) } }
        }
        let dump = try await gateway.auditTrailDump()
        // The searches below prove something only if there are many events and secrets.
        #expect(dump.split(separator: "\n").count > 30)
        #expect(secrets.count > 20)
        for text in secrets.union([
            "@", "192.0.2.1\"", "secret", "sks_", "pk_test", "Ada\"", "+1555", "\"eyJ", "$argon2id", "{\\\"a",
        ]) {
            #expect(!dump.contains(text), "\(text)")
        }
    }

    @Test("The audit events of a deleted account are kept under its ID")
    func deletion() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let ada = try await gateway.signUpVerified(password: "correct horse")
        _ = try await gateway.link(gateway.appleCredential(), to: ada.idToken)
        #expect(try await gateway.delete(ada.idToken).status == 200)
        let events = try await gateway.auditTrail()
        #expect(events.map(\.action).sorted() == ["account.deleted", "email.verified", "identity.linked"])
        #expect(events.allSatisfy { $0.subject == ada.localId && $0.detail.values.allSatisfy { $0 == "apple.com" } })
    }
}
