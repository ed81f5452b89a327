internal import FoundationEssentials
public import Identity
public import Postgres

/// ``AppleGrantStore`` on PostgreSQL. It stores grants: Apple tokens, and codes that are exchanged for them. Row locks
/// prevent two workers from claiming the same grant.
public struct PostgresAppleGrantStore: AppleGrantStore {
    let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public func claimDueAttempts(
        for purpose: AppleGrant.Purpose, limit: Int, lease: Duration, at now: Instant
    ) async throws -> [AppleGrant] {
        let expiry = now + AppleGrant.revocationLifetime
        return try await withStoreErrors {
            try await pool.query(
                .claimDueAttempts(for: purpose, limit: limit, until: now + lease, expiringAt: expiry, at: now))
        }.map { try AppleGrant($0) }
    }

    /// Locks the identity, so that concurrent redemptions run one after the other: the later one deletes the grant of
    /// the earlier one. Only a refresh token of a sign-in in the browser can be unused or outdated, because such a
    /// token is stored before the sign-in.
    public func storeRefreshToken(
        _ grant: AppleGrant, token: [UInt8], obtainedWith key: AppleKeyName, firstCheck: Instant, at now: Instant
    ) async throws {
        let id = try UUID(grant.id)
        try await withStoreErrors {
            try await pool.transaction { transaction in
                _ = try await transaction.execute(.lockIdentity(ofGrant: id))
                if grant.tokenType == .refreshToken {
                    _ = try await transaction.execute(.revokeUnused(id, at: now))
                    _ = try await transaction.execute(.deleteUnused(id))
                    _ = try await transaction.execute(.deleteOutdated(id))
                }
                _ = try await transaction.execute(.deletePredecessors(of: id))
                _ = try await transaction.execute(
                    .storeRefreshToken(id, token: token, obtainedWith: key, firstCheck: firstCheck, at: now))
                _ = try await transaction.execute(
                    .authorize(identityOf: id, asOf: grant.tokenType == .code ? now : nil))
            }
        }
    }

    public func postpone(_ grant: AppleGrant, until due: Instant, failure: String) async throws {
        try await run(
            """
            UPDATE apple_grant g SET due_at = \(Timestamp(due)), failure = \(failure) WHERE \(try SQL.isClaimed(grant))
            """)
    }

    public func postponeRevocations(
        withClientOf grant: AppleGrant, until due: Instant, failure: String, at now: Instant
    ) async throws {
        try await run(.postponeRevocations(withClientOf: grant, until: due, failure: failure, at: now))
    }

    public func remove(_ grant: AppleGrant) async throws {
        try await run("DELETE FROM apple_grant g WHERE \(try SQL.isClaimed(grant))")
    }

    public func insert(_ revocation: RevocationRequest, in realm: ID<Realm>) async throws {
        try await run(.insert(revocation, in: realm))
    }

    public func replaceCode(_ grant: ID<AppleGrant>, by token: [UInt8]) async throws {
        try await run(
            """
            UPDATE apple_grant SET token_type = 'REFRESH_TOKEN', token = \(token), redirect_uri = NULL, expires_at = NULL
            WHERE id = \(try UUID(grant)) AND token_type = 'CODE'
            """)
    }

    public func applyRevocation(_ revocation: RevocationRequest, in realm: ID<Realm>) async throws {
        let effects =
            revocation.tokenType == .code
            ? try SQL.effects(ofCode: revocation, in: realm) : try SQL.effects(ofToken: revocation, in: realm)
        try await withStoreErrors {
            try await pool.transaction { transaction in
                for statement in effects { _ = try await transaction.execute(statement) }
                try await transaction.audit(
                    [AuditNote(.tokensRevoked, revocation.account, ["provider": ProviderID.apple.rawValue])],
                    by: .user(revocation.trace),
                    at: revocation.requestedAt, in: realm)
            }
        }
    }

    public func states(of subject: String, in realm: ID<Realm>) async throws -> Set<AppleGrant.State> {
        let found = try await rows(
            """
            SELECT DISTINCT state FROM apple_grant WHERE realm_id = \(realm.rawValue) AND subject = \(subject)
            """)
        return Set(try found.compactMap { AppleGrant.State(rawValue: try $0.decode("state")) })
    }

    public func grantCounts() async throws -> [AppleClientReference: [AppleGrant.State: Int]] {
        var counts: [AppleClientReference: [AppleGrant.State: Int]] = [:]
        var last: UUID?
        repeat {
            let page = try await rows(.counts(after: last, limit: Self.countPageSize))
            for row in page {
                guard let state = AppleGrant.State(rawValue: try row.decode("state")) else { continue }
                counts[try AppleClientReference(row), default: [:]][state, default: 0] += try row.decode(
                    "count", as: Int.self)
            }
            last = try page.first?.decode("page_end")
        } while last != nil
        return counts
    }

    /// The maximum number of rows that one statement counts.
    private static let countPageSize = 10_000

    func run(_ statement: SQL) async throws {
        _ = try await withStoreErrors { try await pool.execute(statement) }
    }

    func rows(_ statement: SQL) async throws -> [Row] {
        try await withStoreErrors { try await pool.query(statement) }
    }
}

extension AppleGrant {
    /// The columns of a grant in the table `g`.
    static let columns: SQL = """
        g.id, g.realm_id, g.subject, g.client_id, g.state, g.token_type, g.token, g.redirect_uri, g.expires_at, \
        g.attempts
        """

    init(_ row: Row) throws {
        let (state, type) = (try row.decode("state", as: String.self), try row.decode("token_type", as: String.self))
        guard let state = State(rawValue: state), let type = TokenType(rawValue: type) else {
            throw UnknownAppleGrant(id: ID(uuid: try row.decode("id")), state: state, tokenType: type)
        }
        self.init(
            id: ID(uuid: try row.decode("id")), realm: ID(try row.decode("realm_id")),
            subject: try row.decode("subject"), clientID: try row.decode("client_id"), state: state, tokenType: type,
            token: try row.decode("token"), redirectURI: try row.decode("redirect_uri"),
            expiresAt: try row.decode("expires_at", as: Timestamp?.self).map(Instant.init),
            attempts: try row.decode("attempts"))
    }
}

/// The database contains a state or token type that this release does not know.
private struct UnknownAppleGrant: Error, CustomStringConvertible {
    let id: ID<AppleGrant>
    let state: String
    let tokenType: String

    var description: String {
        "table apple_grant, row \(id): unknown state \"\(state)\" or unknown token type \"\(tokenType)\""
    }
}
