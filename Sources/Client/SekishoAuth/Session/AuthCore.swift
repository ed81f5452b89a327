internal import Foundation

/// The state of an ``Auth`` instance at one server: current user, stored session, observers.
///
/// Each server has its own core, and a user belongs to one core. So the tokens of one server are never sent to another,
/// even if a request is in progress when ``Auth/useEmulator(withHost:port:)`` changes the server.
///
/// Every change runs under one lock. A sign-in and a sign-out change the store first, then the user. A change of tokens
/// or profile changes the user first, because the gateway has already made the change. The observers are notified last.
final class AuthCore: Sendable {
    struct State {
        var restoration = Restoration.pending
        var user: User?
        var tenantID: String?
        var languageCode: String?
        /// Whether the store has an older session than memory, because a write failed.
        var needsSave = false
        /// The stored item, as this process has last read or written it.
        var item: Data?
        /// ``StoredSession/generation`` of the tokens in memory.
        var generation = 0
        /// ``StoredSession/refreshClaims`` of the latest item.
        var refreshClaims: [RefreshClaim] = []
        var observers: [Int: Observer] = [:]
        var nextObserverID = 0
        var proactiveRefresh: Task<Void, Never>?
        var hasStoppedProactiveRefreshes = false
    }

    enum Restoration: Equatable {
        /// The store has not been read yet, or is locked.
        case pending
        /// The store failed, or its item is in a format that this version cannot read. No user is signed in until the
        /// item can be read or a user signs in. The item is kept until a sign-in or a sign-out.
        case failed
        case done
    }

    let appName: String
    let options: SekishoOptions
    let server: URL
    let gatewayClock: GatewayClock
    let state: Locked<State>
    /// Prevents concurrent calls from creating several anonymous accounts.
    let anonymousSignInQueue = SerialTaskQueue()
    private let owner: Locked<Owner>
    /// Identifies the claims of this instance.
    let claimOwner = UUID().uuidString

    init(appName: String, options: SekishoOptions) {
        self.appName = appName
        self.options = options
        server = options.url
        owner = Locked(Owner())
        gatewayClock = GatewayClock(options.clock)
        state = Locked(State(tenantID: options.tenantID))
        observeSystem()
    }

    /// Takes over the settings and the observers of another core, and stops that core's proactive refreshes.
    init(emulator: URL, replacing previous: AuthCore) {
        appName = previous.appName
        options = previous.options
        server = emulator
        owner = previous.owner
        gatewayClock = GatewayClock(options.clock)
        state = Locked(
            previous.state.withLock { previous in
                var state = State(tenantID: previous.tenantID)
                state.languageCode = previous.languageCode
                // Each observer is notified of the user at this server, because `lastNotified` is not copied.
                state.observers = previous.observers.mapValues { Observer(subject: $0.subject, delivery: $0.delivery) }
                state.nextObserverID = previous.nextObserverID
                previous.observers = [:]
                return state
            })
        previous.stopProactiveRefreshes()
        observeSystem()
    }

    private struct Owner: Sendable {
        weak var auth: Auth?
    }

    /// The instance whose state this is; a new one with this state if the app has released it.
    var auth: Auth { owner.withLock(\.auth) ?? Auth(core: self) }

    func setOwner(_ auth: Auth) { owner.withLock { $0.auth = auth } }

    /// Restores the session if that has not been done, then reads or changes the state.
    func withState<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { state in
            restore(&state)
            return try body(&state)
        }
    }

    func restoreIfNeeded() { withState { _ in } }

    var currentUser: User? { withState(\.user) }

    var sessionKey: SessionKey {
        SessionKey(app: appName, server: server, apiKey: options.apiKey, tenantID: options.tenantID)
    }

    /// - Throws: ``AuthErrorCode/invalidUserToken`` for a user of another gateway, whose tokens must not be sent to
    ///   this one.
    func requireSameServer(_ user: User) throws {
        guard user.core.server == server else {
            throw AuthErrorCode.invalidUserToken.with("The user belongs to another gateway.")
        }
    }

    /// Stops proactive refreshes for good.
    func stopProactiveRefreshes() {
        state.withLock { state in
            state.hasStoppedProactiveRefreshes = true
            state.proactiveRefresh?.cancel()
        }
    }

    // MARK: Restore

    private func restore(_ state: inout State) {
        guard state.restoration != .done else { return }
        let previous = state.restoration
        do {
            let key = sessionKey
            let item = try options.store.load(key.name)
            let stored = try item.flatMap { try StoredSession(decoding: $0, of: key) }
            state.restoration = .done
            state.item = item
            guard let stored else {
                if previous == .pending { notifyObservers(&state) }
                return
            }
            state.generation = stored.generation ?? 0
            state.refreshClaims = stored.refreshClaims ?? []
            setUser(from: stored.session, &state)
        } catch SessionStoreError.locked {
            state.restoration = .pending
        } catch {
            state.restoration = .failed
            if previous == .pending { notifyObservers(&state) }
        }
    }

    func setUser(from session: Session, _ state: inout State) {
        state.tenantID = session.tenantID ?? state.tenantID
        state.user = User(session, core: self)
        scheduleRefresh(&state)
        notifyObservers(&state)
    }
}
