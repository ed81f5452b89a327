extension User {
    /// Returns an ID token that is valid for some minutes. It is renewed if it is about to expire.
    ///
    /// If the gateway cannot be reached, the present token is returned while it is valid.
    ///
    /// - Parameter forcingRefresh: renews the token even if it is valid, for example after a change of custom claims.
    /// - Throws: ``AuthErrorCode``. ``AuthErrorCode/networkError`` and ``AuthErrorCode/internalError`` leave the user
    ///   signed in. If the session or its account does not exist any more, the user is signed out.
    public func getIDToken(forcingRefresh: Bool = false) async throws -> String {
        do {
            return try await freshTokens(forced: forcingRefresh).idToken
        } catch let error as AuthErrorCode where error.isTransient && !forcingRefresh {
            let tokens = session.current.tokens
            guard tokens.remaining(core.time.reading) > 30 else { throw error }
            return tokens.idToken
        }
    }

    /// See ``getIDToken(forcingRefresh:)``.
    public func idTokenForcingRefresh(_ forceRefresh: Bool) async throws -> String {
        try await getIDToken(forcingRefresh: forceRefresh)
    }

    /// Returns an ID token with its claims.
    public func getIDTokenResult(forcingRefresh: Bool = false) async throws -> AuthTokenResult {
        try AuthTokenResult(try await getIDToken(forcingRefresh: forcingRefresh))
    }

    /// See the asynchronous form.
    public func getIDToken(completion: ((String?, (any Error)?) -> Void)?) {
        MainQueue.complete(completion) { try await self.getIDToken() }
    }

    /// See the asynchronous form.
    public func getIDTokenForcingRefresh(_ forceRefresh: Bool, completion: ((String?, (any Error)?) -> Void)?) {
        MainQueue.complete(completion) { try await self.getIDToken(forcingRefresh: forceRefresh) }
    }

    /// See the asynchronous form.
    public func idTokenForcingRefresh(_ forceRefresh: Bool, completion: ((String?, (any Error)?) -> Void)?) {
        MainQueue.complete(completion) { try await self.getIDToken(forcingRefresh: forceRefresh) }
    }

    /// See the asynchronous form.
    public func getIDTokenResult(completion: ((AuthTokenResult?, (any Error)?) -> Void)?) {
        MainQueue.complete(completion) { try await self.getIDTokenResult() }
    }

    /// See the asynchronous form.
    public func getIDTokenResult(
        forcingRefresh: Bool, completion: ((AuthTokenResult?, (any Error)?) -> Void)?
    ) {
        MainQueue.complete(completion) { try await self.getIDTokenResult(forcingRefresh: forcingRefresh) }
    }
}
