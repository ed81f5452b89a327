import FoundationEssentials
import Storage
import Support

@testable import Identity

/// A store with one account and one session. The account is anonymous unless `email` is set.
struct StoreFixture: Sendable {
    let database: TestDatabase
    let store: PostgresAccountStore
    let realm = ID<Realm>("demo")
    let start = Instant(seconds: 1_800_000_000)
    let account: Account
    let session: Session

    init(email: String? = nil, passwordHash: String? = nil) async throws {
        database = try TestDatabase()
        store = PostgresAccountStore(pool: database.pool)
        let session = NewSession.fresh(of: "ada", at: start)
        self.session = session.session
        let new = StoredAccount(
            new: ID("ada"), email: email.flatMap(EmailAddress.init), passwordHash: passwordHash, at: start)
        account = new.account
        try await store.create(new, opening: session, in: realm)
    }
}

extension NewSession {
    /// A session with a password, of a random ID.
    static func fresh(of account: String, generation: Int64 = 1, at now: Instant) -> NewSession {
        let session = Session(
            id: ID(UUID().uuidString.lowercased()), account: ID(account), generation: generation, method: .password,
            authenticatedAt: now, device: nil)
        return NewSession(toOpen: session, at: now, networkHash: nil, credentialIssuedAt: nil, sessionLimit: 0)
    }
}

extension IDTokenContents {
    init(of session: Session) { self.init(account: session.account, session: session.id) }
}
