import Identity
import Postgres
import Testing

@testable import Storage

@Suite("Checks of Apple's grants")
struct AppleCheckStoreTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let check: RecordedCheck
        let state: String
        let credential: CredentialStatus.State
    }

    @Test(
        "store what Apple said, and nothing else",
        arguments: [
            Row(testDescription: "authorized", check: .authorized, state: "AUTHORIZED", credential: .authorized),
            Row(
                testDescription: "disconnected", check: .revoked(failure: "invalid_grant"), state: "REVOKED",
                credential: .revoked),
            Row(
                testDescription: "no answer", check: .failed(failure: "status 503"), state: "AUTHORIZED",
                credential: .authorized),
        ])
    func results(row: Row) async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.keep()
        let day = AppleGrant.checkInterval
        let grant = try #require(try await fixture.claimChecks().first)
        try await fixture.store.record([grant.id: row.check], nextCheck: fixture.now + day + day, at: fixture.now + day)
        #expect(try await fixture.grants()[0].hasPrefix(row.state))
        #expect(try await fixture.credential()?.state == row.credential)
        #expect(try await fixture.claimChecks(after: day + .seconds(86_399)).isEmpty)
        #expect(try await fixture.claimChecks(after: day + day).count == (row.state == "AUTHORIZED" ? 1 : 0))
    }

    @Test("keep the token of a grant that Apple calls revoked, so that a deletion revokes it if that was wrong")
    func wronglyRevoked() async throws {
        let fixture = try await AppleGrantFixture()
        let grant = try await fixture.keep(2)
        try await fixture.store.record(
            [grant.id: .revoked(failure: "invalid_grant")], nextCheck: fixture.now, at: fixture.now)
        try await fixture.pool.execute("DELETE FROM account")
        #expect(try await fixture.grants() == ["REVOKING REFRESH_TOKEN - 02"])
    }

    @Test("of all other grants go on if those of a former key are locked, and those are marked later")
    func locked() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.keep()
        try await fixture.use(AppleKeyName(teamID: "OTHERTEAM1", keyID: "KEY1234567"))
        try await fixture.pool.transaction { transaction in
            _ = try await transaction.execute("SELECT FROM linked_identity FOR UPDATE")
            try await fixture.store.markGrantsOfOtherKeys()
        }
        #expect(try await fixture.credential()?.state == .authorized)
        try await fixture.store.markGrantsOfOtherKeys()
        #expect(try await fixture.credential()?.state == .unknown)
    }

    @Test("leave the identity authorized while another of its grants is")
    func twoClients() async throws {
        let fixture = try await AppleGrantFixture()
        let native = try await fixture.keep(2)
        try await fixture.keep(3, client: "com.example.web")
        try await fixture.store.record(
            [native.id: .revoked(failure: "invalid_grant")], nextCheck: fixture.now, at: fixture.now)
        #expect(try await fixture.credential()?.state == .authorized)
    }

    @Test("pass over accounts that were not used for a month, and other client IDs")
    func passedOver() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.keep()
        #expect(try await fixture.claimChecks(of: "com.example.web").isEmpty)
        #expect(try await fixture.claimChecks(after: .seconds(31 * 86_400)).isEmpty)
        #expect(try await fixture.claimChecks().isEmpty, "it was put off by a day")
    }

    @Test("count by client ID what was checked and what failed")
    func counts() async throws {
        let fixture = try await AppleGrantFixture()
        let grant = try await fixture.keep()
        let web = try await fixture.keep(3, client: "com.example.web")
        try await fixture.store.record(
            [grant.id: .failed(failure: "status 503")], nextCheck: fixture.now, at: fixture.now)
        try await fixture.store.record([web.id: .authorized], nextCheck: fixture.now, at: fixture.now)
        func key(_ client: String) -> AppleClientKey { AppleClientKey(realm: fixture.realm, clientID: client) }
        #expect(
            try await fixture.store.checks(since: fixture.now - .seconds(1)) == [
                key(AppleGrantFixture.client): CheckCounts(all: 1, failed: 1),
                key("com.example.web"): CheckCounts(all: 1, failed: 0),
            ])
        #expect(try await fixture.store.checks(since: fixture.now).isEmpty)
    }

    @Test(
        "end after a change of team or key, until the next sign-in",
        arguments: [
            AppleKeyName(teamID: "OTHERTEAM1", keyID: "KEY1234567"),
            AppleKeyName(teamID: "TEAM123456", keyID: "OTHERKEY12"),
        ])
    func changedKey(key: AppleKeyName) async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.keep()
        try await fixture.store.markGrantsOfOtherKeys()
        #expect(try await fixture.credential()?.state == .authorized)
        try await fixture.use(key)
        try await fixture.store.markGrantsOfOtherKeys()
        #expect(try await fixture.grants()[0].hasPrefix("UNKNOWN"))
        #expect(try await fixture.credential()?.state == .unknown)
        #expect(try await fixture.claimChecks().isEmpty)
        let client = AppleClientKey(realm: fixture.realm, clientID: AppleGrantFixture.client)
        #expect(try await fixture.store.counts() == [client: [.unknown: 1]])
    }
}
