import Encoding
import HTTP
import Postgres
import Testing

@testable import Support

extension TestGateway {
    /// Creates accounts with these IDs and no other member.
    func makeAccounts(_ ids: [String]) async throws {
        let users = JSON.array(ids.map { ["localId": .string($0)] })
        #expect(try await administerAccounts(":batchCreate", ["users": users]).json["error"] == nil)
    }

    /// The stored hash of the account's password.
    func storedPasswordHash(of localId: String) async throws -> String? {
        try await database.pool.query("SELECT password_hash FROM account WHERE id = \(localId)").first?
            .decode("password_hash")
    }
}

extension Exchange {
    /// The IDs of the accounts in the response.
    var accountIDs: [String] {
        guard case .array(let users) = json["users"] ?? json["userInfo"] else { return [] }
        return users.compactMap { $0["localId"]?.string }
    }
}
