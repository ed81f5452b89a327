import Encoding
import Identity
import Postgres
import Storage
import Support
import Testing

/// An account's generation is a counter. A change that opens a new session increments it, which ends all other
/// sessions.
@Suite("The account store")
struct AccountStoreTests {
    @Test("An account and its session are read as they were stored")
    func roundTrip() async throws {
        let fixture = try await StoreFixture(email: "ada@example.com", passwordHash: "$argon2id$")
        // The account that has the address, and its password hash.
        let holder = try #require(try await fixture.store.holder(of: fixture.account.email!, in: fixture.realm))
        var expected = fixture.account
        expected.lastRefreshAt = nil  // the statement does not read it
        #expect(holder.account == expected)
        #expect(holder.passwordHash == "$argon2id$")
        let found = try #require(try await fixture.store.find(IDTokenContents(of: fixture.session), in: fixture.realm))
        #expect(found.account == fixture.account)
        #expect(found.session == fixture.session)
    }

    @Test("Exactly one of twenty concurrent sign-ups gets the address")
    func emailRace() async throws {
        let fixture = try await StoreFixture()
        let email = EmailAddress("ada@example.com")
        let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 1...20 {
                group.addTask {
                    let new = StoredAccount(
                        new: ID("racer\(number)"), email: email, passwordHash: "h", at: fixture.start)
                    let session = NewSession.fresh(of: "racer\(number)", at: fixture.start)
                    do {
                        try await fixture.store.create(new, opening: session, in: fixture.realm)
                        return true
                    } catch StoreConflict.taken(.email) {
                        return false
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 } == 1)
        #expect(outcomes.count == 20)
    }

    @Test("Accounts of two projects may have the same address and the same ID")
    func projects() async throws {
        let fixture = try await StoreFixture(email: "ada@example.com", passwordHash: "h")
        let other = ID<Realm>("other")
        try await fixture.store.create(
            StoredAccount(
                new: ID("ada"), email: EmailAddress("ada@example.com"), passwordHash: "h", at: fixture.start),
            opening: .fresh(of: "ada", at: fixture.start), in: other)
        #expect(try await fixture.store.find(IDTokenContents(of: fixture.session), in: other)?.session == nil)
        let rotation = try await fixture.store.rotate(
            RefreshTokenContents(session: fixture.session.id, counter: 0), by: Policy(.sekisho), at: fixture.start,
            in: other)
        #expect(rotation == .removed)
    }

    @Test("A change that opens a new session ends all others")
    func replacement() async throws {
        let fixture = try await StoreFixture(email: "ada@example.com", passwordHash: "old")
        let second = NewSession.fresh(of: "ada", at: fixture.start)
        try await fixture.store.open(second, rehashed: nil, in: fixture.realm)
        var change = OwnerChange(changedAt: fixture.start + .milliseconds(90_500), recording: .system)
        change.update.passwordHash = .set("new")
        let fresh = NewSession.fresh(of: "ada", generation: 2, at: change.changedAt)
        change.replaceSession(with: fresh)
        let account = try await fixture.store.update(change, by: fixture.session, in: fixture.realm)
        #expect(account.generation == 2)
        #expect(account.validSince == fixture.start + .seconds(90), "in whole seconds")
        for session in [fixture.session, second.session] {
            let rotation = try await fixture.store.rotate(
                RefreshTokenContents(session: session.id, counter: 0), by: Policy(.sekisho), at: change.changedAt,
                in: fixture.realm)
            #expect(rotation == .ended)
        }
        let found = try #require(try await fixture.store.find(IDTokenContents(of: fresh.session), in: fixture.realm))
        #expect(found.session?.generation == found.account.generation)
    }

    @Test("A sign-in that was decided before a password change opens no session")
    func staleSignIn() async throws {
        let fixture = try await StoreFixture(email: "ada@example.com", passwordHash: "old")
        var change = OwnerChange(changedAt: fixture.start, recording: .system)
        change.update.passwordHash = .set("new")
        change.replaceSession(with: .fresh(of: "ada", generation: 2, at: fixture.start))
        _ = try await fixture.store.update(change, by: fixture.session, in: fixture.realm)
        let late = NewSession.fresh(of: "ada", generation: 1, at: fixture.start)
        await #expect(throws: StoreConflict.stale) {
            try await fixture.store.open(late, rehashed: "old again", in: fixture.realm)
        }
        #expect(try await fixture.store.find(IDTokenContents(of: late.session), in: fixture.realm)?.session == nil)
        let holder = try await fixture.store.holder(of: fixture.account.email!, in: fixture.realm)
        #expect(holder?.passwordHash == "new")
    }

    @Test("Of twenty concurrent changes of the password by one session, one is applied")
    func changeRace() async throws {
        let fixture = try await StoreFixture(email: "ada@example.com", passwordHash: "old")
        let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 1...20 {
                group.addTask {
                    var change = OwnerChange(changedAt: fixture.start, recording: .system)
                    change.update.passwordHash = .set("new \(number)")
                    change.replaceSession(with: .fresh(of: "ada", generation: 2, at: fixture.start))
                    do {
                        _ = try await fixture.store.update(change, by: fixture.session, in: fixture.realm)
                        return true
                    } catch StoreConflict.stale {
                        return false
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 } == 1)
    }

    @Test("A change of one member leaves the others unchanged")
    func partialChange() async throws {
        let fixture = try await StoreFixture(email: "ada@example.com", passwordHash: "old")
        var change = OwnerChange(changedAt: fixture.start, recording: .system)
        change.update.profile.displayName = .set("Ada")
        _ = try await fixture.store.update(change, by: fixture.session, in: fixture.realm)
        change = OwnerChange(changedAt: fixture.start, recording: .system)
        change.update.profile.photoURL = PhotoURL("https://example.com/ada.png").map { .set($0) }
        let updated = try await fixture.store.update(change, by: fixture.session, in: fixture.realm)
        var expected = fixture.account
        expected.displayName = "Ada"
        expected.photoURL = PhotoURL("https://example.com/ada.png")
        expected.lastRefreshAt = nil  // the statement does not read it
        #expect(updated == expected)
    }

    @Test("A change to an address of another account is rejected")
    func emailTakenByChange() async throws {
        let fixture = try await StoreFixture(email: "ada@example.com", passwordHash: "h")
        let bob = NewSession.fresh(of: "bob", at: fixture.start)
        try await fixture.store.create(
            StoredAccount(new: ID("bob"), at: fixture.start), opening: bob, in: fixture.realm)
        var change = OwnerChange(changedAt: fixture.start, recording: .system)
        change.update.email = .set(fixture.account.email!)
        await #expect(throws: StoreConflict.taken(.email)) {
            try await fixture.store.update(change, by: bob.session, in: fixture.realm)
        }
    }

    @Test("A deleted account is not found, and leaves a tombstone")
    func deletion() async throws {
        let fixture = try await StoreFixture(email: "ada@example.com", passwordHash: "h")
        try await fixture.store.deleteAccount(
            of: fixture.session, by: AccountDeletion(at: fixture.start, recording: .system),
            emailBatch: EmailBatch(), in: fixture.realm)
        await #expect(throws: StoreConflict.stale) {
            try await fixture.store.deleteAccount(
                of: fixture.session, by: AccountDeletion(at: fixture.start, recording: .system),
                emailBatch: EmailBatch(), in: fixture.realm)
        }
        #expect(try await fixture.store.find(IDTokenContents(of: fixture.session), in: fixture.realm) == nil)
        #expect(try await fixture.store.holder(of: fixture.account.email!, in: fixture.realm) == nil)
        let tombstones = try await fixture.database.pool.query("SELECT id FROM deleted_account")
        #expect(try tombstones.map { try $0.decode("id", as: String.self) } == ["ada"])
    }

    @Test("A disabled account cannot refresh tokens")
    func disabled() async throws {
        let fixture = try await StoreFixture()
        _ = try await fixture.database.pool.execute("UPDATE account SET disabled_at = now()")
        let rotation = try await fixture.store.rotate(
            RefreshTokenContents(session: fixture.session.id, counter: 0), by: Policy(.sekisho), at: fixture.start,
            in: fixture.realm)
        #expect(rotation == .accountDisabled)
        let found = try #require(try await fixture.store.find(IDTokenContents(of: fixture.session), in: fixture.realm))
        #expect(found.account.isDisabled)
    }

    @Test("No session is opened for an account that was disabled in the meantime")
    func disabledMeanwhile() async throws {
        let fixture = try await StoreFixture(email: "ada@example.com", passwordHash: "old")
        _ = try await fixture.database.pool.execute("UPDATE account SET disabled_at = now()")
        let late = NewSession.fresh(of: "ada", at: fixture.start)
        await #expect(throws: StoreConflict.stale) {
            try await fixture.store.open(late, rehashed: nil, in: fixture.realm)
        }
        #expect(try await fixture.store.find(IDTokenContents(of: late.session), in: fixture.realm)?.session == nil)
        var change = OwnerChange(changedAt: fixture.start, recording: .system)
        change.update.passwordHash = .set("new")
        change.replaceSession(with: .fresh(of: "ada", generation: 2, at: fixture.start))
        await #expect(throws: StoreConflict.stale) {
            try await fixture.store.update(change, by: fixture.session, in: fixture.realm)
        }
    }

    @Test("A change or a deletion by an ended session is rejected")
    func endedMeanwhile() async throws {
        let fixture = try await StoreFixture(email: "ada@example.com", passwordHash: "old")
        _ = try await fixture.database.pool.execute("UPDATE session SET ended_at = now()")
        var change = OwnerChange(changedAt: fixture.start, recording: .system)
        change.update.passwordHash = .set("new")
        change.replaceSession(with: .fresh(of: "ada", generation: 2, at: fixture.start))
        await #expect(throws: StoreConflict.stale) {
            try await fixture.store.update(change, by: fixture.session, in: fixture.realm)
        }
        await #expect(throws: StoreConflict.stale) {
            try await fixture.store.deleteAccount(
                of: fixture.session, by: AccountDeletion(at: fixture.start, recording: .system),
                emailBatch: EmailBatch(), in: fixture.realm)
        }
    }

    @Test("Sessions of the current and the previous generation are kept, and those of earlier generations are deleted")
    func oldGenerations() async throws {
        let fixture = try await StoreFixture(email: "ada@example.com", passwordHash: "old")
        var session = fixture.session
        for generation in Int64(2)...5 {
            var change = OwnerChange(changedAt: fixture.start, recording: .system)
            let next = NewSession.fresh(of: "ada", generation: generation, at: fixture.start)
            change.replaceSession(with: next)
            _ = try await fixture.store.update(change, by: session, in: fixture.realm)
            session = next.session
        }
        let rows = try await fixture.database.pool.query("SELECT generation FROM session ORDER BY generation")
        #expect(try rows.map { try $0.decode("generation", as: Int64.self) } == [4, 5])
        let found = try await fixture.store.find(IDTokenContents(of: fixture.session), in: fixture.realm)
        #expect(found != nil && found?.session == nil)
    }

    @Test("An account is read with its identities")
    func identities() async throws {
        let fixture = try await StoreFixture()
        _ = try await fixture.database.pool.execute(
            """
            INSERT INTO linked_identity (realm_id, provider, subject, account_id, email, display_name, created_at,
                linked_at, linked_device, issuer)
            VALUES ('demo', 'apple.com', '001.x', 'ada', 'ada@example.com', 'Ada "L"', now(), to_timestamp(7.25), 'iPhone',
                'https://appleid.apple.com')
            """)
        let found = try #require(try await fixture.store.find(IDTokenContents(of: fixture.session), in: fixture.realm))
        #expect(
            found.account.identities == [
                LinkedIdentity(
                    provider: ProviderID("apple.com"), subject: "001.x", email: EmailAddress("ada@example.com"),
                    profile: UserProfile(displayName: "Ada \"L\""), issuer: "https://appleid.apple.com",
                    linkedAt: Instant(microseconds: 7_250_000), linkedDevice: "iPhone")
            ])
    }
}
