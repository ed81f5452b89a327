internal import Identity
internal import Postgres

extension SQL {
    /// Selects a page sorted by `order`. If the sort key is the email address or the name, selects only the accounts
    /// that have one; ``pageWithoutSortKey(_:skipping:limit:in:)`` selects the others.
    static func page(
        by order: AccountOrder, skipping count: Int, limit: Int, in realm: ID<Realm>
    ) -> SQL {
        let direction: SQL = order.isDescending ? "DESC" : "ASC"
        let sorting: SQL =
            switch order.field {
            case .id: "a.id \(direction)"
            case .email: "a.email \(direction)"
            case .createdAt: "a.created_at \(direction), a.id \(direction)"
            case .displayName: "\(SQL.beginningOfName) \(direction), a.id \(direction)"
            case .lastSignInAt: "a.last_sign_in_at \(direction) NULLS LAST, a.id \(direction)"
            }
        let condition = order.field.column.map { "\($0) IS NOT NULL" as SQL } ?? "true"
        return page(where: condition, by: sorting, limit: "LIMIT \(limit) OFFSET \(count)", in: realm)
    }

    /// Selects a page of the accounts that do not have the sort key of `order`, sorted by ID.
    static func pageWithoutSortKey(_ order: AccountOrder, skipping count: Int, limit: Int, in realm: ID<Realm>) -> SQL {
        let condition = order.field.column.map { "\($0) IS NULL" as SQL } ?? "false"
        return page(
            where: condition, by: order.isDescending ? "a.id DESC" : "a.id ASC",
            limit: "LIMIT \(limit) OFFSET \(count)", in: realm)
    }

    /// Counts the accounts that have the sort key of `order`. Stops counting at `limit`.
    static func count(_ order: AccountOrder, upTo limit: Int, in realm: ID<Realm>) -> SQL {
        """
        SELECT count(*) AS count FROM (
            SELECT FROM account a WHERE a.realm_id = \(realm.rawValue) AND \(order.field.column ?? "a.id") IS NOT NULL
            ORDER BY \(order.field.indexedColumn ?? "a.id") LIMIT \(limit)) a
        """
    }

    /// Selects accounts whose IDs begin with `prefix`, in the order of IDs.
    ///
    /// Values are in subqueries, which hide them from the planner. PostgreSQL then uses one plan for all prefixes;
    /// otherwise, in a large project, it would make a plan for each statement. The plan uses the primary key, because
    /// the condition has a lower and an upper bound for the IDs.
    ///
    /// - Parameter contacts: accounts with this email address or this phone number are excluded.
    static func page(
        beginningWith prefix: IDPrefix, excludingAccountsWith contacts: ContactIdentifiers, after id: ID<Account>?,
        limit: Int, in realm: ID<Realm>
    ) -> SQL {
        let start: SQL = id.map { "a.id > (SELECT \($0.rawValue))" } ?? "a.id >= (SELECT \(prefix.text))"
        let end: SQL = prefix.end.map { "a.id < (SELECT \($0))" } ?? "true"
        let condition: SQL = """
            \(start) AND \(end) AND a.email IS DISTINCT FROM coalesce(\(contacts.email?.rawValue), '')
            AND a.phone_number IS DISTINCT FROM coalesce(\(contacts.phoneNumber?.rawValue), '')
            """
        return page(where: condition, by: "a.id", limit: "LIMIT (SELECT \(limit))", in: realm)
    }

    /// Selects accounts that have an identity with Apple's `real_user_status` `status`, each account once, in the order
    /// of IDs.
    static func page(realUserStatus status: Int, after id: ID<Account>?, limit: Int, in realm: ID<Realm>) -> SQL {
        let condition: SQL = """
            a.id IN (SELECT DISTINCT l.account_id FROM linked_identity l
                WHERE l.realm_id = \(realm.rawValue) AND l.real_user_status = \(status)
                    AND l.account_id > \(id?.rawValue ?? "") ORDER BY l.account_id LIMIT \(limit))
            """
        return page(where: condition, by: "a.id", limit: "LIMIT \(limit)", in: realm)
    }

    /// Selects the accounts that `condition` selects. The inner query limits the reading of sessions and identities to
    /// the accounts of the page.
    private static func page(
        where condition: SQL, by sorting: SQL, limit: SQL, in realm: ID<Realm>
    ) -> SQL {
        """
        SELECT \(AccountRow.columns), \(AccountRow.lastRefresh) FROM (
            SELECT * FROM account a WHERE a.realm_id = \(realm.rawValue) AND \(condition)
            ORDER BY \(sorting) \(limit)) a
        ORDER BY \(sorting)
        """
    }
}

extension SQL {
    /// What the index by name contains: only the beginning of a name, because entries of indexes have a maximum size.
    fileprivate static var beginningOfName: SQL { "left(a.display_name, 256)" }
}

extension AccountOrder.Field {
    /// The column of a sort key that has separate indexes for the accounts with and without a value; `nil` for the
    /// other sort keys.
    fileprivate var column: SQL? {
        switch self {
        case .email: "a.email"
        case .displayName: "a.display_name"
        case .id, .createdAt, .lastSignInAt: nil
        }
    }
    /// The indexed form of ``column``.
    fileprivate var indexedColumn: SQL? { self == .displayName ? SQL.beginningOfName : column }
}
