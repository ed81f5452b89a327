import Crypto
import Identity
import Postgres
import Storage
import Testing
import Tokens

@testable import Gateway
@testable import Support

@Suite("Encrypted payloads of queued emails")
struct EncryptedEmailsTests {
    @Test("After re-encryption, a queued payload can be decrypted with the new master key alone")
    func reencryption() async throws {
        let gateway = try await TestGateway()
        let ada = try await gateway.signUp()
        for _ in 0..<2 { _ = try await gateway.sendOobCode("VERIFY_EMAIL", ["idToken": .string(ada.idToken)]) }
        // One of the two emails has failed permanently.
        _ = try await gateway.database.pool.execute(
            "UPDATE outgoing_email SET failed_at = now() WHERE id = (SELECT min(id::text)::uuid FROM outgoing_email)")
        let store = EncryptedEmails(pool: gateway.database.pool)
        let both = try MasterKeys(current: TestGateway.newMasterKey, previous: TestGateway.masterKey)
        let (emails, box) = (Reencryption.emails(in: store), SealedBox(keys: both))
        #expect(
            try await emails.reencrypt(with: box) == 1,
            "an email that failed permanently is not re-encrypted, because it is not sent again")
        #expect(try await emails.reencrypt(with: box) == 0, "the email is already encrypted with the new key")
        let email = try #require(try await store.emails(after: nil, limit: 10).first)
        let newOnly = try MasterKeys(current: TestGateway.newMasterKey)
        let content = try EncryptedEmailPayloads(masterKeys: newOnly).open(email.content, of: email.id)
        #expect(content.code != nil)
    }
}
