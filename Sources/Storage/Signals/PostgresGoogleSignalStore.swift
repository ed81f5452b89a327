internal import FoundationEssentials
public import Identity
public import Postgres

/// ``GoogleSignalStore`` on PostgreSQL. Locks the account's row before the identity's, as a sign-in does.
public struct PostgresGoogleSignalStore: GoogleSignalStore {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public func realms(ofGoogleClients clientIDs: [String]) async throws -> [ID<Realm>] {
        try await withStoreErrors {
            try await pool.query(
                """
                SELECT r.id FROM identity_provider p JOIN realm r ON r.id = p.realm_id
                WHERE p.provider = \(ProviderID.googleSignals.rawValue) AND r.deleted_at IS NULL
                    AND (jsonb_exists_any(p.settings -> 'clientIds', \(clientIDs)) OR EXISTS (
                        SELECT FROM app WHERE app.project_id = coalesce(r.parent_id, r.id)
                            AND jsonb_exists_any(app.settings #> '{clientIds,google.com}', \(clientIDs))))
                ORDER BY r.id
                """)
        }.map { ID(try $0.decode("id")) }
    }

    public func apply(
        _ token: GoogleSecurityToken, once key: ReplayKey, recording: EventRecording, at now: Instant,
        in realm: ID<Realm>
    ) async throws -> Int? {
        do {
            return try await withStoreErrors {
                try await pool.transaction { transaction in
                    for subject in Set(token.signals.compactMap(\.subject)).sorted() {
                        _ = try await transaction.execute(.lockSubject(subject, of: .googleSignals, in: realm))
                    }
                    _ = try await transaction.execute(
                        """
                        INSERT INTO replay_guard (realm_id, hash, expires_at)
                        VALUES (\(realm.rawValue), \(key.hash), \(Timestamp(key.expiresAt)))
                        """)
                    var accounts: Set<ID<Account>> = []
                    for signal in token.signals {
                        if let account = try await transaction.apply(
                            signal, of: token, recording: recording, at: now, in: realm)
                        {
                            accounts.insert(account)
                        }
                        if case .verification(let state?) = signal.kind {
                            _ = try await transaction.execute(.recordVerification(state, at: now, in: realm))
                        }
                    }
                    return accounts.count
                }
            }
        } catch StoreConflict.alreadyUsed {
            return nil
        }
    }
}

extension Transaction {
    /// - Returns: the account that has the identity of the signal's user.
    fileprivate func apply(
        _ signal: GoogleSignal, of token: GoogleSecurityToken, recording: EventRecording, at now: Instant,
        in realm: ID<Realm>
    ) async throws -> ID<Account>? {
        guard let subject = signal.subject,
            let account = try await query(.holder(ofGoogle: subject, in: realm)).first
                .map({ ID<Account>(try $0.decode("account_id")) })
        else { return nil }
        _ = try await execute(.lock([account], in: realm))
        // The account may have lost the identity before it was locked. No other account can get it, because the subject
        // is locked.
        guard try await execute(.lockIdentity(ofGoogle: subject, of: account, in: realm)) == 1 else { return nil }
        for effect in signal.effects {
            switch effect {
            case .sessionsEnded:
                _ = try await execute(.endAllSessions(of: account, at: now, in: realm))
                _ = try await execute(.voidCredentials(of: subject, before: token.cutoff, in: realm))
            case .identitySuspended:
                _ = try await execute(.suspend(subject, since: now, in: realm))
                _ = try await execute(.deleteCodes(exceptRemediesOf: account, in: realm))
                _ = try await execute(.deleteCodes(toMailboxOf: subject, in: realm))
            case .identityRestored: _ = try await execute(.suspend(subject, since: nil, in: realm))
            }
        }
        try await record(signal.events(about: account), by: recording, at: now, in: realm)
        return account
    }
}

extension SQL {
    fileprivate static func holder(ofGoogle subject: String, in realm: ID<Realm>) -> SQL {
        "SELECT account_id FROM linked_identity WHERE \(isIdentity(subject, in: realm))"
    }

    fileprivate static func lockIdentity(ofGoogle subject: String, of account: ID<Account>, in realm: ID<Realm>) -> SQL
    {
        """
        SELECT FROM linked_identity WHERE \(isIdentity(subject, in: realm)) AND account_id = \(account.rawValue)
        FOR NO KEY UPDATE
        """
    }

    /// Suspends the identity, or restores it if `time` is `nil`. A later time does not replace an earlier one.
    fileprivate static func suspend(_ subject: String, since time: Instant?, in realm: ID<Realm>) -> SQL {
        let value: SQL = if let time { "coalesce(suspended_at, \(Timestamp(time)))" } else { "NULL" }
        return "UPDATE linked_identity SET suspended_at = \(value) WHERE \(isIdentity(subject, in: realm))"
    }

    /// Identity tokens from before `time` do not sign in again.
    fileprivate static func voidCredentials(of subject: String, before time: Instant, in realm: ID<Realm>) -> SQL {
        """
        UPDATE linked_identity SET credentials_void_before = greatest(credentials_void_before, \(Timestamp(time)))
        WHERE \(isIdentity(subject, in: realm))
        """
    }

    /// Deletes the codes that were sent to the address of the identity and give access to an account.
    fileprivate static func deleteCodes(toMailboxOf subject: String, in realm: ID<Realm>) -> SQL {
        let purposes: [OOBCode.Purpose] = [.resetPassword, .signIn]
        return """
            DELETE FROM oob_code WHERE realm_id = \(realm.rawValue) AND purpose = ANY (\(purposes.map(\.rawValue)))
                AND email = (SELECT email FROM linked_identity WHERE \(isIdentity(subject, in: realm)))
            """
    }

    fileprivate static func recordVerification(_ state: String, at now: Instant, in realm: ID<Realm>) -> SQL {
        """
        UPDATE google_signal_stream SET verified_at = \(Timestamp(now)), misses = 0
        WHERE project_id = \(realm.project.rawValue) AND verification_state = \(state)
        """
    }

    private static func isIdentity(_ subject: String, in realm: ID<Realm>) -> SQL {
        """
        realm_id = \(realm.rawValue) AND provider = \(ProviderID.googleSignals.rawValue) AND subject = \(subject)
        """
    }
}
