import FoundationEssentials
import Postgres
import Providers
import Storage
import Support
import Testing

@testable import Identity

/// Concurrent first sign-ins share statements. Each creates an account, an identity, a session, a known network and a
/// replay key. A credential is void if Apple has reported a revocation about its subject after the credential was
/// issued.
@Suite("First sign-ins of many users at once")
struct FirstSignInBatchTests {
    @Test("Each of fifty first sign-ins creates an account, except one with a void credential")
    func outcomes() async throws {
        let fixture = try await SignInFixture(accounts: 0)
        try await fixture.database.pool.execute(.voidCredentials(of: "subject7"))
        let results = await fixture.commit((1...50).map { .firstSignIn($0) })
        for (index, result) in results.enumerated() {
            switch result {
            case .success(let account): #expect(account.id.rawValue == "user\(index + 1)" && index != 6)
            case .failure(let error): #expect(index == 6 && error as? StoreConflict == .stale, "\(index): \(error)")
            }
        }
        for table: SQL in ["account", "linked_identity", "session", "known_network", "replay_guard"] {
            #expect(try await fixture.count("SELECT FROM \(table)") == 49, "\(table)")
        }
    }

    @Test("If a sign-in with a void credential is committed alone, nothing is stored, not even the replay key")
    func voidCredential() async throws {
        let fixture = try await SignInFixture(accounts: 0)
        try await fixture.database.pool.execute(.voidCredentials(of: "subject1"))
        let results = await fixture.commit([.firstSignIn(1)])
        #expect(throws: StoreConflict.stale) { try results[0].get() }
        for table: SQL in ["account", "linked_identity", "session", "known_network", "replay_guard"] {
            #expect(try await fixture.count("SELECT FROM \(table)") == 0, "\(table)")
        }
    }

    @Test("A taken address, a used credential and a repeated first sign-in do not make concurrent sign-ins fail")
    func conflicts() async throws {
        let fixture = try await SignInFixture(accounts: 0)
        func address(_ number: Int) -> (inout VerifiedIdentity) -> Void {
            { $0.email = EmailAddress("user\(number)@example.com") }
        }
        _ = try await fixture.store.commit(.firstSignIn(100, key: "used", address(2)), in: fixture.realm)
        // A used credential, a taken address, and three pairs in which only one can succeed: with the same user, the
        // same address and the same replay key.
        var commits: [SignInCommit] = [
            .firstSignIn(1, key: "used"), .firstSignIn(2, address(2)), .firstSignIn(3), .firstSignIn(3),
        ]
        commits += [
            .firstSignIn(5, address(5)), .firstSignIn(6, address(5)), .firstSignIn(7, key: "shared"),
            .firstSignIn(8, key: "shared"),
        ]
        commits += (9...50).map { .firstSignIn($0) }
        let results = await fixture.commit(commits)
        #expect(throws: StoreConflict.alreadyUsed) { try results[0].get() }
        #expect(throws: StoreConflict.stale) { try results[1].get() }
        for (pair, conflict) in [(2...3, StoreConflict.stale), (4...5, .stale), (6...7, .alreadyUsed)] {
            let failures = results[pair].compactMap { result -> StoreConflict? in
                if case .failure(let error) = result { error as? StoreConflict } else { nil }
            }
            #expect(failures == [conflict], "\(pair)")
        }
        for result in results[8...] { _ = try result.get() }
        // One before, one of each of the three pairs, and 42 without a conflict.
        #expect(try await fixture.count("SELECT FROM session") == 46)
    }

    @Test("Two sign-ins of one user do not prevent other sign-ins from sharing statements")
    func sameUser() async throws {
        let fixture = try await SignInFixture(accounts: 0)
        let results = await fixture.commit((1...20).map { .firstSignIn($0) } + [.firstSignIn(7)])
        #expect(results.count { $0.isSuccess } == 20)
        // `xmin` is the ID of the transaction that inserted the row.
        #expect(try await fixture.count("SELECT DISTINCT xmin::text FROM account") < 20)
    }

    enum Content: CaseIterable {
        case complete, minimal
    }

    @Test("A shared statement stores the same values as a statement for one sign-in", arguments: Content.allCases)
    func content(content: Content) async throws {
        let fixture = try await SignInFixture(accounts: 0)
        func commit(_ number: Int) -> SignInCommit { content == .complete ? .complete(number) : .minimal(number) }
        _ = try await fixture.store.commit(commit(1), in: fixture.realm)
        for result in await fixture.commit((2...9).map(commit)) { _ = try result.get() }
        #expect(try await fixture.count("SELECT DISTINCT xmin::text FROM account") < 9)
        for table: SQL in ["account", "linked_identity", "session", "known_network", "replay_guard", "apple_grant"] {
            let distinct = try await fixture.count(
                """
                SELECT DISTINCT regexp_replace((to_jsonb(t) - 'id' - 'hash')::text, '(user|subject)[0-9]', '\\1', 'g')
                FROM \(table) t
                """)
            let stored = try await fixture.count("SELECT FROM \(table)")
            if content == .complete {
                #expect(distinct == 1 && stored == 9, "\(table)")
            } else {
                #expect(distinct <= 1 && (stored == 0 || stored == 9), "\(table)")
            }
        }
    }

    /// What another transaction inserts before a shared statement waits for it, and afterwards.
    struct Order: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let before: SQL
        let after: SQL
    }

    @Test(
        "A shared statement does not deadlock with another transaction that inserts in the same order",
        arguments: [
            Order(
                testDescription: "addresses", before: .account("x", email: "b@example.com"),
                after: .account("y", email: "c@example.com")),
            Order(testDescription: "identities", before: .identity("subjectb"), after: .identity("subjectc")),
            Order(testDescription: "replay keys", before: .replayKey("b"), after: .replayKey("c")),
            Order(
                testDescription: "addresses before identities", before: .account("x", email: "b@example.com"),
                after: .identity("subjecta")),
            Order(
                testDescription: "addresses before replay keys", before: .account("x", email: "b@example.com"),
                after: .replayKey("a")),
            Order(
                testDescription: "identities before replay keys", before: .identity("subjectb"),
                after: .replayKey("a")),
        ])
    func order(order: Order) async throws {
        let fixture = try await SignInFixture(accounts: 1)
        let names: [String] = ["c", "b", "a"]
        let commits = names.enumerated().map { number, name in
            SignInCommit.firstSignIn(number + 2, key: name) {
                $0 = VerifiedIdentity(
                    provider: .apple, subject: "subject\(name)", audience: $0.audience,
                    email: EmailAddress("\(name)@example.com"), replayKeys: $0.replayKeys, issuedAt: $0.issuedAt)
            }
        }
        let late = try await fixture.database.pool.transaction { transaction in
            // In a deadlock, this transaction fails, and not the shared statement, which would be repeated.
            _ = try await transaction.execute("SET LOCAL deadlock_timeout = '10ms'")
            _ = try await transaction.execute(order.before)
            let late = Task { await fixture.commit(commits) }
            try await fixture.database.waitForBlockedStatements()
            _ = try await transaction.execute(order.after)
            return late
        }
        let results = await late.value
        #expect(results.count { $0.isSuccess } < 3)
        for case .failure(let error) in results {
            #expect(error is StoreConflict, "\(error)")
        }
    }

    @Test("A client that repeats a used credential does not fail the shared statements of others")
    func repeatedCredential() async throws {
        let fixture = try await SignInFixture(accounts: 0)
        _ = try await fixture.store.commit(.firstSignIn(100, key: "used"), in: fixture.realm)
        let first = await fixture.commit([.firstSignIn(1, key: "used")])
        #expect(throws: StoreConflict.alreadyUsed) { try first[0].get() }
        let results = await fixture.commit([.firstSignIn(2, key: "used")] + (3...22).map { .firstSignIn($0) })
        #expect(throws: StoreConflict.alreadyUsed) { try results[0].get() }
        #expect(results.count { $0.isSuccess } == 20)
        // One by one, they would be twenty transactions.
        #expect(try await fixture.count("SELECT DISTINCT xmin::text FROM account WHERE id <> 'user100'") < 20)
    }

    @Test("A sign-in whose connection is lost has an unknown outcome and is not repeated")
    func lostConnection() async throws {
        let fixture = try await SignInFixture(accounts: 0)
        let late = try await fixture.database.pool.transaction { transaction in
            _ = try await transaction.execute("LOCK TABLE account IN SHARE MODE")
            let late = Task { await fixture.commit((1...5).map { .firstSignIn($0) }) }
            try await fixture.database.waitForBlockedStatements()
            try await fixture.database.endWaitingConnections()
            return late
        }
        for result in await late.value {
            #expect { try result.get() } throws: { $0 is StoreUnavailable }
        }
        #expect(try await fixture.count("SELECT FROM account") == 0)
    }
}

extension SignInCommit {
    /// A first sign-in with every member that a shared statement can store.
    fileprivate static func complete(_ number: Int) -> SignInCommit {
        firstSignIn(number) { identity in
            identity.email = EmailAddress("user\(number)@example.com")
            (identity.emailTrust, identity.isPrivateEmail) = (.authoritative, true)
            identity.profile = UserProfile(
                name: PersonName(given: "Ada", family: "Lovelace"), displayName: "Countess",
                photoURL: PhotoURL("https://example.com/ada.png"), screenName: "ada", language: "en",
                timeZone: "Europe/London")
            identity.realUserStatus = 2
            identity.appleToken = SealedAppleToken(
                id: ID(UUID().uuidString.lowercased()), subject: identity.subject, clientID: identity.audience,
                ciphertext: [1, 2, 3], redirectURI: "https://example.com/return",
                expiresAt: Instant(seconds: 1_800_000_400))
        }
    }

    /// A first sign-in at a provider that states only the subject, without a replay key.
    fileprivate static func minimal(_ number: Int) -> SignInCommit {
        firstSignIn(number) {
            $0 = VerifiedIdentity(provider: .google, subject: $0.subject, audience: $0.audience)
        }
    }
}

extension SQL {
    /// Makes all credentials of a subject void, also those that are issued later.
    fileprivate static func voidCredentials(of subject: String) -> SQL {
        """
        INSERT INTO revoked_subject (realm_id, subject_hash, credentials_void_before, expires_at)
        VALUES ('demo', sha256(convert_to('apple.com' || chr(10) || \(subject), 'UTF8')), 'infinity', 'infinity')
        """
    }

    fileprivate static func account(_ id: String, email: String) -> SQL {
        """
        INSERT INTO account (realm_id, id, email, created_at, valid_since)
        VALUES ('demo', \(id), \(email), now(), now())
        """
    }

    /// Links an identity to a new account.
    fileprivate static func identity(_ subject: String) -> SQL {
        """
        WITH owner AS (\(account("owner of \(subject)", email: "owner-of-\(subject)@example.com")) RETURNING id)
        INSERT INTO linked_identity (realm_id, provider, subject, account_id, created_at)
        SELECT 'demo', 'apple.com', \(subject), id, now() FROM owner
        """
    }

    /// - Parameter key: as in ``VerifiedIdentity/ofUser(_:key:)``.
    fileprivate static func replayKey(_ key: String) -> SQL {
        """
        INSERT INTO replay_guard (realm_id, hash, expires_at)
        VALUES ('demo', decode(rpad(encode(convert_to(\(key), 'UTF8'), 'hex'), 64, '0'), 'hex'), now())
        """
    }
}

extension Result {
    fileprivate var isSuccess: Bool {
        if case .success = self { true } else { false }
    }
}
