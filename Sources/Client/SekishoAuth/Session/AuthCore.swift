internal import Foundation

/// Owns the current user, the stored session and the observers of one instance at one server.
///
/// Each server has a core of its own, and a user belongs to one core. So no token of one server is sent to another, even
/// if a request is in progress when the server changes.
///
/// One lock orders every change: the store is written, then the user changes, then observers are queued.
final class AuthCore: Sendable {
    struct State {
        var restoration = Restoration.pending
        var user: User?
        var tenantID: String?
        var languageCode: String?
        /// The store has an older session than memory, because a write failed.
        var needsSave = false
        var observers: [Int: Observer] = [:]
        var nextObserver = 0
        var proactiveRefresh: Task<Void, Never>?
        /// Whether the core may do nothing without a call of the app.
        var isStopped = false
    }

    enum Restoration: Equatable {
        /// The store was not read yet, or it is locked.
        case pending
        /// The store failed. There is no user until it can be read, but its item is kept.
        case failed
        case done
    }

    let appName: String
    let options: SekishoOptions
    let server: URL
    /// Whether the server is a development server, which needs no TLS.
    let isEmulator: Bool
    let time: GatewayClock
    let state: Locked<State>
    /// Keeps parallel calls from creating several anonymous accounts.
    let anonymousSignIns = SerialGate()

    init(appName: String, options: SekishoOptions) {
        self.appName = appName
        self.options = options
        server = options.url
        isEmulator = false
        time = GatewayClock(options.clock)
        state = Locked(State(tenantID: options.tenantID))
        observeSystem()
    }

    /// Takes over the observers and the settings of another core, which then notifies no observer any more.
    init(emulator: URL, replacing former: AuthCore) {
        appName = former.appName
        options = former.options
        server = emulator
        isEmulator = true
        time = GatewayClock(options.clock)
        state = Locked(
            former.state.withLock { former in
                var state = State(tenantID: former.tenantID)
                state.languageCode = former.languageCode
                // Each is called once more, with the user of this server.
                state.observers = former.observers.mapValues { Observer(subject: $0.subject, delivery: $0.delivery) }
                state.nextObserver = former.nextObserver
                former.observers = [:]
                return state
            })
        former.stop()
        observeSystem()
    }

    /// Reads or changes the state after the restore, which the first caller performs.
    func withState<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { state in
            restore(&state)
            return try body(&state)
        }
    }

    var currentUser: User? { withState(\.user) }

    var key: SessionKey {
        SessionKey(app: appName, server: server, apiKey: options.apiKey, tenantID: options.tenantID)
    }

    /// Rejects a user of another gateway, because this one must not see the user's tokens.
    func requireSameServer(_ user: User) throws {
        guard user.core.server == server else {
            throw AuthErrorCode.invalidUserToken.with("The user belongs to another gateway.")
        }
    }

    /// Ends the work that runs without a call of the app.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            state.proactiveRefresh?.cancel()
        }
    }

    // MARK: Restore

    private func restore(_ state: inout State) {
        guard state.restoration != .done else { return }
        let former = state.restoration
        do {
            let key = key
            let item = try options.store.load(key.name)
            state.restoration = .done
            guard let session = item.flatMap({ StoredSession(decoding: $0, owner: key.owner)?.session }) else {
                if former == .pending { announce(&state) }
                return
            }
            useStored(session, &state)
        } catch SessionStoreError.locked {
            state.restoration = .pending
        } catch {
            state.restoration = .failed
            if former == .pending { announce(&state) }
        }
    }

    private func useStored(_ session: Session, _ state: inout State) {
        state.tenantID = session.tenantID ?? state.tenantID
        state.user = User(session, core: self)
        scheduleRefresh(&state)
        announce(&state)
    }

    // MARK: Changes of the user

    /// Makes a user current. The former user stays if the store fails.
    ///
    /// - Throws: ``AuthErrorCode/keychainError``.
    func signIn(_ user: User) throws {
        try withState { state in
            try save(user.session.current)
            state.restoration = .done
            state.needsSave = false
            state.user = user
            scheduleRefresh(&state)
            announce(&state)
        }
    }

    /// Removes the stored session, then the user.
    ///
    /// - Parameter expected: the only user to sign out. The item of another user, signed in by another process,
    ///   stays.
    /// - Throws: ``AuthErrorCode/keychainError``; the user then stays.
    /// - Returns: the user, or `nil` if there was none or another than expected.
    @discardableResult func signOut(_ expected: User? = nil) throws -> User? {
        try withState { state in
            if expected != nil { adoptStored(&state) }
            let user = state.user
            if let expected, user !== expected { return nil }
            do { try options.store.remove(key.name) } catch { throw Self.storeError(error) }
            state.restoration = .done
            state.needsSave = false
            state.user = nil
            state.proactiveRefresh?.cancel()
            announce(&state)
            return user
        }
    }

    /// Changes a user. If the store fails, the change is kept in memory and written later, because the gateway has
    /// already made it.
    func update(_ user: User, _ change: (inout Session) -> Void) {
        withState { state in
            // A write must not replace newer tokens, or another user, that another process has stored.
            let isStored = adoptStored(&state)
            user.session.withLock(change)
            guard state.user === user else { return }
            // A failed write is tried again at the next use of the tokens.
            if isStored { state.needsSave = (try? save(user.session.current)) == nil }
            scheduleRefresh(&state)
            announce(&state)
        }
    }

    /// Writes what an earlier failure left unwritten. A refresh must not go further ahead of the store: after a restart
    /// the gateway would take the older refresh token for a stolen one.
    ///
    /// - Throws: ``AuthErrorCode/keychainError``.
    func saveIfNeeded(_ user: User) throws {
        try withState { state in
            guard state.needsSave, state.user === user else { return }
            try save(user.session.current)
            state.needsSave = false
        }
    }

    /// Adopts what another process has stored.
    func adoptStoredSession() { withState { _ = adoptStored(&$0) } }

    /// Adopts what another process has stored: newer tokens of the same account, or another user.
    ///
    /// - Returns: whether the current user may be written. If another process has removed the item, it signed the user
    ///   out, which a write would undo.
    @discardableResult private func adoptStored(_ state: inout State) -> Bool {
        guard let user = state.user, !state.needsSave else { return true }
        let key = key
        let item: Data?
        do { item = try options.store.load(key.name) } catch { return true }
        guard let item else { return false }
        guard let stored = StoredSession(decoding: item, owner: key.owner)?.session else { return true }
        let known = user.session.current
        if stored.profile.uid != known.profile.uid {
            useStored(stored, &state)
        } else if stored.tokens.refreshToken != known.tokens.refreshToken,
            stored.tokens.issuedAt >= known.tokens.issuedAt
        {
            user.session.withLock { $0 = stored }
            scheduleRefresh(&state)
            announce(&state)
        } else if stored.tokens.refreshToken == known.tokens.refreshToken, let resumptionKey = stored.resumptionKey {
            // The other process waits for a response.
            user.session.withLock { $0.resumptionKey = resumptionKey }
        }
        return true
    }

    private func save(_ session: Session) throws {
        let key = key
        do {
            try options.store.save(StoredSession(session, owner: key.owner).encoded, for: key.name)
        } catch { throw Self.storeError(error) }
    }

    static func storeError(_ error: any Error) -> AuthErrorCode {
        switch error as? SessionStoreError {
        case .locked: .keychainError.with("The session store is locked until the device is unlocked.")
        case .failed(let cause): .keychainError.with("The session store failed: \(cause).")
        case nil: .keychainError
        }
    }
}
