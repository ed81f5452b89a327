import Crypto
import Identity
import Postgres
import Storage
import Support
import Testing
import Tokens

@testable import Gateway

@Suite("What waits to be mailed")
struct EncryptedEmailsTests {
    @Test("opens under the next master key alone once it was sealed anew")
    func rewrapping() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        for _ in 0..<2 { _ = try await gateway.sendCode("VERIFY_EMAIL", ["idToken": .string(ada.idToken)]) }
        _ = try await gateway.database.pool.execute(
            "UPDATE outgoing_email SET failed_at = now() WHERE id = (SELECT min(id::text)::uuid FROM outgoing_email)")
        let mail = EncryptedEmails(pool: gateway.database.pool)
        let (old, new) = ([UInt8](repeating: 7, count: 32), [UInt8](repeating: 8, count: 32))
        let both = try MasterKeys(current: new, previous: old)
        #expect(try await mail.rewrap(under: both) == 1, "what was given up is not sent again")
        #expect(try await mail.rewrap(under: both) == 0)
        let letter = try #require(try await mail.letters(after: nil, limit: 10).first)
        let content = try EncryptedEmailPayloads(masterKeys: try MasterKeys(current: new)).open(
            letter.content, of: letter.id)
        #expect(content.code != nil)
    }
}
