/// The grants, for the workers that redeem, check and revoke them. Every call is one statement or one transaction, and
/// may throw ``StoreUnavailable``.
public protocol AppleGrantStore: Sendable {
    /// Claims grants that wait. No other worker can claim them until `lease` has passed.
    func claimWaiting(for purpose: AppleGrant.Purpose, limit: Int, lease: Duration, at now: Instant) async throws
        -> [AppleGrant]

    /// Keeps the refresh token that the code of `grant` was exchanged for, in place of an earlier one of the same identity
    /// and client ID. If the identity was unlinked meanwhile, or never linked, the token waits to be revoked.
    ///
    /// - Parameters:
    ///   - key: what the token was obtained with.
    ///   - firstCheck: when the grant is checked first.
    func keep(_ grant: AppleGrant, token: [UInt8], obtainedWith key: AppleKeyName, firstCheck: Instant, at now: Instant)
        async throws

    /// Does nothing if another worker has claimed the grant since.
    ///
    /// - Parameter failure: the reason, without any token.
    func postpone(_ grant: AppleGrant, until due: Instant, failure: String) async throws

    /// Postpones many of the revocations that are due with the same client ID as `grant`, as if each had been attempted as
    /// often.
    func postponeRevocations(like grant: AppleGrant, until due: Instant, failure: String, at now: Instant) async throws

    /// Deletes a grant that was revoked, or given up, unless its token was replaced meanwhile or another worker has
    /// claimed it since.
    func remove(_ grant: AppleGrant) async throws

    /// The checks of the last hour, and the failed ones among them, by client ID.
    func checks(since start: Instant) async throws -> [AppleClientKey: CheckCounts]

    /// Claims grants of a client ID whose check is due. A grant whose account was not used since `activeSince`
    /// is put off until `nextCheck` instead. No other worker can claim them until `lease` has passed.
    func claimChecks(
        of client: AppleClientKey, limit: Int, lease: Duration, activeSince: Instant, nextCheck: Instant,
        at now: Instant
    ) async throws -> [AppleGrant]

    /// Stores the results of checks of one client ID, and the states of the identities that follow from them. Passes over
    /// grants that were replaced meanwhile.
    func record(_ checks: [ID<AppleGrant>: RecordedCheck], nextCheck: Instant, at now: Instant) async throws

    /// Marks grants ``AppleGrant/State/unknown`` that were obtained with another team or private key than the present
    /// one, and exported identities of the present team ``CredentialStatus/State/transferred``. Works in small
    /// transactions; what another transaction has locked waits for the next run.
    func markGrantsOfOtherKeys() async throws

    /// The states of an identity's grants.
    func states(of subject: String, in realm: ID<Realm>) async throws -> Set<AppleGrant.State>

    /// The number of grants in each state, by client ID. Reads all grants, a limited number in each statement.
    func counts() async throws -> [AppleClientKey: [AppleGrant.State: Int]]

    /// Stores a code or token that the owner of an identity sent to be revoked. A worker revokes it from `dueAt` on.
    func insert(_ revocation: RevocationRequest, in realm: ID<Realm>) async throws

    /// Stores the refresh token that the code of a revocation was exchanged for.
    func replaceCode(_ grant: ID<AppleGrant>, by token: [UInt8]) async throws

    /// Marks what a revocation by the owner of an identity ended; the identity stays. A code has proved the identity, so
    /// its grants of the same client ID are revoked. A token proves nothing, and Apple accepts unknown ones: then the
    /// stored tokens wait to be revoked themselves.
    func revoke(_ revocation: RevocationRequest, in realm: ID<Realm>) async throws
}

/// The team and the private key of a client secret.
public struct AppleKeyName: Hashable, Sendable {
    public let teamID: String
    public let keyID: String

    public init(teamID: String, keyID: String) {
        self.teamID = teamID
        self.keyID = keyID
    }
}

/// The checks of a client ID within some time.
public struct CheckCounts: Hashable, Sendable {
    public var all: Int
    public var failed: Int

    public init(all: Int = 0, failed: Int = 0) {
        self.all = all
        self.failed = failed
    }
}

/// What is stored of a check.
public enum RecordedCheck: Hashable, Sendable {
    case authorized
    /// Apple reports that the user has disconnected the app.
    case revoked(failure: String)
    /// Apple reported nothing about the token, or too many checks fail to trust the report. The state stays.
    case failed(failure: String)
}

/// A request of the owner to revoke a token, which disconnects the app.
public struct RevocationRequest: Hashable, Sendable {
    public let id: ID<AppleGrant>
    public let account: ID<Account>
    /// Does not end when Apple notifies the gateway of this revocation.
    public let session: ID<Session>
    public let subject: String
    public let clientID: String
    public let tokenType: AppleGrant.TokenType
    /// Encrypted, bound to ``id``.
    public let token: [UInt8]
    /// Of the web flow that issued a code.
    public let redirectURI: String?
    public let requestedAt: Instant
    /// When a worker revokes the token, if the request has not.
    public let dueAt: Instant
    /// Of a code.
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
