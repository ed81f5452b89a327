import HTTP
import Identity
import Postgres
import Simulators
import Storage
import Testing

@testable import Gateway
@testable import Support

@Suite("Revoking Apple's tokens")
struct AppleRevocationTests {
    @Test("Deleting an account or unlinking its identity revokes Apple's token once")
    func waysToDelete() async throws {
        let gateway = try await TestGateway(servesApple: true)
        try await gateway.makeServiceKey()
        let ways: [(TestGateway, TestGateway.Tokens) async throws -> Exchange] = [
            { try await $0.delete($1.idToken) },
            {
                try await $0.post(
                    "/v1/accounts:unlink",
                    [
                        "idToken": .string($1.idToken), "deleteProvider": ["apple.com"], "allowNoSignInMethod": true,
                    ])
            },
            { try await $0.administer(":delete", ["localId": .string($1.localId)]) },
            { try await $0.administer(":batchDelete", ["localIds": [.string($1.localId)], "force": true]) },
            { try await $0.unlinkIdentity("apple.com", of: $1.localId, query: [("allowNoSignInMethod", "true")]) },
        ]
        for (number, way) in ways.enumerated() {
            let tokens = try await gateway.signedInWithApple()
            let answer = try await way(gateway, tokens)
            #expect(answer.status == 200, "\(number): \(answer.text)")
            #expect(try await gateway.appleGrants() == ["REVOKING REFRESH_TOKEN com.example.app"], "\(number)")
            try await gateway.attemptAppleGrants()
            try await gateway.attemptAppleGrants()
            #expect(try await gateway.appleGrants().isEmpty, "\(number)")
            #expect(gateway.simulators.apple.revocations == number + 1)
        }
    }

    struct Way: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let delete: @Sendable (TestGateway, TestGateway.Tokens) async throws -> Void
    }

    static let indirectWays = [
        Way(testDescription: "an import that overwrites the account") { gateway, tokens in
            let imported = try await gateway.administer(
                ":batchCreate", ["users": [["localId": .string(tokens.localId)]], "allowOverwrite": true])
            #expect(imported.json["error"] == [], "\(imported.text)")
        },
        Way(testDescription: "a password reset that unlinks identities") { gateway, _ in
            let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada.lovelace@example.com"])
            #expect(try await gateway.reset(code).status == 200)
        },
        Way(testDescription: "a reclaim by the owner of the address") { gateway, tokens in
            try await gateway.database.pool.execute(
                "UPDATE account SET email = 'mary.somerville@gmail.com', email_verified = false")
            let reclaimed = try await gateway.signIn(gateway.google(.mary))
            #expect(reclaimed.json["localId"]?.string == tokens.localId, "\(reclaimed.text)")
        },
        Way(testDescription: "a statement in psql") { gateway, _ in
            try await gateway.database.pool.execute("DELETE FROM account")
        },
    ]

    @Test(
        "Imports, resets, reclaims and direct SQL that remove the identity revoke Apple's token",
        arguments: indirectWays)
    func otherWays(way: Way) async throws {
        let gateway = try await TestGateway(servesApple: true)
        try await gateway.makeServiceKey()
        let tokens = try await gateway.signedInWithApple()
        try await way.delete(gateway, tokens)
        #expect(try await gateway.appleGrants() == ["REVOKING REFRESH_TOKEN com.example.app"])
        try await gateway.attemptAppleGrants()
        #expect(try await gateway.appleGrants().isEmpty)
        #expect(gateway.simulators.apple.revocations == 1)
    }

    @Test("Deleting a tenant queues the revocation when the janitor deletes its accounts")
    func tenant() async throws {
        let fixture = try await TenantFixture(TestGateway(servesApple: true))
        let tenant = try await fixture.tenant()
        #expect(try await fixture.configure("apple.com", in: tenant).status == 200)
        let proof = try fixture.gateway.appleWithCode()
        let signedIn = try await fixture.callAsClient(
            "signInWithIdp", in: tenant,
            ["postBody": .string(proof.postBody), "requestUri": "http://localhost"])
        #expect(signedIn.status == 200, "\(signedIn.text)")
        #expect(try await fixture.send(.delete, "\(TenantFixture.tenants)/\(tenant)").status == 200)
        let janitor = Janitor(pool: fixture.gateway.database.pool)
        _ = try await janitor.remove(.deletedTenant, at: fixture.gateway.clock.now)
        #expect(try await fixture.gateway.appleGrants() == ["REVOKING CODE com.example.app"])
        let keys = try await fixture.gateway.database.pool.query(
            "SELECT 1 AS one FROM identity_provider WHERE project_id LIKE 'demo/%'")
        #expect(keys.count == 1, "the private key stays until the token is revoked")
    }

    @Test("The deletion of an account reports whether Apple's token will be revoked", arguments: [true, false])
    func announced(hasCode: Bool) async throws {
        let gateway = try await TestGateway(servesApple: true)
        let proof = try hasCode ? gateway.appleWithCode() : gateway.apple()
        let tokens = try TestGateway.Tokens(await gateway.signIn(proof))
        let deleted = try await gateway.delete(tokens.idToken)
        #expect(deleted.json["appleRevocation"]?.string == (hasCode ? "QUEUED" : "NOT_POSSIBLE"))
        let email = try #require(try await gateway.emails(.accountDeleted).last)
        #expect(email.content.staysConnectedToApple == (hasCode ? nil : true))
    }

    @Test("The deletion of an account without Apple reports that there is no token to revoke")
    func withoutApple() async throws {
        let gateway = try await TestGateway(servesApple: true)
        let deleted = try await gateway.delete(gateway.signUp().idToken)
        #expect(deleted.json["appleRevocation"]?.string == "NONE")
    }

    @Test("The code of a deleted account is redeemed, and the resulting token is revoked")
    func codeFirst() async throws {
        let gateway = try await TestGateway(servesApple: true)
        let tokens = try TestGateway.Tokens(await gateway.signIn(gateway.appleWithCode()))
        #expect(try await gateway.delete(tokens.idToken).status == 200)
        #expect(try await gateway.appleGrants() == ["REVOKING CODE com.example.app"])
        try await gateway.attemptAppleGrants()
        #expect(try await gateway.appleGrants().isEmpty)
        #expect(gateway.simulators.apple.revocations == 1)
    }

    @Test("A revocation is retried for 30 days, and then given up")
    func outage() async throws {
        let gateway = try await TestGateway(servesApple: true)
        let tokens = try await gateway.signedInWithApple()
        gateway.simulators.apple.faultInjection.injectFault(.unavailable)
        #expect(try await gateway.delete(tokens.idToken).status == 200)
        try await gateway.attemptAppleGrants()
        gateway.clock.advance(by: .seconds(29 * 86_400))
        try await gateway.attemptAppleGrants()
        #expect(try await gateway.appleGrants() == ["REVOKING REFRESH_TOKEN com.example.app"])
        gateway.clock.advance(by: .seconds(86_400))
        try await gateway.attemptAppleGrants()
        #expect(try await gateway.appleGrants().isEmpty)
        #expect(gateway.simulators.apple.revocations == 0)
    }

    @Test("After a deletion, no table has the user's subject, address or name")
    func nothingPersonal() async throws {
        let gateway = try await TestGateway(sendsEmails: false, servesApple: true)
        let tokens = try await gateway.signedInWithApple()
        let subject = SimulatedApple.subject(of: .ada, in: AppleServer.team)
        #expect(try await gateway.dump().contains(subject))
        // Each notification writes a row to `replay_guard`, and consent-revoked also one to `revoked_subject`.
        for kind in [SimulatedAppleEvent.emailEnabled, .consentRevoked] {
            let payload = try gateway.notification(kind, at: gateway.clock.now - .seconds(60))
            try await gateway.receive(payload)
        }
        #expect(try await gateway.delete(tokens.idToken).status == 200)
        // Once before the revocation, and once after it.
        for _ in 0..<2 {
            let dump = try await gateway.dump()
            for text in [subject, "ada.lovelace@example.com", "Lovelace"] { #expect(!dump.contains(text), "\(text)") }
            try await gateway.attemptAppleGrants()
        }
        let tablesWithID = try await gateway.tables(containing: tokens.localId)
        #expect(tablesWithID == ["audit_event", "deleted_account", "outbox"])
        // The searches above covered the rows of both tables: the dump of a row contains the names of its columns.
        let tablesWithExpiry = try await gateway.tables(containing: "\"expires_at\"")
        for table in ["replay_guard", "revoked_subject"] { #expect(tablesWithExpiry.contains(table)) }
    }
}
