internal import Identity
internal import Postgres

extension AccountRow {
    /// Of an account that comes with its ``lastRefresh``.
    static func seen(_ row: Row) throws -> Account {
        try account(row, lastRefreshAt: try row.decode("last_refresh_at"))
    }
}

extension SQL {
    /// By `email` only accounts that have one.
    static func page(
        by order: AccountOrder, skipping count: Int, limit: Int, in project: ID<Project>
    ) -> SQL {
        let way: SQL = order.isDescending ? "DESC" : "ASC"
        let sorting: SQL =
            switch order.field {
            case .id: "a.id \(way)"
            case .email: "a.email \(way)"
            case .createdAt: "a.created_at \(way), a.id \(way)"
            case .name: "a.display_name \(way) NULLS LAST, a.id \(way)"
            case .lastSignInAt: "a.last_sign_in_at \(way) NULLS LAST, a.id \(way)"
            }
        let condition: SQL = order.field == .email ? "a.email IS NOT NULL" : "true"
        return page(where: condition, by: sorting, skipping: count, limit: limit, in: project)
    }

    static func pageWithoutEmail(
        _ order: AccountOrder, skipping count: Int, limit: Int, in project: ID<Project>
    ) -> SQL {
        page(
            where: "a.email IS NULL", by: order.isDescending ? "a.id DESC" : "a.id ASC", skipping: count, limit: limit,
            in: project)
    }

    static func countOfAddresses(upTo limit: Int, in project: ID<Project>) -> SQL {
        """
        SELECT count(*) AS count FROM (
            SELECT FROM account WHERE project_id = \(project.rawValue) AND email IS NOT NULL
            ORDER BY email LIMIT \(limit)) a
        """
    }

    static func page(
        beginningWith prefix: IDPrefix, besides names: AccountNames, after id: ID<Account>?, limit: Int,
        in project: ID<Project>
    ) -> SQL {
        let start: SQL = id.map { "a.id COLLATE \"C\" > \($0.rawValue)" } ?? "a.id COLLATE \"C\" >= \(prefix.text)"
        let end: SQL = prefix.end.map { "a.id COLLATE \"C\" < \($0)" } ?? "true"
        let condition: SQL = """
            \(start) AND \(end) AND a.email IS DISTINCT FROM coalesce(\(names.email?.rawValue), '')
            AND a.phone_number IS DISTINCT FROM coalesce(\(names.phoneNumber?.rawValue), '')
            """
        return page(where: condition, by: "a.id COLLATE \"C\"", skipping: 0, limit: limit, in: project)
    }

    /// What belongs to an account is fetched for those on the page only.
    private static func page(
        where condition: SQL, by sorting: SQL, skipping count: Int, limit: Int, in project: ID<Project>
    ) -> SQL {
        """
        SELECT \(AccountRow.columns), \(AccountRow.lastRefresh) FROM (
            SELECT * FROM account a WHERE a.project_id = \(project.rawValue) AND \(condition)
            ORDER BY \(sorting) LIMIT \(limit) OFFSET \(count)) a
        ORDER BY \(sorting)
        """
    }
}
