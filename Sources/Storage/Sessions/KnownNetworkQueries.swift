internal import Encoding
internal import Identity
internal import Postgres

extension SQL {
    /// - Returns: a row if the account with the address `email` had a session in one of the networks after `since`.
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

    static func deleteExpiredNetworks(before end: Instant, limit: Int) -> SQL {
        """
        DELETE FROM known_network WHERE (project_id, account_id, network_hash) IN (
            SELECT project_id, account_id, network_hash FROM known_network WHERE last_seen_at < \(Timestamp(end))
            ORDER BY last_seen_at LIMIT \(limit) FOR UPDATE SKIP LOCKED)
        """
    }
}
