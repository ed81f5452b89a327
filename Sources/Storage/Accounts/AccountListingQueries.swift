internal import Encoding
internal import Identity
internal import Postgres

/// Pages of lists of accounts. Each statement reads its accounts by an index in the order of the list, and stops after
/// the page.
///
/// Values are in subqueries, which hide them from the planner. PostgreSQL then uses one plan for all values; otherwise,
/// in a large project, it would make a plan for each statement.
extension SQL {
    /// Returns the statements that select a page, one after the other until the page is full. The parameter of a
    /// statement is the maximum number of accounts.
    static func pages(
        of listing: AccountListing, after cursor: AccountCursor?, in realm: ID<Realm>
    ) -> [(Int) -> SQL] {
        switch listing {
        case .all(by: .id, let isDescending):
            [page(byID: isDescending, after: cursor?.id, in: realm)]
        case .all(by: .createdAt, let isDescending):
            [page(where: "true", byCreation: isDescending, after: cursor, in: realm)]
        case .all(by: .email, let isDescending):
            pages(
                where: "a.email IS NOT NULL AND \(start(byEmail: isDescending, after: cursor))",
                by: "a.email \(direction(isDescending))", then: "a.email IS NULL", isDescending, after: cursor,
                in: realm)
        case .all(by: .displayName, let isDescending):
            pages(
                where: "a.display_name IS NOT NULL AND \(start(byName: isDescending, after: cursor))",
                by: "\(beginningOfName) \(direction(isDescending)), a.id \(direction(isDescending))",
                then: "a.display_name IS NULL", isDescending, after: cursor, in: realm)
        case .disabled(let isDescending):
            [page(where: "a.disabled_at IS NOT NULL", byCreation: isDescending, after: cursor, in: realm)]
        case .guestCandidates(let isDescending):
            [page(where: isGuestCandidate, byCreation: isDescending, after: cursor, in: realm)]
        case .relayStopped:
            [page(ofAccountsWith: "NOT l.relay_forwarding", after: cursor?.id, in: realm)]
        case .realUserStatus(let status):
            [page(ofAccountsWith: "l.real_user_status = (SELECT \(status))", after: cursor?.id, in: realm)]
        case .identityEmail(let email):
            [page(ofAccountsWith: "l.email = (SELECT \(email.rawValue))", after: cursor?.id, in: realm)]
        case .idPrefix(let prefix): [page(beginningWith: prefix, after: cursor?.id, in: realm)]
        case .namePrefix(let text): [page(ofNamesBeginningWith: text, after: cursor, in: realm)]
        }
    }

    /// The condition of the index `account_guest`.
    private static var isGuestCandidate: SQL {
        "a.email IS NULL AND a.phone_number IS NULL AND a.passkey_count = 0 AND NOT a.custom_auth"
    }

    private static func page(
        byID isDescending: Bool, where condition: SQL = "true", after id: ID<Account>?, in realm: ID<Realm>
    ) -> (Int) -> SQL {
        let start: SQL = id.map { "a.id \(following(isDescending)) (SELECT \($0.rawValue))" } ?? "true"
        let direction = direction(isDescending)
        return { page(where: "\(condition) AND \(start)", by: "a.id \(direction)", limit: .limit($0), in: realm) }
    }

    private static func page(
        where condition: SQL, byCreation isDescending: Bool, after cursor: AccountCursor?, in realm: ID<Realm>
    ) -> (Int) -> SQL {
        let start: SQL =
            if let cursor, case .time(let time) = cursor.value {
                """
                (a.created_at, a.id) \(following(isDescending)) \
                ((SELECT \(Timestamp(time))), (SELECT \(cursor.id.rawValue)))
                """
            } else {
                "true"
            }
        let sorting: SQL = "a.created_at \(direction(isDescending)), a.id \(direction(isDescending))"
        return { page(where: "\(condition) AND \(start)", by: sorting, limit: .limit($0), in: realm) }
    }

    /// Returns a statement for the accounts with the sort key, and one for those without it, which follow in the order
    /// of IDs. Each of the two groups has its own index.
    private static func pages(
        where condition: SQL, by sorting: SQL, then others: SQL, _ isDescending: Bool, after cursor: AccountCursor?,
        in realm: ID<Realm>
    ) -> [(Int) -> SQL] {
        if let cursor, cursor.value == nil {
            return [page(byID: isDescending, where: others, after: cursor.id, in: realm)]
        }
        return [
            { page(where: condition, by: sorting, limit: .limit($0), in: realm) },
            page(byID: isDescending, where: others, after: nil, in: realm),
        ]
    }

    /// Addresses are unique.
    private static func start(byEmail isDescending: Bool, after cursor: AccountCursor?) -> SQL {
        guard let cursor, case .text(let email) = cursor.value else { return "true" }
        return "a.email \(following(isDescending)) (SELECT \(email))"
    }

    private static func start(byName isDescending: Bool, after cursor: AccountCursor?) -> SQL {
        guard let cursor, case .text(let name) = cursor.value else { return "true" }
        return """
            (\(beginningOfName), a.id) \(following(isDescending)) \
            (\(beginning(ofName: "(SELECT \(name))")), (SELECT \(cursor.id.rawValue)))
            """
    }

    private static func page(
        beginningWith prefix: IDPrefix, after id: ID<Account>?, in realm: ID<Realm>
    ) -> (Int) -> SQL {
        let start: SQL = id.map { "a.id > (SELECT \($0.rawValue))" } ?? "a.id >= (SELECT \(prefix.text))"
        let end: SQL = prefix.end.map { "a.id < (SELECT \($0))" } ?? "true"
        return { page(where: "\(start) AND \(end)", by: "a.id", limit: .limit($0), in: realm) }
    }

    /// The exclusive upper bound of the names is the beginning, followed by the last code point.
    private static func page(
        ofNamesBeginningWith text: String, after cursor: AccountCursor?, in realm: ID<Realm>
    ) -> (Int) -> SQL {
        let beginning = beginning(ofName: "(SELECT \(text))")
        let start: SQL =
            cursor == nil ? "\(beginningOfName) >= \(beginning)" : start(byName: false, after: cursor)
        let condition: SQL = """
            a.display_name IS NOT NULL AND \(start) AND \(beginningOfName) < \(beginning) || U&'\\+10FFFF' COLLATE "C"
            """
        return { page(where: condition, by: "\(beginningOfName), a.id", limit: .limit($0), in: realm) }
    }

    /// Selects the accounts with an identity that meets `condition`, each account once, in the order of IDs.
    private static func page(
        ofAccountsWith condition: SQL, after id: ID<Account>?, in realm: ID<Realm>
    ) -> (Int) -> SQL {
        { limit in
            """
            WITH \(param(hidingFromPlanner: realm))
            SELECT \(AccountRow.columns), \(AccountRow.lastRefresh) FROM param CROSS JOIN (
                SELECT DISTINCT l.account_id FROM linked_identity l
                WHERE l.realm_id = (SELECT \(realm.rawValue)) AND \(condition)
                    AND l.account_id > (SELECT \(id?.rawValue ?? ""))
                ORDER BY l.account_id \(SQL.limit(limit))) l
            CROSS JOIN LATERAL (
                SELECT * FROM account WHERE realm_id = param.realm_id AND id = l.account_id LIMIT 1) a
            ORDER BY a.id
            """
        }
    }

    private static func limit(_ count: Int) -> SQL { "LIMIT (SELECT \(count))" }
    private static func direction(_ isDescending: Bool) -> SQL { isDescending ? "DESC" : "ASC" }
    private static func following(_ isDescending: Bool) -> SQL { isDescending ? "<" : ">" }
}
