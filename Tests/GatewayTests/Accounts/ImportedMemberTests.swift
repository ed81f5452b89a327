import JSON
import Postgres
import Testing

@testable import Support

@Suite("Members of imported accounts")
struct ImportedMemberTests {
    @Test("An imported address for which a function has vouched is stated as verified, and proves no mailbox")
    func emailVouched() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let user: JSON = ["localId": "ada", "email": "ada@example.com", "emailVouched": true]
        #expect(try await gateway.administerAccounts(":batchCreate", ["users": [user]]).json["error"] == nil)
        #expect(try await gateway.accountSeenByAdmin("ada")["emailVerified"] == true)
        let rows = try await gateway.database.pool.query("SELECT email_verified AS proven FROM account")
        #expect(try rows.map { try $0.decode("proven", as: Bool.self) } == [false])
    }

    @Test("The clock of a backend that imports accounts may be a minute ahead")
    func validSince() async throws {
        let gateway = try await TestGateway.withServiceKey()
        let user: JSON = ["localId": "ada", "validSince": "1800000060"]
        #expect(try await gateway.administerAccounts(":batchCreate", ["users": [user]]).json["error"] == nil)
        #expect(try await gateway.accountSeenByAdmin("ada")["validSince"] == "1800000060")
    }
}
