public import Identity
public import Postgres

/// Deletes expired rows in small batches. Any number of replicas may run it at the same time: each skips expired rows
/// that another transaction has locked.
public actor Janitor {
    /// The kinds of rows that the janitor deletes. The raw values are the names of the tables.
    public enum Kind: String, Sendable, CaseIterable {
        case replayKey = "replay_guard"
        case authorizationFlow = "authorization_flow"
        case signInCode = "sign_in_code"
        case signInFlow = "sign_in_flow"
        case browserSession = "browser_session"
        case revokedSubject = "revoked_subject"
        case oobCode = "oob_code"
        case rateLimitCounter = "rate_limit_counter"
        /// Emails that the worker has given up. That worker itself deletes the emails that expire earlier.
        case outgoingEmail = "outgoing_email"
        case phoneCode = "phone_code"
        /// Text messages that the worker has given up. That worker itself deletes those that were accepted.
        case outgoingSMS = "outgoing_sms"
        case smsUsage = "sms_usage"
        case outbox
        case accountEvent = "account_event"
        /// The delivery log.
        case eventDelivery = "event_delivery"
        /// Ended sessions.
        case session
        /// Unused anonymous accounts.
        case account
        /// Records of merges that can no longer be undone.
        case accountMerge = "account_merge"
        case knownNetwork = "known_network"
        case auditEvent = "audit_event"
        /// Counts of hours. Whole days are added to the table of days first.
        case hourlyCount = "hourly_count"
        case dailyCount = "daily_count"
        /// Deleted projects and tenants, with their accounts and other rows.
        case deletedRealm = "realm"
    }

    /// The limits of one pass over a table, so that one table does not delay the others.
    public struct PassLimits: Sendable {
        /// The maximum number of rows that one statement deletes or examines.
        public var batchSize = 500
        /// The maximum number of batches that a pass deletes, each with one statement. For audit events and for the
        /// rows of deleted projects and tenants, the maximum applies to each realm.
        public var batches = 200
        /// The maximum number of pages of sessions, and of accounts of each realm, in a pass. One statement reads one
        /// page.
        public var pages = 20
        /// The maximum number of deleted projects and tenants in a pass.
        public var realms = 100

        public init() {}
    }

    /// The maximum difference between the clocks of replicas. Most kinds of rows without a retention period are kept
    /// for this time after they have expired, so that every replica considers them expired.
    static let maximumClockSkew: Duration = .seconds(300)
    /// How long the results of browser sign-ins are kept after they have expired. Short, because they contain tokens of
    /// providers.
    static let expiredResultRetention: Duration = .seconds(60)
    /// Expired codes are kept for a day so that late users get `EXPIRED_OOB_CODE` instead of `INVALID_OOB_CODE`.
    static let expiredCodeRetention: Duration = .seconds(86_400)
    static let failedEmailRetention: Duration = .seconds(7 * 86_400)
    static let smsUsageRetention: Duration = .seconds(40 * 86_400)
    static let eventRetention: Duration = .seconds(30 * 86_400)
    static let deliveryLogRetention: Duration = .seconds(7 * 86_400)
    static let endedSessionRetention: Duration = .seconds(30 * 86_400)
    static let hourlyCountRetention: Duration = .seconds(40 * 86_400)
    static let dailyCountRetention: Duration = .seconds(730 * 86_400)

    private let pool: Pool
    private let limits: PassLimits
    /// The last examined session; `nil` to start at the first one.
    private var lastSession: SessionPosition?
    /// The last examined account of each realm.
    private var lastAccounts: [ID<Realm>: String] = [:]
    /// The start of the latest day whose counts this janitor has added up; `nil` before the first pass.
    private var lastCountedDay: Instant?

    public init(pool: Pool, limits: PassLimits = PassLimits()) {
        self.pool = pool
        self.limits = limits
    }

    /// Makes one pass over a table.
    ///
    /// - Returns: the number of deleted rows. Rows that are deleted together with another row do not count, such as the
    ///   sessions and emails of a deleted account.
    public func remove(_ kind: Kind, at now: Instant) async throws -> Int {
        switch kind {
        case .session: return try await removeSessions(at: now)
        case .account: return try await removeAccounts(at: now)
        case .auditEvent: return try await removeAuditEvents(at: now)
        case .deletedRealm: return try await removeDeletedRealms(at: now)
        case .browserSession:
            return try await removeBatches(
                .deleteExpiredBrowserSessions(before: now - Self.maximumClockSkew, limit: limits.batchSize))
        case .authorizationFlow:
            _ = try await removeBatches(
                .clearExpiredResults(before: now - Self.expiredResultRetention, limit: limits.batchSize))
        case .hourlyCount: try await addCountedDays(at: now)
        default: break
        }
        guard let rows = kind.expiringRows(at: now) else { return 0 }
        return try await removeBatches(.delete(rows, limit: limits.batchSize))
    }

    /// Adds up the counts of the days that ended at least an hour ago, and of the latest day once more, because a
    /// gateway without a database stores its counts later.
    private func addCountedDays(at now: Instant) async throws {
        let day: Duration = .seconds(CountStep.day.seconds)
        let end = CountStep.day.start(of: now - .seconds(3600))
        if let last = lastCountedDay, last >= end - day { return }
        var start = lastCountedDay
        if start == nil {
            let row = try await withStoreErrors { try await pool.query(.firstDayToAdd) }.first
            guard let first = try row?.decode("start", as: Int64?.self) else { return }
            start = Instant(seconds: first) - day
        }
        // The hours of an earlier day may have been deleted.
        var next = max(start ?? end, CountStep.day.start(of: now - Self.hourlyCountRetention + day))
        while next < end {
            try await addCounts(ofDayFrom: next)
            next = next + day
        }
        lastCountedDay = end - day
    }

    private func addCounts(ofDayFrom start: Instant) async throws {
        var last = ""
        while true {
            let statement = SQL.addDay(from: start, after: last, limit: limits.realms)
            guard let row = try await withStoreErrors({ try await pool.query(statement) }).first,
                try row.decode("seen", as: Int.self) == limits.realms
            else { return }
            last = try row.decode("last")
        }
    }

    /// Executes `statement`, which deletes or clears one batch of rows, until no full batch is left.
    private func removeBatches(_ statement: SQL) async throws -> Int {
        var removed = 0
        for _ in 0..<limits.batches {
            let count = try await withStoreErrors { try await pool.execute(statement) }
            removed += count
            if count < limits.batchSize { break }
        }
        return removed
    }

    /// Session rows change with every refresh, so there is no index of ended sessions. Successive passes examine all
    /// sessions, page by page.
    private func removeSessions(at now: Instant) async throws -> Int {
        // `deleteUnusedAccounts` recognizes an anonymous account by a session that an anonymous sign-in opened. This
        // session must therefore remain as long as the account.
        let exemptRealms = try await realmsDeletingAnonymousAccounts().map(\.id.rawValue)
        var removed = 0
        for _ in 0..<limits.pages {
            let statement = SQL.deleteEndedSessions(
                after: lastSession, limit: limits.batchSize, before: now - Self.endedSessionRetention,
                exceptAnonymousOf: exemptRealms)
            let row = try await withStoreErrors { try await pool.query(statement) }.first
            removed += try row?.decode("removed") ?? 0
            lastSession = try row.flatMap {
                try $0.decode("seen", as: Int.self) < limits.batchSize ? nil : SessionPosition($0)
            }
            guard lastSession != nil else { break }
        }
        return removed
    }

    private func removeAuditEvents(at now: Instant) async throws -> Int {
        var removed = 0
        for realm in try await ProjectStore(pool: pool, supporting: .none).realms()
        where realm.policy.auditRetention > .zero {
            removed += try await removeBatches(
                .deleteExpiredAuditEvents(
                    before: now - realm.policy.auditRetention, limit: limits.batchSize, in: realm.id))
        }
        return removed
    }

    /// Deletes the rows that belong to deleted projects and tenants. The row of a project or tenant itself is deleted
    /// after the last of its audit events.
    private func removeDeletedRealms(at now: Instant) async throws -> Int {
        let deleted = try await withStoreErrors { try await pool.query(.deletedRealms(limit: limits.realms)) }
        var removed = 0
        for row in deleted {
            let realm = ID<Realm>(try row.decode("id"))
            let deletion = AccountDeletion(
                at: now, recording: EventRecording(by: .system, wanting: try EventKindsColumn.kinds(row)),
                isAudited: false)
            removed += try await removeBatches(.deleteAccounts(of: realm, by: deletion, limit: limits.batchSize))
            removed += try await removeBatches(.deleteTombstones(of: realm, limit: limits.batchSize))
            removed += try await removeBatches(.deleteEvents(of: realm, limit: limits.batchSize))
            for deletion in [SQL.deleteUnusedProviders(of: realm), .deletePasswordKeys(of: realm)] {
                removed += try await withStoreErrors { try await pool.execute(deletion) }
            }
            removed += try await withStoreErrors {
                try await pool.execute(.deleteRealmIfEmpty(realm, before: now - Self.maximumClockSkew))
            }
        }
        return removed
    }

    private func removeAccounts(at now: Instant) async throws -> Int {
        var removed = 0
        for realm in try await realmsDeletingAnonymousAccounts() {
            let deletion = AccountDeletion(at: now, recording: realm.recording(by: .system))
            for _ in 0..<limits.pages {
                let statement = try SQL.deleteUnusedAccounts(
                    after: lastAccounts[realm.id] ?? "", limit: limits.batchSize,
                    before: now - realm.policy.anonymousLifetime, by: deletion, in: realm.id)
                let row = try await withStoreErrors { try await pool.query(statement) }.first
                removed += try row?.decode("removed") ?? 0
                lastAccounts[realm.id] = try row.flatMap {
                    try $0.decode("seen", as: Int.self) < limits.batchSize ? nil : try $0.decode("id")
                }
                guard lastAccounts[realm.id] != nil else { break }
            }
        }
        return removed
    }

    /// The projects and tenants whose anonymous accounts are deleted if they were unused for
    /// ``Policy/anonymousLifetime``.
    private func realmsDeletingAnonymousAccounts() async throws -> [Realm] {
        try await ProjectStore(pool: pool, supporting: .none).realms().filter { $0.policy.anonymousLifetime > .zero }
    }
}
