internal import FoundationEssentials
public import Identity
public import Postgres

/// ``AppStoreStore`` on PostgreSQL.
public struct PostgresAppStoreStore: AppStoreStore {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public func realms(ofApp bundleID: String) async throws -> [ID<Realm>] {
        try await withStoreErrors {
            try await pool.query(
                """
                SELECT r.id FROM realm r WHERE r.deleted_at IS NULL AND (
                    EXISTS (SELECT FROM app WHERE app.project_id = coalesce(r.parent_id, r.id)
                        AND (jsonb_exists(app.settings -> 'bundleIds', \(bundleID))
                            OR jsonb_exists(app.settings #> '{clientIds,apple.com}', \(bundleID))))
                    OR EXISTS (SELECT FROM identity_provider p WHERE p.realm_id = r.id AND p.provider = 'apple.com'
                        AND jsonb_exists(p.settings -> 'clientIds', \(bundleID))))
                ORDER BY r.id
                """)
        }.map { ID(try $0.decode("id")) }
    }

    public func save(
        _ transaction: AppTransaction, of account: ID<Account>, effect: RescissionEffect, recording: EventRecording,
        at now: Instant, in realm: ID<Realm>
    ) async throws -> Bool {
        try await withStoreErrors {
            try await pool.transaction { connection in
                _ = try await connection.execute(.lock(transaction, in: realm))
                let isRescinded = try await !connection.query(.rescission(of: transaction, in: realm)).isEmpty
                // Before the transaction is stored, because the row locks the account, and a stronger lock could
                // deadlock.
                if isRescinded {
                    try await connection.rescind(
                        transaction, of: account, effect: effect, recording: recording, at: now, in: realm)
                }
                _ = try await connection.execute(
                    .save(transaction, of: account, limit: transactionLimit, at: now, in: realm))
                return isRescinded
            }
        }
    }

    public func apply(_ rescission: ConsentRescission, at now: Instant, in realm: ID<Realm>) async throws -> Bool {
        let (transaction, effect, recording) = (rescission.transaction, rescission.effect, rescission.recording)
        do {
            return try await withStoreErrors {
                try await pool.transaction { connection in
                    _ = try await connection.execute(
                        """
                        INSERT INTO replay_guard (realm_id, hash, expires_at)
                        VALUES (\(realm.rawValue), \(rescission.key.hash), \(Timestamp(rescission.key.expiresAt)))
                        """)
                    _ = try await connection.execute(.lock(transaction, in: realm))
                    _ = try await connection.execute(.remember(rescission, in: realm))
                    let accounts = try await connection.query(.accounts(of: transaction, in: realm))
                        .map { ID<Account>(try $0.decode("account_id")) }
                    for account in accounts {
                        try await connection.rescind(
                            transaction, of: account, effect: effect, recording: recording, at: now, in: realm)
                    }
                    if accounts.isEmpty, realm.tenant == nil {
                        try await connection.record(
                            transaction.rescission(of: nil, effect: effect), by: recording, at: now, in: realm)
                    }
                    return true
                }
            }
        } catch StoreConflict.alreadyUsed {
            return false
        }
    }
}

extension Transaction {
    /// Applies the withdrawal of consent to an account.
    fileprivate func rescind(
        _ transaction: AppTransaction, of account: ID<Account>, effect: RescissionEffect, recording: EventRecording,
        at now: Instant, in realm: ID<Realm>
    ) async throws {
        _ = try await execute(.lock([account], in: realm))
        _ = try await execute(.endAllSessions(of: account, at: now, in: realm))
        if effect == .disableAccount {
            var update = AccountUpdate()
            update.isDisabled = true
            _ = try await execute(.update(account, by: update, at: now, in: realm))
        }
        try await record(
            transaction.rescission(of: account, effect: effect), by: recording, at: now, in: realm)
    }
}

extension SQL {
    /// Serialises the statements and the withdrawals of a transaction, so that neither misses the other.
    fileprivate static func lock(_ transaction: AppTransaction, in realm: ID<Realm>) -> SQL {
        let name = "app transaction\n\(transaction.bundleID)\n\(transaction.id)"
        return "SELECT pg_advisory_xact_lock(hashtext(\(realm.rawValue)), hashtext(\(name)))"
    }

    /// Selects a row if consent was withdrawn after the App Store had signed the transaction.
    fileprivate static func rescission(of transaction: AppTransaction, in realm: ID<Realm>) -> SQL {
        """
        SELECT FROM consent_rescission WHERE realm_id = \(realm.rawValue) AND bundle_id = \(transaction.bundleID)
            AND transaction_id = \(transaction.id) AND signed_at >= \(Timestamp(transaction.signedAt))
        """
    }

    fileprivate static func remember(_ rescission: ConsentRescission, in realm: ID<Realm>) -> SQL {
        """
        INSERT INTO consent_rescission AS c (realm_id, bundle_id, transaction_id, signed_at)
        VALUES (\(realm.rawValue), \(rescission.transaction.bundleID), \(rescission.transaction.id),
            \(Timestamp(rescission.signedAt)))
        ON CONFLICT (realm_id, bundle_id, transaction_id) DO UPDATE
        SET signed_at = greatest(c.signed_at, excluded.signed_at)
        """
    }

    fileprivate static func accounts(of transaction: AppTransaction, in realm: ID<Realm>) -> SQL {
        """
        SELECT account_id FROM app_transaction WHERE realm_id = \(realm.rawValue)
            AND bundle_id = \(transaction.bundleID) AND transaction_id = \(transaction.id)
        ORDER BY account_id
        """
    }

    fileprivate static func save(
        _ transaction: AppTransaction, of account: ID<Account>, limit: Int, at now: Instant, in realm: ID<Realm>
    ) -> SQL {
        """
        WITH obsolete AS (
            SELECT bundle_id, transaction_id FROM app_transaction
            WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue)
                AND (bundle_id, transaction_id) <> (\(transaction.bundleID), \(transaction.id))
            ORDER BY stated_at DESC OFFSET \(limit - 1)),
        deleted AS (
            DELETE FROM app_transaction t USING obsolete o
            WHERE t.realm_id = \(realm.rawValue) AND t.account_id = \(account.rawValue)
                AND t.bundle_id = o.bundle_id AND t.transaction_id = o.transaction_id)
        INSERT INTO app_transaction (realm_id, bundle_id, transaction_id, account_id, stated_at)
        VALUES (\(realm.rawValue), \(transaction.bundleID), \(transaction.id), \(account.rawValue),
            \(Timestamp(now)))
        ON CONFLICT (realm_id, bundle_id, transaction_id, account_id) DO UPDATE
        SET stated_at = excluded.stated_at
        """
    }

    /// Gives the target of a merge the App Store transactions of the source.
    static func moveAppTransactions(from source: ID<Account>, to target: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        INSERT INTO app_transaction (realm_id, bundle_id, transaction_id, account_id, stated_at)
        SELECT realm_id, bundle_id, transaction_id, \(target.rawValue), stated_at FROM app_transaction
        WHERE realm_id = \(realm.rawValue) AND account_id = \(source.rawValue) ON CONFLICT DO NOTHING
        """
    }

    /// Ends the sessions of an account because of what a provider reported.
    static func endAllSessions(of account: ID<Account>, at now: Instant, in realm: ID<Realm>) -> SQL {
        """
        UPDATE session SET ended_at = \(Timestamp(now)), end_reason = \(SessionEndReason.providerRevoked.rawValue)
        WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue) AND ended_at IS NULL
        """
    }
}
