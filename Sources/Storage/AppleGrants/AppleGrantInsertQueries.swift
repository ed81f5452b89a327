internal import FoundationEssentials
internal import Identity
internal import Postgres

/// A new grant (an Apple token that the gateway stores, or the authorization code that is exchanged for it). A worker
/// later redeems the code, and stores or revokes the token.
private struct InsertedGrant {
    let id: UUID
    let token: SealedAppleToken
    let createdAt: Instant
    let dueAt: Instant
    let expiresAt: Instant?
    /// The position of the grant's sign-in in a batch, counted from 1.
    let signIn: Int

    /// - Parameter code: the authorization code of a sign-in. It is due at once.
    init(_ code: SealedAppleToken, ofSignIn signIn: Int = 1, at now: Instant) throws {
        (id, token, createdAt, dueAt, expiresAt) = (try UUID(code.id), code, now, now, code.expiresAt)
        self.signIn = signIn
    }

    /// - Parameter token: a refresh token that no sign-in has used yet. It is due when no sign-in can use it any more.
    init(unused token: SealedAppleToken, at now: Instant) throws {
        (id, self.token, createdAt, dueAt, expiresAt) = (try UUID(token.id), token, now, token.expiresAt, nil)
        signIn = 1
    }
}

extension SQL {
    /// Inserts the authorization code of a sign-in for each row of `source`.
    ///
    /// After a sign-in in a browser, `code` can contain a refresh token instead. The grant of this token was inserted
    /// earlier, and becomes due now. It does not change if the user or Apple has revoked the token in the meantime: the
    /// grant then waits to be revoked, or was deleted.
    ///
    /// - Returns: `nil` if there is no code, or if the code expired while the sign-in was pending.
    static func insertAppleGrant(
        for code: SealedAppleToken?, at now: Instant, in realm: ID<Realm>, forEachRowOf source: SQL
    ) throws -> SQL? {
        guard let code, now < code.expiresAt else { return nil }
        guard code.tokenType == .refreshToken else {
            var row = RowValues(try InsertedGrant(code, at: now))
            return "\(insert(&row, in: realm)) FROM \(source)"
        }
        return """
            UPDATE apple_grant SET due_at = \(Timestamp(now)) FROM \(source)
            WHERE apple_grant.id = \(try UUID(code.id)) AND apple_grant.state = 'REDEEMING'
            """
    }

    /// Inserts the authorization codes of a batch of sign-ins. None of the sign-ins may have a refresh token.
    ///
    /// - Parameters:
    ///   - codes: the code of each sign-in.
    ///   - source: a table expression with the alias `s`. Its column `number` is the position of the sign-in in
    ///     `codes`, counted from 1.
    /// - Returns: `nil` if no sign-in has a code that has not expired.
    static func insertAppleGrants(
        for codes: [(code: SealedAppleToken?, committedAt: Instant)], in realm: ID<Realm>, from source: SQL
    ) throws -> SQL? {
        let inserted = try codes.enumerated().compactMap { index, signIn in
            try signIn.code.flatMap { code in
                signIn.committedAt < code.expiresAt
                    ? try InsertedGrant(code, ofSignIn: index + 1, at: signIn.committedAt) : nil
            }
        }
        guard !inserted.isEmpty else { return nil }
        var rows = RowValues(batch: inserted, as: "c")
        let signIn = rows.column("sign_in", \.signIn)
        let insertion = insert(&rows, in: realm)
        return "\(insertion) FROM \(source) JOIN \(rows.source) ON \(signIn) = s.number"
    }

    /// Inserts a refresh token that a sign-in may still use. It becomes due when no sign-in can use it any more. Unlike
    /// a code, it does not expire then: a worker stores or revokes it (see ``AppleGrant/revocationLifetime``).
    static func insertUnusedAppleToken(_ token: SealedAppleToken, at now: Instant, in realm: ID<Realm>) throws -> SQL {
        var row = RowValues(try InsertedGrant(unused: token, at: now))
        return insert(&row, in: realm)
    }

    private static func insert(_ rows: inout RowValues<InsertedGrant>, in realm: ID<Realm>) -> SQL {
        """
        INSERT INTO apple_grant (id, realm_id, subject, client_id, state, token_type, token, redirect_uri,
            created_at, due_at, expires_at)
        SELECT \(rows.column("grant_id", \.id)), \(realm.rawValue), \(rows.column("subject", \.token.subject)),
            \(rows.column("client_id", \.token.clientID)), \(AppleGrant.State.redeeming.rawValue),
            \(rows.column("token_type", \.token.tokenType.rawValue)), \(rows.bytes("token", \.token.ciphertext)),
            \(rows.column("redirect_uri", \.token.redirectURI)), \(rows.time("created_at", \.createdAt)),
            \(rows.time("due_at", \.dueAt)), \(rows.time("expires_at", \.expiresAt))
        """
    }
}
