public import Identity
public import Postgres

/// The repairs of a restored database that no other operation makes.
public struct RestoredDatabase: Sendable {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Removes emails that wait, and the codes of emails except remedies (see ``OOBCode/Purpose/isRemedy``). The emails
    /// have been sent since the backup or are out of date, and the codes may have been used.
    ///
    /// - Parameter backup: emails and codes that were made later are kept.
    /// - Returns: the numbers of removed emails and codes.
    public func removeStaleEmail(from backup: Instant) async throws -> (emails: Int, codes: Int) {
        try await withStoreErrors {
            try await pool.transaction { transaction in
                let emails = try await transaction.execute(
                    "DELETE FROM outgoing_email WHERE created_at <= \(Timestamp(backup)) AND failed_at IS NULL")
                let remedies = OOBCode.Purpose.allCases.filter(\.isRemedy).map(\.rawValue)
                let codes = try await transaction.execute(
                    "DELETE FROM oob_code WHERE created_at <= \(Timestamp(backup)) AND purpose <> ALL (\(remedies))")
                return (emails, codes)
            }
        }
    }

    /// Reduces the accepted role of a person in a project to `role`, or removes it. Gives no role, and no higher one.
    ///
    /// - Parameter role: `nil` removes the role.
    /// - Returns: whether the person had a higher role.
    public func limit(
        _ account: ID<Account>, to role: AdministratorRole?, in project: ID<Project>, at now: Instant
    ) async throws -> Bool {
        let higher = AdministratorRole.allCases.reversed().prefix { $0 != role }.map(\.rawValue)
        let isHigher: SQL = """
            project_id = \(project.rawValue) AND account_id = \(account.rawValue) AND role = ANY (\(Array(higher)))
            """
        let action = role == nil ? "administrator.removed" : "administrator.changed"
        let note = AuditNote(action, account.rawValue, role.map { ["administratorRole": $0.rawValue] } ?? [:])
        return try await withStoreErrors {
            try await pool.transaction { transaction in
                let changed =
                    if let role {
                        try await transaction.execute(
                            """
                            UPDATE administrator SET role = \(role.rawValue), changed_at = \(Timestamp(now))
                            WHERE \(isHigher)
                            """)
                    } else {
                        try await transaction.execute("DELETE FROM administrator WHERE \(isHigher)")
                    }
                guard changed > 0 else { return false }
                try await transaction.audit([note], by: .commandLine, at: now, in: ID(project))
                return true
            }
        }
    }

    /// Removes all roles of an account of the operators' project, also if no owner is left.
    ///
    /// - Returns: whether the account had a role.
    public func removeRoles(of account: ID<Account>, at now: Instant, in realm: ID<Realm>) async throws -> Bool {
        try await withStoreErrors {
            try await pool.transaction { transaction in
                let removed = try await transaction.query(
                    """
                    DELETE FROM administrator WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue)
                    RETURNING project_id
                    """)
                for row in removed {
                    let project = try row.decode("project_id", as: String.self)
                    try await transaction.audit(
                        [AuditNote("administrator.removed", account.rawValue)], by: .commandLine, at: now,
                        in: ID(project))
                }
                return !removed.isEmpty
            }
        }
    }

    /// Ends sessions of an account. IDs of other and of ended sessions are ignored.
    public func end(
        _ sessions: Set<ID<Session>>, of account: ID<Account>, recording: EventRecording, at now: Instant,
        in realm: ID<Realm>
    ) async throws {
        let ids = sessions.map { $0.rawValue.lowercased() }
        try await withStoreErrors {
            try await pool.transaction { transaction in
                let ended = try await transaction.query(
                    """
                    UPDATE session SET ended_at = \(Timestamp(now)),
                        end_reason = \(SessionEndReason.revoked.rawValue)
                    WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue) AND id::text = ANY (\(ids))
                        AND ended_at IS NULL RETURNING id::text AS id
                    """)
                let events = AccountEvent.repairing(account, ended: try ended.map { ID(try $0.decode("id")) })
                try await transaction.record(events, by: recording, at: now, in: realm)
            }
        }
    }
}
