import HTTP
import Identity
import Postgres
import Storage
import Testing

@testable import Support

@Suite("Clearing accounts")
struct AccountClearingTests {
    @Test("Clearing a project removes the accounts, sessions and tombstones of this project only")
    func clearing() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.post("/v1/accounts:signUp", ["email": "ada@example.com", "password": "correct"])
        _ = try await gateway.post("/v1/accounts:delete", ["idToken": ada.json["idToken"] ?? .null])
        _ = try await gateway.post("/v1/accounts:signUp")
        #expect(try await rowCounts(in: gateway) == [1, 1, 1])
        try await AccountClearing(pool: gateway.database.pool).clear(ID("other"))
        #expect(try await rowCounts(in: gateway) == [1, 1, 1])
        try await AccountClearing(pool: gateway.database.pool).clear(gateway.realm.id)
        #expect(try await rowCounts(in: gateway) == [0, 0, 0])
    }

    @Test("After clearing, a credential with a used nonce signs in again")
    func nonces() async throws {
        let gateway = try await TestGateway()
        let credential = try gateway.appleCredential(nonce: "nonce")
        #expect(try await gateway.signIn(credential).outcome == "200")
        #expect(try await gateway.signIn(credential).status == 400)
        try await AccountClearing(pool: gateway.database.pool).clear(gateway.realm.id)
        #expect(try await gateway.signIn(credential).json["isNewUser"] == true)
        #expect(try await gateway.signIn(credential).status == 400)
    }

    /// The numbers of accounts, sessions and tombstones (rows for deleted accounts).
    private func rowCounts(in gateway: TestGateway) async throws -> [Int64] {
        let rows = try await gateway.database.pool.query(
            """
            SELECT (SELECT count(*) FROM account) AS accounts, (SELECT count(*) FROM session) AS sessions,
                (SELECT count(*) FROM deleted_account) AS deleted
            """)
        let row = try #require(rows.first)
        return try ["accounts", "sessions", "deleted"].map { try row.decode($0) }
    }
}
