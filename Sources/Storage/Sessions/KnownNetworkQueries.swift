internal import Encoding
internal import Identity
internal import Postgres

extension SQL {
    /// Selects whether the account with the address `email` has a known network: one from which a session was opened,
    /// or the password was reset, after `since`.
    ///
    /// - Returns: a row if one of the networks with `networkHashes` is known.
    static func hasKnownNetwork(
        _ email: EmailAddress, among networkHashes: [[UInt8]], since: Instant, in realm: ID<Realm>
    ) -> SQL {
        let hashes = networkHashes.map { Hexadecimal.encode($0) }
        return """
            SELECT 1 AS one FROM account a JOIN known_network p ON p.realm_id = a.realm_id AND p.account_id = a.id
            WHERE a.realm_id = \(realm.rawValue) AND a.email = \(email.rawValue)
                AND p.network_hash = ANY (SELECT decode(h, 'hex') FROM unnest(\(hashes)) h)
                AND p.last_seen_at > \(Timestamp(since))
            LIMIT 1
            """
    }
}
