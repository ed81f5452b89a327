import Identity
import Synchronization

/// Keeps just enough to give the endpoints something to answer. What accounts do is tested on PostgreSQL.
final class FakeStore: AccountStore {
    struct State {
        var accounts: [ID<Account>: Account] = [:]
        var sessions: [ID<Session>: Session] = [:]
        var changes: [AccountChange] = []
        /// Thrown by every call instead of an answer.
        var failure: (any Error)?
    }

    private let state: Mutex<State>

    init(accounts: [Account] = [], failure: (any Error)? = nil) {
        var state = State(failure: failure)
        for account in accounts { state.accounts[account.id] = account }
        self.state = Mutex(state)
    }

    var changes: [AccountChange] { state.withLock { $0.changes } }

    func open(_ session: Session) {
        state.withLock { $0.sessions[session.id] = session }
    }

    private func attempt<Value: Sendable>(_ body: (inout State) -> Value) throws -> Value {
        try state.withLock {
            if let failure = $0.failure { throw failure }
            return body(&$0)
        }
    }

    func create(_ account: NewAccount, opening session: Session, in project: ID<Realm>) async throws -> Creation {
        try attempt { state in
            let created = Account(account)
            state.accounts[created.id] = created
            state.sessions[session.id] = session
            return .created(created)
        }
    }

    func holder(of email: EmailAddress, in project: ID<Realm>) async throws -> EmailHolder? {
        try attempt { state in
            state.accounts.values.first { $0.email == email }.map { EmailHolder(account: $0, passwordHash: "hash") }
        }
    }

    func hadSession(
        _ email: EmailAddress, from places: [[UInt8]], since: Instant, in project: ID<Realm>
    ) async throws -> Bool {
        try attempt { _ in false }
    }

    func open(_ session: Session, rehashed: String?, in project: ID<Realm>) async throws -> Bool {
        try attempt { $0.sessions[session.id] = session }
        return true
    }

    func enter(_ session: Session, vouchedAt: Instant?, in project: ID<Realm>) async throws -> Entry {
        try attempt { state in
            let known = state.accounts[session.account]
            let account = known ?? Account(NewAccount(id: session.account, createdAt: session.authenticatedAt))
            state.accounts[account.id] = account
            state.sessions[session.id] = session
            return .entered(account, session, isNew: known == nil)
        }
    }

    func find(_ claim: IDTokenClaim, in project: ID<Realm>) async throws -> FoundSession? {
        try attempt { state in
            state.accounts[claim.account].map { FoundSession(account: $0, session: state.sessions[claim.session]) }
        }
    }

    func rotate(
        _ claim: RefreshClaim, by policy: Policy, at now: Instant, in project: ID<Realm>
    ) async throws -> Rotation {
        try attempt { state in
            guard let session = state.sessions[claim.session], let account = state.accounts[session.account] else {
                return .unknown
            }
            return .goesOn(session, account, counter: claim.counter + 1)
        }
    }

    func update(_ change: AccountChange, by session: Session, in project: ID<Realm>) async throws -> Update {
        try attempt { state in
            state.changes.append(change)
            return state.accounts[session.account].map { .updated($0) } ?? .stale
        }
    }

    func delete(
        by session: Session, of actor: AuditActor, at now: Instant, emailBatch: EmailBatch, in project: ID<Realm>
    ) async throws -> Bool {
        try attempt { $0.accounts.removeValue(forKey: session.account) != nil }
    }
}
