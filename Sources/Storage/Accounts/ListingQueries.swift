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

    /// Selects the accounts that `condition` selects. The inner query limits the reading of sessions and identities to
    /// the accounts of the page.
    static func page(
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
    static var beginningOfName: SQL { beginning(ofName: "a.display_name") }

    static func beginning(ofName name: SQL) -> SQL { "lower(left(\(name), 256)) COLLATE \"C\"" }
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
