import Encoding
import EventLoop
import FoundationEssentials
import Identity
import Postgres
import Storage
import Support
import Testing

/// Up to four statements of a realm run at the same time. Requests that arrive in the meantime wait, and then share
/// statements.
@Suite("The batcher")
struct BatcherTests {
    @Test("Sign-ups that arrive while another is running share transactions")
    func signUps() async throws {
        let fixture = try await StoreFixture()
        let signUps = try await fixture.whileAccountsAreLocked {
            (1...20).map { number in Task { try await fixture.signUp("user\(number)") } }
        }
        for signUp in signUps { _ = try await signUp.value }
        // `xmin` is the ID of the transaction that inserted the row.
        let transactions = try await fixture.database.pool.query(
            "SELECT count(DISTINCT xmin::text) AS count FROM session WHERE account_id LIKE 'user%'")
        #expect(try #require(transactions.first).decode("count", as: Int.self) < 20)
        let sessions = try await fixture.database.pool.query("SELECT id FROM session WHERE account_id LIKE 'user%'")
        #expect(sessions.count == 20)
    }

    @Test("A write that PostgreSQL rejects does not make concurrent writes fail")
    func rejection() async throws {
        let fixture = try await StoreFixture()
        let outcomes = try await fixture.whileAccountsAreLocked {
            await withTaskGroup(of: (String, Bool).self) { group in
                // The fixture has created `ada`.
                for id in ["ada", "bob", "eve"] {
                    // An error means that PostgreSQL has rejected the sign-up.
                    group.addTask { (id, (try? await fixture.signUp(id)) != nil) }
                }
                return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
            }
        }
        #expect(outcomes == ["ada": false, "bob": true, "eve": true])
    }

    @Test("Each of fifty concurrent refreshes has its own outcome")
    func outcomes() async throws {
        let fixture = try await StoreFixture()
        var sessions: [Session] = []
        for number in 0..<50 { sessions.append(try await fixture.signUp("user\(number)")) }
        let ended = sessions[7], disabled = sessions[8], deleted = sessions[9]
        _ = try await fixture.database.pool.execute(
            "UPDATE session SET ended_at = now() WHERE account_id = \(ended.account.rawValue)")
        _ = try await fixture.database.pool.execute(
            "UPDATE account SET disabled_at = now() WHERE id = \(disabled.account.rawValue)")
        _ = try await fixture.database.pool.execute("DELETE FROM account WHERE id = \(deleted.account.rawValue)")
        let rotations = try await fixture.refresh(sessions)
        for (session, rotation) in zip(sessions, rotations) {
            switch rotation {
            case .continues(let found, let account, let counter, _):
                #expect(found.id == session.id && account.id == session.account && counter == 1)
            case .ended: #expect(session == ended)
            case .accountDisabled: #expect(session == disabled)
            case .removed: #expect(session == deleted)
            case .stolen: Issue.record("the token of \(session.account.rawValue) was not stolen")
            }
        }
    }

    @Test("A session that another transaction has locked does not delay refreshes of others")
    func lockedSession() async throws {
        let fixture = try await StoreFixture()
        let (locked, free) = (try await fixture.signUp("locked"), try await fixture.signUp("free"))
        let late = try await fixture.database.pool.transaction { transaction in
            _ = try await transaction.query(
                "SELECT FROM session WHERE account_id = \(locked.account.rawValue) FOR UPDATE")
            let late = Task { try await fixture.refresh([locked]) }
            try await fixture.database.waitForBlockedStatements()
            guard case .continues = try await fixture.refresh([free])[0] else {
                Issue.record("the other session must continue")
                return late
            }
            return late
        }
        guard case .continues(_, _, counter: 1, _) = try await late.value[0] else {
            Issue.record("the locked session must continue after the lock is released")
            return
        }
    }

    @Test("Concurrent refreshes with the same token return the same successor")
    func sameSession() async throws {
        let fixture = try await StoreFixture()
        let session = try await fixture.signUp("bob")
        let rotations = try await fixture.refresh(Array(repeating: session, count: 20))
        for rotation in rotations {
            guard case .continues(_, _, counter: 1, _) = rotation else {
                Issue.record("every caller must get the same successor")
                return
            }
        }
    }

    struct Change: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let statement: SQL
        /// The outcome of the refresh that waits. `gives(1)`: it returns the token with counter 1.
        let outcome: Refresh.Outcome
    }

    @Test(
        "A refresh that waits for another transaction sees the changes of that transaction",
        arguments: [
            Change(
                testDescription: "another refresh",
                statement: "UPDATE session SET counter = 1 WHERE account_id = 'bob'", outcome: .gives(1)),
            Change(
                testDescription: "a sign-out",
                statement: "UPDATE session SET ended_at = now() WHERE account_id = 'bob'",
                outcome: .ended),
            Change(
                testDescription: "the deletion of the account", statement: "DELETE FROM account WHERE id = 'bob'",
                outcome: .removed),
        ])
    func concurrentChange(change: Change) async throws {
        let fixture = try await StoreFixture()
        let session = try await fixture.signUp("bob")
        let late = try await fixture.database.pool.transaction { transaction in
            _ = try await transaction.execute(change.statement)
            let late = Task { try await fixture.refresh([session]) }
            try await fixture.database.waitForBlockedStatements()
            return late
        }
        #expect(try await Refresh.Outcome(late.value[0]) == change.outcome)
    }

    @Test("A cancelled caller returns at once, and its write is not sent if it was still waiting")
    func cancellation() async throws {
        let fixture = try await StoreFixture()
        try await fixture.database.withSeparateConnection { separate in
            try await separate.transaction { transaction in
                _ = try await transaction.execute("LOCK TABLE account IN SHARE MODE")
                // Each sign-up is sent in its own statement. The batcher executes at most four at once: a fifth waits.
                var sent: [Task<Session, any Error>] = []
                for number in 1...4 {
                    sent.append(Task { try await fixture.signUp("sent\(number)") })
                    try await fixture.database.waitForBlockedStatements(number)
                }
                // On the loop, so that it reaches the batcher before the sleep ends.
                let loop = fixture.database.loop
                let waiting = Task(executorPreference: loop) { try await fixture.signUp("waiting") }
                try await Task(executorPreference: loop) { try await loop.sleep(for: .milliseconds(20)) }.value
                for task in [waiting] + sent {
                    task.cancel()
                    await #expect(throws: CancellationError.self) { try await task.value }
                }
            }
        }
        try await fixture.signUp("later")
        let accounts = try await fixture.database.pool.query("SELECT id FROM account WHERE id = 'waiting'")
        #expect(accounts.isEmpty)
    }

    @Test("If the disk is full, a batch fails as a whole: its sign-ups are not repeated one by one")
    func fullDisk() async throws {
        let fixture = try await StoreFixture()
        for statement: SQL in [
            "CREATE SEQUENCE attempt",
            """
            CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                PERFORM nextval('attempt');
                RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100';
            END $$
            """,
            "CREATE TRIGGER full_disk BEFORE INSERT ON account FOR EACH STATEMENT EXECUTE FUNCTION fail()",
        ] { try await fixture.database.pool.execute(statement) }
        let signUps = (1...20).map { number in Task { try await fixture.signUp("user\(number)") } }
        for signUp in signUps { await #expect(throws: StoreUnavailable.self) { try await signUp.value } }
        let attempts: Int = try await fixture.database.pool.query("SELECT last_value AS count FROM attempt")[0]
            .decode("count")
        #expect(attempts < 20)
    }

    @Test("A sign-up whose connection is lost has an unknown outcome and is not repeated")
    func lostConnection() async throws {
        let fixture = try await StoreFixture()
        let signUps = try await fixture.database.pool.transaction { transaction in
            _ = try await transaction.execute("LOCK TABLE account IN SHARE MODE")
            let tasks = (1...5).map { number in Task { try await fixture.signUp("user\(number)") } }
            try await fixture.database.waitForBlockedStatements()
            try await fixture.database.endWaitingConnections()
            return tasks
        }
        var failures = 0
        for signUp in signUps {
            do { _ = try await signUp.value } catch is StoreUnavailable { failures += 1 }
        }
        let stored = try await fixture.database.pool.query("SELECT id FROM account WHERE id LIKE 'user%'")
        #expect(failures > 0)
        #expect(stored.count == signUps.count - failures)
    }
}

extension StoreFixture {
    /// Creates an account without an address, and its first session.
    @discardableResult
    fileprivate func signUp(_ id: String) async throws -> Session {
        let session = NewSession.fresh(of: id, at: start)
        try await store.create(StoredAccount(new: ID(id), at: start), opening: session, in: realm)
        return session.session
    }

    /// Presents the first token of each session, all at once.
    fileprivate func refresh(_ sessions: [Session]) async throws -> [Rotation] {
        let tasks = sessions.map { session in
            Task {
                try await store.rotate(
                    RefreshTokenContents(session: session.id, counter: 0), by: Policy(.sekisho),
                    at: start + .seconds(10),
                    in: realm)
            }
        }
        var rotations: [Rotation] = []
        for task in tasks { rotations.append(try await task.value) }
        return rotations
    }

    /// Runs `work` while no account can be inserted. Releases the lock when a statement of `work` waits for it.
    fileprivate func whileAccountsAreLocked<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let running = try await database.pool.transaction { transaction in
            _ = try await transaction.execute("LOCK TABLE account IN SHARE MODE")
            let running = Task { try await work() }
            try await database.waitForBlockedStatements()
            return running
        }
        return try await running.value
    }
}
