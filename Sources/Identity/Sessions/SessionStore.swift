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

/// The sessions of one account, for whoever shows one of them. Every call is one statement or one transaction, and may
/// throw ``StoreUnavailable``.
public protocol SessionStore: Sendable {
    /// The living sessions of an account, those used last first.
    func sessions(of account: ID<Account>, atMost limit: Int, in realm: ID<Realm>) async throws -> [ListedSession]

    /// Ends a session, if both it and `own` live and are of the same account.
    ///
    /// - Returns: whether it was ended.
    func end(
        _ session: ID<Session>, by own: Session, of actor: AuditActor, at now: Instant, in realm: ID<Realm>
    ) async throws -> Bool

    /// Ends every session of the account of `own`, itself included, if it lives.
    ///
    /// - Returns: whether they were ended.
    func endAll(
        by own: Session, of actor: AuditActor, at now: Instant, in realm: ID<Realm>
    ) async throws -> Bool
}
