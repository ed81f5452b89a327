import Identity
import Postgres
import Testing

@testable import Storage
@testable import Support

@Suite("Columns of accounts")
struct AccountColumnTests {
    /// An account with a value for every column.
    private static func account(_ id: String) -> StoredAccount {
        let created = Instant(microseconds: 1_800_000_000_000_001)
        var account = Account(
            id: ID(id), email: EmailAddress("\(id)@example.com"), emailIsVerified: true,
            initialEmail: EmailAddress("first@example.com"), displayName: "Ada",
            photoURL: PhotoURL("https://example.com/ada.png"), passwordUpdatedAt: created + .seconds(1),
            phoneNumber: PhoneNumber("+1555555010\(id.utf8.count)"), customClaims: Claims(json: #"{"role":"editor"}"#),
            usesCustomTokens: true, usesEmailLinks: true, isDisabled: true, createdAt: created,
            lastSignInAt: created + .seconds(2), validSince: created + .seconds(3), generation: 4)
        account.phoneProvenAt = created + .seconds(4)
        account.phoneAddedAt = created + .seconds(5)
        account.vouchedEmail = account.email
        (account.language, account.timeZone) = (.japanese, TimeZoneName("Asia/Tokyo"))
        return StoredAccount(account: account, passwordHash: "hash")
    }

    @Test("Insertions of one and of several accounts store every column, and a query returns every member")
    func roundTrip() async throws {
        let (database, realm) = (try TestDatabase(), ID<Realm>("demo"))
        let store = PostgresAccountStore(pool: database.pool)
        let (single, first, second) = (Self.account("a"), Self.account("bb"), Self.account("ccc"))
        _ = try await database.pool.execute(.insertion(of: single, in: realm))
        _ = try await database.pool.execute(.insertion(of: [first, second], in: realm))
        #expect(try await store.storedAccounts(after: nil, limit: 9, in: realm) == [single, first, second])
        let unset = try await database.pool.query(
            "SELECT DISTINCT m.key FROM account a, jsonb_each(to_jsonb(a)) m WHERE m.value = 'null'")
        #expect(try unset.map { try $0.decode("key", as: String.self) } == [])
    }
}
