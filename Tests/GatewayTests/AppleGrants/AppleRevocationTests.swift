import Encoding
import HTTP
import Identity
import Postgres
import Providers
import Simulators
import Storage
import Testing

@testable import Gateway
@testable import Support

/// A grant is a token or an authorization code of Apple in the database. Tests read each grant as a line: state, token
/// type, client ID.
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
            { try await $0.administerAccounts(":delete", ["localId": .string($1.localId)]) },
            { try await $0.administerAccounts(":batchDelete", ["localIds": [.string($1.localId)], "force": true]) },
            { try await $0.unlinkIdentity("apple.com", of: $1.localId, query: [("allowNoSignInMethod", "true")]) },
        ]
        for (number, way) in ways.enumerated() {
            let tokens = try await gateway.signInWithAppleAndRedeemCode()
            let answer = try await way(gateway, tokens)
            #expect(answer.isSuccess, "\(number): \(answer.text)")
            #expect(try await gateway.appleGrantLines() == ["REVOKING REFRESH_TOKEN com.example.app"], "\(number)")
            // The second call must not revoke the token again.
            for _ in 0..<2 { try await gateway.processDueAppleGrants() }
            #expect(try await gateway.appleGrantLines().isEmpty, "\(number)")
            #expect(gateway.simulators.apple.revocations == number + 1)
        }
    }

    struct IndirectRemoval: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let removeIdentity: @Sendable (TestGateway, TestGateway.Tokens) async throws -> Void
    }

    static let indirectRemovals = [
        IndirectRemoval(testDescription: "an import that overwrites the account") { gateway, tokens in
            let imported = try await gateway.administerAccounts(
                ":batchCreate", ["users": [["localId": .string(tokens.localId)]], "allowOverwrite": true])
            #expect(imported.json["error"] == nil, "\(imported.text)")
        },
        IndirectRemoval(testDescription: "a password reset that unlinks identities") { gateway, _ in
            let code = try await gateway.requestedCode("PASSWORD_RESET", ["email": "ada.lovelace@example.com"])
            #expect(try await gateway.resetPassword(code).status == 200)
        },
        IndirectRemoval(testDescription: "a sign-in by the address's owner, who reclaims the account") {
            gateway, tokens in
            try await gateway.database.pool.execute(
                "UPDATE account SET email = 'mary.somerville@gmail.com', email_verified = false")
            let reclaimed = try await gateway.signIn(gateway.googleCredential(.mary))
            #expect(reclaimed.json["localId"]?.string == tokens.localId, "\(reclaimed.text)")
        },
        IndirectRemoval(testDescription: "a statement in psql") { gateway, _ in
            try await gateway.database.pool.execute("DELETE FROM account")
        },
    ]

    @Test(
        "Apple's token is revoked if an import, a reset, a reclaim or direct SQL removes the identity",
        arguments: indirectRemovals)
    func indirectRemoval(row: IndirectRemoval) async throws {
        let gateway = try await TestGateway(servesApple: true)
        try await gateway.makeServiceKey()
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        try await row.removeIdentity(gateway, tokens)
        #expect(try await gateway.appleGrantLines() == ["REVOKING REFRESH_TOKEN com.example.app"])
        try await gateway.processDueAppleGrants()
        #expect(try await gateway.appleGrantLines().isEmpty)
        #expect(gateway.simulators.apple.revocations == 1)
    }

    @Test("If an administrator links the same identity again, its name changes, but no token is revoked")
    func relinking() async throws {
        let gateway = try await TestGateway(servesApple: true)
        try await gateway.makeServiceKey()
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        let linked = try #require(try await gateway.identities(of: tokens.localId).first)
        let row: SQL = "SELECT (to_jsonb(l) - 'display_name' - 'photo_url')::text AS line FROM linked_identity l"
        let before: [String] = try await gateway.database.pool.query(row).map { try $0.decode("line") }
        gateway.clock.advance(by: .seconds(10))
        let identity: JSON = [
            "providerId": "apple.com", "rawId": linked["rawId"] ?? .null, "email": linked["email"] ?? .null,
            "displayName": "Countess",
        ]
        let relinked = try await gateway.administerAccounts(
            ":update", ["localId": .string(tokens.localId), "linkProviderUserInfo": identity])
        #expect(relinked.json["providerUserInfo"]?[0]?["displayName"] == "Countess", "\(relinked.text)")
        let after: [String] = try await gateway.database.pool.query(row).map { try $0.decode("line") }
        #expect(after == before)
        #expect(try await gateway.appleGrantLines() == ["AUTHORIZED REFRESH_TOKEN com.example.app"])
        _ = try await gateway.administerAccounts(
            ":update",
            [
                "localId": .string(tokens.localId),
                "linkProviderUserInfo": [
                    "providerId": "apple.com", "rawId": linked["rawId"] ?? .null, "email": "other@example.com",
                ],
            ])
        let trust = try await gateway.database.pool.query("SELECT email, email_trust FROM linked_identity")
        #expect(try trust.first?.decode("email") == "other@example.com")
        #expect(try trust.first?.decode("email_trust") == "none", "Apple has not stated this address")
        _ = try await gateway.administerAccounts(
            ":update",
            [
                "localId": .string(tokens.localId), "deleteProvider": ["apple.com"],
                "linkProviderUserInfo": ["providerId": "apple.com", "rawId": linked["rawId"] ?? .null],
            ])
        #expect(
            try await gateway.appleGrantLines() == ["REVOKING REFRESH_TOKEN com.example.app"],
            "the request unlinks the identity first")
    }

    @Test("When the janitor (clean-up job) deletes a deleted tenant's accounts, revocations of their tokens are queued")
    func tenant() async throws {
        let fixture = try await TenantFixture(TestGateway(servesApple: true))
        let tenant = try await fixture.makeTenant()
        #expect(try await fixture.enableProvider("apple.com", in: tenant).status == 200)
        let proof = try fixture.gateway.appleCredentialWithCode()
        let signedIn = try await fixture.callAsClient(
            "signInWithIdp", in: tenant,
            ["postBody": .string(proof.postBody), "requestUri": "http://localhost"])
        #expect(signedIn.status == 200, "\(signedIn.text)")
        #expect(try await fixture.send(.delete, "\(TenantFixture.tenantsPath)/\(tenant)").status == 200)
        let janitor = Janitor(pool: fixture.gateway.database.pool)
        _ = try await janitor.remove(.deletedRealm, at: fixture.gateway.clock.now)
        #expect(try await fixture.gateway.appleGrantLines() == ["REVOKING CODE com.example.app"])
        let keys = try await fixture.gateway.database.pool.query(
            "SELECT 1 AS one FROM identity_provider WHERE realm_id LIKE 'demo/%'")
        #expect(keys.count == 1, "the private key stays until the token is revoked")
    }

    @Test("When the janitor deletes a deleted project's accounts, revocations of their tokens are queued")
    func project() async throws {
        let gateway = try await TestGateway(servesApple: true)
        let signedIn = try await gateway.signIn(try gateway.appleCredentialWithCode())
        #expect(signedIn.status == 200, "\(signedIn.text)")
        let pool = gateway.database.pool
        let store = ProjectStore(pool: pool, supporting: .live)
        #expect(try await store.delete(gateway.realm.project.id, by: .commandLine, at: gateway.clock.now))
        _ = try await Janitor(pool: pool).remove(.deletedRealm, at: gateway.clock.now)
        #expect(try await store.remainingAccounts(of: gateway.realm.project.id) == 0)
        #expect(try await gateway.appleGrantLines() == ["REVOKING CODE com.example.app"])
        let keys = try await pool.query("SELECT 1 AS one FROM identity_provider WHERE provider = 'apple.com'")
        #expect(!keys.isEmpty, "the private key stays until the token is revoked")
    }

    @Test(
        "The response to a deletion, and the notice about it, state whether Apple's token will be revoked",
        arguments: [true, false])
    func announced(hasCode: Bool) async throws {
        let gateway = try await TestGateway(servesApple: true)
        let proof = try hasCode ? gateway.appleCredentialWithCode() : gateway.appleCredential()
        let tokens = try TestGateway.Tokens(await gateway.signIn(proof))
        let deleted = try await gateway.delete(tokens.idToken)
        #expect(deleted.json["appleRevocation"]?.string == (hasCode ? "QUEUED" : "NOT_POSSIBLE"))
        let email = try #require(try await gateway.emails(.accountDeleted).last)
        #expect(email.content.staysConnectedToApple == (hasCode ? nil : true))
    }

    @Test("The response to the deletion of an account without Apple states that there is no token to revoke")
    func withoutApple() async throws {
        let gateway = try await TestGateway(servesApple: true)
        let deleted = try await gateway.delete(gateway.signUp().idToken)
        #expect(deleted.json["appleRevocation"]?.string == "NONE")
    }

    @Test("The code of a deleted account is redeemed, and the resulting token is revoked")
    func codeFirst() async throws {
        let gateway = try await TestGateway(servesApple: true)
        let tokens = try TestGateway.Tokens(await gateway.signIn(gateway.appleCredentialWithCode()))
        #expect(try await gateway.delete(tokens.idToken).status == 200)
        #expect(try await gateway.appleGrantLines() == ["REVOKING CODE com.example.app"])
        try await gateway.processDueAppleGrants()
        #expect(try await gateway.appleGrantLines().isEmpty)
        #expect(gateway.simulators.apple.revocations == 1)
    }

    @Test("A revocation is retried for 30 days, and then given up")
    func outage() async throws {
        let gateway = try await TestGateway(servesApple: true)
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        gateway.simulators.apple.faultInjection.injectFault(.unavailable)
        #expect(try await gateway.delete(tokens.idToken).status == 200)
        try await gateway.processDueAppleGrants()
        gateway.clock.advance(by: .seconds(29 * 86_400))
        try await gateway.processDueAppleGrants()
        #expect(try await gateway.appleGrantLines() == ["REVOKING REFRESH_TOKEN com.example.app"])
        gateway.clock.advance(by: .seconds(86_400))
        try await gateway.processDueAppleGrants()
        #expect(try await gateway.appleGrantLines().isEmpty)
        #expect(gateway.simulators.apple.revocations == 0)
    }

    @Test("After a deletion, no table has the user's subject, address or name")
    func nothingPersonal() async throws {
        let gateway = try await TestGateway(sendsEmails: false, servesApple: true)
        let tokens = try await gateway.signInWithAppleAndRedeemCode()
        let subject = SimulatedApple.subject(of: .ada, in: AppleServer.team)
        #expect(try await gateway.databaseDump().contains(subject))
        // Each notification writes a row to `replay_guard`, and consent-revoked also one to `revoked_subject`. The
        // events are older than the sign-in, so the session stays valid.
        for kind in [SimulatedAppleEvent.emailEnabled, .consentRevoked] {
            let payload = try gateway.appleNotification(kind, at: gateway.clock.now - .seconds(60))
            try await gateway.postAcceptedNotification(payload)
        }
        #expect(try await gateway.delete(tokens.idToken).status == 200)
        // Once before the revocation, and once after it.
        for _ in 0..<2 {
            let dump = try await gateway.databaseDump()
            for text in [subject, "ada.lovelace@example.com", "Lovelace"] { #expect(!dump.contains(text), "\(text)") }
            try await gateway.processDueAppleGrants()
        }
        let tablesWithID = try await gateway.tables(containing: tokens.localId)
        #expect(tablesWithID == ["audit_event", "deleted_account", "outbox"])
        // The searches above covered rows of the two tables below: the dump of a row has the names of its columns.
        let tablesWithExpiry = try await gateway.tables(containing: "\"expires_at\"")
        for table in ["replay_guard", "revoked_subject"] { #expect(tablesWithExpiry.contains(table)) }
    }
}
