import FoundationEssentials
import Identity
import Postgres
import Support

@testable import Storage

/// An account with an Apple identity, and the store of its grants.
struct AppleGrantFixture: Sendable {
    static let subject = "001234.ada"
    static let client = "com.example.app"
    static let key = AppleKeyName(teamID: "TEAM123456", keyID: "KEY1234567")

    let accounts: StoreFixture
    let store: PostgresAppleGrantStore
    var pool: Pool { accounts.database.pool }
    var now: Instant { accounts.start }
    var realm: ID<Realm> { accounts.realm }

    init() async throws {
        accounts = try await StoreFixture(email: "ada@example.org")
        store = PostgresAppleGrantStore(pool: accounts.database.pool)
        try await pool.execute(
            """
            INSERT INTO realm (id, number, name, profile, created_at)
            VALUES ('demo', 1, 'Demo', 'sekisho', \(Timestamp(now)))
            """)
        try await configure(Self.key)
        try await pool.execute(
            """
            INSERT INTO linked_identity (realm_id, provider, subject, account_id, created_at)
            VALUES ('demo', 'apple.com', \(Self.subject), 'ada', \(Timestamp(now)))
            """)
    }

    /// Configures the project's Apple team and key ID.
    func configure(_ key: AppleKeyName) async throws {
        let settings = #"{"apple": {"teamId": "\#(key.teamID)", "keyId": "\#(key.keyID)"}}"#
        try await pool.execute(
            """
            INSERT INTO identity_provider (realm_id, provider, settings, updated_at)
            VALUES ('demo', 'apple.com', \(settings)::jsonb, \(Timestamp(now)))
            ON CONFLICT (realm_id, provider) DO UPDATE SET settings = excluded.settings
            """)
    }

    /// Inserts an authorization code, as a sign-in stores it.
    ///
    /// - Parameter code: the only byte of the encrypted code.
    func insertCode(byte code: UInt8 = 1, client: String = client) async throws {
        let sealed = SealedAppleToken(
            id: ID(UUID().uuidString.lowercased()), subject: Self.subject, clientID: client, ciphertext: [code],
            redirectURI: nil, expiresAt: now + AuthorizationCode.lifetime)
        guard let statement = try SQL.insertAppleGrant(for: sealed, at: now, in: realm, forEachRowOf: .singleRow) else {
            return
        }
        try await pool.execute(statement)
    }

    /// Inserts a grant with a refresh token, whose first check is due after a day.
    ///
    /// - Parameter token: the only byte of the encrypted token.
    @discardableResult
    func insertGrant(byte token: UInt8 = 2, client: String = client) async throws -> AppleGrant {
        try await insertCode(client: client)
        let claimed = try await claimAttempts()
        try await store.storeRefreshToken(
            claimed[0], token: [token], obtainedWith: Self.key, firstCheck: now + AppleGrant.checkInterval, at: now)
        return claimed[0]
    }

    /// Claims at most ten grants to redeem and ten to revoke, with a lease of 30 seconds.
    func claimAttempts(after delay: Duration = .zero) async throws -> [AppleGrant] {
        var claimed: [AppleGrant] = []
        for purpose in AppleGrant.Purpose.allCases {
            claimed += try await store.claimDueAttempts(for: purpose, limit: 10, lease: .seconds(30), at: now + delay)
        }
        return claimed
    }

    /// Claims grants whose check is due, and postpones checks of unused accounts.
    func claimChecks(
        _ limit: Int = 10, of client: String = client, after delay: Duration = AppleGrant.checkInterval
    ) async throws -> [AppleGrant] {
        let time = now + delay
        return try await store.claimChecks(
            of: AppleClientReference(realm: realm, clientID: client), limit: limit, lease: .seconds(30),
            postponingInactiveSince: time - AppleGrant.activityWindow, until: time + AppleGrant.checkInterval, at: time)
    }

    /// The state, token type, subject and token (in hexadecimal) of each grant.
    func grantLines() async throws -> [String] {
        try await pool.query(
            """
            SELECT concat_ws(' ', state, token_type, coalesce(subject, '-'), encode(token, 'hex')) AS line
            FROM apple_grant ORDER BY line
            """
        ).map { try $0.decode("line") }
    }

    /// The credential state of the account's Apple identity; `nil` if none is stored.
    func credentialStatus() async throws -> CredentialStatus? {
        try await pool.query(.find([.id(accounts.account.id)], in: realm)).first
            .flatMap { try AccountRow.account($0).identities.first?.credential }
    }
}
