internal import Foundation

/// What to do if the gateway rejects a request because an account is deleted or disabled.
enum AccountErrorAction: Sendable {
    /// Signs the user out, because the request concerns only the user's own account.
    case signOut
    /// Keeps the user signed in, because the error may concern the account of a credential in the request, or the
    /// caller handles it.
    case keepUser
}

extension User {
    /// Runs an operation that does not replace the tokens, with a fresh ID token. Repeats it once if the gateway
    /// rejects the ID token.
    func withIDToken<Result: Sendable>(
        onAccountError action: AccountErrorAction = .signOut, _ operation: @Sendable (String) async throws -> Result
    ) async throws -> Result {
        let tokens = try await freshTokens()
        do {
            do {
                return try await operation(tokens.idToken)
            } catch let error as AuthErrorCode where error.rejectsIDToken {
                // Refreshes the rejected tokens, unless another operation has replaced them.
                let current = session.current.tokens
                let refreshed = current.idToken == tokens.idToken ? try await freshTokens(forced: true) : current
                return try await operation(refreshed.idToken)
            }
        } catch {
            await signOut(after: error, action)
            throw error
        }
    }

    /// Like ``withIDToken(onAccountError:_:)``, for an operation that may replace the tokens. No refresh runs at the
    /// same time. Cancelling the caller does not cancel the operation, because only its response contains valid tokens.
    func replacingTokens<Result: Sendable>(
        onAccountError action: AccountErrorAction = .signOut,
        _ operation: @escaping @Sendable (String) async throws -> Result
    ) async throws -> Result {
        try await Task { [self] in
            try await taskQueue.run { [self] in
                var tokens = session.current.tokens
                if !tokens.isFresh(at: core.gatewayClock.currentReading) {
                    tokens = try await refreshTokens(from: tokens)
                }
                do {
                    do {
                        return try await operation(tokens.idToken)
                    } catch let error as AuthErrorCode where error.rejectsIDToken {
                        let refreshed = try await refreshTokens(from: tokens)
                        return try await operation(refreshed.idToken)
                    }
                } catch {
                    await signOut(after: error, action)
                    throw error
                }
            }
        }.value
    }

    private func signOut(after error: any Error, _ action: AccountErrorAction) async {
        // If the ID token is rejected, the refresh has decided whether the session has ended.
        if action == .signOut, let error = error as? AuthErrorCode, error.endsSession, !error.rejectsIDToken {
            // An error of the store is ignored, because the caller throws `error`.
            try? await core.signOutLocally(self)
        }
    }

    /// Loads the account's profile and stores it.
    func loadProfile(with idToken: String) async throws {
        let user = try await core.lookup(idToken)
        guard user.localId == uid else {
            throw AuthErrorCode.responseForAnotherUser
        }
        let profile = Profile(user)
        core.update(self) { session in
            session.profile = profile
            session.tenantID = user.tenantId
            // The response to the request that linked the credential may have been lost.
            if profile.hasCredential { session.isAnonymous = false }
        }
        await core.waitForListeners()
    }

    /// Stores the tokens of a response, if it has any, together with a further change.
    ///
    /// - Parameter idToken: the ID token of the request.
    func adopt(
        _ tokens: SessionTokens?, since idToken: String, _ change: @Sendable (inout Session) -> Void = { _ in }
    ) async {
        core.update(self) { session in
            if let tokens { session.adopt(tokens, since: idToken) }
            change(&session)
        }
        await core.waitForListeners()
    }
}

extension AuthCore {
    /// Returns the account of an ID token.
    func lookup(_ idToken: String) async throws -> LookupUser {
        let response: LookupResponse = try await post("/v1/accounts:lookup", IDTokenRequest(idToken: idToken))
        guard let user = response.users?.first, response.users?.count == 1 else {
            throw AuthErrorCode.internalError.with("The response does not contain exactly one account.")
        }
        return user
    }

    /// Signs out a user on this device, after the session has ended, or the account was deleted or disabled.
    ///
    /// - Throws: ``AuthErrorCode/keychainError`` if the store fails. The user then stays signed in until the next
    ///   request is rejected.
    func signOutLocally(_ user: User) async throws {
        try signOut(user)
        await waitForListeners()
    }
}
