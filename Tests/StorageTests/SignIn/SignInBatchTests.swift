import Encoding
import Identity
import Postgres
import Storage
import Support
import Testing

@Suite("Returning sign-ins of many users at once")
struct SignInBatchTests {
    @Test("Each of fifty sign-ins has its own outcome, session and replay key")
    func outcomes() async throws {
        let fixture = try await SignInFixture(accounts: 50)
        try await fixture.database.pool.execute("UPDATE account SET disabled_at = now() WHERE id = 'user7'")
        try await fixture.database.pool.execute("UPDATE account SET generation = 2 WHERE id = 'user8'")
        try await fixture.database.pool.execute("DELETE FROM linked_identity WHERE account_id = 'user9'")
        // Later than the credentials, which the fixture dates in 2027.
        try await fixture.database.pool.execute(
            "UPDATE linked_identity SET credentials_void_before = now() + interval '9 years' WHERE account_id = 'user10'"
        )
        let results = await fixture.commit(fixture.accounts.map { .laterSignIn($0) })
        for (account, result) in zip(fixture.accounts, results) {
            let isStale = ["user7", "user8", "user9", "user10"].contains(account.id.rawValue)
            switch result {
            case .success(let signedIn): #expect(!isStale && signedIn.id == account.id)
            case .failure(let error): #expect(isStale && error as? StoreConflict == .stale, "\(account.id): \(error)")
            }
        }
        // The 50 first sign-ins of the fixture, and the 46 successful ones of this test.
        let sessions: SQL = "SELECT FROM session WHERE device = 'phone' AND credential_issued_at IS NOT NULL"
        #expect(try await fixture.count(sessions) == 96)
        #expect(try await fixture.count("SELECT FROM replay_guard") == 96)
        #expect(try await fixture.count("SELECT FROM known_network") == 50)
    }

    @Test("A replayed credential does not make concurrent sign-ins fail")
    func replay() async throws {
        let fixture = try await SignInFixture(accounts: 20)
        _ = try await fixture.store.commit(.laterSignIn(fixture.accounts[0], key: "used"), in: fixture.realm)
        let keys = ["used", "shared", "shared"] + (3..<20).map { "key\($0)" }
        let results = await fixture.commit(zip(fixture.accounts, keys).map { .laterSignIn($0, key: $1) })
        #expect(throws: StoreConflict.alreadyUsed) { try results[0].get() }
        let applied = results.dropFirst(3).compactMap { try? $0.get() }  // failures are omitted
        #expect(applied.count == 17)
        let shared = results[1...2].compactMap { try? $0.get() }  // failures are omitted
        #expect(shared.count == 1)
    }

    @Test("Concurrent sign-ins of one user are all applied")
    func sameAccount() async throws {
        let fixture = try await SignInFixture(accounts: 1)
        let results = await fixture.commit((1...20).map { _ in .laterSignIn(fixture.accounts[0]) })
        for result in results { _ = try result.get() }
        #expect(try await fixture.count("SELECT FROM session") == 21)
    }

    @Test("A sign-in to a locked account does not delay others, and is applied when the lock is released")
    func lockedAccount() async throws {
        let fixture = try await SignInFixture(accounts: 20)
        let late = try await fixture.database.pool.transaction { transaction in
            _ = try await transaction.query("SELECT FROM account WHERE id = 'user1' FOR UPDATE")
            let late = Task { await fixture.commit([.laterSignIn(fixture.accounts[0])]) }
            for result in await fixture.commit(fixture.accounts.dropFirst().map { .laterSignIn($0) }) {
                _ = try result.get()
            }
            return late
        }
        _ = try await late.value[0].get()
    }

    @Test("Concurrent look-ups find each user's account")
    func candidates() async throws {
        let fixture = try await SignInFixture(accounts: 20)
        let owners = await fixture.owners(of: 1...40)
        #expect(owners == Dictionary(uniqueKeysWithValues: (1...20).map { ($0, "user\($0)") }))
    }

    @Test("An account that cannot be decoded fails only its own look-up")
    func unreadableAccount() async throws {
        let fixture = try await SignInFixture(accounts: 20)
        try await fixture.database.pool.execute(
            "ALTER DOMAIN email_trust DROP CONSTRAINT email_trust_check")
        try await fixture.database.pool.execute(
            "UPDATE linked_identity SET email_trust = 'unknown' WHERE account_id = 'user7'")
        let owners = await fixture.owners(of: 1...20)
        #expect(Set(owners.keys) == Set(1...20).subtracting([7]))
    }
}
