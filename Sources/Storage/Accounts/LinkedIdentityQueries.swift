internal import Identity
internal import Postgres

extension SQL {
    static func link(
        _ identity: LinkedIdentity, to account: ID<Account>, at now: Instant, in realm: ID<Realm>
    ) -> SQL {
        linking(identity, to: account, at: now, in: realm, from: "(VALUES (1)) v")
    }

    /// Links nothing if the account already has an identity of that provider, or if the provider has another issuer
    /// now.
    static func link(
        _ identity: LinkedIdentity, onceTo account: Account, _ entry: SignInCommit, in realm: ID<Realm>
    ) -> SQL {
        """
        \(linking(identity, to: account.id, at: entry.enteredAt, in: realm, from: "(VALUES (1)) v")) \
        WHERE NOT EXISTS (SELECT FROM linked_identity l WHERE l.project_id = \(realm.rawValue)
            AND l.account_id = \(account.id.rawValue) AND l.provider = \(identity.provider.rawValue))
            AND \(issuerStands(for: entry.identity, in: realm))
        """
    }

    /// Links once for each row of `source`, an earlier common table expression of the statement. An identity that no
    /// sign-in has verified gets the present issuer of its provider.
    static func linking(
        _ identity: LinkedIdentity, to account: ID<Account>, at now: Instant, in realm: ID<Realm>,
        from source: SQL
    ) -> SQL {
        let issuer: SQL =
            identity.issuer == nil && identity.provider.isGenericOpenID
            ? issuer(of: "\(identity.provider.rawValue)", in: realm) : "\(identity.issuer)"
        return """
            INSERT INTO linked_identity (project_id, provider, subject, account_id, email, email_trust, is_private_email,
                given_name, family_name, display_name, photo_url, real_user_status, audience, issuer,
                linked_device, created_at, linked_at)
            SELECT \(realm.rawValue), \(identity.provider.rawValue), \(identity.subject), \(account.rawValue),
                \(identity.email?.rawValue), \(identity.emailTrust.rawValue), \(identity.isPrivateEmail),
                \(identity.name?.given), \(identity.name?.family), \(identity.displayName), \(identity.photoURL),
                \(identity.realUserStatus)::bigint::smallint, \(identity.audience), \(issuer),
                \(identity.linkedDevice), \(Timestamp(now)), \(Timestamp(now)) FROM \(source)
            """
    }

    /// Keeps a name that a concurrent transaction stored first.
    static func remembering(_ identity: LinkedIdentity, in realm: ID<Realm>) -> SQL {
        """
        UPDATE linked_identity l SET email = \(identity.email?.rawValue), email_trust = \(identity.emailTrust.rawValue),
            is_private_email = \(identity.isPrivateEmail), given_name = coalesce(l.given_name, \(identity.name?.given)),
            family_name = coalesce(l.family_name, \(identity.name?.family)),
            display_name = coalesce(l.display_name, \(identity.displayName)), photo_url = \(identity.photoURL),
            real_user_status = \(identity.realUserStatus)::bigint::smallint, audience = \(identity.audience),
            issuer = \(identity.issuer)
        FROM signed_in
        WHERE l.project_id = \(realm.rawValue) AND l.provider = \(identity.provider.rawValue)
            AND l.subject = \(identity.subject)
        RETURNING 1
        """
    }

    static func unlinkAll(from account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        DELETE FROM linked_identity WHERE project_id = \(realm.rawValue) AND account_id = \(account.rawValue)
        """
    }

    /// - Returns: rows with the providers and subjects.
    static func unlink(_ providers: [ProviderID], from account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        DELETE FROM linked_identity WHERE project_id = \(realm.rawValue) AND account_id = \(account.rawValue)
            AND provider = ANY (\(providers.map(\.rawValue)))
        RETURNING provider, subject
        """
    }
}
