internal import FoundationEssentials
internal import Identity
internal import Postgres

extension Transaction {
    /// Inserts the batch's email action codes, and enqueues its emails. Drops a notice that exceeds the limit of
    /// ``OutgoingEmail/isLimitedToOnePerDay``.
    func enqueue(_ emailBatch: EmailBatch, in realm: ID<Realm>) async throws {
        for code in emailBatch.codes { _ = try await execute(.insert(code, in: realm, forEachRowOf: .singleRow)) }
        for email in emailBatch.emails {
            if email.isLimitedToOnePerDay, try await execute(.countNotice(email, in: realm)) == 0 { continue }
            _ = try await execute(.enqueue(email, in: realm, forEachRowOf: .singleRow))
        }
    }
}

extension SQL {
    /// Inserts an email action code once for each row of `source`.
    static func insert(_ code: OOBCode, in realm: ID<Realm>, forEachRowOf source: SQL) -> SQL {
        // The statement itself looks up the account of a sign-in code. Therefore the gateway does the same work whether
        // or not an account has the address.
        let account: SQL =
            code.purpose == .signIn
            ? "(SELECT a.id FROM account a WHERE a.realm_id = \(realm.rawValue) AND a.email = \(code.email.rawValue))"
            : "\(code.account?.rawValue)"
        return """
            INSERT INTO oob_code (hash, realm_id, purpose, account_id, generation, email, new_email, provider, subject,
                added_at, source_id, created_at, expires_at)
            SELECT \(code.hash), \(realm.rawValue), \(code.purpose.rawValue), \(account),
                \(code.generation), \(code.email.rawValue), \(code.newEmail?.rawValue),
                \(code.method?.provider.rawValue), \(code.method?.subject), \(code.method.map { Timestamp($0.addedAt) }),
                \(code.source?.rawValue),
                \(Timestamp(code.createdAt)), \(Timestamp(code.expiresAt))
            FROM \(source)
            """
    }

    /// Counts a notice of which an address gets at most one of each kind per day. The project and its tenants share the
    /// limit. Changes no row if the limit is reached.
    fileprivate static func countNotice(_ email: OutgoingEmail, in realm: ID<Realm>) -> SQL {
        let (key, now) = ("notice\n\(email.kind.rawValue)\n\(email.recipient)", Timestamp(email.createdAt))
        return """
            INSERT INTO replay_guard AS g (realm_id, hash, expires_at)
            VALUES (\(realm.project.rawValue), sha256(convert_to(\(key), 'UTF8')), \(now) + interval '1 day')
            ON CONFLICT (realm_id, hash) DO UPDATE SET expires_at = excluded.expires_at WHERE g.expires_at <= \(now)
            """
    }

    /// Enqueues the email once for each row of `source`.
    static func enqueue(_ email: OutgoingEmail, in realm: ID<Realm>, forEachRowOf source: SQL) throws -> SQL {
        """
        INSERT INTO outgoing_email (id, realm_id, kind, account_id, recipient, language, content, created_at, due_at,
            expires_at)
        SELECT \(try UUID(email.id)), \(realm.rawValue), \(email.kind.rawValue), \(email.account?.rawValue),
            \(email.recipient.rawValue), \(language(of: email, in: realm)), \(email.content),
            \(Timestamp(email.createdAt)), \(Timestamp(email.createdAt)), \(Timestamp(email.expiresAt))
        FROM \(source)
        """
    }

    /// The language of the email: the requested one, otherwise that of the account, otherwise that of the request. An
    /// email that names no account gets the language of the account with its address; the work is the same if there is
    /// none.
    private static func language(of email: OutgoingEmail, in realm: ID<Realm>) -> SQL {
        let language: SQL = "\(email.language?.rawValue)::text"
        guard !email.isLanguageRequested else { return language }
        let account: SQL =
            if let account = email.account {
                "o.id = \(account.rawValue)"
            } else {
                "o.email = \(email.recipient.rawValue)"
            }
        return """
            coalesce((SELECT o.language FROM account o WHERE o.realm_id = \(realm.rawValue) AND \(account)), \(language))
            """
    }
}
