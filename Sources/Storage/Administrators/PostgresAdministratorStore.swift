public import Identity
public import Postgres

/// ``AdministratorStore`` on PostgreSQL.
public struct PostgresAdministratorStore: AdministratorStore {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public func list(
        in project: ID<Project>, after last: ID<Account>?, limit: Int, of operators: ID<Project>
    ) async throws -> [ListedAdministrator] {
        // The index on the project has this order. No ID is empty.
        let statement: SQL = """
            \(SQL.administrators) WHERE m.realm_id = \(operators.rawValue) AND m.project_id = \(project.rawValue)
                AND m.account_id > \(last?.rawValue ?? "")
            ORDER BY m.account_id LIMIT \(limit)
            """
        return try await withStoreErrors { try await pool.query(statement) }.map(ListedAdministrator.init)
    }

    public func roles(
        of account: ID<Account>, in operators: ID<Project>
    ) async throws -> [ID<Project>: AdministratorRole] {
        let statement: SQL = """
            SELECT project_id, role FROM administrator
            WHERE realm_id = \(operators.rawValue) AND account_id = \(account.rawValue) AND invitation_hash IS NULL
            """
        let rows = try await withStoreErrors { try await pool.query(statement) }
        return Dictionary(
            uniqueKeysWithValues: try rows.map { (ID(try $0.decode("project_id")), try $0.administratorRole()) })
    }

    public func invitation(
        _ codeHash: [UInt8], to email: EmailAddress, at now: Instant, of operators: ID<Project>
    ) async throws -> (role: AdministratorRole, project: ID<Project>)? {
        let statement: SQL = """
            SELECT m.project_id, m.role FROM account a
            JOIN administrator m ON m.realm_id = a.realm_id AND m.account_id = a.id
            WHERE a.realm_id = \(operators.rawValue) AND a.email = \(email.rawValue)
                AND m.invitation_hash = \(codeHash) AND m.invitation_expires_at > \(Timestamp(now))
            """
        guard let row = try await withStoreErrors({ try await pool.query(statement) }).first else { return nil }
        return (try row.administratorRole(), ID(try row.decode("project_id")))
    }

    /// The numbers of people with a role or an invitation whose accounts have only passkeys that the console does not
    /// accept, by realm.
    public func peopleWithoutAcceptedPasskey() async throws -> [ID<Realm>: Int] {
        let rows = try await withStoreErrors { try await pool.query(.peopleWithoutAcceptedPasskey) }
        return Dictionary(
            uniqueKeysWithValues: try rows.map { (ID(try $0.decode("realm_id")), try $0.decode("count")) })
    }

    public func invite(
        _ change: AdministratorChange, by granter: AdministratorGranter, _ actor: AuditActor, codeHash: [UInt8],
        until end: Instant, at now: Instant, limit: Int, of operators: ID<Project>
    ) async throws {
        guard let role = change.role else { return }
        try await deciding(change, by: granter, of: operators) { transaction, current in
            guard current == nil else { throw AdministratorRefusal.alreadyAdministrator }
            let count = try await transaction.query(
                """
                SELECT count(*)::bigint AS count FROM administrator
                WHERE realm_id = \(operators.rawValue) AND project_id = \(change.project.rawValue)
                """)
            guard try count[0].decode("count", as: Int.self) < limit else {
                throw AdministratorRefusal.tooManyAdministrators
            }
            _ = try await transaction.execute(
                """
                INSERT INTO administrator (realm_id, account_id, project_id, role, invitation_hash,
                    invitation_expires_at, changed_at)
                VALUES (\(operators.rawValue), \(change.account.rawValue), \(change.project.rawValue),
                    \(role.rawValue), \(codeHash), \(Timestamp(end)), \(Timestamp(now)))
                ON CONFLICT (realm_id, account_id, project_id) DO UPDATE SET role = excluded.role,
                    invitation_hash = excluded.invitation_hash, changed_at = excluded.changed_at,
                    invitation_expires_at = excluded.invitation_expires_at
                """)
            try await transaction.audit([change.note("administrator.invited")], by: actor, at: now, in: change.realm)
        }
    }

    public func change(
        _ change: AdministratorChange, by granter: AdministratorGranter, _ actor: AuditActor,
        announcing announcement: RoleAnnouncement, at now: Instant, of operators: ID<Project>
    ) async throws -> ListedAdministrator {
        try await deciding(change, by: granter, of: operators) { transaction, current in
            let rows = try await transaction.query(.administrator(change, of: operators))
            guard let before = try rows.first.map(ListedAdministrator.init) else {
                throw AdministratorRefusal.unknownAdministrator
            }
            // Who lost a role, or got another one, signs in again. The owner of one project can invite every operator,
            // and must not end their sessions by withdrawing the invitation.
            if current != nil {
                _ = try await transaction.execute(
                    .endAdministratorSessions(of: change.account, at: now, in: ID(operators)))
            }
            guard let role = change.role else {
                _ = try await transaction.execute(.removeAdministrator(change, of: operators))
                try await transaction.audit(
                    [change.note("administrator.removed")], by: actor, at: now, in: change.realm)
                return before
            }
            _ = try await transaction.execute(.update(change, to: role, at: now, of: operators))
            try await transaction.audit([change.note("administrator.changed")], by: actor, at: now, in: change.realm)
            if let current, current != .owner, role == .owner {
                try await transaction.announce(change, by: announcement, of: operators)
            }
            return ListedAdministrator(
                account: before.account, email: before.email, displayName: before.displayName, role: role,
                invitationExpiresAt: before.invitationExpiresAt)
        }
    }

    public func accept(_ acceptance: RoleAcceptance, at now: Instant, of operators: ID<Project>) async throws -> Bool {
        try await withStoreErrors {
            try await pool.transaction { try await accept(acceptance, at: now, in: ID(operators), $0) }
        }
    }

    private func accept(
        _ acceptance: RoleAcceptance, at now: Instant, in realm: ID<Realm>, _ transaction: Transaction
    ) async throws -> Bool {
        let id = acceptance.session.account
        // The lock precedes the check, so that no other transaction removes the factor in between.
        _ = try await transaction.execute(.lock([id], in: realm))
        guard try await transaction.hasConsoleFactor(id, in: realm),
            let account = try await transaction.query(.find([.id(id)], in: realm)).first.map(AccountRow.account),
            let unproven = UnprovenFactors(of: account, in: acceptance.session)
        else { return false }
        let hasRole = try await transaction.hasRole(id, in: realm)
        let rows = try await transaction.query(
            """
            UPDATE administrator SET invitation_hash = NULL, invitation_expires_at = NULL,
                changed_at = \(Timestamp(now))
            WHERE realm_id = \(realm.rawValue) AND account_id = \(id.rawValue)
                AND invitation_hash = \(acceptance.codeHash) AND invitation_expires_at > \(Timestamp(now))
            RETURNING project_id, role
            """)
        guard let row = rows.first else { return false }
        if !hasRole { try await transaction.remove(unproven, of: account, by: acceptance, at: now, in: realm) }
        let role = try row.administratorRole()
        let change = AdministratorChange(id, in: ID(try row.decode("project_id")), to: role)
        try await transaction.audit(
            [change.note("administrator.accepted")], by: .administrator(id, role), at: now, in: change.realm)
        try await transaction.announce(change, by: acceptance.announcement, of: ID(realm.rawValue))
        return true
    }

    /// Runs `body` in a transaction if the change is permitted. Changes of roles run one after the other, so that two
    /// owners cannot remove each other.
    ///
    /// - Parameter body: takes the accepted role that the person has in the project.
    private func deciding<Value: Sendable>(
        _ change: AdministratorChange, by granter: AdministratorGranter, of operators: ID<Project>,
        _ body: @escaping @Sendable (Transaction, AdministratorRole?) async throws -> Value
    ) async throws -> Value {
        try await withStoreErrors {
            try await pool.transaction { transaction in
                guard try await transaction.lockConfiguration(of: operators) else {
                    throw AdministratorRefusal.noConsole
                }
                let owners = try await transaction.lockOwners(in: ID(operators))
                let current = try await transaction.query(.acceptedRole(change, of: operators)).first?
                    .administratorRole()
                try change.requirePermitted(by: granter, current: current, owners: owners, operators: operators)
                return try await body(transaction, current)
            }
        }
    }
}

extension AdministratorChange {
    fileprivate var realm: ID<Realm> { ID(project) }

    fileprivate func note(_ action: String) -> AuditNote {
        AuditNote(action, account.rawValue, role.map { ["administratorRole": $0.rawValue] } ?? [:])
    }
}

extension Row {
    fileprivate func administratorRole() throws -> AdministratorRole {
        let name = try decode("role", as: String.self)
        guard let role = AdministratorRole(rawValue: name) else { throw UnknownAdministratorRole(name: name) }
        return role
    }
}

/// The database contains a role that this release does not know.
private struct UnknownAdministratorRole: Error {
    let name: String
}

extension ListedAdministrator {
    fileprivate init(_ row: Row) throws {
        self.init(
            account: ID(try row.decode("account_id")),
            email: try row.decode("email", as: String?.self).flatMap(EmailAddress.init),
            displayName: try row.decode("display_name"), role: try row.administratorRole(),
            invitationExpiresAt: try row.decode("invitation_expires_at", as: Timestamp?.self).map(Instant.init))
    }
}

extension SQL {
    fileprivate static let administrators: SQL = """
        SELECT m.account_id, m.role, m.invitation_expires_at, a.email, a.display_name
        FROM administrator m JOIN account a ON a.realm_id = m.realm_id AND a.id = m.account_id
        """

    fileprivate static func administrator(_ change: AdministratorChange, of operators: ID<Project>) -> SQL {
        """
        \(administrators) WHERE m.realm_id = \(operators.rawValue) AND m.account_id = \(change.account.rawValue)
            AND m.project_id = \(change.project.rawValue)
        """
    }

    fileprivate static func acceptedRole(_ change: AdministratorChange, of operators: ID<Project>) -> SQL {
        """
        SELECT role FROM administrator
        WHERE realm_id = \(operators.rawValue) AND account_id = \(change.account.rawValue)
            AND project_id = \(change.project.rawValue) AND invitation_hash IS NULL
        """
    }

    fileprivate static func update(
        _ change: AdministratorChange, to role: AdministratorRole, at now: Instant, of operators: ID<Project>
    ) -> SQL {
        """
        UPDATE administrator SET role = \(role.rawValue), changed_at = \(Timestamp(now))
        WHERE realm_id = \(operators.rawValue) AND account_id = \(change.account.rawValue)
            AND project_id = \(change.project.rawValue)
        """
    }

    fileprivate static func removeAdministrator(_ change: AdministratorChange, of operators: ID<Project>) -> SQL {
        """
        DELETE FROM administrator WHERE realm_id = \(operators.rawValue)
            AND account_id = \(change.account.rawValue) AND project_id = \(change.project.rawValue)
        """
    }
}
