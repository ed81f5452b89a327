public import Identity
public import Postgres

/// Deletes expired rows in small batches, with statements that wait for no lock. Any number of replicas may run it at
/// the same time.
public actor Janitor {
    /// The kinds of expired rows, by table name.
    public enum Kind: String, Sendable, CaseIterable {
        case replayKey = "replay_guard"
        case authorizationFlow = "authorization_flow"
        case revokedSubject = "revoked_subject"
        case oobCode = "oob_code"
        case rateCount = "rate_limit_counter"
        case outgoingEmail = "outgoing_email"
        case outbox, session, account
        case accountMerge = "account_merge"
        case knownNetwork = "known_network"
        case auditEvent = "audit_event"
        case project
    }

    /// The limits of one pass, so that each table gets its turn.
    public struct Pace: Sendable {
        /// Rows per statement.
        public var batch = 500
        /// Statements per table and pass.
        public var batches = 200
        /// Pages of sessions, and of the accounts of each project, per pass; one statement per page.
        public var pages = 20
        /// Deleted tenants per pass.
        public var tenants = 100

        public init() {}
    }

    /// The maximum difference between the clocks of replicas: a row is deleted only after every replica considers it
    /// expired.
    static let slack: Duration = .seconds(300)
    /// Short, because the results contain tokens of providers. The clocks of replicas must not differ by more.
    static let expiredResultsAreKept: Duration = .seconds(60)
    /// Expired codes are kept for a day so that late users get `EXPIRED_OOB_CODE` instead of `INVALID_OOB_CODE`.
    static let expiredCodesAreKept: Duration = .seconds(86_400)
    static let failedEmailsAreKept: Duration = .seconds(7 * 86_400)
    static let outboxIsKept: Duration = .seconds(30 * 86_400)
    static let deadSessionsAreKept: Duration = .seconds(30 * 86_400)

    private let pool: Pool
    private let pace: Pace
    /// The last session that was examined; `nil` to start again.
    private var lastSession: SessionPosition?
    /// The last account that was examined, by project.
    private var lastAccounts: [ID<Realm>: String] = [:]

    public init(pool: Pool, pace: Pace = Pace()) {
        self.pool = pool
        self.pace = pace
    }

    /// One pass over a table.
    ///
    /// - Returns: the number of deleted rows, without those that were deleted by cascade.
    public func remove(_ kind: Kind, at now: Instant) async throws -> Int {
        switch kind {
        case .session: try await removeSessions(at: now)
        case .account: try await removeAccounts(at: now)
        case .auditEvent: try await removeAuditEvents(at: now)
        case .project: try await removeDeletedTenants(at: now)
        case .replayKey: try await removeBatches(.expiredReplayKeys(before: now - Self.slack, limit: pace.batch))
        case .authorizationFlow: try await removeFlows(at: now)
        case .revokedSubject:
            try await removeBatches(.expiredRevokedSubjects(before: now - Self.slack, limit: pace.batch))
        case .oobCode: try await removeBatches(.expiredCodes(before: now - Self.expiredCodesAreKept, limit: pace.batch))
        case .rateCount: try await removeBatches(.expiredCounts(before: now - Self.slack, limit: pace.batch))
        case .outgoingEmail:
            try await removeBatches(.failedEmails(before: now - Self.failedEmailsAreKept, now: now, limit: pace.batch))
        case .outbox: try await removeBatches(.expiredOutboxEvents(before: now - Self.outboxIsKept, limit: pace.batch))
        case .knownNetwork:
            try await removeBatches(.expiredNetworks(before: now - Policy.knownNetworkLifetime, limit: pace.batch))
        case .accountMerge: try await removeBatches(.expiredMerges(before: now, limit: pace.batch))
        }
    }

    private func removeFlows(at now: Instant) async throws -> Int {
        _ = try await removeBatches(.unusedResults(before: now - Self.expiredResultsAreKept, limit: pace.batch))
        return try await removeBatches(.expiredFlows(before: now - Self.slack, limit: pace.batch))
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

    /// Session rows change with every refresh, so there is no index of ended sessions: the janitor examines all of them
    /// in turn.
    private func removeSessions(at now: Instant) async throws -> Int {
        // Only the first session of an account shows that the account was created anonymously.
        let keeping = try await anonymousLifetimes().map(\.realm.rawValue)
        var removed = 0
        for _ in 0..<pace.pages {
            let statement = SQL.endedSessions(
                after: lastSession, limit: pace.batch, before: now - Self.deadSessionsAreKept,
                exceptAnonymousOf: keeping)
            let row = try await withStoreErrors { try await pool.query(statement) }.first
            removed += try row?.decode("removed") ?? 0
            lastSession = try row.flatMap {
                try $0.decode("seen", as: Int.self) < pace.batch ? nil : SessionPosition($0)
            }
            guard lastSession != nil else { break }
        }
        return removed
    }

    private func removeAuditEvents(at now: Instant) async throws -> Int {
        var removed = 0
        for project in try await ProjectStore(pool: pool).realms() where project.policy.auditRetention > .zero {
            removed += try await removeBatches(
                .oldAuditEvents(before: now - project.policy.auditRetention, limit: pace.batch, in: project.realm))
        }
        return removed
    }

    /// Deletes what a deleted tenant contained, and finally the tenant, after the retention of its audit events.
    private func removeDeletedTenants(at now: Instant) async throws -> Int {
        let deleted = try await withStoreErrors { try await pool.query(.deletedTenants(limit: pace.tenants)) }
        var removed = 0
        for row in deleted {
            let realm = ID<Realm>(try row.decode("id"))
            removed += try await removeBatches(.accounts(of: realm, at: now, limit: pace.batch))
            removed += try await removeBatches(.tombstones(of: realm, limit: pace.batch))
            for secrets in [SQL.providers(of: realm), .passwordKeys(of: realm)] {
                removed += try await withStoreErrors { try await pool.execute(secrets) }
            }
            removed += try await withStoreErrors {
                try await pool.execute(.removeIfEmpty(realm, before: now - Self.slack))
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

    /// The projects and tenants that delete unused anonymous accounts.
    private func anonymousLifetimes() async throws -> [(realm: ID<Realm>, lifetime: Duration)] {
        try await ProjectStore(pool: pool).realms().map { ($0.realm, $0.policy.anonymousLifetime) }.filter {
            $0.lifetime > .zero
        }
    }
}
