public import Identity
public import Postgres

/// Removes what is of no use to anybody any more: a little at a time, in statements that wait for nobody, so that any
/// number of replicas may do it beside each other and beside all else.
public actor Janitor {
    /// What there is to remove, by the name of its table.
    public enum Kind: String, Sendable, CaseIterable {
        case usedMark = "replay_guard"
        case oobCode = "oob_code"
        case rateCount = "rate_limit_counter"
        case mail = "outgoing_email"
        case outbox, session, account
        case accountMerge = "account_merge"
        case accountPlace = "known_network"
        case auditEvent = "audit_event"
        case project
    }

    /// How much is looked at before the others have their turn.
    public struct Pace: Sendable {
        /// Rows of one statement.
        public var batch = 500
        /// Statements for one table in one pass.
        public var batches = 200
        /// Pages of sessions, and of the accounts of each project, in one pass; each is one statement.
        public var pages = 20
        /// Deleted tenants in one pass.
        public var tenants = 100

        public init() {}
    }

    /// Clocks of replicas differ by less: nothing goes that another one would still take.
    static let slack: Duration = .seconds(300)
    /// Who comes late with a code is told so, and not that there never was one.
    static let expiredCodesAreKept: Duration = .seconds(86_400)
    static let failedEmailsAreKept: Duration = .seconds(7 * 86_400)
    static let outboxIsKept: Duration = .seconds(30 * 86_400)
    static let deadSessionsAreKept: Duration = .seconds(30 * 86_400)

    private let pool: Pool
    private let pace: Pace
    /// The last session looked at; `nil` to begin anew.
    private var lastSession: SessionPlace?
    /// The last account looked at, by project.
    private var lastAccounts: [ID<Realm>: String] = [:]

    public init(pool: Pool, pace: Pace = Pace()) {
        self.pool = pool
        self.pace = pace
    }

    /// One pass over a table.
    ///
    /// - Returns: how many rows went, those not counted that went with them.
    public func remove(_ kind: Kind, at now: Instant) async throws -> Int {
        switch kind {
        case .session: try await removeSessions(at: now)
        case .account: try await removeAccounts(at: now)
        case .auditEvent: try await removeAuditEvents(at: now)
        case .project: try await removeDeletedTenants(at: now)
        case .usedMark: try await removeBatches(.expiredMarks(before: now - Self.slack, limit: pace.batch))
        case .oobCode: try await removeBatches(.expiredCodes(before: now - Self.expiredCodesAreKept, limit: pace.batch))
        case .rateCount: try await removeBatches(.expiredCounts(before: now - Self.slack, limit: pace.batch))
        case .mail:
            try await removeBatches(.failedEmails(before: now - Self.failedEmailsAreKept, now: now, limit: pace.batch))
        case .outbox: try await removeBatches(.oldNews(before: now - Self.outboxIsKept, limit: pace.batch))
        case .accountPlace:
            try await removeBatches(.forgottenPlaces(before: now - Policy.placeLifetime, limit: pace.batch))
        case .accountMerge: try await removeBatches(.finalMerges(before: now, limit: pace.batch))
        }
    }

    private func removeBatches(_ statement: SQL) async throws -> Int {
        var removed = 0
        for _ in 0..<pace.batches {
            let count = try await withStoreErrors { try await pool.execute(statement) }
            removed += count
            if count < pace.batch { break }
        }
        return removed
    }

    /// Session rows change with every refresh, so no index leads to the dead ones: all are looked at in turn.
    private func removeSessions(at now: Instant) async throws -> Int {
        // Which account was made anonymously is known from its first session only.
        let keeping = try await anonymousLifetimes().map(\.realm.rawValue)
        var removed = 0
        for _ in 0..<pace.pages {
            let statement = SQL.deadSessions(
                after: lastSession, limit: pace.batch, before: now - Self.deadSessionsAreKept,
                exceptAnonymousOf: keeping)
            let row = try await withStoreErrors { try await pool.query(statement) }.first
            removed += try row?.decode("removed") ?? 0
            lastSession = try row.flatMap { try $0.decode("seen", as: Int.self) < pace.batch ? nil : SessionPlace($0) }
            guard lastSession != nil else { break }
        }
        return removed
    }

    private func removeAuditEvents(at now: Instant) async throws -> Int {
        var removed = 0
        for project in try await ProjectStore(pool: pool).homes() where project.policy.auditRetention > .zero {
            removed += try await removeBatches(
                .oldAuditEvents(before: now - project.policy.auditRetention, limit: pace.batch, in: project.realm))
        }
        return removed
    }

    /// What a deleted tenant held, and the tenant once its lines of the audit trail have come of age.
    private func removeDeletedTenants(at now: Instant) async throws -> Int {
        let deleted = try await withStoreErrors { try await pool.query(.deletedTenants(limit: pace.tenants)) }
        var removed = 0
        for row in deleted {
            let home = ID<Realm>(try row.decode("id"))
            removed += try await removeBatches(.accounts(of: home, at: now, limit: pace.batch))
            removed += try await removeBatches(.tombstones(of: home, limit: pace.batch))
            for secrets in [SQL.providers(of: home), .passwordKeys(of: home)] {
                removed += try await withStoreErrors { try await pool.execute(secrets) }
            }
            removed += try await withStoreErrors {
                try await pool.execute(.removeIfEmpty(home, before: now - Self.slack))
            }
        }
        return removed
    }

    private func removeAccounts(at now: Instant) async throws -> Int {
        var removed = 0
        for (project, lifetime) in try await anonymousLifetimes() {
            for _ in 0..<pace.pages {
                let statement = SQL.unusedAccounts(
                    after: lastAccounts[project] ?? "", limit: pace.batch, before: now - lifetime, now: now,
                    in: project)
                let row = try await withStoreErrors { try await pool.query(statement) }.first
                removed += try row?.decode("removed") ?? 0
                lastAccounts[project] = try row.flatMap {
                    try $0.decode("seen", as: Int.self) < pace.batch ? nil : try $0.decode("id")
                }
                guard lastAccounts[project] != nil else { break }
            }
        }
        return removed
    }

    /// Of the projects and tenants that keep anonymous accounts for a time only.
    private func anonymousLifetimes() async throws -> [(realm: ID<Realm>, lifetime: Duration)] {
        try await ProjectStore(pool: pool).homes().map { ($0.realm, $0.policy.anonymousLifetime) }.filter {
            $0.lifetime > .zero
        }
    }
}
