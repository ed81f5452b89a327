internal import FoundationEssentials
internal import Identity
internal import Postgres

/// An event about an account in the table `outbox`, for future webhooks. Nothing reads the table yet. Events contain
/// identifiers, but no addresses and no names.
struct OutboxEvent {
    enum Kind: String {
        case identityLinked = "identity.linked"
        case identityUnlinked = "identity.unlinked"
        case identityRevoked = "identity.revoked"
        case signInMethodMissing = "account.sign-in-method-missing"
        case accountReclaimed = "account.reclaimed"
        case emailDisavowed = "email.disavowed"
        case accountDeleted = "account.deleted"
        case accountMerged = "account.merged"
        case accountMergeUndone = "account.merge-undone"
    }

    let kind: Kind
    let account: ID<Account>
    var provider: ProviderID?
    /// For a merge or an undone merge: the merge's source, which was merged into `account` or is restored. For an
    /// identity that was moved to `account`: the account that had the identity before.
    var source: ID<Account>?

    init(_ kind: Kind, of account: ID<Account>, provider: ProviderID? = nil, source: ID<Account>? = nil) {
        self.kind = kind
        self.account = account
        self.provider = provider
        self.source = source
    }
}

extension SQL {
    static func insertOutboxEvent(_ event: OutboxEvent, at now: Instant, in realm: ID<Realm>) -> SQL {
        """
        INSERT INTO outbox (id, realm_id, kind, account_id, detail, created_at)
        VALUES (\(UUID()), \(realm.rawValue), \(event.kind.rawValue), \(event.account.rawValue),
            \(detail(of: event)), \(Timestamp(now)))
        """
    }

    /// Inserts one event about an identity of `provider` for each of `accounts`.
    static func insertOutboxEvents(
        _ kind: OutboxEvent.Kind, of accounts: [ID<Account>], _ provider: ProviderID, at now: Instant,
        in realm: ID<Realm>
    ) -> SQL {
        """
        INSERT INTO outbox (id, realm_id, kind, account_id, detail, created_at)
        SELECT gen_random_uuid(), \(realm.rawValue), \(kind.rawValue), a.id,
            jsonb_build_object('provider', \(provider.rawValue)::text), \(Timestamp(now))
        FROM unnest(\(accounts.map(\.rawValue))) AS a (id)
        """
    }

    private static func detail(of event: OutboxEvent) -> SQL {
        """
        jsonb_strip_nulls(jsonb_build_object('provider', \(event.provider?.rawValue)::text,
            'source', \(event.source?.rawValue)::text))
        """
    }
}
