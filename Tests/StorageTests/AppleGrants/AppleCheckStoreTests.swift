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

    @Test("leave the identity authorized while another of its grants is")
    func twoClients() async throws {
        let fixture = try await AppleGrantFixture()
        let native = try await fixture.keep(2)
        try await fixture.keep(3, client: "com.example.web")
        try await fixture.store.record(
            [native.id: .revoked(failure: "invalid_grant")], nextCheck: fixture.now, at: fixture.now)
        #expect(try await fixture.credential()?.state == .authorized)
    }

    @Test("pass over accounts that were not used for a month, and stopped client IDs")
    func passedOver() async throws {
        let fixture = try await AppleGrantFixture()
        try await fixture.keep()
        let client = AppleClientKey(realm: fixture.realm, clientID: AppleGrantFixture.client)
        #expect(try await fixture.claimChecks(except: [client]).isEmpty)
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
        try await fixture.store.forgetForeignKeys()
        #expect(try await fixture.credential()?.state == .authorized)
        try await fixture.use(key)
        try await fixture.store.forgetForeignKeys()
        #expect(try await fixture.grants()[0].hasPrefix("UNKNOWN"))
        #expect(try await fixture.credential()?.state == .unknown)
        #expect(try await fixture.claimChecks().isEmpty)
        #expect(try await fixture.store.counts() == [.unknown: 1])
    }
}
