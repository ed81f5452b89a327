extension User {
    /// Returns the ID token. Refreshes it first if it expires within five minutes.
    ///
    /// If the refresh fails with an error that a retry may resolve, such as ``AuthErrorCode/networkError``, the current
    /// token is returned if it is valid for more than 30 seconds and `forcingRefresh` is false.
    ///
    /// - Parameter forcingRefresh: whether to refresh a valid token too, for example after a change of custom claims.
    /// - Throws: ``AuthErrorCode/invalidUserToken`` if the gateway cannot read the refresh token, or
    ///   ``AuthErrorCode/keychainError`` if the tokens of an earlier refresh still cannot be stored. The user stays
    ///   signed in after these two errors.
    public func getIDToken(forcingRefresh: Bool = false) async throws -> String {
        do {
            return try await freshTokens(forced: forcingRefresh).idToken
        } catch let error as AuthErrorCode where error.isTransient && !forcingRefresh {
            let tokens = session.current.tokens
            guard tokens.remainingLifetime(at: core.gatewayClock.currentReading) > 30 else { throw error }
            return tokens.idToken
        }
    }

    /// See ``getIDToken(forcingRefresh:)``.
    public func idTokenForcingRefresh(_ forceRefresh: Bool) async throws -> String {
        try await getIDToken(forcingRefresh: forceRefresh)
    }

    /// Returns the ID token with its claims. Refreshes the token in the same cases as ``getIDToken(forcingRefresh:)``.
    ///
    /// - Throws: ``AuthErrorCode/malformedJWT`` if the claims cannot be decoded; otherwise as
    ///   ``getIDToken(forcingRefresh:)``.
    public func getIDTokenResult(forcingRefresh: Bool = false) async throws -> AuthTokenResult {
        try AuthTokenResult(try await getIDToken(forcingRefresh: forcingRefresh))
    }

    /// Completion-handler form of the `async` method.
    public func getIDToken(completion: ((String?, (any Error)?) -> Void)?) {
        MainQueue.complete(completion) { try await self.getIDToken() }
    }

    /// Completion-handler form of the `async` method.
    public func getIDTokenForcingRefresh(_ forceRefresh: Bool, completion: ((String?, (any Error)?) -> Void)?) {
        MainQueue.complete(completion) { try await self.getIDToken(forcingRefresh: forceRefresh) }
    }

    /// Completion-handler form of the `async` method.
    public func idTokenForcingRefresh(_ forceRefresh: Bool, completion: ((String?, (any Error)?) -> Void)?) {
        MainQueue.complete(completion) { try await self.getIDToken(forcingRefresh: forceRefresh) }
    }

    /// Completion-handler form of the `async` method.
    public func getIDTokenResult(completion: ((AuthTokenResult?, (any Error)?) -> Void)?) {
        MainQueue.complete(completion) { try await self.getIDTokenResult() }
    }

    /// Completion-handler form of the `async` method.
    public func getIDTokenResult(
        forcingRefresh: Bool, completion: ((AuthTokenResult?, (any Error)?) -> Void)?
    ) {
        MainQueue.complete(completion) { try await self.getIDTokenResult(forcingRefresh: forcingRefresh) }
    }
}
