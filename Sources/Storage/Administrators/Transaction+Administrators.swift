internal import Identity
internal import Postgres

extension Transaction {
    /// Locks the enabled owners of all projects, and returns them. Other transactions that remove, disable or demote
    /// one of them wait, and then see what this transaction has done.
    ///
    /// Precedes all other locks of the transaction. Locks the owners in the order of their IDs, so that two
    /// transactions do not deadlock.
    ///
    /// - Parameter realm: the realm of the operators' project; every other realm has no owners.
    func lockOwners(in realm: ID<Realm>) async throws -> Owners {
        // PostgreSQL checks the conditions again on the rows that it locks, if a transaction has changed them.
        let rows = try await query(
            """
            SELECT a.id FROM administrator m JOIN account a ON a.realm_id = m.realm_id AND a.id = m.account_id
            WHERE m.realm_id = \(realm.rawValue) AND m.project_id = \(realm.rawValue)
                AND m.role = \(AdministratorRole.owner.rawValue) AND m.invitation_hash IS NULL
                AND a.disabled_at IS NULL
            ORDER BY a.id FOR NO KEY UPDATE OF a, m
            """)
        return Owners(Set(try rows.map { ID(try $0.decode("id")) }))
    }

    /// Requires that an enabled owner of all projects is left without `accounts`. Precedes all other locks, like
    /// ``lockOwners(in:)``.
    ///
    /// - Throws: ``AdministratorRefusal/lastOwner``.
    func requireRemainingOwner(without accounts: [ID<Account>], in realm: ID<Realm>) async throws {
        try await lockOwners(in: realm).requireRemaining(without: Set(accounts))
    }

    /// Requires that the account, which the transaction has locked, has no accepted role.
    ///
    /// - Throws: ``AdministratorRefusal/unprovenAddress``.
    func requireNoRole(of account: ID<Account>, in realm: ID<Realm>) async throws {
        guard try await !hasRole(account, in: realm) else { throw AdministratorRefusal.unprovenAddress }
    }

    /// Whether one of the accounts, which the transaction has locked, has a role or an invitation.
    func hasAdministrator(among accounts: [ID<Account>], in realm: ID<Realm>) async throws -> Bool {
        let statement: SQL = """
            SELECT FROM administrator WHERE realm_id = \(realm.rawValue)
                AND account_id = ANY (\(accounts.map(\.rawValue))) LIMIT 1
            """
        return try await !query(statement).isEmpty
    }

    /// Whether the account, which the transaction has locked, has a factor with which a person enters the console.
    func hasConsoleFactor(_ account: ID<Account>, in realm: ID<Realm>) async throws -> Bool {
        let statement: SQL = """
            SELECT FROM account a WHERE a.realm_id = \(realm.rawValue) AND a.id = \(account.rawValue)
                AND \(SQL.hasConsoleFactor)
            """
        return try await !query(statement).isEmpty
    }

    /// Requires that the caller's session was opened with a factor or a passkey, if the account has an accepted role,
    /// or an invitation and a passkey. The transaction has locked the account. Otherwise the thief of a person's
    /// mailbox could set a password by email, add another factor, and use the console.
    ///
    /// - Throws: ``EditRefusal/loginTooOld``.
    func requireProvenFactor(toAddBy caller: Session, in realm: ID<Realm>) async throws {
        guard caller.secondFactor == nil, caller.passkey == nil else { return }
        guard try await query(.protectedRoles(of: caller.account, in: realm)).isEmpty else {
            throw EditRefusal.loginTooOld
        }
    }

    /// Whether the account has an accepted role.
    func hasRole(_ account: ID<Account>, in realm: ID<Realm>) async throws -> Bool {
        try await !query(.acceptedRoles(of: account, in: realm)).isEmpty
    }

    /// Removes the factors and passkeys that the session of an acceptance has not proven. The caller has locked the
    /// account.
    func remove(
        _ unproven: UnprovenFactors, of account: Account, by acceptance: RoleAcceptance, at now: Instant,
        in realm: ID<Realm>
    ) async throws {
        try await removeFactors(
            of: account.id, except: unproven.keptFactors, keepsRecoveryCodes: unproven.keepsRecoveryCodes,
            recording: acceptance.recording, at: now, in: realm)
        try await removePasskeys(
            of: account.id, .these(unproven.passkeys), recording: acceptance.recording, at: now, in: realm)
        try await enqueue(try acceptance.notice(account, unproven), in: realm)
    }

    /// Tells the other enabled owners of the project and of all projects about a person's new role.
    func announce(
        _ change: AdministratorChange, by announcement: RoleAnnouncement, of operators: ID<Project>
    ) async throws {
        guard let role = change.role else { return }
        let owners = try await query(
            """
            SELECT \(AccountRow.columns) FROM account a
            WHERE a.realm_id = \(operators.rawValue) AND a.id <> \(change.account.rawValue) AND a.disabled_at IS NULL
                AND EXISTS (SELECT FROM administrator m WHERE m.realm_id = a.realm_id AND m.account_id = a.id
                    AND m.project_id IN (\(operators.rawValue), \(change.project.rawValue))
                    AND m.role = \(AdministratorRole.owner.rawValue) AND m.invitation_hash IS NULL)
            ORDER BY a.id
            """
        ).map { try AccountRow.account($0) }
        try await enqueue(try announcement.emailBatch(role, owners), in: ID(operators))
    }

    /// Stores the number of the account's factors in the account's row, which the transaction has locked, and suspends
    /// roles; see ``suspendRoles(ofAccountWithoutFactor:by:at:in:)``.
    ///
    /// - Returns: whether roles were suspended.
    @discardableResult
    func countFactors(
        of account: ID<Account>, by actor: AuditActor, at now: Instant, in realm: ID<Realm>
    ) async throws -> Bool {
        _ = try await execute(.countFactors(of: account, in: realm))
        return try await suspendRoles(ofAccountWithoutFactor: account, by: actor, at: now, in: realm)
    }

    /// Stores the number of the account's passkeys, as ``countFactors(of:by:at:in:)`` does that of the factors.
    @discardableResult
    func countPasskeys(
        of account: ID<Account>, by actor: AuditActor, at now: Instant, in realm: ID<Realm>
    ) async throws -> Bool {
        _ = try await execute(.countPasskeys(of: account, in: realm))
        return try await suspendRoles(ofAccountWithoutFactor: account, by: actor, at: now, in: realm)
    }

    /// Suspends the roles of an account with neither an authenticator app nor a passkey of the project. The transaction
    /// has locked the account. The accepted roles become invitations that have expired, so the person needs a new
    /// invitation. Without any factor, the mailbox alone would be sufficient for the console. With a telephone number
    /// only, the person could not use the console, and would still count as an owner.
    ///
    /// - Returns: whether roles were suspended.
    private func suspendRoles(
        ofAccountWithoutFactor account: ID<Account>, by actor: AuditActor, at now: Instant, in realm: ID<Realm>
    ) async throws -> Bool {
        let suspended = try await query(.suspendRoles(ofAccountWithoutFactor: account, at: now, in: realm))
        for row in suspended {
            let project = try row.decode("project_id", as: String.self)
            let note = AuditNote(
                "administrator.suspended", account.rawValue, ["administratorRole": try row.decode("role")])
            try await audit([note], by: actor, at: now, in: ID(project))
        }
        return !suspended.isEmpty
    }
}

extension SQL {
    /// A condition on the account `a`. The console asks for the code of an authenticator app, or for a passkey of the
    /// project, and for no other factor. The subqueries have `LIMIT`: instead of `EXISTS`, a plan can read the factors
    /// and passkeys of all realms once.
    fileprivate static let hasConsoleFactor: SQL = """
        ((SELECT true FROM second_factor f WHERE f.realm_id = a.realm_id AND f.account_id = a.id
            AND f.kind = \(Factor.Kind.totp.rawValue) AND f.merged_from IS NULL LIMIT 1) IS NOT NULL
        OR (SELECT true FROM passkey p JOIN realm r ON r.id = p.realm_id
            WHERE p.realm_id = a.realm_id AND p.account_id = a.id
                AND p.rp_id = r.passkey_settings ->> 'rpId' AND r.passkey_settings @> '{"enabled": true}'
            LIMIT 1) IS NOT NULL)
        """

    static let peopleWithoutAcceptedPasskey: SQL = """
        SELECT m.realm_id, count(DISTINCT m.account_id)::bigint AS count
        FROM administrator m JOIN account a ON a.realm_id = m.realm_id AND a.id = m.account_id
        WHERE a.passkey_count > 0 AND NOT \(hasConsoleFactor) GROUP BY m.realm_id ORDER BY m.realm_id
        """

    fileprivate static func acceptedRoles(of account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        SELECT FROM administrator WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue)
            AND invitation_hash IS NULL LIMIT 1
        """
    }

    fileprivate static func protectedRoles(of account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        SELECT FROM administrator m JOIN account a ON a.realm_id = m.realm_id AND a.id = m.account_id
        WHERE m.realm_id = \(realm.rawValue) AND m.account_id = \(account.rawValue)
            AND (m.invitation_hash IS NULL OR a.passkey_count > 0) LIMIT 1
        """
    }

    /// - Returns: rows with the `project_id` and the `role` of the suspended roles.
    fileprivate static func suspendRoles(
        ofAccountWithoutFactor account: ID<Account>, at now: Instant, in realm: ID<Realm>
    ) -> SQL {
        // No code has this hash.
        let noCode = [UInt8](repeating: 0, count: 32)
        return """
            UPDATE administrator m SET invitation_hash = \(noCode), invitation_expires_at = \(Timestamp(now)),
                changed_at = \(Timestamp(now))
            FROM account a WHERE m.realm_id = \(realm.rawValue) AND m.account_id = \(account.rawValue)
                AND m.invitation_hash IS NULL AND a.realm_id = m.realm_id AND a.id = m.account_id
                AND NOT \(hasConsoleFactor)
            RETURNING m.project_id, m.role
            """
    }

    /// Ends the active sessions of an account, because its role changed.
    static func endAdministratorSessions(of account: ID<Account>, at now: Instant, in realm: ID<Realm>) -> SQL {
        """
        UPDATE session SET ended_at = \(Timestamp(now)), end_reason = \(SessionEndReason.revoked.rawValue)
        WHERE account_id = \(account.rawValue) AND realm_id = \(realm.rawValue) AND ended_at IS NULL
        """
    }
}
