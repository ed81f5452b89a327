import Postgres
import Testing

@testable import Support

@Suite("Concurrent administrators", .serialized)
struct AdminConcurrencyTests {
    @Test("A change that PostgreSQL aborts because of a deadlock is retried")
    func deadlock() async throws {
        let gateway = try await AdminUpdateTests.withAdaAndBob()
        let answer = try await gateway.database.pool.transaction { transaction in
            // The gateway's transaction locks Ada's account, and then waits for Bob's identity, which this transaction
            // deletes. Then this transaction waits for Ada's account. After `deadlock_timeout`, a waiting transaction
            // looks for a deadlock, and is aborted if it finds one. Only the gateway's transaction waits that long.
            try await transaction.execute("SET LOCAL deadlock_timeout = '1h'")
            try await transaction.execute("DELETE FROM linked_identity WHERE account_id = 'bob'")
            let answer = Task {
                try await gateway.administerAccounts(
                    ":update",
                    ["localId": "ada", "linkProviderUserInfo": ["providerId": "google.com", "rawId": "taken"]])
            }
            try await gateway.database.waitForBlockedStatements()
            try await transaction.execute("UPDATE account SET display_name = 'Ada' WHERE id = 'ada'")
            return answer
        }
        #expect(try await answer.value.outcome == "200")
        #expect(try await gateway.accountSeenByAdmin("ada")["providerUserInfo"]?[1]?["rawId"] == "taken")
    }
}
