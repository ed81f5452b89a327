internal import Encoding
internal import Identity
internal import Postgres

extension SQL {
    /// Locks the account's row if it is unchanged since the decision, and updates it with what the identity proves.
    static func lock(
        _ account: Account, toLink commit: SignInCommit, takesEmail: Bool, where condition: SQL,
        in realm: ID<Realm>
    ) -> SQL {
        let identity = commit.identity
        let offered = takesEmail ? identity.email?.rawValue : nil
        return """
            UPDATE account a SET last_sign_in_at = \(Timestamp(commit.committedAt)),
                email = coalesce(a.email, \(offered)),
                email_verified = a.email_verified OR \(identity.emailTrust == .authoritative)
                    AND coalesce(a.email, \(offered)) IS NOT DISTINCT FROM \(identity.email?.rawValue)
                    AND \(identity.email != nil),
                display_name = coalesce(a.display_name, \(identity.displayName)),
                photo_url = coalesce(a.photo_url, \(identity.photoURL))
            WHERE a.project_id = \(realm.rawValue) AND a.id = \(account.id.rawValue)
                AND \(isAsDecided(account)) AND \(condition)
            """
    }

    /// Removes every credential of the user who created the account.
    static func reclaim(_ account: Account, for commit: SignInCommit, in realm: ID<Realm>) -> SQL {
        var reclaimed = AccountUpdate()
        reclaimed.passwordHash = .remove
        reclaimed.phoneNumber = .remove
        reclaimed.removesInitialEmail = true
        reclaimed.emailIsVerified = true
        reclaimed.displayName = AccountUpdate.Value(commit.identity.displayName)
        reclaimed.photoURL = AccountUpdate.Value(commit.identity.photoURL)
        reclaimed.lastSignInAt = commit.committedAt
        reclaimed.sessions = .endAll
        return update(
            account.id, by: reclaimed, at: commit.committedAt, in: realm,
            where: """
                \(isAsDecided(account)) AND \(issuerStands(for: commit.identity, in: realm)) \
                AND \(isValid(commit.identity, in: realm))
                """)
    }

    /// A condition: the account `a` is unchanged since the decision.
    static func isAsDecided(_ account: Account) -> SQL {
        """
        a.generation = \(account.generation) AND a.disabled_at IS NULL \
        AND a.email IS NOT DISTINCT FROM \(account.email?.rawValue) AND a.email_verified = \(account.emailIsVerified)
        """
    }

    /// Consumes each replay key once for each row of `source`. Fails if one was used before, in any tenant of the
    /// project: tenants share the project's apps, and so a credential for an app is valid in each of them.
    static func use(_ replayKeys: [ReplayKey], in realm: ID<Realm>, from source: SQL) -> SQL {
        let keys: SQL = """
            unnest(\(replayKeys.map { Hexadecimal.encode($0.hash) }), \(replayKeys.map(\.expiresAt.seconds))) \
            AS k (hash, expires_at)
            """
        return use(from: "\(source), \(keys) ORDER BY k.hash", in: realm)
    }

    /// Consumes the replay keys of the sign-ins `s` in `source`.
    ///
    /// - Parameter replayKeys: of each sign-in, in the order of the sign-ins' `number`, which begins at 1.
    static func use(_ replayKeys: [[ReplayKey]], in realm: ID<Realm>, from source: SQL) -> SQL {
        let keys = replayKeys.enumerated().flatMap { index, keys in keys.map { (number: index + 1, key: $0) } }
        let presented: SQL = """
            unnest((SELECT \(keys.map(\.number))), (SELECT \(keys.map { Hexadecimal.encode($0.key.hash) })),
                (SELECT \(keys.map(\.key.expiresAt.seconds)))) AS k (number, hash, expires_at)
            """
        return use(from: "\(source) JOIN \(presented) ON k.number = s.number ORDER BY k.hash", in: realm)
    }

    /// - Parameter source: has the alias `k` with the columns `hash` and `expires_at`.
    private static func use(from source: SQL, in realm: ID<Realm>) -> SQL {
        """
        INSERT INTO replay_guard (project_id, hash, expires_at)
        SELECT \(realm.project.rawValue), decode(k.hash, 'hex'), to_timestamp(k.expires_at) FROM \(source)
        """
    }
}
