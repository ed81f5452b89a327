internal import Identity
internal import Postgres

extension SQL {
    /// Links an identity with which a user signs in. Does nothing in three cases: the account already has an identity
    /// of the provider, the provider's issuer has changed, or the credential is void.
    static func link(
        _ identity: LinkedIdentity, unlessProviderIsLinkedTo account: Account, _ commit: SignInCommit,
        in realm: ID<Realm>
    ) -> SQL {
        """
        \(link(identity, to: account.id, at: commit.committedAt, in: realm)) \
        WHERE NOT EXISTS (SELECT FROM linked_identity l WHERE l.realm_id = \(realm.rawValue)
            AND l.account_id = \(account.id.rawValue) AND l.provider = \(identity.provider.rawValue))
            AND \(hasCurrentIssuer(commit.identity, in: realm)) AND \(hasValidCredential(commit.identity, in: realm))
        """
    }

    /// Links an identity. If no sign-in has verified the identity, and its provider is a generic OpenID provider, the
    /// identity gets the provider's current issuer. The caller may append a `WHERE` clause.
    static func link(
        _ identity: LinkedIdentity, to account: ID<Account>, at now: Instant, in realm: ID<Realm>
    ) -> SQL {
        var row = RowValues(identity)
        let issuer =
            identity.issuer == nil && identity.provider.isGenericOpenID
            ? issuer(of: "\(identity.provider.rawValue)", in: realm) : nil
        let insertion = insertIdentities(
            &row, \.self, withKey: ("\(identity.provider.rawValue)", "\(identity.subject)"), to: "\(account.rawValue)",
            issuer: issuer, at: "\(Timestamp(now))", in: realm)
        return "\(insertion) FROM \(row.source)"
    }

    /// Inserts the identities of `rows`. The caller appends the `FROM` clause.
    ///
    /// - Parameters:
    ///   - key: SQL expressions for the provider and the subject of each row.
    ///   - account: an SQL expression for the account ID of each row.
    ///   - issuer: an SQL expression for the issuer of each row; `nil` stores the issuers of the identities.
    ///   - now: an SQL expression for the time at which the identities are linked.
    static func insertIdentities<Row>(
        _ rows: inout RowValues<Row>, _ identity: (Row) -> LinkedIdentity, withKey key: (provider: SQL, subject: SQL),
        to account: SQL, issuer: SQL? = nil, at now: SQL, in realm: ID<Realm>
    ) -> SQL {
        """
        INSERT INTO linked_identity (\(insertedColumns))
        SELECT \(realm.rawValue), \(key.provider), \(key.subject), \(account),
            \(rows.column("linked_email") { identity($0).email?.rawValue }),
            \(rows.column("email_trust") { identity($0).emailTrust.rawValue }),
            \(rows.column("is_private_email") { identity($0).isPrivateEmail }),
            \(rows.column("given_name") { identity($0).profile.name?.given }),
            \(rows.column("family_name") { identity($0).profile.name?.family }),
            \(rows.column("display_name") { identity($0).profile.displayName }),
            \(rows.column("photo_url") { identity($0).profile.photoURL?.rawValue }),
            \(rows.column("screen_name") { identity($0).profile.screenName }),
            \(rows.column("language") { identity($0).profile.language }),
            \(rows.column("time_zone") { identity($0).profile.timeZone }),
            \(rows.column("real_user_status") { identity($0).realUserStatus })::bigint::smallint,
            \(rows.column("audience") { identity($0).audience }),
            \(issuer ?? rows.column("issuer") { identity($0).issuer }),
            \(rows.column("linked_device") { identity($0).linkedDevice }),
            \(rows.column("credential_state") { identity($0).credential?.state.rawValue }),
            \(rows.time("credential_checked_at") { identity($0).credential?.checkedAt }), \(now), \(now)
        """
    }

    /// Inserts the identities of imported accounts. The gateway has not verified these identities.
    ///
    /// - Parameter identities: the identities, each with its account and the time when it was linked.
    static func insertIdentities(
        _ identities: [(identity: LinkedIdentity, account: ID<Account>, linkedAt: Instant)], at now: Instant,
        in realm: ID<Realm>
    ) -> SQL {
        let all = identities.map(\.identity)
        let issuer: SQL =
            all.contains { $0.provider.isGenericOpenID } ? issuer(of: "u.provider", in: realm) : "NULL"
        return """
            INSERT INTO linked_identity (\(insertedColumns))
            SELECT \(realm.rawValue), u.provider, u.subject, u.account_id, u.email, \(EmailTrust.none.rawValue), false,
                NULL, NULL, u.display_name, u.photo_url, NULL, NULL, NULL, NULL, NULL, \(issuer),
                NULL, NULL, NULL, \(Timestamp(now)), u.linked_at
            FROM (SELECT unnest(\(all.map(\.provider.rawValue))), unnest(\(all.map(\.subject))),
                unnest(\(identities.map(\.account.rawValue))), unnest(\(all.map(\.email?.rawValue))),
                unnest(\(all.map(\.profile.displayName))), unnest(\(all.map(\.profile.photoURL?.rawValue))),
                unnest(\(identities.map { Timestamp($0.linkedAt) })))
                AS u (provider, subject, account_id, email, display_name, photo_url, linked_at)
            """
    }

    private static let insertedColumns: SQL = """
        realm_id, provider, subject, account_id, email, email_trust, is_private_email, given_name, family_name, \
        display_name, photo_url, screen_name, language, time_zone, real_user_status, audience, issuer, \
        linked_device, credential_state, credential_checked_at, created_at, linked_at
        """

    /// Updates the identity of a sign-in, if the common table expression `signed_in` has a row. Never replaces a stored
    /// given name, family name or display name.
    static func updateIdentity(_ identity: LinkedIdentity, in realm: ID<Realm>) -> SQL {
        """
        UPDATE linked_identity l SET email = \(identity.email?.rawValue), email_trust = \(identity.emailTrust.rawValue),
            is_private_email = \(identity.isPrivateEmail), given_name = coalesce(l.given_name, \(identity.profile.name?.given)),
            family_name = coalesce(l.family_name, \(identity.profile.name?.family)),
            display_name = coalesce(l.display_name, \(identity.profile.displayName)), photo_url = \(identity.profile.photoURL?.rawValue),
            screen_name = \(identity.profile.screenName), language = \(identity.profile.language),
            time_zone = \(identity.profile.timeZone), real_user_status = \(identity.realUserStatus)::bigint::smallint, audience = \(identity.audience),
            issuer = \(identity.issuer), \(assignments(of: identity.credential)),
            relay_forwarding = CASE WHEN \(keepsRelay(identity)) THEN l.relay_forwarding END,
            relay_forwarding_at = CASE WHEN \(keepsRelay(identity)) THEN l.relay_forwarding_at END
        FROM signed_in
        WHERE l.realm_id = \(realm.rawValue) AND l.provider = \(identity.provider.rawValue)
            AND l.subject = \(identity.subject)
        RETURNING 1
        """
    }

    /// A condition on the identity `l`: its stored state of Apple's email relay still applies after the sign-in. The
    /// state no longer applies if the address has changed, or if the user consents again after a revocation.
    private static func keepsRelay(_ identity: LinkedIdentity) -> SQL {
        """
        l.email IS NOT DISTINCT FROM \(identity.email?.rawValue)
            AND (l.credential_state IS DISTINCT FROM 'REVOKED' OR \(identity.credential?.state == .revoked))
        """
    }

    /// Assignments that store the credential status, unless a worker or a notification of Apple has stored a newer
    /// status.
    private static func assignments(of credential: CredentialStatus?) -> SQL {
        let time = credential.map { Timestamp($0.checkedAt) }
        let isNewer: SQL = "coalesce(l.credential_checked_at < \(time), \(time) IS NOT NULL)"
        return """
            credential_state = CASE WHEN \(isNewer) THEN \(credential?.state.rawValue) ELSE l.credential_state END,
            credential_checked_at = CASE WHEN \(isNewer) THEN \(time) ELSE l.credential_checked_at END
            """
    }

    /// - Parameter since: `nil` for all identities.
    /// - Returns: rows with the `provider` of the unlinked identities.
    static func unlink(from account: ID<Account>, linkedSince since: Instant?, in realm: ID<Realm>) -> SQL {
        """
        DELETE FROM linked_identity WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue)
            AND linked_at >= coalesce(\(since.map { Timestamp($0) }), '-infinity')
        RETURNING provider
        """
    }

    /// A condition: the provider's configured issuer is the issuer of the identity. A row lock prevents a change of the
    /// configuration until the transaction ends. Always true for a provider whose issuer cannot be configured.
    static func hasCurrentIssuer(_ identity: VerifiedIdentity, in realm: ID<Realm>) -> SQL {
        guard identity.provider.isGenericOpenID else { return "true" }
        return """
            EXISTS (SELECT FROM identity_provider i WHERE i.realm_id = \(realm.rawValue)
                AND i.provider = \(identity.provider.rawValue)
                AND i.settings #>> '{openId,issuer}' = \(identity.issuer) FOR SHARE)
            """
    }

    /// A subquery for the configured issuer of a generic OpenID provider. Identities that an administrator links or
    /// imports get this issuer.
    ///
    /// - Parameter provider: an SQL expression: a column or a parameter.
    static func issuer(of provider: SQL, in realm: ID<Realm>) -> SQL {
        """
        (SELECT i.settings #>> '{openId,issuer}' FROM identity_provider i
            WHERE i.realm_id = \(realm.rawValue) AND i.provider = \(provider) FOR SHARE)
        """
    }

    /// Deletes the account's identities of `providers`.
    ///
    /// - Returns: rows with the providers of the deleted identities.
    static func unlink(_ providers: Set<ProviderID>, from account: ID<Account>, in realm: ID<Realm>) -> SQL {
        """
        DELETE FROM linked_identity WHERE realm_id = \(realm.rawValue) AND account_id = \(account.rawValue)
            AND provider = ANY (\(providers.map(\.rawValue)))
        RETURNING provider
        """
    }
}

/// Conditions for credentials. A provider can make credentials void before they expire.
extension SQL {
    /// A condition: since the credential was issued, the user has neither disconnected the app nor deleted the account
    /// at the provider. Always true for a provider that does not state the time of issue.
    static func hasValidCredential(_ identity: VerifiedIdentity, in realm: ID<Realm>) -> SQL {
        identity.issuedAt == nil ? "true" : hasValidCredential(IdentityColumns(identity), in: realm)
    }

    /// The same condition for an identity whose values are SQL expressions. Also true if the time of issue is NULL.
    static func hasValidCredential(_ identity: IdentityColumns, in realm: ID<Realm>) -> SQL {
        """
        NOT EXISTS (SELECT FROM revoked_subject r WHERE r.realm_id = \(realm.rawValue)
            AND r.subject_hash = \(subjectHash(identity.subject, of: identity.provider))
            AND r.credentials_void_before > \(identity.issuedAt))
        """
    }

    /// An SQL expression for the digest that the table `revoked_subject` stores instead of a subject. A digest without
    /// a key suffices, because subjects are too long and random to be guessed.
    static func subjectHash(_ subject: SQL, of provider: SQL) -> SQL {
        "sha256(convert_to(\(provider) || chr(10) || \(subject), 'UTF8'))"
    }
}
