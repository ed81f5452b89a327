import Identity
import Testing

@Suite("Repairs of a restored database")
struct RestoreRepairsTests {
    static let backup = Instant(iso8601: "2026-01-31T12:00:00Z")!
    static let later = "2026-01-31T13:00:00Z"

    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Actions with their details, in the order of their times.
        let events: [(String, [String: String])]
        let expected: @Sendable (inout RestoreRepairs.Account) -> Void

        init(
            _ description: String, _ events: (String, [String: String])...,
            expected: @escaping @Sendable (inout RestoreRepairs.Account) -> Void
        ) {
            (testDescription, self.events, self.expected) = (description, events, expected)
        }
    }

    static let rows = [
        Row("a deletion", ("account.deleted", [:])) { $0.isDeleted = true },
        Row("a change of the address", ("email.changed", [:])) { $0.changedOwner = true },
        Row("an address that its owner disavowed", ("email.disavowed", [:])) { $0.changedOwner = true },
        Row("a reclaim", ("account.reclaimed", [:])) { $0.changedOwner = true },
        Row("a new password", ("password.changed", [:])) { ($0.lostPassword, $0.endsSessions) = (true, true) },
        Row("a removed password", ("password.removed", [:])) { ($0.lostPassword, $0.endsSessions) = (true, true) },
        Row("an import that replaced the account", ("account.updated", ["method": "import"])) {
            ($0.changedOwner, $0.lostPassword, $0.endsSessions) = (true, true, true)
        },
        Row("a sign-out of all devices", ("session.revoked", ["all": "true"])) { $0.endsSessions = true },
        Row("a sign-out of one device", ("session.revoked", ["sessionId": "a"])) { $0.endedSessions = [ID("a")] },
        Row("several sign-outs in one event", ("session.revoked", ["sessionId": "a", "repeated": "2"])) {
            $0.endsSessions = true
        },
        Row("a revoked consent", ("apple.consentRevoked", ["clientId": "com.example.app"])) { $0.endsSessions = true },
        Row("an unlinked identity", ("identity.unlinked", ["provider": "apple.com"])) { $0.unlinked = [.apple] },
        Row(
            "an identity that moved to another account", ("identity.moved", ["provider": "apple.com", "target": "bob"])
        ) { $0.unlinked = [.apple] },
        Row(
            "a deleted Apple Account", ("apple.accountDeleted", ["clientId": "com.example.app"]),
            ("identity.unlinked", ["provider": "apple.com"])
        ) { $0.unlinked = [.apple] },
        Row("a removed passkey", ("passkey.removed", ["credentialId": "phone"])) { $0.removedPasskeys = [ID("phone")] },
        Row(
            "an administrator who removes a second factor", ("account.updated", ["fields": "mfa"]),
            ("factor.removed", ["factorId": "app"])
        ) { ($0.removedFactors, $0.endsSessions) = ([ID("app")], true) },
        Row("a removed second factor", ("factor.removed", ["factorId": "app"])) {
            ($0.removedFactors, $0.endsSessions) = ([ID("app")], true)
        },
        Row("an administrator who disables", ("account.disabled", [:])) { $0.isDisabled = true },
        Row("an administrator who disables and enables", ("account.disabled", [:]), ("account.enabled", [:])) {
            $0.endsSessions = true
        },
        Row("an administrator who sets a password", ("account.updated", ["fields": "displayName password"])) {
            ($0.lostPassword, $0.endsSessions) = (true, true)
        },
        Row("an administrator who sets an address", ("account.updated", ["fields": "email"])) {
            ($0.changedOwner, $0.endsSessions) = (true, true)
        },
        Row("an administrator who ends the sessions", ("account.updated", ["fields": "validSince"])) {
            $0.endsSessions = true
        },
    ]

    @Test("What was revoked after the backup is revoked again", arguments: rows)
    func repair(row: Row) {
        var expected = RestoreRepairs.Account()
        row.expected(&expected)
        let repairs = RestoreRepairs(row.events.map { Self.event($0.0, $0.1) }, after: Self.backup)
        #expect(repairs.accounts == [ID("ada"): expected])
        #expect(repairs.lost.isEmpty)
    }

    @Test("Revoked keys and removed tenants are listed")
    func keys() {
        let events = ["apiKey.revoked", "serviceKey.revoked", "tenant.removed"].map { Self.event($0, subject: "id") }
        let repairs = RestoreRepairs(events, after: Self.backup)
        #expect((repairs.revokedAPIKeys, repairs.revokedServiceKeys) == (["id"], ["id"]))
        #expect(repairs.removedTenants == [ID("id")])
    }

    @Test(
        "A role is at most what it was last",
        arguments: [
            (["administrator.removed"], [nil], 0), (["administrator.suspended"], [nil], 0),
            (["administrator.changed"], [.viewer], 0),
            (["administrator.removed", "administrator.accepted"], [.viewer], 1),
            (["administrator.accepted", "administrator.removed"], [nil], 1), (["administrator.invited"], [nil], 0),
            (["administrator.invited", "administrator.accepted"], [.viewer], 1),
        ] as [([String], [AdministratorRole?], Int)])
    func roles(actions: [String], expected: [AdministratorRole?], accepted: Int) {
        let events = actions.map { action in
            let detail = action.hasSuffix("removed") ? [:] : ["administratorRole": "viewer"]
            return Self.event(action, detail)
        }
        let repairs = RestoreRepairs(events, after: Self.backup)
        #expect(repairs.roles.map(\.key) == expected.map { _ in ID("ada") })
        #expect(repairs.roles.map(\.value) == expected)
        #expect(repairs.lost["administrator.accepted", default: 0] == accepted)
    }

    @Test("What was created is counted as lost")
    func lost() {
        let events = ["account.created", "account.created", "account.merged", "app.added", "account.updated"]
            .map { Self.event($0, ["fields": "displayName"]) }
        let repairs = RestoreRepairs(events, after: Self.backup)
        #expect(
            repairs.lost == ["account.created": 2, "account.merged": 1, "app.added": 1, "account.updated": 1])
    }

    @Test("The accounts from which a change took something that is not repeated are listed")
    func unrepaired() {
        let events = [
            Self.event("recoveryCode.used"), Self.event("phone.removed", subject: "bob"),
            Self.event("phone.removed"), Self.event("passkey.removed"), Self.event("account.created"),
        ]
        let repairs = RestoreRepairs(events, after: Self.backup)
        let (ada, bob) = (ID<Account>("ada"), ID<Account>("bob"))
        #expect(
            repairs.unrepaired
                == ["recoveryCode.used": [ada], "phone.removed": [ada, bob], "passkey.removed": [ada]])
        #expect(repairs.lost["phone.removed"] == 2)
    }

    /// The actions about factors after the backup, which has the authenticator app `app`.
    struct FactorRow: Sendable {
        let events: [(String, String)]
        let kept: [ID<Factor>]?
        let isLost: Bool
    }

    @Test(
        "A factor that was removed is removed again, and one that was replaced leaves no account without a factor",
        arguments: [
            FactorRow(events: [("factor.removed", "app")], kept: [], isLost: false),
            FactorRow(events: [("factor.removed", "app"), ("factor.added", "new")], kept: [], isLost: true),
            FactorRow(
                events: [("factor.removed", "app"), ("factor.added", "new"), ("factor.removed", "new")], kept: [],
                isLost: false),
            FactorRow(events: [("factor.added", "new")], kept: nil, isLost: false),
            FactorRow(events: [("factor.removed", "other")], kept: nil, isLost: false),
        ])
    func factors(row: FactorRow) throws {
        let repairs = RestoreRepairs(
            row.events.map { Self.event($0.0, ["factorId": $0.1]) }, after: Self.backup)
        let repair = try #require(repairs.accounts[ID("ada")])
        var account = Account(id: ID("ada"), createdAt: Self.backup, validSince: Self.backup)
        account.secondFactors = SecondFactors(factors: [
            Factor(id: ID("app"), kind: .totp, displayName: nil, enrolledAt: Self.backup)
        ])
        #expect(repair.keptFactors(of: account)?.map(\.id) == row.kept)
        #expect(repair.lostLastFactor(of: account) == row.isLost)
        #expect(repair.endsAdministration(of: account) == (row.kept == []))
    }

    @Test("An account that received an identity does not lose it")
    func moved() {
        let event = Self.event("identity.moved", ["provider": "apple.com", "source": "bob"])
        #expect(RestoreRepairs([event], after: Self.backup).lost == ["identity.moved": 1])
    }

    @Test("Events of the backup are ignored, unless they were repeated afterwards")
    func inBackup() {
        let early = Self.event("account.deleted", at: "2026-01-31T12:00:00Z")
        let repeated = Self.event(
            "session.revoked", ["all": "true", "repeated": "2", "lastOccurredAt": Self.later],
            at: "2026-01-31T11:59:59Z")
        let repairs = RestoreRepairs([early, repeated], after: Self.backup)
        #expect(repairs.accounts.mapValues(\.isDeleted) == [ID("ada"): false])
        #expect(repairs.accounts[ID("ada")]?.endsSessions == true)
    }

    private static func event(
        _ action: String, _ detail: [String: String] = [:], subject: String = "ada", at time: String = later
    ) -> AuditEvent {
        AuditEvent(
            id: "1", note: AuditNote(action, subject, detail), actor: "user", trace: .none,
            occurredAt: Instant(iso8601: time)!)
    }
}
