internal import Encoding
internal import Identity
internal import Postgres

extension SQL {
    /// The precision of `last_seen`: an account in constant use writes its network once per hour.
    private static let lastSeenPrecision: Duration = .seconds(3600)

    /// Stores a known network of an account, for each row of `source`. Does nothing for `nil`, as in every anonymous
    /// sign-up.
    static func keeping(
        _ networkHash: [UInt8]?, of account: ID<Account>, at now: Instant, in realm: ID<Realm>, from source: SQL
    ) -> SQL {
        guard let networkHash else { return "SELECT 1" }
        return """
            INSERT INTO known_network AS p (project_id, account_id, network_hash, last_seen_at)
            SELECT \(realm.rawValue), \(account.rawValue), \(networkHash), \(Timestamp(now)) FROM \(source)
            WHERE NOT EXISTS (SELECT FROM known_network k WHERE k.project_id = \(realm.rawValue)
                AND k.account_id = \(account.rawValue) AND k.network_hash = \(networkHash)
                AND k.last_seen_at > \(Timestamp(now - lastSeenPrecision)))
            ON CONFLICT (project_id, account_id, network_hash) DO UPDATE
            SET last_seen_at = greatest(p.last_seen_at, excluded.last_seen_at)
            """
    }

    /// - Returns: a row if the account that holds `email` had a session in one of `networkHashes` since then.
    static func hadSession(
        _ email: EmailAddress, from networkHashes: [[UInt8]], since: Instant, in realm: ID<Realm>
    ) -> SQL {
        let hashes = networkHashes.map { Hexadecimal.encode($0) }
        return """
            SELECT 1 AS one FROM account a JOIN known_network p ON p.project_id = a.project_id AND p.account_id = a.id
            WHERE a.project_id = \(realm.rawValue) AND a.email = \(email.rawValue)
                AND p.network_hash = ANY (SELECT decode(h, 'hex') FROM unnest(\(hashes)) h)
                AND p.last_seen_at > \(Timestamp(since))
            LIMIT 1
            """
    }

    static func expiredNetworks(before end: Instant, limit: Int) -> SQL {
        """
        DELETE FROM known_network WHERE (project_id, account_id, network_hash) IN (
            SELECT project_id, account_id, network_hash FROM known_network WHERE last_seen_at < \(Timestamp(end))
            ORDER BY last_seen_at LIMIT \(limit) FOR UPDATE SKIP LOCKED)
        """
    }
}
