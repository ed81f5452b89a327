/// A session as its owner sees it in a list.
public struct ListedSession: Hashable, Sendable {
    public let session: Session
    /// When its tokens were last renewed; at first, when it began.
    public let lastUsedAt: Instant

    public init(session: Session, lastUsedAt: Instant) {
        self.session = session
        self.lastUsedAt = lastUsedAt
    }
}

/// The sessions of one account, for the holder of one of them. Every call is one statement or one transaction. A write
/// throws ``StoreConflict`` if it was not applied. Every call may throw ``StoreUnavailable``.
public protocol SessionStore: Sendable {
    /// The active sessions of an account, most recently used first.
    func sessions(of account: ID<Account>, atMost limit: Int, in realm: ID<Realm>) async throws -> [ListedSession]

    /// Ends a session of the same account as `own`.
    ///
    /// - Throws: ``StoreConflict/notFound`` unless both sessions are alive and belong to the same account.
    func end(
        _ session: ID<Session>, by own: Session, of actor: AuditActor, at now: Instant, in realm: ID<Realm>
    ) async throws

    /// Ends every session of the account of `own`, including `own`.
    ///
    /// - Throws: ``StoreConflict/stale`` if `own` has ended.
    func endAll(by own: Session, of actor: AuditActor, at now: Instant, in realm: ID<Realm>) async throws
}
