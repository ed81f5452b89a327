internal import FoundationEssentials
public import Identity
internal import Postgres

/// The session and the account that an ID token names.
struct SessionLookup: Sendable {
    let session: UUID
    let account: String
}

extension PostgresAccountStore {
    public func find(_ contents: IDTokenContents, in realm: ID<Realm>) async throws -> FoundSession? {
        let lookup = SessionLookup(session: try UUID(contents.session), account: contents.account.rawValue)
        return try await withStoreErrors { try await sessionLookups.run(lookup, in: realm) }
    }

    /// Executes look-ups in batches. The outcome is `nil` if the account does not exist.
    static var sessionLookups: Batching<SessionLookup, Never, FoundSession?> {
        .reads { lookups, realm in
            lookups.count == 1 ? .find(lookups[0], in: realm) : .find(lookups, in: realm)
        } outcomes: { lookups, rows in
            if lookups.count == 1 { return [try rows.first.map(FoundSession.init)] }
            var found = [FoundSession?](repeating: nil, count: lookups.count)
            for row in rows { found[try row.decode("number", as: Int.self) - 1] = try FoundSession(row) }
            return found
        }
    }
}

extension FoundSession {
    fileprivate init(_ row: Row) throws {
        let account = try AccountRow.accountWithLastRefresh(row)
        let hasSession = try row.decode("session_id", as: UUID?.self) != nil
        self.init(account: account, session: hasSession ? try SessionRow.session(row, of: account) : nil)
    }
}

extension SQL {
    /// Finds the account of a look-up, with the session if it is active.
    static func find(_ lookup: SessionLookup, in realm: ID<Realm>) -> SQL {
        """
        SELECT \(SessionRow.columnsBesideAccount), \(AccountRow.columns), \(AccountRow.lastRefresh)
        FROM account a LEFT JOIN session s ON s.realm_id = a.realm_id AND s.id = \(lookup.session)
            AND s.account_id = a.id AND s.generation = a.generation AND s.ended_at IS NULL
        WHERE a.realm_id = \(realm.rawValue) AND a.id = \(lookup.account)
        """
    }

    /// Finds the accounts and the active sessions of several look-ups. Because the lateral subqueries have `LIMIT 1`,
    /// every plan reads the look-ups before the tables; see `LookupPlanTests`.
    ///
    /// - Returns: the rows of the accounts that exist, each with the `number` of its look-up, counted from 1.
    static func find(_ lookups: [SessionLookup], in realm: ID<Realm>) -> SQL {
        """
        SELECT p.number, \(SessionRow.columnsBesideAccount), \(AccountRow.columns), \(AccountRow.lastRefresh)
        FROM unnest((SELECT \(lookups.map(\.session))), (SELECT \(lookups.map(\.account))))
            WITH ORDINALITY AS p (session, account, number)
        CROSS JOIN LATERAL (
            SELECT * FROM account WHERE realm_id = \(realm.rawValue) AND id = p.account LIMIT 1) a
        LEFT JOIN LATERAL (
            SELECT * FROM session WHERE realm_id = a.realm_id AND id = p.session AND ended_at IS NULL LIMIT 1) s
            ON s.account_id = a.id AND s.generation = a.generation
        """
    }
}
