import Identity
import Postgres
import Testing

@testable import Storage

/// A grant is a token or an authorization code of Apple in the database. Tests read each grant as a line: state, token
/// type, subject (`-` if it has none), and the encrypted token or code in hexadecimal, which has one byte here.
@Suite("Checks of Apple grants")
struct AppleCheckStoreTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let check: RecordedCheck
        /// The state of the grant after the check.
        let state: String
        /// The state of the identity after the check.
        let credential: CredentialStatus.State
    }

    @Test(
        "A check stores the state that Apple reported, and the time of the next check",
        arguments: [
            Row(testDescription: "authorized", check: .authorized, state: "AUTHORIZED", credential: .authorized),
            Row(
                testDescription: "revoked", check: .revoked(failure: "invalid_grant"), state: "REVOKED",
                credential: .revoked),
            Row(
                testDescription: "Apple unavailable", check: .failed(failure: "status 503"), state: "AUTHORIZED",
                credential: .authorized),
        ])
    func results(row: Row) async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertGrant()
        let day = AppleGrant.checkInterval
        let grant = try #require(try await fixture.claimChecks().first)
        try await fixture.store.record([grant.id: row.check], nextCheck: fixture.now + day + day, at: fixture.now + day)
        #expect(try await fixture.grantLines()[0].hasPrefix(row.state))
        #expect(try await fixture.credentialStatus()?.state == row.credential)
        #expect(try await fixture.claimChecks(after: day + .seconds(86_399)).isEmpty)
        #expect(try await fixture.claimChecks(after: day + day).count == (row.state == "AUTHORIZED" ? 1 : 0))
    }

    @Test("A grant that Apple reports as revoked keeps its token, so that deleting the account revokes it once more")
    func wronglyRevoked() async throws {
        let fixture = try await AppleGrantFixture()
        let grant = try await fixture.insertGrant(byte: 2)
        try await fixture.store.record(
            [grant.id: .revoked(failure: "invalid_grant")], nextCheck: fixture.now, at: fixture.now)
        try await fixture.pool.execute("DELETE FROM account")
        #expect(try await fixture.grantLines() == ["REVOKING REFRESH_TOKEN - 02"])
    }

    @Test("While an identity is locked, its grants of a former team are not marked as unknown; a later run marks them")
    func locked() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertGrant()
        try await fixture.configure(AppleKeyName(teamID: "OTHERTEAM1", keyID: AppleGrantFixture.key.keyID))
        try await fixture.pool.transaction { transaction in
            _ = try await transaction.execute("SELECT FROM linked_identity FOR UPDATE")
            try await fixture.store.markGrantsOfFormerTeamOrKey()
        }
        #expect(try await fixture.credentialStatus()?.state == .authorized)
        try await fixture.store.markGrantsOfFormerTeamOrKey()
        #expect(try await fixture.credentialStatus()?.state == .unknown)
    }

    @Test("An identity stays authorized while one of its grants is authorized")
    func twoClients() async throws {
        let fixture = try await AppleGrantFixture()
        let native = try await fixture.insertGrant(byte: 2)
        try await fixture.insertGrant(byte: 3, client: "com.example.web")
        try await fixture.store.record(
            [native.id: .revoked(failure: "invalid_grant")], nextCheck: fixture.now, at: fixture.now)
        #expect(try await fixture.credentialStatus()?.state == .authorized)
    }

    @Test("Claiming checks skips other client IDs, and postpones checks of accounts that were not used for a month")
    func postponed() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertGrant()
        #expect(try await fixture.claimChecks(of: "com.example.web").isEmpty)
        #expect(try await fixture.claimChecks(after: .seconds(31 * 86_400)).isEmpty)
        #expect(try await fixture.claimChecks().isEmpty, "the check was postponed")
    }

    @Test("All checks and failed checks are counted for each client ID")
    func counts() async throws {
        let fixture = try await AppleGrantFixture()
        let grant = try await fixture.insertGrant()
        let web = try await fixture.insertGrant(byte: 3, client: "com.example.web")
        try await fixture.store.record(
            [grant.id: .failed(failure: "status 503")], nextCheck: fixture.now, at: fixture.now)
        try await fixture.store.record([web.id: .authorized], nextCheck: fixture.now, at: fixture.now)
        func reference(_ client: String) -> AppleClientReference {
            AppleClientReference(realm: fixture.realm, clientID: client)
        }
        #expect(
            try await fixture.store.checkCounts(since: fixture.now - .seconds(1)) == [
                reference(AppleGrantFixture.client): CheckCounts(all: 1, failed: 1),
                reference("com.example.web"): CheckCounts(all: 1, failed: 0),
            ])
        #expect(try await fixture.store.checkCounts(since: fixture.now).isEmpty)
    }

    @Test(
        "Grants of a former team or key become unknown and are no longer checked",
        arguments: [
            AppleKeyName(teamID: "OTHERTEAM1", keyID: AppleGrantFixture.key.keyID),
            AppleKeyName(teamID: AppleGrantFixture.key.teamID, keyID: "OTHERKEY12"),
        ])
    func changedKey(key: AppleKeyName) async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.insertGrant()
        try await fixture.store.markGrantsOfFormerTeamOrKey()
        #expect(try await fixture.credentialStatus()?.state == .authorized)
        try await fixture.configure(key)
        try await fixture.store.markGrantsOfFormerTeamOrKey()
        #expect(try await fixture.grantLines()[0].hasPrefix("UNKNOWN"))
        #expect(try await fixture.credentialStatus()?.state == .unknown)
        #expect(try await fixture.claimChecks().isEmpty)
        let client = AppleClientReference(realm: fixture.realm, clientID: AppleGrantFixture.client)
        #expect(try await fixture.store.grantCounts() == [client: [.unknown: 1]])
    }
}
