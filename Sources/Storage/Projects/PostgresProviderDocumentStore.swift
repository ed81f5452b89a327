public import Identity
public import Postgres

/// Stores the latest fetched version of the key sets and discovery documents of providers. All projects share them.
public struct PostgresProviderDocumentStore: Sendable {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public var documentStore: ProviderDocumentStore {
        ProviderDocumentStore(
            load: load(_:), store: { try await store($1, fetchedAt: $2, at: $0) },
            claimForcedFetch: { try await claimForcedFetch(of: $0, at: $1) })
    }

    public func load(_ url: String) async throws -> ProviderDocument? {
        let statement: SQL = """
            SELECT body, fetched_at, forced_refetch_at FROM provider_document WHERE url = \(url) AND body <> ''
            """
        return try await withStoreErrors { try await pool.query(statement) }.first.map { row in
            ProviderDocument(
                body: try row.decode("body"), fetchedAt: Instant(try row.decode("fetched_at")),
                forcedFetchClaimedAt: try row.decode("forced_refetch_at", as: Timestamp?.self).map(Instant.init))
        }
    }

    /// Stores a document, unless the stored one was fetched later. If the stored one was fetched more than a minute
    /// after `fetchedAt`, it is replaced nevertheless, because the clock of the process that stored it was wrong.
    public func store(_ body: String, fetchedAt: Instant, at url: String) async throws {
        let statement: SQL = """
            INSERT INTO provider_document (url, body, fetched_at) VALUES (\(url), \(body), \(Timestamp(fetchedAt)))
            ON CONFLICT (url) DO UPDATE SET body = excluded.body, fetched_at = excluded.fetched_at
            WHERE provider_document.fetched_at <= excluded.fetched_at
                OR provider_document.fetched_at > \(Timestamp(fetchedAt + ProviderDocumentStore.forcedFetchInterval))
            """
        _ = try await withStoreErrors { try await pool.execute(statement) }
    }

    /// Claims the right to fetch a document before the stored one expires. Inserts a row with an empty body if no
    /// document is stored yet.
    ///
    /// - Returns: `true` for one caller in each ``ProviderDocumentStore/forcedFetchInterval`` (a minute), counting the
    ///   callers of all replicas.
    public func claimForcedFetch(of url: String, at now: Instant) async throws -> Bool {
        // Ignores a claim from more than a minute in the future: the clock of the process that made it was wrong.
        let statement: SQL = """
            INSERT INTO provider_document (url, body, fetched_at, forced_refetch_at)
            VALUES (\(url), '', \(Timestamp(Instant(seconds: 0))), \(Timestamp(now)))
            ON CONFLICT (url) DO UPDATE SET forced_refetch_at = excluded.forced_refetch_at
            WHERE provider_document.forced_refetch_at IS NULL
                OR provider_document.forced_refetch_at <= \(Timestamp(now - ProviderDocumentStore.forcedFetchInterval))
                OR provider_document.forced_refetch_at > \(Timestamp(now + ProviderDocumentStore.forcedFetchInterval))
            """
        return try await withStoreErrors { try await pool.execute(statement) } == 1
    }
}
