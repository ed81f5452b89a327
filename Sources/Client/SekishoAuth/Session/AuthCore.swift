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
    /// Whether the server is a development server, which is used without TLS.
    let isEmulator: Bool
    let gatewayClock: GatewayClock
    let state: Locked<State>
    /// Prevents concurrent calls from creating several anonymous accounts.
    let anonymousSignInQueue = SerialTaskQueue()

    init(appName: String, options: SekishoOptions) {
        self.appName = appName
        self.options = options
        server = options.url
        isEmulator = false
        gatewayClock = GatewayClock(options.clock)
        state = Locked(State(tenantID: options.tenantID))
        observeSystem()
    }

    /// Takes over the settings and the observers of another core, and stops that core's proactive refreshes.
    init(emulator: URL, replacing previous: AuthCore) {
        appName = previous.appName
        options = previous.options
        server = emulator
        isEmulator = true
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
            let session = try item.flatMap { try StoredSession(decoding: $0, of: key)?.session }
            state.restoration = .done
            guard let session else {
                if previous == .pending { notifyObservers(&state) }
                return
            }
            setUser(from: session, &state)
        } catch SessionStoreError.locked {
            state.restoration = .pending
        } catch {
            state.restoration = .failed
            if previous == .pending { notifyObservers(&state) }
        }
    }

    private func setUser(from session: Session, _ state: inout State) {
        state.tenantID = session.tenantID ?? state.tenantID
        state.user = User(session, core: self)
        scheduleRefresh(&state)
        notifyObservers(&state)
    }

    // MARK: Changes of the user

    /// Stores a user's session and makes the user current.
    ///
    /// - Throws: ``AuthErrorCode/keychainError`` if the store fails. The current user is then unchanged.
    func storeAsCurrentUser(_ user: User) throws {
        try withState { state in
            try save(user.session.current)
            state.restoration = .done
            state.needsSave = false
            state.user = user
            scheduleRefresh(&state)
            notifyObservers(&state)
        }
    }

    /// Removes the stored session, then the user.
    ///
    /// - Parameter expected: the user to sign out (default: the current user). If it is set, the call keeps a different
    ///   user whom another process has signed in, and a stored item in a format that this version cannot read.
    /// - Throws: ``AuthErrorCode/keychainError`` if the store fails. The user then stays signed in.
    /// - Returns: the user who was signed out, if any.
    @discardableResult func signOut(_ expected: User? = nil) throws -> User? {
        try withState { state in
            let mayRemove = expected == nil || adoptStored(&state)
            let user = state.user
            if let expected, user !== expected { return nil }
            if mayRemove {
                do { try options.store.remove(sessionKey.name) } catch { throw Self.storeError(error) }
            }
            state.restoration = .done
            state.needsSave = false
            state.user = nil
            state.proactiveRefresh?.cancel()
            notifyObservers(&state)
            return user
        }
    }

    /// Changes a user's session in memory and in the store. If the store fails, the change is written later, because
    /// the gateway has already made it.
    func update(_ user: User, _ change: (inout Session) -> Void) {
        withState { state in
            // A write must not overwrite newer tokens, or another user, that another process has stored.
            let mayWrite = adoptStored(&state)
            user.session.withLock(change)
            guard state.user === user else { return }
            // A failed write is retried at the next use of the tokens.
            if mayWrite { state.needsSave = (try? save(user.session.current)) == nil }
            scheduleRefresh(&state)
            notifyObservers(&state)
        }
    }

    /// Retries a failed write, and overwrites whatever another process has stored since.
    ///
    /// The next refresh must wait for the write. If the stored refresh token were two refreshes old, the gateway would
    /// detect its reuse after a restart and end the session.
    ///
    /// - Throws: ``AuthErrorCode/keychainError`` if the store fails again.
    func saveIfNeeded(_ user: User) throws {
        try withState { state in
            guard state.needsSave, state.user === user else { return }
            try save(user.session.current)
            state.needsSave = false
        }
    }

    /// Adopts what another process has stored. See ``adoptStored(_:)``.
    func adoptStoredSession() { withState { _ = adoptStored(&$0) } }

    /// Adopts what another process has stored: another user or, for the same account, newer tokens or a
    /// ``ResumptionKey``.
    ///
    /// - Returns: whether the item may be replaced or removed: false if another process has signed the user out and
    ///   removed the item, or has stored an item in a format that this version cannot read.
    private func adoptStored(_ state: inout State) -> Bool {
        guard let user = state.user, !state.needsSave else { return true }
        let key = sessionKey
        let item: Data?
        do { item = try options.store.load(key.name) } catch { return true }
        guard let item else { return false }
        let session: Session?
        do { session = try StoredSession(decoding: item, of: key)?.session } catch { return false }
        guard let stored = session else { return true }
        let known = user.session.current
        if stored.profile.uid != known.profile.uid {
            setUser(from: stored, &state)
        } else if stored.tokens.refreshToken != known.tokens.refreshToken,
            stored.tokens.issuedAt >= known.tokens.issuedAt
        {
            user.session.withLock { $0 = stored }
            scheduleRefresh(&state)
            notifyObservers(&state)
        } else if stored.tokens.refreshToken == known.tokens.refreshToken, let resumptionKey = stored.resumptionKey {
            // The other process is waiting for the response to a request with this key.
            user.session.withLock { $0.resumptionKey = resumptionKey }
        }
        return true
    }

    private func save(_ session: Session) throws {
        let key = sessionKey
        do {
            try options.store.save(StoredSession(session, of: key).encoded, for: key.name)
        } catch { throw Self.storeError(error) }
    }

    /// Converts an error of a session store to the one that the app gets.
    static func storeError(_ error: any Error) -> AuthErrorCode {
        switch error as? SessionStoreError {
        case .locked: .keychainError.with("The session store is locked until the device is unlocked.")
        case .failed(let cause): .keychainError.with("The session store failed: \(cause).")
        case nil: .keychainError
        }
    }
}
