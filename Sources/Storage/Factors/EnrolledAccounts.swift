public import Identity
public import Postgres

/// The number of accounts of a realm that have second factors of the same kinds.
public struct EnrolledAccounts: Sendable {
    public let realm: ID<Realm>
    public let kinds: Set<Factor.Kind>
    public let count: Int

    /// Counts the accounts of all realms. Reads every second factor.
    public static func all(in pool: Pool) async throws -> [EnrolledAccounts] {
        try await withStoreErrors {
            try await pool.query(
                """
                SELECT f.realm_id, f.kinds, count(*) AS count FROM (
                    SELECT realm_id, account_id, string_agg(DISTINCT kind, ' ' ORDER BY kind) AS kinds
                    FROM second_factor WHERE merged_from IS NULL GROUP BY realm_id, account_id) f
                GROUP BY f.realm_id, f.kinds ORDER BY f.realm_id, f.kinds
                """)
        }.map { row in
            let kinds = try row.decode("kinds", as: String.self).split(separator: " ")
            return EnrolledAccounts(
                realm: ID(try row.decode("realm_id")),
                kinds: Set(kinds.compactMap { Factor.Kind(rawValue: String($0)) }), count: try row.decode("count"))
        }
    }
}
