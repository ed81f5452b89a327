public import Identity
public import Postgres

/// ``AppleNotificationStore`` on PostgreSQL. The account's row is locked first and then the identity's, as by a sign-in and
/// a deletion, so that each of these sees the event completely or not at all.
public struct PostgresAppleNotificationStore: AppleNotificationStore {
    private let pool: Pool

    public init(pool: Pool) {
        self.pool = pool
    }

    public func realms(ofClient clientID: String, in project: ID<Project>?) async throws -> [ID<Realm>] {
        try await withStoreErrors { try await pool.query(.realms(ofAppleClient: clientID, in: project)) }
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
        if let account = commit.facts?.account.id { _ = try await execute(.lock([account], in: realm)) }
        _ = try await execute(.receive(event, in: realm))
        if event.voidsCredentials { _ = try await execute(.voidCredentials(by: event, in: realm)) }
        let facts = try await query(.appleFacts(about: event.subject, locking: true, in: realm)).first
            .map(AppleEventFacts.init)
        guard facts == commit.facts else { throw StoreConflict.stale }
        guard let account = facts?.account, let decision = commit.decision else { return }
        if event.voidsCredentials { _ = try await execute(.voidIdentity(by: event, in: realm)) }
        if decision.revokesGrants {
            _ = try await execute(.dropCodes(before: event, in: realm))
            _ = try await execute(.revokeGrants(before: event, in: realm))
        }
        if decision.endsSessions { _ = try await execute(.endAppleSessions(of: account.id, before: event, in: realm)) }
        try await apply(decision.change, of: event, to: account, in: realm)
        if commit.leavesNoSignInMethod {
            let report = OutboxEvent(.signInMethodMissing, of: account.id)
            _ = try await execute(.insertOutboxEvent(report, at: event.receivedAt, in: realm))
        }
        try await audit(commit.notes, by: .system.tracing(commit.trace), at: event.receivedAt, in: realm)
        try await enqueue(commit.emailBatch, in: realm)
    }

    private func apply(
        _ change: AppleEventDecision.Change, of event: AppleEvent, to account: Account, in realm: ID<Realm>
    ) async throws {
        let now = event.receivedAt
        switch change {
        case .none: break
        case .setForwarding(let forwards): _ = try await execute(.setForwarding(forwards, by: event, in: realm))
        case .revoke:
            _ = try await execute(.markRevoked(by: event, in: realm))
            let news = OutboxEvent(.identityRevoked, of: account.id, provider: .apple)
            _ = try await execute(.insertOutboxEvent(news, at: now, in: realm))
        case .unlink(let remaining):
            _ = try await execute(.unlink(event, in: realm))
            try await endSessions(of: [account.id], openedThrough: [.apple], except: nil, at: now, in: realm)
            try await storePrimaryEmail(of: remaining, was: account, at: now, in: realm)
            let news = OutboxEvent(.identityUnlinked, of: account.id, provider: .apple)
            _ = try await execute(.insertOutboxEvent(news, at: now, in: realm))
        }
    }
}

extension AppleEventFacts {
    fileprivate init(_ row: Row) throws {
        self.init(
            account: try AccountRow.account(row),
            credentialIssuedAt: try row.decode("credential_issued_at", as: Timestamp?.self).map(Instant.init),
            tokensRevokedAt: try row.decode("tokens_revoked_at", as: Timestamp?.self).map(Instant.init),
            forwardingChangedAt: try row.decode("relay_forwarding_at", as: Timestamp?.self).map(Instant.init))
    }
}
