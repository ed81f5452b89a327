internal import FoundationEssentials
public import Identity
public import Postgres

/// ``AppleNotificationStore`` on PostgreSQL, which applies Apple's events about users. Locks the account's row before
/// the identity's, as a sign-in and a deletion do. Each of them thus sees an event completely or not at all.
public struct PostgresAppleNotificationStore: AppleNotificationStore {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public func realms(ofClient clientID: String, in project: ID<Project>?) async throws -> [ID<Realm>] {
        try await withStoreErrors { try await pool.query(.realms(ofAppleClient: "\(clientID)", in: project)) }
            .map { ID(try $0.decode("id")) }
    }

    public func facts(about event: AppleEvent, in realm: ID<Realm>) async throws -> AppleEventFacts? {
        try await withStoreErrors {
            try await pool.query(.appleFacts(about: event.subject, locking: false, in: realm))
        }.first.map(AppleEventFacts.init)
    }

    public func apply(_ commit: AppleEventCommit, in realm: ID<Realm>) async throws {
        try await withStoreErrors {
            try await pool.transaction { try await $0.apply(commit, in: realm) }
        }
    }
}

extension Transaction {
    fileprivate func apply(_ commit: AppleEventCommit, in realm: ID<Realm>) async throws {
        let event = commit.event
        _ = try await execute(.lockSubject(event.subject, of: .apple, in: realm))
        if let account = commit.facts?.account.id { _ = try await execute(.lock([account], in: realm)) }
        _ = try await execute(.insertReplayKey(of: event, in: realm))
        if event.voidsCredentials { _ = try await execute(.rememberVoidTime(by: event, in: realm)) }
        let facts = try await query(.appleFacts(about: event.subject, locking: true, in: realm)).first
            .map(AppleEventFacts.init)
        guard facts == commit.facts else { throw StoreConflict.stale }
        guard let account = facts?.account, let decision = commit.decision else {
            // No account has the identity, but a browser sign-in that is in progress may have stored a refresh token.
            if event.voidsCredentials { try await discardGrants(of: event.subject, before: event.cutoff, in: realm) }
            return
        }
        if event.voidsCredentials {
            _ = try await execute(.raiseVoidTime(ofIdentity: event.subject, to: event.cutoff, in: realm))
        }
        if decision.revokesGrants { try await discardGrants(of: event.subject, before: event.cutoff, in: realm) }
        if case .end(let excluded) = decision.sessions {
            _ = try await execute(
                .endAppleSessions(
                    of: account.id, before: event.cutoff, except: excluded, at: event.receivedAt, in: realm))
        }
        try await apply(decision.change, of: event, to: account, in: realm)
        try await record(commit.events, by: commit.recording, at: event.receivedAt, in: realm)
        try await enqueue(commit.emailBatch, in: realm)
    }

    /// Deletes the subject's grants (stored tokens of Apple) that are not redeemed yet, and marks the others as
    /// revoked. Grants from `cutoff` on do not change.
    private func discardGrants(of subject: String, before cutoff: Instant, in realm: ID<Realm>) async throws {
        _ = try await execute(.deleteRedeemingGrants(of: subject, before: cutoff, in: realm))
        _ = try await execute(.revokeGrants(of: subject, before: cutoff, in: realm))
    }

    /// Applies an event about `subject` that was received before the account had an identity with this subject. The
    /// kind of the event is not stored. Therefore the identity stays linked, and is marked as revoked until the next
    /// sign-in. The caller must have locked the subject.
    func applyEarlierEvent(
        about subject: String, to account: ID<Account>, recording: EventRecording, at now: Instant, in realm: ID<Realm>
    ) async throws {
        guard let row = try await query(.voidTime(of: subject, in: realm)).first else { return }
        let cutoff = Instant(try row.decode("credentials_void_before"))
        _ = try await execute(.raiseVoidTime(ofIdentity: subject, to: cutoff, in: realm))
        // The event occurred within the second before `cutoff`.
        _ = try await execute(.markIdentityRevoked(subject, at: cutoff - .seconds(1), in: realm))
        try await discardGrants(of: subject, before: cutoff, in: realm)
        _ = try await execute(.endAppleSessions(of: account, before: cutoff, except: nil, at: now, in: realm))
        try await record(
            AccountEvent.applyingEarlierAppleEvent(to: account), by: recording.bySystem, at: now, in: realm)
    }

    private func apply(
        _ change: AppleEventDecision.Change, of event: AppleEvent, to account: Account, in realm: ID<Realm>
    ) async throws {
        let now = event.receivedAt
        switch change {
        case .none: break
        case .setForwarding(let forwards): _ = try await execute(.setForwarding(forwards, by: event, in: realm))
        case .revoke:
            _ = try await execute(.markIdentityRevoked(event.subject, at: event.occurredAt, in: realm))
        case .unlink(let remaining):
            _ = try await execute(.unlinkIdentity(of: event, in: realm))
            try await endSessions(of: [account.id], openedThrough: [.apple], except: nil, at: now, in: realm)
            try await storePrimaryEmail(of: remaining, ifChangedFrom: account, at: now, in: realm)
        }
    }
}

extension AppleEventFacts {
    fileprivate init(_ row: Row) throws {
        self.init(
            account: try AccountRow.account(row),
            credentialIssuedAt: try row.decode("credential_issued_at", as: Timestamp?.self).map(Instant.init),
            tokensRevokedAt: try row.decode("tokens_revoked_at", as: Timestamp?.self).map(Instant.init),
            tokensRevokedBy: try row.decode("tokens_revoked_by", as: UUID?.self).map { ID(uuid: $0) },
            forwardingChangedAt: try row.decode("relay_forwarding_at", as: Timestamp?.self).map(Instant.init))
    }
}
