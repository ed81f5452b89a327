/// Stores grants (authorization codes and tokens of Apple) for the workers that redeem, check and revoke them. Every
/// call is one statement or one transaction, unless its documentation says otherwise, and may throw
/// ``StoreUnavailable``.
public protocol AppleGrantStore: Sendable {
    /// Claims grants whose redemption or revocation is due. No other worker can claim them until `lease` has passed.
    func claimDueAttempts(
        for purpose: AppleGrant.Purpose, limit: Int, lease: Duration, at now: Instant
    ) async throws -> [AppleGrant]

    /// Stores the refresh token that the code of `grant` was exchanged for, and deletes earlier tokens of the same
    /// identity and client ID. If no account has the identity, marks the token to be revoked.
    ///
    /// There are two exceptions for a token of a sign-in in the browser. It is deleted instead of stored if a newer
    /// token of the identity is stored. It is deleted instead of revoked if the revocation might disconnect the user
    /// from an account of another realm with the same client ID.
    ///
    /// - Parameters:
    ///   - key: the team and private key that the token was obtained with.
    ///   - firstCheck: the time of the first check of the grant.
    func storeRefreshToken(
        _ grant: AppleGrant, token: [UInt8], obtainedWith key: AppleKeyName, firstCheck: Instant, at now: Instant
    ) async throws

    /// Postpones the next attempt. Does nothing if another worker has claimed the grant in the meantime.
    ///
    /// - Parameter failure: the reason, without any token.
    func postpone(_ grant: AppleGrant, until due: Instant, failure: String) async throws

    /// Postpones due revocations with the realm and client ID of `grant`, because they would fail for the same reason.
    /// Limited to one batch. If one has had fewer attempts than `grant`, it gets the number of attempts of `grant`.
    func postponeRevocations(
        withClientOf grant: AppleGrant, until due: Instant, failure: String, at now: Instant
    ) async throws

    /// Deletes a grant that was revoked or given up. Does nothing if, in the meantime, a token has replaced the code of
    /// the grant or another worker has claimed the grant.
    func remove(_ grant: AppleGrant) async throws

    /// The numbers of checks since `start`, by client ID.
    func checkCounts(since start: Instant) async throws -> [AppleClientReference: CheckCounts]

    /// Claims grants of a client ID whose check is due. A grant whose account was not used since `activityStart` is
    /// postponed until `nextCheck` instead. No other worker can claim the returned grants until `lease` has passed.
    func claimChecks(
        of client: AppleClientReference, limit: Int, lease: Duration, postponingInactiveSince activityStart: Instant,
        until nextCheck: Instant, at now: Instant
    ) async throws -> [AppleGrant]

    /// Stores the results of checks of one client ID, and the resulting credential states of the identities. The next
    /// check of these grants is at `nextCheck`. Skips grants that were replaced, revoked or unlinked in the meantime.
    func record(_ checks: [ID<AppleGrant>: RecordedCheck], nextCheck: Instant, at now: Instant) async throws

    /// Marks as ``AppleGrant/State/unknown`` the grants that were obtained with another team or private key than the
    /// current one. Marks as ``CredentialStatus/State/transferred`` the identities that were exported for a move to the
    /// current team. Works in many small statements. Rows that another transaction has locked are left for the next
    /// run.
    func markGrantsOfFormerTeamOrKey() async throws

    /// The states of an identity's grants.
    func states(of subject: String, in realm: ID<Realm>) async throws -> Set<AppleGrant.State>

    /// The number of grants in each state, by client ID. Reads all grants, in as many statements as needed: each reads
    /// a limited number.
    func grantCounts() async throws -> [AppleClientReference: [AppleGrant.State: Int]]

    /// Stores a code or token that the owner of an identity asks to revoke. A worker revokes it from
    /// ``RevocationRequest/dueAt`` on. Does nothing if the identity no longer exists.
    func insert(_ revocation: RevocationRequest, in realm: ID<Realm>) async throws

    /// Stores the refresh token that the code of a revocation was exchanged for.
    func replaceCode(_ grant: ID<AppleGrant>, by token: [UInt8]) async throws

    /// Updates the grants of an identity and client ID after a revocation that the identity's owner has requested and
    /// Apple has not rejected. The identity stays linked.
    ///
    /// If the request contained a code, its exchange has proved that it belongs to the identity. The grants become
    /// ``AppleGrant/State/revoked``, and those that are still ``AppleGrant/State/redeeming`` are deleted. If the
    /// request contained a token, nothing is proved, because Apple also accepts unknown tokens. The grants become
    /// ``AppleGrant/State/revoking``, so that workers revoke them.
    func applyRevocation(_ revocation: RevocationRequest, in realm: ID<Realm>) async throws
}

/// The IDs of the private key that signs client secrets for Apple, and of the key's team.
public struct AppleKeyName: Hashable, Sendable {
    public let teamID: String
    public let keyID: String

    public init(teamID: String, keyID: String) {
        self.teamID = teamID
        self.keyID = keyID
    }
}

/// The numbers of checks of a client ID within a period.
public struct CheckCounts: Hashable, Sendable {
    public var all: Int
    /// The checks with another result than ``RecordedCheck/authorized``; see ``RecordedCheck/isFailure``.
    public var failed: Int

    public init(all: Int = 0, failed: Int = 0) {
        self.all = all
        self.failed = failed
    }
}

/// The result of the daily check of a grant, as it is stored.
public enum RecordedCheck: Hashable, Sendable {
    case authorized
    /// Apple rejected the token, because the user has disconnected the app. `failure` is Apple's response.
    case revoked(failure: String)
    /// Apple reported nothing about the token, or its report is not trusted because too many checks fail. The state of
    /// the grant does not change.
    case failed(failure: String)
}

/// A request of an account's owner to revoke an Apple token, which disconnects the app.
public struct RevocationRequest: Hashable, Sendable {
    public let id: ID<AppleGrant>
    public let account: ID<Account>
    /// The session that sent the request. It does not end when Apple notifies the gateway of this revocation.
    public let session: ID<Session>
    public let subject: String
    public let clientID: String
    public let tokenType: AppleGrant.TokenType
    /// Encrypted, bound to ``id``.
    public let token: [UInt8]
    /// The redirect URI of the web flow that issued the code; `nil` for a native app, and for a token.
    public let redirectURI: String?
    public let requestedAt: Instant
    /// When a worker revokes the token, unless the request itself has revoked it.
    public let dueAt: Instant
    /// When the code expires; `nil` for a token.
    public let expiresAt: Instant?
    /// For the audit trail.
    public let trace: RequestTrace

    public init(
        id: ID<AppleGrant>, account: ID<Account>, session: ID<Session>, subject: String, clientID: String,
        tokenType: AppleGrant.TokenType, token: [UInt8], redirectURI: String? = nil, requestedAt: Instant,
        dueAt: Instant, expiresAt: Instant? = nil,
        trace: RequestTrace
    ) {
        self.id = id
        self.account = account
        self.session = session
        self.subject = subject
        self.clientID = clientID
        self.tokenType = tokenType
        self.token = token
        self.redirectURI = redirectURI
        self.requestedAt = requestedAt
        self.dueAt = dueAt
        self.expiresAt = expiresAt
        self.trace = trace
    }
}
