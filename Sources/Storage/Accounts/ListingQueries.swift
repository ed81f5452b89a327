internal import Identity
internal import Postgres

extension SQL {
    /// With a prefix of addresses or names, only accounts that have one.
    static func page(
        by order: AccountOrder, skipping count: Int, limit: Int, in realm: ID<Realm>
    ) -> SQL {
        let way: SQL = order.isDescending ? "DESC" : "ASC"
        let sorting: SQL =
            switch order.field {
            case .id: "a.id \(way)"
            case .email: "a.email \(way)"
            case .createdAt: "a.created_at \(way), a.id \(way)"
            case .name: "a.display_name \(way), a.id \(way)"
            case .lastSignInAt: "a.last_sign_in_at \(way) NULLS LAST, a.id \(way)"
            }
        let condition = order.field.column.map { "\($0) IS NOT NULL" as SQL } ?? "true"
        return page(where: condition, by: sorting, skipping: count, limit: limit, in: realm)
    }

    /// Accounts without the sort key of `order`.
    static func remaining(_ order: AccountOrder, skipping count: Int, limit: Int, in realm: ID<Realm>) -> SQL {
        let condition = order.field.column.map { "\($0) IS NULL" as SQL } ?? "false"
        return page(
            where: condition, by: order.isDescending ? "a.id DESC" : "a.id ASC", skipping: count, limit: limit,
            in: realm)
    }

    /// The number of accounts with the sort key of `order`.
    static func count(_ order: AccountOrder, upTo limit: Int, in realm: ID<Realm>) -> SQL {
        let column = order.field.column ?? "a.id"
        return """
            SELECT count(*) AS count FROM (
                SELECT FROM account a WHERE a.project_id = \(realm.rawValue) AND \(column) IS NOT NULL
                ORDER BY \(column) LIMIT \(limit)) a
            """
    }

    static func page(
        beginningWith prefix: IDPrefix, besides names: ContactIdentifiers, after id: ID<Account>?, limit: Int,
        in realm: ID<Realm>
    ) -> SQL {
        let start: SQL = id.map { "a.id > \($0.rawValue)" } ?? "a.id >= \(prefix.text)"
        let end: SQL = prefix.end.map { "a.id < \($0)" } ?? "true"
        let condition: SQL = """
            \(start) AND \(end) AND a.email IS DISTINCT FROM coalesce(\(names.email?.rawValue), '')
            AND a.phone_number IS DISTINCT FROM coalesce(\(names.phoneNumber?.rawValue), '')
            """
        return page(where: condition, by: "a.id", skipping: 0, limit: limit, in: realm)
    }

    /// An account may have several such identities, so the page is made of distinct accounts.
    static func page(realUserStatus status: Int, after id: ID<Account>?, limit: Int, in realm: ID<Realm>) -> SQL {
        let condition: SQL = """
            a.id IN (SELECT DISTINCT l.account_id FROM linked_identity l
                WHERE l.project_id = \(realm.rawValue) AND l.real_user_status = \(status)
                    AND l.account_id > \(id?.rawValue ?? "") ORDER BY l.account_id LIMIT \(limit))
            """
        return page(where: condition, by: "a.id", skipping: 0, limit: limit, in: realm)
    }

    /// The sessions and identities are read for the accounts of the page only.
    private static func page(
        where condition: SQL, by sorting: SQL, skipping count: Int, limit: Int, in realm: ID<Realm>
    ) -> SQL {
        """
        SELECT \(AccountRow.columns), \(AccountRow.lastRefresh) FROM (
            SELECT * FROM account a WHERE a.project_id = \(realm.rawValue) AND \(condition)
            ORDER BY \(sorting) LIMIT \(limit) OFFSET \(count)) a
        ORDER BY \(sorting)
        """
    }
}

extension AccountOrder.Field {
    /// An optional sort key: accounts with the key are in one index, the others in another.
    fileprivate var column: SQL? {
        switch self {
        case .email: "a.email"
        case .name: "a.display_name"
        case .id, .createdAt, .lastSignInAt: nil
        }
    }
}
