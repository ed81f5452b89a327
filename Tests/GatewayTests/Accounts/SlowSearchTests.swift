import HTTP
import Postgres
import Testing

@testable import Support

@Suite("Slow searches", .serialized)
struct SlowSearchTests {
    struct Search: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let method: HTTP.Method
        let path: String
        var query: [(name: String, value: String)] = []
        var body: JSON = [:]

        func send(to gateway: TestGateway, _ project: String, bearer: String) async throws -> Exchange {
            try await gateway.send(
                method, "/v1/projects/\(project)/\(path)", body: method == .post ? try body.bytes : [], query: query,
                headers: ["Authorization": "Bearer \(bearer)"])
        }
    }

    private static let auditTrail = Search(testDescription: "the audit trail", method: .get, path: "auditEvents")
    private static let lastLogin = Search(
        testDescription: "a query sorted by last login", method: .post, path: "accounts:query",
        body: ["sortBy": "LAST_LOGIN_AT"])

    @Test(
        "The searches of a project occupy one connection while they wait for the database, so other projects proceed",
        arguments: [
            auditTrail, lastLogin,
            Search(testDescription: "a query", method: .post, path: "accounts:query"),
            Search(
                testDescription: "a count", method: .post, path: "accounts:query", body: ["returnUserInfo": false]),
            Search(
                testDescription: "a search by ID", method: .get, path: "accounts:search", query: [("q", "a")]),
            Search(
                testDescription: "a search by Apple's status", method: .get, path: "accounts:search",
                query: [("realUserStatus", "LIKELY_REAL")]),
        ])
    func otherProject(search: Search) async throws {
        let gateway = try await TestGateway.withServiceKey()
        try await gateway.makeOtherProject(serviceKey: "sks_other")
        let isOfAuditTrail = search.path == Self.auditTrail.path
        let lock: SQL =
            isOfAuditTrail
            ? "LOCK TABLE audit_event IN ACCESS EXCLUSIVE MODE" : "LOCK TABLE account IN ACCESS EXCLUSIVE MODE"
        // A search of the other project that does not need the locked table.
        let other = isOfAuditTrail ? Self.lastLogin : Self.auditTrail
        var searches: [Task<Exchange, any Error>] = []
        // Fills the caches of both projects.
        for project in ["demo", "other"] {
            let bearer = project == "demo" ? TestGateway.serviceKeySecret : "sks_other"
            #expect(try await other.send(to: gateway, project, bearer: bearer).status == 200)
        }
        try await gateway.database.withSeparateConnection { separate in
            try await separate.transaction { transaction in
                _ = try await transaction.execute(lock)
                searches = (0..<8).map { _ in
                    Task { try await search.send(to: gateway, "demo", bearer: TestGateway.serviceKeySecret) }
                }
                try await gateway.database.waitForBlockedStatements()
                #expect(try await other.send(to: gateway, "other", bearer: "sks_other").status == 200)
                #expect(try await transaction.query(TestDatabase.blockedConnections).count == 1)
            }
        }
        for search in searches { #expect(try await search.value.status == 200) }
    }
}
