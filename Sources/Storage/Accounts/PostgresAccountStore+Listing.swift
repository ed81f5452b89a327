public import Identity
internal import Postgres

/// Lists accounts by page.
extension PostgresAccountStore {
    /// May read many accounts, so a project runs one such query at a time.
    public func page(
        by order: AccountOrder, skipping count: Int, limit: Int, in realm: ID<Realm>
    ) async throws -> [Account] {
        try await pool.withLongQueries(in: realm) {
            try await pool.transaction(isolation: .repeatableRead) { transaction in
                switch order.field {
                case .id, .createdAt:
                    try await transaction.accounts(.page(by: order, skipping: count, limit: limit, in: realm))
                case .email, .displayName:
                    try await transaction.page(by: order, skipping: count, limit: limit, in: realm)
                case .lastSignInAt:
                    try await transaction.sortedAccounts(
                        .page(by: order, skipping: count, limit: limit, in: realm), within: sortTimeout)
                }
            }
        }
    }

    public func page(
        of listing: AccountListing, after cursor: AccountCursor?, limit: Int, in realm: ID<Realm>
    ) async throws -> [Account] {
        try await pool.withLongQueries(in: realm) {
            var page: [Account] = []
            for statement in SQL.pages(of: listing, after: cursor, in: realm) where page.count < limit {
                page += try await pool.query(statement(limit - page.count)).accounts(AccountRow.accountWithLastRefresh)
            }
            return page
        }
    }
}

extension Transaction {
    fileprivate func accounts(_ statement: SQL) async throws -> [Account] {
        try await query(statement).accounts(AccountRow.accountWithLastRefresh)
    }

    /// Returns a page that is sorted by email address or name. Accounts without one follow, sorted by ID. Each of the
    /// two groups has its own index, and therefore its own statement.
    fileprivate func page(
        by order: AccountOrder, skipping count: Int, limit: Int, in realm: ID<Realm>
    ) async throws -> [Account] {
        let page = try await accounts(.page(by: order, skipping: count, limit: limit, in: realm))
        guard page.count < limit else { return page }
        // The number of accounts without the sort key that precede the page.
        var remainingToSkip = 0
        if page.isEmpty, count > 0 {
            let row = try await query(.count(order, upTo: count, in: realm)).first
            remainingToSkip = count - (try row?.decode("count") ?? 0)
        }
        let remaining = SQL.pageWithoutSortKey(order, skipping: remainingToSkip, limit: limit - page.count, in: realm)
        return page + (try await accounts(remaining))
    }

    /// Runs a statement for which PostgreSQL sorts all accounts of the realm.
    ///
    /// - Throws: ``QueryRefusal/deadlineExceeded`` after `timeout`.
    fileprivate func sortedAccounts(_ statement: SQL, within timeout: Duration) async throws -> [Account] {
        let milliseconds = String(Int(timeout / .milliseconds(1)))
        _ = try await query("SELECT set_config('statement_timeout', \(milliseconds), true)")
        do {
            return try await accounts(statement)
        } catch PostgresError.timedOut {
            throw QueryRefusal.deadlineExceeded
        }
    }
}
