import Identity

/// Knows of no session.
struct FakeSessionStore: SessionStore {
    func sessions(of account: ID<Account>, atMost limit: Int, in project: ID<Realm>) async throws -> [ListedSession] {
        []
    }

    func end(
        _ session: ID<Session>, by own: Session, of actor: AuditActor, at now: Instant, in project: ID<Realm>
    ) async throws -> Bool { false }

    func endAll(
        by own: Session, of actor: AuditActor, at now: Instant, in project: ID<Realm>
    ) async throws -> Bool { false }
}
