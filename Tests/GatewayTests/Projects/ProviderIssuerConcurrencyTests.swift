import Postgres
import Testing

@testable import Support

@Suite("Concurrent changes of the issuer of a generic OpenID provider", .serialized)
struct ProviderIssuerConcurrencyTests {
    private typealias Fixture = ProviderIssuerFixture

    @Test("A change of the issuer is rejected if a concurrent sign-in links an identity first", .timeLimit(.minutes(5)))
    func signInBeforeChange() async throws {
        let fixture = try await Fixture()
        try await fixture.gateway.makeAccount(["localId": "bob"])
        struct RolledBack: Error {}
        var (signIn, change): (Task<Exchange, any Error>?, Task<Exchange, any Error>?)
        do {
            try await fixture.gateway.database.pool.transaction { transaction in
                // Until this identity is rolled back, the sign-in waits, and holds its lock on the provider.
                _ = try await transaction.execute(
                    """
                    INSERT INTO linked_identity (realm_id, provider, subject, account_id, created_at)
                    VALUES ('demo', 'oidc.corp', '1', 'bob', now())
                    """)
                signIn = Task { try await fixture.signIn() }
                try await fixture.gateway.database.waitForBlockedStatements()
                change = Task { try await fixture.change(to: Fixture.secondIssuer) }
                try await fixture.gateway.database.waitForBlockedStatements(2)
                throw RolledBack()
            }
        } catch is RolledBack {}
        #expect(try await signIn?.value.outcome == "200")
        #expect(try await change?.value.outcome.hasPrefix(Fixture.inUseError) == true)
    }

    @Test(
        "A sign-in that is concurrent with a change of the issuer stores no identity of the old issuer",
        .timeLimit(.minutes(5)),
        arguments: [false, true])
    func changeBeforeSignIn(isLinking: Bool) async throws {
        let fixture = try await Fixture()
        let linkingMembers: [String: JSON] =
            isLinking ? ["idToken": .string(try await fixture.gateway.signUpAnonymously().idToken)] : [:]
        let proof = try fixture.gateway.corporateCredential("1", of: Fixture.firstIssuer)
        let signIn = try await fixture.gateway.database.pool.transaction { transaction in
            _ = try await transaction.execute(
                """
                UPDATE identity_provider SET settings = jsonb_set(settings, '{openId,issuer}', to_jsonb(\(Fixture.secondIssuer)))
                WHERE provider = 'oidc.corp'
                """)
            let signIn = Task { try await fixture.gateway.signIn(proof, linkingMembers) }
            try await fixture.gateway.database.waitForBlockedStatements()
            return signIn
        }
        #expect(try await signIn.value.outcome.hasPrefix("503 "), "the gateway still caches the old issuer")
        #expect(try await fixture.identities() == [])
        let later = try await fixture.gateway.withFreshCaches().signIn(proof)
        #expect(later.outcome.hasPrefix("400 INVALID_IDP_RESPONSE : The issuer of"))
    }

    @Test("Two concurrent changes of the issuer both succeed, and unlink the identity once", .timeLimit(.minutes(5)))
    func twoChanges() async throws {
        let fixture = try await Fixture()
        #expect(try await fixture.signIn().outcome == "200")
        let issuers = [Fixture.secondIssuer, "https://third.corp.example"]
        let changes = try await fixture.gateway.database.pool.transaction { transaction in
            _ = try await transaction.execute("SELECT FROM realm WHERE id = 'demo' FOR UPDATE")
            let changes = issuers.map { issuer in
                Task { try await fixture.change(to: issuer, "?discardIdentities=true") }
            }
            try await fixture.gateway.database.waitForBlockedStatements(2)
            return changes
        }
        for change in changes { #expect(try await change.value.outcome == "200") }
        #expect(try await fixture.identities() == [])
        #expect(try await fixture.gateway.recordedEvents().outbox.count == 1)
    }
}
