internal import Encoding
internal import FoundationEssentials
internal import Identity
internal import Postgres

/// Which passkeys of an account are removed.
enum PasskeySelection {
    case these(Set<ID<Passkey>>)
    /// Passkeys that were added to the account at this time or later; `nil` for all.
    case added(since: Instant?)
}

extension SQL {
    /// Selects a passkey in any realm that shares the RP ID, with its account.
    static func passkey(_ id: ID<Passkey>, rpID: String) -> SQL {
        """
        SELECT p.realm_id AS passkey_realm_id, \(passkeyColumns), \(AccountRow.columns)
        FROM passkey p JOIN account a ON a.realm_id = p.realm_id AND a.id = p.account_id
        WHERE p.rp_id = \(rpID) AND p.credential_id = \(id.rawValue)
        """
    }

    /// What ``NewPasskey`` decodes.
    private static let passkeyColumns: SQL = """
        p.credential_id, p.rp_id, p.user_handle, p.public_key, p.algorithm, p.sign_count, p.backup_eligible, \
        p.backed_up, p.transports, p.aaguid, p.name AS passkey_name, p.created_at AS passkey_created_at, p.added_at, \
        p.last_used_at
        """

    /// Selects the passkeys of accounts, in the order of ``Account/passkeys``, with the `account_id` of each.
    static func passkeys(of accounts: [ID<Account>], in realm: ID<Realm>) -> SQL {
        """
        SELECT p.account_id, \(passkeyColumns) FROM passkey p
        WHERE p.realm_id = \(realm.rawValue) AND p.account_id = ANY (\(accounts.map(\.rawValue)))
        ORDER BY p.added_at, p.created_at, p.credential_id
        """
    }

    /// Finds which credential IDs and user handles of `passkeys` are stored, in any realm that shares their RP ID.
    /// Looks up each of them by an index: because the lateral subqueries have `LIMIT 1`, every plan reads the values
    /// before the table. No index serves `IS NOT DISTINCT FROM`, so no plan reads all passkeys of the RP ID to find a
    /// handle.
    ///
    /// - Returns: rows with the `member` (`id` or `handle`), the RP ID, the `value`, and the account that has it.
    static func owners(of passkeys: [Passkey]) -> SQL {
        let rpIDs = passkeys.map(\.rpID)
        return """
            SELECT 'id' AS member, w.rp_id, w.value, p.realm_id, p.account_id
            FROM unnest(\(rpIDs), \(passkeys.map(\.id.rawValue))) AS w (rp_id, value) CROSS JOIN LATERAL (
                SELECT realm_id, account_id FROM passkey WHERE rp_id = w.rp_id AND credential_id = w.value LIMIT 1) p
            UNION ALL
            SELECT 'handle', w.rp_id, w.value, p.realm_id, p.account_id
            FROM unnest(\(rpIDs), \(passkeys.map(\.userHandle))) AS w (rp_id, value) CROSS JOIN LATERAL (
                SELECT realm_id, account_id FROM passkey
                WHERE user_handle = w.value AND rp_id IS NOT DISTINCT FROM w.rp_id LIMIT 1) p
            """
    }

    /// Inserts the passkeys of imported accounts, and their number in the accounts' rows.
    static func insertPasskeys(of accounts: [StoredAccount], in realm: ID<Realm>) -> SQL {
        // The order keeps concurrent imports of the same passkeys from deadlocking.
        let owned = accounts.flatMap { stored in stored.passkeys.map { (owner: stored.account.id, new: $0) } }
            .sorted { $0.new.passkey.id < $1.new.passkey.id }
        let (new, passkeys) = (owned.map(\.new), owned.map(\.new.passkey))
        return """
            WITH inserted AS (
                INSERT INTO passkey (realm_id, rp_id, credential_id, account_id, user_handle, public_key, algorithm,
                    sign_count, backup_eligible, backed_up, transports, aaguid, name, created_at, added_at,
                    last_used_at)
                SELECT \(realm.rawValue), p.rp_id, p.id, p.owner, p.user_handle, decode(p.public_key, 'hex'),
                    p.algorithm, p.sign_count, p.backup_eligible, p.backed_up, string_to_array(p.transports, ' '),
                    p.aaguid, p.name, \(timestamptz(microseconds: "p.created_at")),
                    \(timestamptz(microseconds: "p.added_at")), \(timestamptz(microseconds: "p.last_used_at"))
                FROM unnest(\(passkeys.map(\.rpID)), \(passkeys.map(\.id.rawValue)), \(owned.map(\.owner.rawValue)),
                    \(passkeys.map(\.userHandle)), \(new.map { Hexadecimal.encode($0.publicKey) }),
                    \(new.map(\.algorithm)), \(new.map(\.signCount)), \(new.map(\.isBackupEligible)),
                    \(passkeys.map(\.isBackedUp)), \(passkeys.map { $0.transports.joined(separator: " ") }),
                    \(passkeys.map(\.aaguid)), \(passkeys.map(\.name)),
                    \(passkeys.map(\.createdAt.microseconds)), \(passkeys.map(\.addedAt.microseconds)),
                    \(passkeys.map { $0.lastUsedAt?.microseconds }))
                    AS p (rp_id, id, owner, user_handle, public_key, algorithm, sign_count, backup_eligible,
                        backed_up, transports, aaguid, name, created_at, added_at, last_used_at)
                RETURNING account_id)
            UPDATE account a SET passkey_count = n.number
            FROM (SELECT account_id, count(*) AS number FROM inserted GROUP BY account_id) n
            WHERE a.realm_id = \(realm.rawValue) AND a.id = n.account_id
            """
    }

    /// Inserts a passkey, unless a passkey of the RP ID has the credential ID.
    static func insert(_ new: NewPasskey, of account: ID<Account>, in realm: ID<Realm>) -> SQL {
        let passkey = new.passkey
        return """
            INSERT INTO passkey (realm_id, rp_id, credential_id, account_id, user_handle, public_key, algorithm,
                sign_count, backup_eligible, backed_up, transports, aaguid, name, created_at, added_at, last_used_at)
            VALUES (\(realm.rawValue), \(passkey.rpID), \(passkey.id.rawValue), \(account.rawValue),
                \(passkey.userHandle), \(new.publicKey), \(new.algorithm), \(new.signCount),
                \(new.isBackupEligible), \(passkey.isBackedUp), \(passkey.transports), \(passkey.aaguid),
                \(passkey.name), \(Timestamp(passkey.createdAt)), \(Timestamp(passkey.addedAt)),
                \(passkey.lastUsedAt.map { Timestamp($0) }))
            ON CONFLICT DO NOTHING
            """
    }

    /// Opens a session of the account that has the passkey, stores the time of the sign-in, and consumes the challenge.
    /// Locks the account's row before that of the passkey, like every change of passkeys.
    static func open(_ session: NewSession, with use: PasskeyUse, in realm: ID<Realm>) throws -> SQL {
        let isPasskey: SQL = """
            p.realm_id = \(realm.rawValue) AND p.rp_id = \(use.passkey.rpID) \
            AND p.credential_id = \(use.passkey.id.rawValue) AND p.account_id = \(session.account.rawValue)
            """
        return try openSession(
            session, in: realm, forEachRowOf: "used",
            with: """
                signed_in AS (
                    UPDATE account SET last_sign_in_at = \(Timestamp(session.openedAt))
                    WHERE realm_id = \(realm.rawValue) AND id = \(session.account.rawValue)
                        AND generation = \(session.session.generation) AND disabled_at IS NULL
                        AND EXISTS (SELECT FROM passkey p WHERE \(isPasskey))
                    RETURNING 1),
                used AS (
                    UPDATE passkey p SET sign_count = greatest(p.sign_count, \(use.signCount)),
                        backed_up = \(use.isBackedUp), last_used_at = \(Timestamp(session.openedAt))
                    FROM signed_in WHERE \(isPasskey) RETURNING 1),

                """, consuming: [use.challenge])
    }

    /// Stores the number of the account's passkeys in the account's row, which the transaction has locked.
    static func countPasskeys(of account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        UPDATE account a SET passkey_count = (SELECT count(*) FROM passkey p
            WHERE p.realm_id = a.realm_id AND p.account_id = a.id)
        WHERE a.realm_id = \(realm.rawValue) AND a.id = \(account.rawValue)
        """
    }

    /// Changes the name of a passkey of the caller's account.
    static func rename(_ passkey: ID<Passkey>, to name: String, by caller: Session, in realm: ID<Realm>) throws -> SQL {
        """
        UPDATE passkey p SET name = \(name) FROM account a
        WHERE p.realm_id = \(realm.rawValue) AND p.account_id = \(caller.account.rawValue)
            AND p.credential_id = \(passkey.rawValue) AND a.realm_id = \(realm.rawValue) AND \(try SQL.isActive(caller))
        """
    }

    /// Deletes passkeys of an account.
    ///
    /// - Returns: rows with the `credential_id` of the deleted passkeys.
    static func removePasskeys(
        of account: ID<Account>, _ selection: PasskeySelection, in realm: ID<Realm>
    ) -> SQL {
        let condition: SQL =
            switch selection {
            case .these(let ids): "credential_id = ANY (\(ids.map(\.rawValue)))"
            case .added(let since): "added_at >= coalesce(\(since.map { Timestamp($0) }), '-infinity')"
            }
        return """
            DELETE FROM passkey
            WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue) AND \(condition)
            RETURNING credential_id
            """
    }

    /// Ends the sessions that were opened with these passkeys.
    ///
    /// - Parameter excluded: a session that is not ended.
    static func endSessions(
        of account: ID<Account>, openedWith passkeys: [String], except excluded: ID<Session>?, at now: Instant,
        in realm: ID<Realm>
    ) throws -> SQL {
        """
        UPDATE session SET ended_at = \(Timestamp(now)), end_reason = \(SessionEndReason.signInMethodRemoved.rawValue)
        WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue) AND passkey_id = ANY (\(passkeys))
            AND id IS DISTINCT FROM \(try excluded.map { try UUID($0) }) AND ended_at IS NULL
        """
    }

    /// Assigns the passkeys of a merge's source to its target.
    static func movePasskeys(
        from source: ID<Account>, to target: ID<Account>, at now: Instant, in realm: ID<Realm>
    ) -> SQL {
        """
        UPDATE passkey SET account_id = \(target.rawValue), added_at = \(Timestamp(now))
        WHERE realm_id = \(realm.rawValue) AND account_id = \(source.rawValue)
        """
    }

    /// Returns to the source of a merge those of its passkeys that the account `target` still has, with the times at
    /// which they were added to the source. A passkey that was created after the merge only has the ID of one of these,
    /// and is another one.
    static func returnPasskeys(of merge: MergeRecord, from target: ID<Account>, in realm: ID<Realm>) -> SQL {
        let source = merge.plan.source
        return """
            UPDATE passkey p SET account_id = \(source.rawValue), added_at = s.added_at
            FROM account_merge m, jsonb_to_recordset(m.snapshot -> 'passkeys')
                AS s (rp_id text, credential_id text, added_at timestamptz)
            WHERE p.realm_id = \(realm.rawValue) AND p.account_id = \(target.rawValue)
                AND m.realm_id = \(realm.rawValue) AND m.source_id = \(source.rawValue)
                AND p.rp_id = s.rp_id AND p.credential_id = s.credential_id
                AND p.created_at <= \(Timestamp(merge.mergedAt))
            """
    }
}

extension NewPasskey {
    init(_ row: Row) throws {
        self.init(
            passkey: Passkey(
                id: ID(try row.decode("credential_id")), rpID: try row.decode("rp_id"),
                userHandle: try row.decode("user_handle"), name: try row.decode("passkey_name"),
                createdAt: Instant(try row.decode("passkey_created_at")),
                addedAt: Instant(try row.decode("added_at")),
                lastUsedAt: try row.decode("last_used_at", as: Timestamp?.self).map { Instant($0) },
                isBackedUp: try row.decode("backed_up"), transports: try row.decode("transports"),
                aaguid: try row.decode("aaguid")),
            publicKey: try row.decode("public_key"), algorithm: try row.decode("algorithm"),
            signCount: try row.decode("sign_count"), isBackupEligible: try row.decode("backup_eligible"))
    }
}

extension Transaction {
    /// Removes passkeys of an account, which the caller has locked, and ends the sessions that were opened with them.
    ///
    /// - Parameter excluded: a session that is not ended.
    /// - Returns: whether roles were suspended; see ``countPasskeys(of:by:at:in:)``.
    @discardableResult
    func removePasskeys(
        of account: ID<Account>, _ selection: PasskeySelection, exceptSession excluded: ID<Session>? = nil,
        recording: EventRecording, at now: Instant, in realm: ID<Realm>
    ) async throws -> Bool {
        let removed = try await query(.removePasskeys(of: account, selection, in: realm))
            .map { try $0.decode("credential_id", as: String.self) }
        guard !removed.isEmpty else { return false }
        _ = try await execute(
            .endSessions(of: account, openedWith: removed, except: excluded, at: now, in: realm))
        let isSuspended = try await countPasskeys(of: account, by: recording.actor, at: now, in: realm)
        try await record(
            AccountEvent.removing(removed.map { ID($0) }, from: account), by: recording, at: now, in: realm)
        return isSuspended
    }
}
