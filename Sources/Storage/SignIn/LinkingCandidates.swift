public import Identity
internal import Postgres

/// The accounts that a sign-in with a verified identity may concern: the account that has the identity, and the account
/// that has its address.
struct LinkingCandidates: Sendable {
    /// Whether the credential that proves the identity is void: since it was issued, the user has disconnected the app
    /// at the provider. If so, both accounts are `nil`.
    var credentialIsVoid = false
    /// The account that has the identity.
    var owner: Account?
    /// The account that has the identity's address; it may be ``owner``.
    var sameEmail: Account?
}

extension PostgresFederationStore {
    public func linkingCandidates(
        for identity: VerifiedIdentity, in realm: ID<Realm>
    ) async throws -> (owner: Account?, sameEmail: Account?) {
        let found = try await withStoreErrors {
            guard identity.transferSubject == nil else {
                let rows = try await pool.read(.linkingCandidates(for: identity, in: realm))
                return try LinkingCandidates(rows, of: identity)
            }
            return try await candidates.run(identity, in: realm)
        }
        guard !found.credentialIsVoid else { throw ProviderRefusal.voidCredential }
        return (found.owner, found.sameEmail)
    }

    /// Finds the candidates for identities without a transfer subject (Apple's `transfer_sub`) in batches.
    static var candidates: Batching<VerifiedIdentity, Never, LinkingCandidates> {
        .reads { identities, realm in
            identities.count == 1
                ? .linkingCandidates(for: identities[0], in: realm) : .linkingCandidates(for: identities, in: realm)
        } outcomes: { identities, rows in
            if identities.count == 1 { return [try LinkingCandidates(rows, of: identities[0])] }
            var found = [LinkingCandidates](repeating: LinkingCandidates(), count: identities.count)
            for row in rows {
                let index = try row.decode("number", as: Int.self) - 1
                try found[index].add(row, of: identities[index])
            }
            return found
        }
    }
}

extension LinkingCandidates {
    fileprivate init(_ rows: [Row], of identity: VerifiedIdentity) throws {
        for row in rows { try add(row, of: identity) }
    }

    fileprivate mutating func add(_ row: Row, of identity: VerifiedIdentity) throws {
        if try row.decode("is_void") { credentialIsVoid = true }
        // If the identity has no candidate, the left join returns one row without an account.
        guard let isOwner = try row.decode("is_owner", as: Bool?.self) else { return }
        let account = try AccountRow.account(row)
        if isOwner { owner = account }
        if identity.email != nil, account.email == identity.email { sameEmail = account }
    }
}

/// SQL expressions for the values of a verified identity: parameters, or the columns of a batch.
struct IdentityColumns {
    let provider: SQL
    let subject: SQL
    let email: SQL
    /// When the provider issued the credential; NULL if credentials of the provider never become void.
    let issuedAt: SQL
}

extension IdentityColumns {
    init(_ identity: VerifiedIdentity) {
        var row = RowValues(identity)
        self.init(of: &row, \.self)
    }

    init<Row>(of rows: inout RowValues<Row>, _ identity: (Row) -> VerifiedIdentity) {
        self.init(
            provider: rows.column("provider") { identity($0).provider.rawValue },
            subject: rows.column("subject") { identity($0).subject },
            email: rows.column("email") { identity($0).email?.rawValue },
            issuedAt: rows.time("issued_at") { identity($0).issuedAt })
    }
}

extension SQL {
    /// Selects the candidates for one identity. Each row states whether the credential is void. If it is, the result is
    /// one row without an account.
    static func linkingCandidates(for identity: VerifiedIdentity, in realm: ID<Realm>) -> SQL {
        let columns = IdentityColumns(identity)
        let owner = owner(of: columns, transferredAs: identity.transferSubject, in: realm)
        let candidates = candidates(for: columns, owner: owner, in: realm)
        guard identity.issuedAt != nil else { return "SELECT c.*, false AS is_void FROM (\(candidates)) c" }
        return """
            SELECT c.*, v.is_void FROM (SELECT NOT (\(hasValidCredential(columns, in: realm))) AS is_void) v
            LEFT JOIN (\(candidates)) c ON NOT v.is_void
            """
    }

    /// Selects the candidates for several identities. The subqueries depend on each identity, so every plan reads the
    /// identities before the tables. See `SignInQueryPlanTests`.
    ///
    /// - Parameter identities: identities without transfer subjects.
    /// - Returns: rows with the `number` of the identity that they belong to, counted from 1.
    static func linkingCandidates(for identities: [VerifiedIdentity], in realm: ID<Realm>) -> SQL {
        var rows = RowValues(batch: identities, as: "p")
        let columns = IdentityColumns(of: &rows, \.self)
        let owner = owner(of: columns, transferredAs: nil, in: realm)
        return """
            SELECT p.number, v.is_void, c.* FROM \(rows.source)
            CROSS JOIN LATERAL (SELECT NOT (\(hasValidCredential(columns, in: realm))) AS is_void) v
            LEFT JOIN LATERAL (\(candidates(for: columns, owner: owner, in: realm))) c ON NOT v.is_void
            """
    }

    /// Selects the account that has the identity, and another account that has its address.
    ///
    /// - Parameter owner: a subquery for the ID of the account that has the identity.
    private static func candidates(for identity: IdentityColumns, owner: SQL, in realm: ID<Realm>) -> SQL {
        """
        SELECT true AS is_owner, \(AccountRow.columns) FROM account a
        WHERE a.realm_id = \(realm.rawValue) AND a.id = (\(owner))
        UNION ALL
        SELECT false, \(AccountRow.columns) FROM account a
        WHERE a.realm_id = \(realm.rawValue) AND a.email = \(identity.email) AND a.id IS DISTINCT FROM (\(owner))
        """
    }

    /// A subquery for the ID of the account that has the identity. If the identity moves to another Apple team: the
    /// account with the new subject or, if there is none, the account with the transfer subject.
    private static func owner(
        of identity: IdentityColumns, transferredAs transferSubject: String?, in realm: ID<Realm>
    ) -> SQL {
        let bySubject: SQL = """
            SELECT o.account_id FROM linked_identity o WHERE o.realm_id = \(realm.rawValue)
                AND o.provider = \(identity.provider) AND o.subject = \(identity.subject)
            """
        guard let transferSubject else { return bySubject }
        return """
            SELECT f.account_id FROM (
                SELECT 1 AS rank, s.account_id FROM (\(bySubject)) s
                UNION ALL
                SELECT 2, t.account_id FROM linked_identity t
                WHERE t.realm_id = \(realm.rawValue) AND t.transfer_sub = \(transferSubject)
                    AND t.transferred_at IS NULL AND t.provider = \(identity.provider)) f
            ORDER BY f.rank LIMIT 1
            """
    }
}
