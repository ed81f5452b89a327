internal import Foundation

/// Changes of the user and of the stored session.
///
/// An app and its extensions can share a store. A write never replaces an item that this process has not read: see
/// ``SessionStore/replace(_:with:for:)``. Only a sign-in and the user's own sign-out replace or remove any item.
extension AuthCore {
    /// The number of times that a write is repeated because another process has changed the item.
    private static let maximumWrites = 100

    /// Stores a user's session and makes the user current.
    ///
    /// - Throws: ``AuthErrorCode/keychainError`` if the store fails. The current user is then unchanged.
    func storeAsCurrentUser(_ user: User) throws {
        try withState { state in
            let generation = state.generation + 1
            do {
                let key = sessionKey
                let item = try StoredSession(user.session.current, of: key, generation: generation).encoded
                try options.store.save(item, for: key.name)
                state.item = item
            } catch { throw Self.storeError(error) }
            state.generation = generation
            state.refreshClaims = []
            state.restoration = .done
            state.needsSave = false
            state.user = user
            scheduleRefresh(&state)
            notifyObservers(&state)
        }
    }

    /// Removes the stored session, then the user. Another user whom another process has signed in is signed out too.
    ///
    /// - Throws: ``AuthErrorCode/keychainError`` if the store fails. The user then stays signed in.
    /// - Returns: the user who was signed out, if any.
    func signOut() throws -> User? {
        try withState { state in
            do { try options.store.remove(sessionKey.name) } catch { throw Self.storeError(error) }
            let user = state.user
            removeUser(&state)
            return user
        }
    }

    /// Removes a user whose session has ended. Keeps a different user whom another process has signed in, and a stored
    /// item in a format that this version cannot read.
    ///
    /// - Parameter rejected: the session that the gateway rejected. If it is set, and another process has replaced the
    ///   tokens or stored a ``ResumptionKey`` since, the user stays signed in.
    /// - Throws: ``AuthErrorCode/keychainError`` if the store fails. The user then stays signed in.
    /// - Returns: whether the user is signed out.
    @discardableResult func signOut(_ user: User, ifSessionIs rejected: Session? = nil) throws -> Bool {
        try withState { state in
            for _ in 0..<Self.maximumWrites {
                let mayRemove = adoptStored(&state)
                guard state.user === user else { return true }
                let current = user.session.current
                if let rejected, current.tokens != rejected.tokens || current.resumptionKey != rejected.resumptionKey {
                    return false
                }
                do {
                    guard try !mayRemove || replaceItem(with: nil, &state) else { continue }
                } catch { throw Self.storeError(error) }
                removeUser(&state)
                return true
            }
            return false
        }
    }

    private func removeUser(_ state: inout State) {
        state.item = nil
        state.refreshClaims = []
        state.restoration = .done
        state.needsSave = false
        state.user = nil
        state.proactiveRefresh?.cancel()
        notifyObservers(&state)
    }

    /// Changes a user's session in memory and in the store. If the store fails, the change is written later, because
    /// the gateway has already made it.
    ///
    /// - Parameters:
    ///   - releasesClaim: whether the write also removes the claim of ``claimRefresh(of:)``.
    ///   - change: changes the session that the store has. It can be called several times.
    func update(_ user: User, releasesClaim: Bool = false, _ change: (inout Session) -> Void) {
        withState { state in
            for attempt in 1...Self.maximumWrites {
                let mayWrite = adoptStored(&state)
                let previous = user.session.current
                var session = previous
                change(&session)
                guard state.user === user else { return user.session.withLock { $0 = session } }
                let isReplaced = session.tokens.refreshToken != previous.tokens.refreshToken
                let generation = state.generation + (isReplaced ? 1 : 0)
                let claims = state.refreshClaims.filter { !releasesClaim || $0.owner != claimOwner }
                var isSaved = false
                if mayWrite {
                    // An error is handled as `needsSave`.
                    isSaved = (try? write(session, generation, claims, &state)) ?? false
                    // The item has changed if it can be read and is not the expected one.
                    if !isSaved, attempt < Self.maximumWrites, hasChangedItem(state) { continue }
                }
                user.session.withLock { $0 = session }
                state.generation = generation
                state.refreshClaims = claims
                if mayWrite { state.needsSave = !isSaved }
                scheduleRefresh(&state)
                notifyObservers(&state)
                return
            }
        }
    }

    /// Retries a failed write, unless another process has stored newer tokens since.
    ///
    /// The next refresh must wait for the write. If the stored refresh token were two refreshes old, the gateway would
    /// detect its reuse after a restart and end the session.
    ///
    /// - Throws: ``AuthErrorCode/keychainError`` if the store fails again.
    func saveIfNeeded(_ user: User) throws {
        try withState { state in
            for _ in 0..<Self.maximumWrites {
                guard state.needsSave, state.user === user else { return }
                guard adoptStored(&state) else {
                    state.needsSave = false
                    return
                }
                guard state.needsSave, state.user === user else { return }
                do {
                    guard try write(user.session.current, state.generation, state.refreshClaims, &state) else {
                        continue
                    }
                } catch { throw Self.storeError(error) }
                state.needsSave = false
            }
        }
    }

    /// Adopts what another process has stored. See ``adoptStored(_:)``.
    func adoptStoredSession() { withState { _ = adoptStored(&$0) } }

    /// Adopts what another process has stored: another user or, for the same account, the tokens, the profile and a
    /// ``ResumptionKey``. Tokens that this process could not store yet are kept if they are newer.
    ///
    /// - Returns: whether the item may be replaced or removed: false if another process has signed the user out and
    ///   removed the item, or has stored an item in a format that this version cannot read.
    private func adoptStored(_ state: inout State) -> Bool {
        guard let user = state.user else { return true }
        let key = sessionKey
        let item: Data?
        do { item = try options.store.load(key.name) } catch { return true }
        guard let item else { return false }
        guard item != state.item else { return true }
        let decoded: StoredSession?
        do { decoded = try StoredSession(decoding: item, of: key) } catch { return false }
        state.item = item
        guard let stored = decoded else { return true }
        state.refreshClaims = stored.refreshClaims ?? []
        let known = user.session.current
        let isSameUser = stored.session.profile.uid == known.profile.uid
        let generation = stored.generation ?? 0
        if state.needsSave && isSameUser && generation < state.generation { return true }
        state.needsSave = false
        state.generation = generation
        guard isSameUser else {
            setUser(from: stored.session, &state)
            return true
        }
        var session = stored.session
        // Unlike the stored tokens, those in memory have the uptime of their request.
        if session.tokens.isSame(as: known.tokens) { session.tokens = known.tokens }
        user.session.withLock { $0 = session }
        scheduleRefresh(&state)
        notifyObservers(&state)
        return true
    }

    /// Whether the stored item is not the one that this process has last read or written.
    private func hasChangedItem(_ state: State) -> Bool {
        do { return try options.store.load(sessionKey.name) != state.item } catch { return false }
    }

    /// Writes a session over the latest item.
    ///
    /// - Returns: false if another process has changed the item.
    func write(
        _ session: Session, _ generation: Int, _ claims: [RefreshClaim], _ state: inout State
    ) throws -> Bool {
        let stored = StoredSession(session, of: sessionKey, generation: generation, refreshClaims: claims)
        return try replaceItem(with: stored.encoded, &state)
    }

    private func replaceItem(with new: Data?, _ state: inout State) throws -> Bool {
        let name = sessionKey.name
        guard let expected = state.item else { return try options.store.load(name) == nil && new == nil }
        guard try options.store.replace(expected, with: new, for: name) else { return false }
        state.item = new
        return true
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

// MARK: Refreshes of several processes

extension AuthCore {
    /// Removes the claim of a refresh that has ended without new tokens.
    func releaseClaim(of user: User) {
        guard withState({ $0.refreshClaims.contains { $0.owner == claimOwner } }) else { return }
        update(user, releasesClaim: true) { _ in }
    }

    /// States in the store that this process sends the refresh token, so that another process does not use the token's
    /// successor before the request has ended. See ``RefreshClaim``.
    ///
    /// Waits while another process may still send a token that is older than the stored one. If the store fails, no
    /// claim is made, because the refresh must succeed even then.
    ///
    /// - Returns: the session whose refresh token the process may send: the stored one.
    func claimRefresh(of user: User) async throws -> Session {
        let pause = 0.1
        for _ in 0..<Int(RefreshClaim.lifetime / pause) {
            let claimed: Session? = withState { state in
                guard adoptStored(&state), state.user === user else { return user.session.current }
                let uptime = options.clock.uptime()
                let others = state.refreshClaims.filter { $0.owner != claimOwner && $0.isActive(at: uptime) }
                guard !others.contains(where: { $0.generation < state.generation }) else { return nil }
                let claims = others + [RefreshClaim(owner: claimOwner, generation: state.generation, at: uptime)]
                let session = user.session.current
                guard let isWritten = try? write(session, state.generation, claims, &state) else { return session }
                guard isWritten else { return nil }
                state.refreshClaims = claims
                return session
            }
            if let claimed { return claimed }
            try await options.clock.sleep(pause)
        }
        return user.session.current
    }
}
