public import Postgres

/// Keeps PostgreSQL's statistics of small tables up to date.
///
/// PostgreSQL chooses the plan of a prepared statement by statistics, and keeps it until the table is analysed again.
/// Autovacuum may analyse a new or restored table only after a minute. A table can grow to a hundred thousand rows in
/// this time.
public struct PlannerStatistics: Sendable {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    /// Analyses each table that has more than twice the pages that it had at its latest `ANALYZE` or `VACUUM`. Tables
    /// of more than 8 MB (1000 pages) are left to autovacuum, because a plan for a table of this size is right for
    /// larger ones. Only the owner of a table can analyse it; for other users, PostgreSQL does nothing.
    public func update() async throws {
        _ = try await withStoreErrors {
            try await pool.execute(
                """
                DO $$
                DECLARE outdated regclass;
                BEGIN
                    FOR outdated IN
                        SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                        WHERE n.nspname = current_schema() AND c.relkind = 'r' AND c.relpages < 1000
                            AND pg_relation_size(c.oid) / current_setting('block_size')::bigint
                                > 2 * greatest(c.relpages, 1)
                        ORDER BY c.oid
                    LOOP
                        EXECUTE format('ANALYZE (SKIP_LOCKED) %s', outdated);
                    END LOOP;
                END $$
                """)
        }
    }
}
