internal import FoundationEssentials
public import Identity
public import Postgres

/// ``AccountExportStore`` on PostgreSQL.
public struct PostgresAccountExportStore: AccountExportStore {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public func records(
        of account: Account, since start: Instant, recording note: AuditNote, by actor: AuditActor,
        sending emailBatch: EmailBatch, at now: Instant, in realm: ID<Realm>
    ) async throws -> AccountRecords {
        try await withStoreErrors {
            try await pool.transaction(isolation: .repeatableRead) { transaction in
                let records = try await transaction.records(of: account, since: start, in: realm)
                try await transaction.audit([note], by: actor, at: now, in: realm)
                try await transaction.enqueue(emailBatch, in: realm)
                return records
            }
        }
    }
}

extension Transaction {
    fileprivate func records(
        of account: Account, since start: Instant, in realm: ID<Realm>
    ) async throws -> AccountRecords {
        let limit = AccountRecords.limit
        var activity = AuditQuery(limit: limit)
        (activity.subject, activity.since) = (account.id.rawValue, start)
        var records = AccountRecords()
        records.sessions = try await query(.sessions(of: account.id, after: nil, limit: limit, in: realm))
            .map { try ListedSession($0) }
        records.activity = try await query(.auditEvents(activity, in: realm)).map(AuditEvent.init)
        records.emails = try await query(.queuedEmails(of: account.id, limit: limit, in: realm)).map { row in
            try .init(row, kind: row.decode("kind"), recipient: EmailAddress(row.decode("recipient")))
        }
        records.textMessages = try await query(.queuedTextMessages(of: account.id, limit: limit, in: realm))
            .map { try .init($0, kind: nil, recipient: nil) }
        if let apple = account.identity(of: .apple) {
            records.appleTokens = try await query(.appleTokens(of: apple.subject, limit: limit, in: realm))
                .compactMap { try .init($0) }
        }
        records.appTransactions = try await query(.appTransactions(of: account.id, limit: limit, in: realm))
            .map { try .init($0) }
        records.merges = try await query(.merges(into: account.id, limit: limit, in: realm)).map { try .init($0) }
        records.knownNetworks = try await query(.knownNetworks(of: account.id, limit: limit, in: realm))
            .map { Instant(try $0.decode("last_seen_at")) }
        return records
    }
}

extension SQL {
    fileprivate static func queuedEmails(of account: ID<Account>, limit: Int, in realm: ID<Realm>) -> SQL {
        """
        SELECT kind, recipient, created_at, failed_at FROM outgoing_email
        WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue)
        ORDER BY created_at DESC LIMIT \(limit)
        """
    }

    fileprivate static func queuedTextMessages(of account: ID<Account>, limit: Int, in realm: ID<Realm>) -> SQL {
        """
        SELECT created_at, failed_at FROM outgoing_sms
        WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue)
        ORDER BY created_at DESC LIMIT \(limit)
        """
    }

    fileprivate static func appleTokens(of subject: String, limit: Int, in realm: ID<Realm>) -> SQL {
        """
        SELECT client_id, state, created_at, checked_at FROM apple_grant
        WHERE realm_id = \(realm.rawValue) AND subject = \(subject)
        ORDER BY created_at DESC LIMIT \(limit)
        """
    }

    fileprivate static func appTransactions(of account: ID<Account>, limit: Int, in realm: ID<Realm>) -> SQL {
        """
        SELECT bundle_id, transaction_id, stated_at FROM app_transaction
        WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue)
        ORDER BY stated_at DESC LIMIT \(limit)
        """
    }

    fileprivate static func merges(into account: ID<Account>, limit: Int, in realm: ID<Realm>) -> SQL {
        """
        SELECT source_id, merged_at, undo_until FROM account_merge
        WHERE realm_id = \(realm.rawValue) AND target_id = \(account.rawValue)
        ORDER BY merged_at DESC LIMIT \(limit)
        """
    }

    fileprivate static func knownNetworks(of account: ID<Account>, limit: Int, in realm: ID<Realm>) -> SQL {
        """
        SELECT last_seen_at FROM known_network
        WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue)
        ORDER BY last_seen_at DESC LIMIT \(limit)
        """
    }
}

extension AccountRecords.QueuedMessage {
    fileprivate init(_ row: Row, kind: String?, recipient: EmailAddress?) throws {
        self.init(
            kind: kind, recipient: recipient, createdAt: Instant(try row.decode("created_at")),
            failedAt: try row.decode("failed_at", as: Timestamp?.self).map(Instant.init))
    }
}

extension AccountRecords.AppleToken {
    /// - Returns: `nil` for a state that this release does not know.
    fileprivate init?(_ row: Row) throws {
        guard let state = AppleGrant.State(rawValue: try row.decode("state")) else { return nil }
        self.init(
            clientID: try row.decode("client_id"), state: state, createdAt: Instant(try row.decode("created_at")),
            checkedAt: try row.decode("checked_at", as: Timestamp?.self).map(Instant.init))
    }
}

extension AccountRecords.StatedTransaction {
    fileprivate init(_ row: Row) throws {
        self.init(
            bundleID: try row.decode("bundle_id"), id: try row.decode("transaction_id"),
            statedAt: Instant(try row.decode("stated_at")))
    }
}

extension AccountRecords.Merge {
    fileprivate init(_ row: Row) throws {
        self.init(
            source: ID(try row.decode("source_id")), mergedAt: Instant(try row.decode("merged_at")),
            undoUntil: Instant(try row.decode("undo_until")))
    }
}
