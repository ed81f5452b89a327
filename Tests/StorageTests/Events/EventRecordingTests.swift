import Postgres
import Providers
import Storage
import Support
import Testing

@testable import Identity

@Suite("Events are recorded with their change")
struct EventRecordingTests {
    /// A change of the account `ada`, which has a password and one session.
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The events that the outbox gets if all kinds are wanted: kind, account and data.
        let outbox: [String]
        /// The audit events: action and subject.
        let audit: [String]
        let change: @Sendable (StoreFixture, EventRecording) async throws -> Void

        init(
            _ testDescription: String, outbox: [String], audit: [String]? = nil,
            change: @escaping @Sendable (StoreFixture, EventRecording) async throws -> Void
        ) {
            self.testDescription = testDescription
            self.outbox = outbox
            self.audit = audit ?? outbox.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
            self.change = change
        }
    }

    static let google = LinkedIdentity(provider: .google, subject: "g1", email: nil, isPrivateEmail: false)

    static let rows = [
        Row("a new password and address", outbox: ["email.changed ada {}", "password.changed ada {}"]) {
            var change = OwnerChange(changedAt: $0.start, recording: $1)
            change.update.email = .set(EmailAddress("countess@example.com")!)
            change.update.passwordHash = .set("new")
            change.events = change.events(about: $0.account)
            _ = try await $0.store.update(change, by: $0.session, in: $0.realm)
        },
        Row("an identity that its owner unlinks", outbox: [#"identity.unlinked ada {"provider": "google.com"}"#]) {
            try await $0.link(google)
            var change = OwnerChange(changedAt: $0.start, recording: $1)
            change.unlinked = [.google, .apple]
            _ = try await $0.store.update(change, by: $0.session, in: $0.realm)
        },
        Row("the end of one session", outbox: [#"session.revoked ada {"sessionId": "s"}"#]) {
            try await $0.store.end(
                $0.session.id, by: $0.session, events: [AccountEvent(.sessionRevoked(ID("s")), of: ID("ada"))],
                recording: $1, at: $0.start, in: $0.realm)
        },
        Row("the end of all sessions", outbox: [#"session.revoked ada {"all": true}"#]) {
            try await $0.store.endAll(
                by: $0.session, events: [AccountEvent(.sessionRevoked(nil), of: ID("ada"))], recording: $1,
                at: $0.start, in: $0.realm)
        },
        Row("a deletion by the owner", outbox: ["account.deleted ada {}"]) {
            try await $0.store.deleteAccount(
                of: $0.session, by: AccountDeletion(at: $0.start, recording: $1), emailBatch: .none, in: $0.realm)
        },
        Row("a deletion by an administrator", outbox: ["account.deleted ada {}"]) {
            try await $0.store.delete(
                ID("ada"), by: AccountDeletion(at: $0.start, recording: $1), in: $0.realm)
        },
        Row("the deletion of several accounts", outbox: ["account.deleted ada {}"]) {
            let deletion = AccountDeletion(at: $0.start, recording: $1)
            _ = try await $0.store.delete([ID("ada"), ID("nobody")], onlyDisabled: false, by: deletion, in: $0.realm)
        },
        Row("an account of an administrator", outbox: ["account.created bob {}"]) {
            try await $0.create("bob", [AccountEvent(.accountCreated, of: ID("bob"))], recording: $1)
        },
        Row(
            "an administrator's update",
            outbox: [
                "account.disabled ada {}", #"account.updated ada {"fields": ["displayName"]}"#,
                #"identity.linked ada {"provider": "google.com"}"#,
            ]
        ) {
            var change = AdministrativeChange()
            change.update.profile.displayName = .set("Ada")
            change.update.isDisabled = true
            change.linked = google
            _ = try await $0.store.change(ID("ada"), by: change, recording: $1, at: $0.start, in: $0.realm)
        },
        Row(
            "a moved identity", outbox: [#"identity.moved bob {"source": "ada", "provider": "google.com"}"#],
            audit: ["identity.moved ada", "identity.moved bob"]
        ) {
            try await $0.link(google)
            try await $0.create("bob", [], recording: .system)
            _ = try await $0.store.apply(
                .move(.google, from: ID("ada"), to: ID("bob"), allowsNoSignInMethod: true), ignoring: [],
                recording: $1, at: $0.start, in: $0.realm)
        },
        Row(
            "an import that replaces an account", outbox: [#"account.updated ada {"method": "import"}"#],
            audit: ["account.updated ada", "accounts.imported demo"]
        ) {
            let imported = StoredAccount(account: $0.account, passwordHash: "imported")
            _ = try await $0.store.store(
                [imported], overwrite: .all, recording: $1, now: $0.start, in: $0.realm)
        },
        Row("a repair of a restored database", outbox: [#"session.revoked ada {"sessionId": "ID"}"#]) {
            try await RestoredDatabase(pool: $0.database.pool).end(
                [$0.session.id], of: ID("ada"), recording: $1, at: $0.start, in: $0.realm)
        },
    ]

    @Test("A change stores the wanted events in the outbox, and all events in the audit trail", arguments: rows)
    func wanted(row: Row) async throws {
        let fixture = try await StoreFixture(email: "ada@example.com", passwordHash: "old")
        try await row.change(fixture, EventRecording(by: .commandLine, wanting: Set(AccountEvent.Kind.allCases)))
        #expect(try await fixture.outbox() == row.outbox)
        #expect(try await fixture.audit() == row.audit)
    }

    @Test("Without a listener, a change sends no statement for the outbox", .timeLimit(.minutes(5)), arguments: rows)
    func unwanted(row: Row) async throws {
        let fixture = try await StoreFixture(email: "ada@example.com", passwordHash: "old")
        try await fixture.database.pool.transaction { transaction in
            // Every statement of another connection that names the table would wait for this lock.
            _ = try await transaction.execute("LOCK TABLE outbox IN ACCESS EXCLUSIVE MODE")
            try await row.change(fixture, EventRecording(by: .commandLine, wanting: []))
        }
        #expect(try await fixture.audit() == row.audit)
    }

    @Test("Events of kinds that no listener wants are not stored")
    func someWanted() async throws {
        let fixture = try await StoreFixture(email: "ada@example.com", passwordHash: "old")
        let recording = EventRecording(by: .commandLine, wanting: [.passwordChanged])
        try await Self.rows[0].change(fixture, recording)
        #expect(try await fixture.outbox() == ["password.changed ada {}"])
        #expect(try await fixture.audit() == ["email.changed ada", "password.changed ada"])
    }

    @Test("A change that fails leaves no event")
    func rollback() async throws {
        let fixture = try await StoreFixture(email: "ada@example.com", passwordHash: "old")
        var change = OwnerChange(
            changedAt: fixture.start,
            recording: EventRecording(by: .commandLine, wanting: Set(AccountEvent.Kind.allCases)))
        change.update.email = .remove
        change.update.passwordHash = .remove
        change.protectedMethods = UsableSignInMethods(
            for: fixture.account,
            in: Realm(
                Project(id: ID("demo"), number: 1, profile: .sekisho, authorizedDomains: [], supporting: .live),
                policy: Policy(.sekisho)))
        change.events = change.events(about: fixture.account)
        await #expect(throws: StoreConflict.lastSignInMethod) {
            try await fixture.store.update(change, by: fixture.session, in: fixture.realm)
        }
        let other = Session(
            id: ID("00000000-0000-0000-0000-000000000000"), account: ID("ada"), generation: 1, method: .password,
            authenticatedAt: fixture.start, device: nil)
        await #expect(throws: StoreConflict.notFound, "no such session") {
            try await fixture.store.end(
                other.id, by: fixture.session, events: [AccountEvent(.sessionRevoked(other.id), of: ID("ada"))],
                recording: change.recording, at: fixture.start, in: fixture.realm)
        }
        #expect(try await fixture.outbox().isEmpty)
        #expect(try await fixture.audit().isEmpty)
    }

    @Test("An event in the outbox has the actor and the time of the change")
    func envelope() async throws {
        let fixture = try await StoreFixture(email: "ada@example.com", passwordHash: "old")
        let recording = EventRecording(by: .serviceKey("k"), wanting: [.accountDeleted])
        try await fixture.store.delete(
            ID("ada"), by: AccountDeletion(at: fixture.start, recording: recording), in: fixture.realm)
        let row = try #require(
            try await fixture.database.pool.query("SELECT realm_id, actor, created_at FROM outbox").first)
        #expect(try row.decode("realm_id") == "demo")
        #expect(try row.decode("actor") == "key:k")
        let createdAt = try row.decode("created_at", as: Timestamp.self).microsecondsSinceEpoch
        #expect(createdAt == fixture.start.microseconds)
    }
}

extension StoreFixture {
    fileprivate func link(_ identity: LinkedIdentity) async throws {
        var change = AdministrativeChange()
        change.linked = identity
        _ = try await store.change(account.id, by: change, recording: .system, at: start, in: realm)
        try await forgetAuditEvents()
    }

    fileprivate func create(
        _ id: String, _ events: [AccountEvent], recording: EventRecording
    ) async throws {
        let account = Account(id: ID(id), createdAt: start, validSince: start)
        try await store.create(StoredAccount(account: account), events: events, recording: recording, in: realm)
    }

    private func forgetAuditEvents() async throws {
        _ = try await database.pool.execute("DELETE FROM audit_event")
    }

    /// The events in the outbox: kind, account and data. The ID of the session is `ID`.
    fileprivate func outbox() async throws -> [String] {
        try await database.pool.query(
            """
            SELECT concat_ws(' ', kind, account_id, replace(data::text, \(session.id.rawValue), 'ID')) AS line FROM outbox
            """
        ).map { try $0.decode("line", as: String.self) }.sorted()
    }

    /// The audit events: action and subject.
    fileprivate func audit() async throws -> [String] {
        try await database.pool.query("SELECT action || ' ' || subject AS line FROM audit_event")
            .map { try $0.decode("line", as: String.self) }.sorted()
    }
}
