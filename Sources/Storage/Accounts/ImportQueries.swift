internal import Identity
internal import Postgres

extension SQL {
    /// Inserts all of `accounts`, and deletes the tombstones (rows that reserve the IDs of deleted accounts) for their
    /// IDs.
    static func insert(_ accounts: [StoredAccount], in realm: ID<Realm>) -> SQL {
        """
        WITH inserted AS (\(insertion(of: accounts, in: realm)) RETURNING id)
        DELETE FROM deleted_account d USING inserted WHERE d.realm_id = \(realm.rawValue) AND d.id = inserted.id
        """
    }

    /// Inserts each of `accounts`, unless a stored account or an earlier one of `accounts` has its ID, email address or
    /// phone number. Deletes the tombstones for the inserted accounts' IDs.
    ///
    /// - Returns: the IDs of the inserted accounts.
    static func insertSkippingConflicts(_ accounts: [StoredAccount], in realm: ID<Realm>) -> SQL {
        """
        WITH inserted AS (\(insertion(of: accounts, in: realm)) ON CONFLICT DO NOTHING RETURNING id),
        deleted_tombstones AS (
            DELETE FROM deleted_account d USING inserted i WHERE d.realm_id = \(realm.rawValue) AND d.id = i.id)
        SELECT id FROM inserted
        """
    }

    /// Deletes accounts that an import replaces, without tombstones and deletion events. Their roles in the console go
    /// with them.
    static func remove(
        _ accounts: [ID<Account>], by actor: AuditActor, at now: Instant, in realm: ID<Realm>
    ) throws -> SQL {
        """
        WITH replaced AS (
            DELETE FROM account WHERE realm_id = \(realm.rawValue) AND id = ANY (\(accounts.map(\.rawValue)))
            RETURNING realm_id, id)
        \(try auditRemovedRoles(of: "replaced", by: actor, at: now))
        """
    }

    /// Finds which of `identities` are linked to stored accounts.
    ///
    /// - Returns: a row with the account's ID for each linked identity.
    static func owners(of identities: [LinkedIdentity], in realm: ID<Realm>) -> SQL {
        """
        WITH \(param(hidingFromPlanner: realm))
        SELECT l.provider, l.subject, l.account_id FROM param CROSS JOIN
            unnest(\(identities.map(\.provider.rawValue)), \(identities.map(\.subject))) AS w (provider, subject)
        JOIN linked_identity l
            ON l.realm_id = param.realm_id AND l.provider = w.provider AND l.subject = w.subject
        """
    }

    /// Finds the IDs, email addresses and phone numbers of `accounts` that stored accounts already have.
    ///
    /// - Returns: rows with the name of the `member` and its `value`.
    static func takenMembers(of accounts: [Account], in realm: ID<Realm>) -> SQL {
        """
        WITH \(param(hidingFromPlanner: realm))
        SELECT 'id' AS member, a.id AS value FROM param
        CROSS JOIN unnest(\(accounts.map(\.id.rawValue))) AS w (id)
        JOIN account a ON a.realm_id = param.realm_id AND a.id = w.id
        UNION ALL
        SELECT 'email', a.email FROM param CROSS JOIN unnest(\(accounts.compactMap(\.email?.rawValue))) AS w (email)
        JOIN account a ON a.realm_id = param.realm_id AND a.email = w.email
        UNION ALL
        SELECT 'phone_number', a.phone_number FROM param
        CROSS JOIN unnest(\(accounts.compactMap(\.phoneNumber?.rawValue))) AS w (phone_number)
        JOIN account a ON a.realm_id = param.realm_id AND a.phone_number = w.phone_number
        """
    }
}
