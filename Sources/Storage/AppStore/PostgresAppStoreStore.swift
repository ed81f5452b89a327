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
        _ transaction: AppTransaction, of account: ID<Account>, at now: Instant, in realm: ID<Realm>
    ) async throws {
        _ = try await withStoreErrors {
            try await pool.execute(
                """
                WITH obsolete AS (
                    SELECT bundle_id, transaction_id FROM app_transaction
                    WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue)
                        AND (bundle_id, transaction_id) <> (\(transaction.bundleID), \(transaction.id))
                    ORDER BY stated_at DESC OFFSET \(transactionLimit - 1)),
                deleted AS (
                    DELETE FROM app_transaction t USING obsolete o
                    WHERE t.realm_id = \(realm.rawValue) AND t.account_id = \(account.rawValue)
                        AND t.bundle_id = o.bundle_id AND t.transaction_id = o.transaction_id)
                INSERT INTO app_transaction (realm_id, bundle_id, transaction_id, account_id, stated_at)
                VALUES (\(realm.rawValue), \(transaction.bundleID), \(transaction.id), \(account.rawValue),
                    \(Timestamp(now)))
                ON CONFLICT (realm_id, bundle_id, transaction_id, account_id) DO UPDATE
                SET stated_at = excluded.stated_at
                """)
        }
    }

    public func rescind(
        _ transaction: AppTransaction, once key: ReplayKey, recording: EventRecording, at now: Instant,
        in realm: ID<Realm>
    ) async throws -> Bool {
        do {
            return try await withStoreErrors {
                try await pool.transaction { connection in
                    _ = try await connection.execute(
                        """
                        INSERT INTO replay_guard (realm_id, hash, expires_at)
                        VALUES (\(realm.rawValue), \(key.hash), \(Timestamp(key.expiresAt)))
                        """)
                    let accounts = try await connection.query(
                        """
                        SELECT account_id FROM app_transaction WHERE realm_id = \(realm.rawValue)
                            AND bundle_id = \(transaction.bundleID) AND transaction_id = \(transaction.id)
                        ORDER BY account_id
                        """
                    ).map { ID<Account>(try $0.decode("account_id")) }
                    for account in accounts {
                        _ = try await connection.execute(.lock([account], in: realm))
                        _ = try await connection.execute(.endAllSessions(of: account, at: now, in: realm))
                        try await connection.record(
                            transaction.rescission(of: account), by: recording, at: now, in: realm)
                    }
                    if accounts.isEmpty, realm.tenant == nil {
                        try await connection.record(
                            transaction.rescission(of: nil), by: recording, at: now, in: realm)
                    }
                    return true
                }
            }
        } catch StoreConflict.alreadyUsed {
            return false
        }
    }
}

extension SQL {
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
