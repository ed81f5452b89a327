import Identity
import Postgres
import Testing

@testable import Storage

@Suite("Apple grants")
struct AppleGrantStoreTests {
    @Test("A grant begins with a code, and then stores the refresh token that the code was exchanged for")
    func redeem() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertCode(1)
        let claimed = try #require(try await fixture.claim().first)
        #expect(claimed.state == .redeeming)
        #expect(claimed.token == [1])
        #expect(claimed.expiresAt == fixture.now + AuthorizationCode.lifetime)
        #expect(try await fixture.claim(after: .seconds(29)).isEmpty)
        try await fixture.store.storeRefreshToken(
            claimed, token: [2], obtainedWith: AppleGrantFixture.key, firstCheck: fixture.now, at: fixture.now)
        #expect(try await fixture.grants() == ["AUTHORIZED REFRESH_TOKEN \(AppleGrantFixture.subject) 02"])
        #expect(try await fixture.credential() == CredentialStatus(.authorized, at: fixture.now))
    }

    @Test("A new token replaces the earlier one of the same identity and client ID")
    func replace() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertGrant(2)
        try await fixture.insertGrant(3)
        try await fixture.insertGrant(4, client: "com.example.web")
        #expect(
            try await fixture.grants() == [
                "AUTHORIZED REFRESH_TOKEN \(AppleGrantFixture.subject) 03",
                "AUTHORIZED REFRESH_TOKEN \(AppleGrantFixture.subject) 04",
            ])
    }

    @Test(
        "After a deletion of the identity, its grants wait to be revoked and do not contain its subject",
        arguments: ["DELETE FROM account", "DELETE FROM linked_identity"] as [SQL])
    func deletedIdentity(statement: SQL) async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertGrant(2)
        try await fixture.insertCode(1, client: "com.example.web")
        try await fixture.pool.execute(statement)
        #expect(try await fixture.grants() == ["REVOKING CODE - 01", "REVOKING REFRESH_TOKEN - 02"])
        let claimed = try await fixture.claim()
        #expect(claimed.allSatisfy { $0.state == .revoking && $0.subject == nil && $0.expiresAt != nil })
        for grant in claimed { try await fixture.store.remove(grant) }
        #expect(try await fixture.grants().isEmpty)
    }

    @Test("A grant is unchanged if its identity moves to another account")
    func movedIdentity() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertGrant(2)
        try await fixture.pool.execute(
            "INSERT INTO account (project_id, id, created_at, valid_since) VALUES ('demo', 'mary', now(), now())")
        try await fixture.pool.execute("UPDATE linked_identity SET account_id = 'mary'")
        try await fixture.pool.execute("DELETE FROM account WHERE id = 'ada'")
        #expect(try await fixture.grants() == ["AUTHORIZED REFRESH_TOKEN \(AppleGrantFixture.subject) 02"])
    }

    @Test("If the identity is unlinked during the exchange, the new token waits to be revoked")
    func unlinkedMeanwhile() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertCode(1)
        let claimed = try #require(try await fixture.claim().first)
        try await fixture.pool.execute("DELETE FROM linked_identity")
        // The lease stays: no other worker redeems the code a second time.
        #expect(try await fixture.claim().isEmpty)
        try await fixture.store.storeRefreshToken(
            claimed, token: [2], obtainedWith: AppleGrantFixture.key, firstCheck: fixture.now, at: fixture.now)
        #expect(try await fixture.grants() == ["REVOKING REFRESH_TOKEN - 02"])
        // The worker that has claimed the code cannot remove the token.
        try await fixture.store.remove(claimed)
        #expect(try await fixture.claim().map(\.token) == [[2]])
    }

    /// The refresh token of a sign-in in the browser.
    private func browserToken(in fixture: AppleGrantFixture) -> SealedAppleToken {
        SealedAppleToken(
            id: ID("00000000-0000-4000-8000-000000000002"), subject: AppleGrantFixture.subject,
            clientID: AppleGrantFixture.client, code: [5], redirectURI: nil, expiresAt: fixture.now + .seconds(60),
            tokenType: .refreshToken)
    }

    @Test("A sign-in in the browser makes its stored refresh token due, but does not insert it")
    func browserSignIn() async throws {
        let fixture = try await AppleGrantFixture()
        let token = browserToken(in: fixture)
        let statement = try #require(
            try SQL.insertCode(token, at: fixture.now, in: fixture.realm, from: .singleRow))
        try await fixture.pool.execute(statement)
        #expect(try await fixture.grants().isEmpty)
        try await fixture.pool.execute(try SQL.insertUnusedToken(token, at: fixture.now, in: fixture.realm))
        #expect(try await fixture.claim().isEmpty)
        try await fixture.pool.execute(statement)
        #expect(try await fixture.claim().map(\.token) == [[5]])
    }

    /// The times are in seconds after the sign-in.
    @Test(
        "A sign-in in the browser makes an identity authorized, unless Apple has reported a revocation since",
        arguments: [(-1, CredentialStatus.State.authorized, 0), (1, .revoked, 1)])
    func reportedSince(reportedAt: Int, state: CredentialStatus.State, checkedAt: Int) async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.pool.execute(
            try SQL.insertUnusedToken(browserToken(in: fixture), at: fixture.now, in: fixture.realm))
        try await fixture.pool.execute(
            """
            UPDATE linked_identity SET credential_state = 'REVOKED',
                credential_checked_at = \(Timestamp(fixture.now + .seconds(reportedAt)))
            """)
        let claimed = try #require(try await fixture.claim(after: .seconds(60)).first)
        let now = fixture.now + .seconds(60)
        try await fixture.store.storeRefreshToken(
            claimed, token: claimed.token, obtainedWith: AppleGrantFixture.key, firstCheck: now, at: now)
        #expect(try await fixture.credential() == CredentialStatus(state, at: fixture.now + .seconds(checkedAt)))
    }

    private func revocation(_ type: AppleGrant.TokenType, in fixture: AppleGrantFixture) -> RevocationRequest {
        RevocationRequest(
            id: ID("00000000-0000-4000-8000-000000000001"), account: ID("ada"), session: fixture.accounts.session.id,
            subject: AppleGrantFixture.subject, clientID: AppleGrantFixture.client, tokenType: type, token: [9],
            requestedAt: fixture.now, dueAt: fixture.now + .seconds(30),
            expiresAt: fixture.now + AuthorizationCode.lifetime, trace: .none)
    }

    @Test("After a revocation with a code, the stored grant is REVOKED, and the code's token waits to be revoked")
    func ownCode() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertGrant(2)
        try await fixture.insertCode(1)
        let revocation = revocation(.code, in: fixture)
        try await fixture.store.insert(revocation, in: fixture.realm)
        try await fixture.store.replaceCode(revocation.id, by: [8])
        try await fixture.store.applyRevocation(revocation, in: fixture.realm)
        #expect(
            try await fixture.grants() == [
                "REVOKED REFRESH_TOKEN \(AppleGrantFixture.subject)",
                "REVOKING REFRESH_TOKEN \(AppleGrantFixture.subject) 08",
            ])
        #expect(try await fixture.credential() == CredentialStatus(.revoked, at: fixture.now))
        #expect(try await fixture.claim().isEmpty)
        #expect(try await fixture.claim(after: .seconds(30)).map(\.token) == [[8]])
        // After the deletion of the account, no grant contains the subject.
        try await fixture.pool.execute("DELETE FROM account")
        #expect(try await fixture.grants() == ["REVOKING REFRESH_TOKEN - 08"])
        #expect(try await fixture.claim(after: .seconds(31)).isEmpty, "the lease stays")
    }

    @Test(
        "After a revocation with a token, the stored grants wait to be revoked, because Apple accepts unknown tokens too"
    )
    func ownToken() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertGrant(2)
        try await fixture.insertCode(1)
        try await fixture.store.applyRevocation(revocation(.accessToken, in: fixture), in: fixture.realm)
        #expect(
            try await fixture.grants() == [
                "REVOKING CODE \(AppleGrantFixture.subject) 01",
                "REVOKING REFRESH_TOKEN \(AppleGrantFixture.subject) 02",
            ])
        #expect(try await fixture.credential() == CredentialStatus(.revoked, at: fixture.now))
        #expect(try await Set(fixture.claim().map(\.token)) == [[1], [2]])
    }

    @Test("A revocation with a token does not change an identity without grants, and is not stored without an identity")
    func ownTokenAlone() async throws {
        let fixture = try await AppleGrantFixture()
        let revocation = revocation(.refreshToken, in: fixture)
        try await fixture.store.insert(revocation, in: fixture.realm)
        try await fixture.store.applyRevocation(revocation, in: fixture.realm)
        #expect(try await fixture.grants() == ["REVOKING REFRESH_TOKEN \(AppleGrantFixture.subject) 09"])
        #expect(try await fixture.credential() == nil)
        try await fixture.pool.execute("DELETE FROM apple_grant")
        try await fixture.pool.execute("DELETE FROM linked_identity")
        try await fixture.store.insert(revocation, in: fixture.realm)
        #expect(try await fixture.grants().isEmpty, "no subject is stored longer than its identity")
    }

    @Test("The private key for Apple is kept until the grants are revoked")
    func privateKeyStays() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertGrant(2)
        try await fixture.pool.execute(
            """
            INSERT INTO identity_provider (project_id, provider, settings, updated_at)
            VALUES ('demo', 'google.com', '{}', now())
            """)
        #expect(
            try await fixture.pool.execute(SQL.deleteUnusedProviders(of: fixture.realm)) == 1,
            "Google's settings are not needed")
        try await fixture.pool.execute("DELETE FROM account")
        #expect(try await fixture.pool.execute(SQL.deleteUnusedProviders(of: fixture.realm)) == 0)
        for grant in try await fixture.claim() { try await fixture.store.remove(grant) }
        #expect(try await fixture.pool.execute(SQL.deleteUnusedProviders(of: fixture.realm)) == 1)
    }
}
