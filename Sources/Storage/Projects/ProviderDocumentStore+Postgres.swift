public import Identity
public import Postgres

extension ProviderDocumentStore {
    /// Stores the latest fetched version of the key sets and discovery documents of providers. All projects share them.
    public static func postgres(on pool: Pool) -> ProviderDocumentStore {
        ProviderDocumentStore { url in
            try await withStoreErrors { try await pool.query(.load(url)) }.first.map { row in
                ProviderDocument(
                    body: try row.decode("body"), fetchedAt: Instant(try row.decode("fetched_at")),
                    forcedFetchClaimedAt: try row.decode("forced_refetch_at", as: Timestamp?.self).map(Instant.init))
            }
        } store: { url, body, fetchedAt in
            _ = try await withStoreErrors {
                try await pool.execute(.store(body, fetchedAt: fetchedAt, at: url))
            }
        } claimForcedFetch: { url, now in
            try await withStoreErrors { try await pool.execute(.claimForcedFetch(of: url, at: now)) } == 1
        } withdrawForcedFetch: { url, claimedAt in
            let statement: SQL = """
                UPDATE provider_document SET forced_refetch_at = NULL
                WHERE url = \(url) AND forced_refetch_at = \(Timestamp(claimedAt))
                """
            _ = try await withStoreErrors { try await pool.execute(statement) }
        }
    }
}

extension SQL {
    fileprivate static func load(_ url: String) -> SQL {
        "SELECT body, fetched_at, forced_refetch_at FROM provider_document WHERE url = \(url) AND body <> ''"
    }

    /// Stores a document, unless the stored one was fetched later. If the stored one was fetched more than a minute
    /// after `fetchedAt`, it is replaced nevertheless, because the clock of the process that stored it was wrong.
    fileprivate static func store(_ body: String, fetchedAt: Instant, at url: String) -> SQL {
        """
        INSERT INTO provider_document (url, body, fetched_at) VALUES (\(url), \(body), \(Timestamp(fetchedAt)))
        ON CONFLICT (url) DO UPDATE SET body = excluded.body, fetched_at = excluded.fetched_at
        WHERE provider_document.fetched_at <= excluded.fetched_at
            OR provider_document.fetched_at > \(Timestamp(fetchedAt + ProviderDocumentStore.forcedFetchInterval))
        """
    }

    /// Changes one row if the caller may fetch a document before the stored one expires. Inserts a row with an empty
    /// body if no document is stored yet. Ignores a claim from more than a minute in the future: the clock of the
    /// process that made it was wrong.
    fileprivate static func claimForcedFetch(of url: String, at now: Instant) -> SQL {
        """
        INSERT INTO provider_document (url, body, fetched_at, forced_refetch_at)
        VALUES (\(url), '', \(Timestamp(Instant(seconds: 0))), \(Timestamp(now)))
        ON CONFLICT (url) DO UPDATE SET forced_refetch_at = excluded.forced_refetch_at
        WHERE provider_document.forced_refetch_at IS NULL
            OR provider_document.forced_refetch_at <= \(Timestamp(now - ProviderDocumentStore.forcedFetchInterval))
            OR provider_document.forced_refetch_at > \(Timestamp(now + ProviderDocumentStore.forcedFetchInterval))
        """
    }
}
