internal import Foundation

/// The attempts to refresh a user's tokens.
struct RefreshState: Sendable {
    /// The number of finished attempts.
    var attempts = 0
    /// The error of the latest attempt, if it failed.
    var failure: AuthErrorCode?
    /// ``AuthClock/uptime`` before which no request is sent, from `Retry-After`.
    var notBefore: TimeInterval = 0
}

extension User {
    /// Returns tokens with a fresh ID token. Refreshes them if necessary.
    ///
    /// Concurrent callers share one request. The request waits for operations that replace the tokens. Cancelling a
    /// caller does not cancel the request.
    ///
    /// - Parameter forced: whether fresh tokens are refreshed too.
    func freshTokens(forced: Bool = false) async throws -> SessionTokens {
        // An earlier write may have failed. Until the write succeeds, a restart would lose the session. An error is
        // ignored, because the ID token may still be fresh; a refresh reports the error.
        try? core.saveIfNeeded(self)
        let known = session.current.tokens
        if !forced && known.isFresh(at: core.gatewayClock.currentReading) { return known }
        let attempts = refreshState.current.attempts
        return try await taskQueue.run { [self] in
            // Another caller or operation may have replaced the tokens, or failed, in the meantime.
            let tokens = session.current.tokens
            if !tokens.isSame(as: known) { return tokens }
            let state = refreshState.current
            if state.attempts != attempts, let failure = state.failure { throw failure }
            // A separate task, because cancelling this caller must not cancel the request of the others.
            return try await Task { try await refreshTokens(from: known) }.value
        }
    }

    /// Refreshes the tokens, unless another process has stored newer ones. Call it only in the task queue.
    func refreshTokens(from known: SessionTokens) async throws -> SessionTokens {
        core.adoptStoredSession()
        let stored = session.current.tokens
        if !stored.isSame(as: known) && stored.isFresh(at: core.gatewayClock.currentReading) { return stored }
        do {
            try core.saveIfNeeded(self)
            try requireAttemptAllowed()
            let tokens = try await requestTokens(replacing: known)
            recordAttempt(failure: nil)
            await core.waitForListeners()
            return tokens
        } catch {
            let error = AuthErrorCode(converting: error)
            recordAttempt(failure: error)
            // After a network error, the gateway may still get the request, so the claim stays until it expires.
            if error != .networkError { core.releaseClaim(of: self) }
            throw error
        }
    }

    /// Requests new tokens, in at most three attempts, and stores them. A retry is safe, because the gateway returns
    /// the same new refresh token for the same old one.
    ///
    /// If the gateway reports that the session has ended, signs the user out, unless another process has replaced the
    /// session, for example with a new password.
    private func requestTokens(replacing known: SessionTokens) async throws -> SessionTokens {
        var failures = 0
        while true {
            // Another process may have refreshed the tokens since the previous attempt.
            let presented = try await core.claimRefresh(of: self)
            if !presented.tokens.isSame(as: known), presented.tokens.isFresh(at: core.gatewayClock.currentReading) {
                core.releaseClaim(of: self)
                return presented.tokens
            }
            do {
                let tokens = try await requestTokens(of: presented)
                core.update(self, releasesClaim: true) { session in
                    // Otherwise another process has replaced the tokens, and its tokens are newer.
                    if session.tokens.refreshToken == presented.tokens.refreshToken {
                        session.replaceTokens(with: tokens)
                    }
                }
                return session.current.tokens
            } catch let error as AuthErrorCode where error.isTransient && failures < 2 {
                failures += 1
                let delay = max(error.retryAfter ?? 0, 0.5 * TimeInterval(failures))
                // The app decides about a longer wait. It gets the time as `retryAfter`.
                if delay > 5 { throw error }
                try await core.options.clock.sleep(delay)
            } catch let error as AuthErrorCode where error.endsSession {
                // If the store fails, the user stays signed in, and the caller gets the gateway's error.
                guard (try? core.signOut(self, ifSessionIs: presented)) == false else {
                    await core.waitForListeners()
                    throw error
                }
            }
        }
    }

    /// Requests new tokens with the refresh token. If the gateway cannot read that token, uses the previous refresh
    /// token.
    private func requestTokens(of session: Session) async throws -> SessionTokens {
        do {
            return try await requestTokens(for: session.tokens.refreshToken, session.resumptionKey)
        } catch let error as AuthErrorCode where error.serverCode == "INVALID_REFRESH_TOKEN" {
            guard let previous = session.tokens.previousRefreshToken else { throw error }
            return try await requestTokens(for: previous, session.resumptionKey)
        }
    }

    /// - Parameter resumptionKey: present if the outcome of an earlier request that replaces the session is unknown.
    private func requestTokens(
        for refreshToken: String, _ resumptionKey: ResumptionKey?
    ) async throws -> SessionTokens {
        let response: TimedResponse<TokenResponse> = try await core.postForm(
            "/v1/token", ["grant_type": "refresh_token", "refresh_token": refreshToken],
            resumptionKey: resumptionKey?.value, timeout: RefreshClaim.requestTimeout)
        // A token that cannot be read is treated as that of another user.
        guard (try? IDTokenClaims(of: response.value.accessToken))?.subject == uid else {
            throw AuthErrorCode.responseForAnotherUser
        }
        var tokens = try SessionTokens.required(response.tokens)
        tokens.previousRefreshToken = refreshToken
        return tokens
    }

    private func requireAttemptAllowed() throws {
        let state = refreshState.current
        let wait = state.notBefore - core.options.clock.uptime()
        if wait > 0, let failure = state.failure {
            throw failure.with(details: [AuthErrors.userInfoRetryAfterKey: wait])
        }
    }

    private func recordAttempt(failure: AuthErrorCode?) {
        let uptime = core.options.clock.uptime()
        refreshState.withLock { state in
            state.attempts += 1
            state.failure = failure
            state.notBefore = failure?.retryAfter.map { uptime + $0 } ?? 0
        }
    }
}
