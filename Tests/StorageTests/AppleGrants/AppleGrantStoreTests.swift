import Identity
import Postgres
import Testing

@testable import Storage

/// A grant is a token or an authorization code of Apple in the database. Tests read each grant as a line: state, token
/// type, subject (`-` if it has none), and the encrypted token or code in hexadecimal, which has one byte here.
@Suite("Apple grants")
struct AppleGrantStoreTests {
    @Test("A grant first has an authorization code, and then the refresh token for which the code was exchanged")
    func redeem() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertCode(byte: 1)
        let claimed = try #require(try await fixture.claimAttempts().first)
        #expect(claimed.state == .redeeming)
        #expect(claimed.token == [1])
        #expect(claimed.expiresAt == fixture.now + AuthorizationCode.lifetime)
        #expect(try await fixture.claimAttempts(after: .seconds(29)).isEmpty)
        try await fixture.store.storeRefreshToken(
            claimed, token: [2], obtainedWith: AppleGrantFixture.key, firstCheck: fixture.now, at: fixture.now)
        #expect(try await fixture.grantLines() == ["AUTHORIZED REFRESH_TOKEN \(AppleGrantFixture.subject) 02"])
        #expect(try await fixture.credentialStatus() == CredentialStatus(.authorized, at: fixture.now))
    }

    @Test("A new token replaces the earlier one of the same identity and client ID")
    func replace() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertGrant(byte: 2)
        try await fixture.insertGrant(byte: 3)
        try await fixture.insertGrant(byte: 4, client: "com.example.web")
        #expect(
            try await fixture.grantLines() == [
                "AUTHORIZED REFRESH_TOKEN \(AppleGrantFixture.subject) 03",
                "AUTHORIZED REFRESH_TOKEN \(AppleGrantFixture.subject) 04",
            ])
    }

    @Test(
        "After the deletion of an identity, its grants wait to be revoked, and no longer contain its subject",
        arguments: ["DELETE FROM account", "DELETE FROM linked_identity"] as [SQL])
    func deletedIdentity(statement: SQL) async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertGrant(byte: 2)
        try await fixture.insertCode(byte: 1, client: "com.example.web")
        try await fixture.pool.execute(statement)
        #expect(try await fixture.grantLines() == ["REVOKING CODE - 01", "REVOKING REFRESH_TOKEN - 02"])
        let claimed = try await fixture.claimAttempts()
        #expect(claimed.allSatisfy { $0.state == .revoking && $0.subject == nil && $0.expiresAt != nil })
        for grant in claimed { try await fixture.store.remove(grant) }
        #expect(try await fixture.grantLines().isEmpty)
    }

    @Test("A grant is unchanged if its identity moves to another account")
    func movedIdentity() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertGrant(byte: 2)
        try await fixture.pool.execute(
            "INSERT INTO account (realm_id, id, created_at, valid_since) VALUES ('demo', 'mary', now(), now())")
        try await fixture.pool.execute("UPDATE linked_identity SET account_id = 'mary'")
        try await fixture.pool.execute("DELETE FROM account WHERE id = 'ada'")
        #expect(try await fixture.grantLines() == ["AUTHORIZED REFRESH_TOKEN \(AppleGrantFixture.subject) 02"])
    }

    @Test("If the identity is unlinked during the exchange, the new token waits to be revoked")
    func unlinkedMeanwhile() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertCode(byte: 1)
        let claimed = try #require(try await fixture.claimAttempts().first)
        try await fixture.pool.execute("DELETE FROM linked_identity")
        // The lease (exclusive use) stays, so no other worker redeems the code a second time.
        #expect(try await fixture.claimAttempts().isEmpty)
        try await fixture.store.storeRefreshToken(
            claimed, token: [2], obtainedWith: AppleGrantFixture.key, firstCheck: fixture.now, at: fixture.now)
        #expect(try await fixture.grantLines() == ["REVOKING REFRESH_TOKEN - 02"])
        // The worker that has claimed the code cannot remove the token.
        try await fixture.store.remove(claimed)
        #expect(try await fixture.claimAttempts().map(\.token) == [[2]])
    }

    /// The refresh token of a sign-in in the browser.
    private func browserToken(in fixture: AppleGrantFixture) -> SealedAppleToken {
        SealedAppleToken(
            id: ID("00000000-0000-4000-8000-000000000002"), subject: AppleGrantFixture.subject,
            clientID: AppleGrantFixture.client, ciphertext: [5], redirectURI: nil,
            expiresAt: fixture.now + .seconds(60), tokenType: .refreshToken)
    }

    @Test("A sign-in in the browser makes an already stored refresh token due for an attempt, and inserts no other")
    func browserSignIn() async throws {
        let fixture = try await AppleGrantFixture()
        let token = browserToken(in: fixture)
        let statement = try #require(
            try SQL.insertAppleGrant(
                for: token, at: fixture.now, in: fixture.realm, forEachRowOf: .singleRow))
        try await fixture.pool.execute(statement)
        #expect(try await fixture.grantLines().isEmpty)
        try await fixture.pool.execute(try SQL.insertUnusedAppleToken(token, at: fixture.now, in: fixture.realm))
        #expect(try await fixture.claimAttempts().isEmpty)
        try await fixture.pool.execute(statement)
        #expect(try await fixture.claimAttempts().map(\.token) == [[5]])
    }

    /// The times are in seconds after the sign-in.
    @Test(
        "A sign-in in the browser makes an identity authorized, unless Apple has reported a revocation since",
        arguments: [(-1, CredentialStatus.State.authorized, 0), (1, .revoked, 1)])
    func reportedSince(reportedAt: Int, state: CredentialStatus.State, checkedAt: Int) async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.pool.execute(
            try SQL.insertUnusedAppleToken(browserToken(in: fixture), at: fixture.now, in: fixture.realm))
        try await fixture.pool.execute(
            """
            UPDATE linked_identity SET credential_state = 'REVOKED',
                credential_checked_at = \(Timestamp(fixture.now + .seconds(reportedAt)))
            """)
        let claimed = try #require(try await fixture.claimAttempts(after: .seconds(60)).first)
        let now = fixture.now + .seconds(60)
        try await fixture.store.storeRefreshToken(
            claimed, token: claimed.token, obtainedWith: AppleGrantFixture.key, firstCheck: now, at: now)
        #expect(try await fixture.credentialStatus() == CredentialStatus(state, at: fixture.now + .seconds(checkedAt)))
    }

    private func revocation(_ type: AppleGrant.TokenType, in fixture: AppleGrantFixture) -> RevocationRequest {
        RevocationRequest(
            id: ID("00000000-0000-4000-8000-000000000001"), account: ID("ada"), session: fixture.accounts.session.id,
            subject: AppleGrantFixture.subject, clientID: AppleGrantFixture.client, tokenType: type, token: [9],
            requestedAt: fixture.now, dueAt: fixture.now + .seconds(30),
            expiresAt: fixture.now + AuthorizationCode.lifetime, trace: .none)
    }

    @Test("After a user revokes with a code, the stored grant is REVOKED, and the code's token waits to be revoked")
    func ownCode() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertGrant(byte: 2)
        try await fixture.insertCode(byte: 1)
        let revocation = revocation(.code, in: fixture)
        try await fixture.store.insert(revocation, in: fixture.realm)
        try await fixture.store.replaceCode(revocation.id, by: [8])
        try await fixture.store.applyRevocation(revocation, in: fixture.realm)
        #expect(
            try await fixture.grantLines() == [
                "REVOKED REFRESH_TOKEN \(AppleGrantFixture.subject)",
                "REVOKING REFRESH_TOKEN \(AppleGrantFixture.subject) 08",
            ])
        #expect(try await fixture.credentialStatus() == CredentialStatus(.revoked, at: fixture.now))
        #expect(try await fixture.claimAttempts().isEmpty)
        #expect(try await fixture.claimAttempts(after: .seconds(30)).map(\.token) == [[8]])
        // After the deletion of the account, no grant contains the subject.
        try await fixture.pool.execute("DELETE FROM account")
        #expect(try await fixture.grantLines() == ["REVOKING REFRESH_TOKEN - 08"])
        #expect(try await fixture.claimAttempts(after: .seconds(31)).isEmpty, "the lease stays")
    }

    @Test(
        "After a user revokes with a token, stored grants wait to be revoked, because Apple accepts unknown tokens too"
    )
    func ownToken() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertGrant(byte: 2)
        try await fixture.insertCode(byte: 1)
        try await fixture.store.applyRevocation(revocation(.accessToken, in: fixture), in: fixture.realm)
        #expect(
            try await fixture.grantLines() == [
                "REVOKING CODE \(AppleGrantFixture.subject) 01",
                "REVOKING REFRESH_TOKEN \(AppleGrantFixture.subject) 02",
            ])
        #expect(try await fixture.credentialStatus() == CredentialStatus(.revoked, at: fixture.now))
        #expect(try await Set(fixture.claimAttempts().map(\.token)) == [[1], [2]])
    }

    @Test("A revocation with a token does not change an identity without grants, and is not stored for an unlinked one")
    func ownTokenAlone() async throws {
        let fixture = try await AppleGrantFixture()
        let revocation = revocation(.refreshToken, in: fixture)
        try await fixture.store.insert(revocation, in: fixture.realm)
        try await fixture.store.applyRevocation(revocation, in: fixture.realm)
        #expect(try await fixture.grantLines() == ["REVOKING REFRESH_TOKEN \(AppleGrantFixture.subject) 09"])
        #expect(try await fixture.credentialStatus() == nil)
        try await fixture.pool.execute("DELETE FROM apple_grant")
        try await fixture.pool.execute("DELETE FROM linked_identity")
        try await fixture.store.insert(revocation, in: fixture.realm)
        #expect(try await fixture.grantLines().isEmpty, "no subject is stored longer than its identity")
    }

    @Test("The private key for Apple is kept until the grants are revoked")
    func privateKeyStays() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertGrant(byte: 2)
        try await fixture.pool.execute(
            """
            INSERT INTO identity_provider (realm_id, provider, settings, updated_at)
            VALUES ('demo', 'google.com', '{}', now())
            """)
        #expect(
            try await fixture.pool.execute(SQL.deleteUnusedProviders(of: fixture.realm)) == 1,
            "Google's settings are not needed")
        try await fixture.pool.execute("DELETE FROM account")
        #expect(try await fixture.pool.execute(SQL.deleteUnusedProviders(of: fixture.realm)) == 0)
        for grant in try await fixture.claimAttempts() { try await fixture.store.remove(grant) }
        #expect(try await fixture.pool.execute(SQL.deleteUnusedProviders(of: fixture.realm)) == 1)
    }
}
