internal import FoundationEssentials
public import Identity
internal import Postgres

/// A refresh token that a client has presented.
struct PresentedRefreshToken: Sendable {
    let session: UUID
    let counter: Int64
    /// Whether the policy rotates refresh tokens.
    let rotates: Bool
    /// How long a token is accepted after a newer one exists.
    let gracePeriod: Duration
    /// How far the time of the request is ahead of PostgreSQL's clock, by which grace periods are measured: several
    /// gateways rotate the tokens of a session, and their clocks may differ.
    let clockOffset: Duration
}

extension PostgresAccountStore {
    public func rotate(
        _ contents: RefreshTokenContents, by policy: Policy, at now: Instant, in realm: ID<Realm>
    ) async throws -> Rotation {
        let token = PresentedRefreshToken(
            session: try UUID(contents.session), counter: contents.counter, rotates: policy.rotatesRefreshTokens,
            gracePeriod: policy.refreshTokenGracePeriod, clockOffset: now.distanceFromMachineClock)
        return try await withStoreErrors {
            let attempt = try await rotations.run(token, in: realm)
            var row = attempt.row
            if row == nil, !attempt.waitsForLocks { row = try await pool.query(.rotate(token, in: realm)).first }
            if let row { return try Rotation(row) }
            guard let reason = try await pool.query(.reasonForNoRotation(of: token.session, in: realm)).first else {
                return .removed
            }
            return try reason.decode("is_disabled") ? .accountDisabled : .ended
        }
    }

    static var rotations: Batching<PresentedRefreshToken, UUID, RotationAttempt> {
        .writes(exclusiveKeys: { [$0.session] }) { tokens, realm in
            tokens.count == 1 ? .rotate(tokens[0], in: realm) : .rotate(tokens, in: realm)
        } outcomes: { tokens, rows in
            if tokens.count == 1 { return [RotationAttempt(row: rows.first, waitsForLocks: true)] }
            var found: [UUID: Row] = [:]
            for row in rows { found[try row.decode("session_id")] = row }
            return tokens.map { RotationAttempt(row: found[$0.session], waitsForLocks: false) }
        }
    }
}

/// The result of one attempt to rotate a token: to exchange it for the next refresh token of its session.
struct RotationAttempt: Sendable {
    /// `nil` if the session does not exist or has ended, or if the account is disabled.
    let row: Row?
    /// Whether the statement waits for locked sessions. If it does not, ``row`` is also `nil` for a session that
    /// another transaction has locked.
    let waitsForLocks: Bool
}

extension Rotation {
    /// - Parameter row: a result row of a rotation.
    fileprivate init(_ row: Row) throws {
        guard try !row.decode("is_stolen", as: Bool.self) else {
            self = .stolen
            return
        }
        let account = try AccountRow.account(row)
        self = .continues(
            try SessionRow.session(row, of: account), account, counter: try row.decode("counter"),
            accountIsFirstSeen: try row.decode("account_is_first_seen"))
    }
}

extension Instant {
    /// How far the time is ahead of the machine's clock. Close to zero for the time of `serve`; `dev` and tests set the
    /// time.
    var distanceFromMachineClock: Duration { self - .machineNow }
}
