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
            if tokens.idToken != known.idToken { return tokens }
            let state = refreshState.current
            if state.attempts != attempts, let failure = state.failure { throw failure }
            // A separate task, because cancelling this caller must not cancel the request of the others.
            return try await Task { try await refreshTokens(from: known) }.value
        }
    }

    /// Refreshes the tokens, unless the store has newer ones. Call it only in the task queue.
    func refreshTokens(from known: SessionTokens) async throws -> SessionTokens {
        core.adoptStoredSession()
        let stored = session.current.tokens
        if stored.idToken != known.idToken && stored.isFresh(at: core.gatewayClock.currentReading) { return stored }
        do {
            try core.saveIfNeeded(self)
            try requireAttemptAllowed()
            let tokens = try await requestTokens()
            core.update(self) { $0.replaceTokens(with: tokens) }
            recordAttempt(failure: nil)
            await core.waitForListeners()
            return tokens
        } catch {
            let error = AuthErrorCode(converting: error)
            recordAttempt(failure: error)
            if error.endsSession {
                // Another process may have replaced the session, for example with a new password.
                let rejected = session.current.tokens
                core.adoptStoredSession()
                let stored = session.current.tokens
                if stored != rejected { return try await refreshTokens(from: rejected) }
                // An error of the store is ignored, because the caller gets the gateway's error.
                try? await core.signOutLocally(self)
            }
            throw error
        }
    }

    /// Requests new tokens with the refresh token. If the gateway cannot read that token, uses the previous refresh
    /// token.
    private func requestTokens() async throws -> SessionTokens {
        let tokens = session.current.tokens
        do {
            return try await requestTokens(for: tokens.refreshToken)
        } catch let error as AuthErrorCode where error.serverCode == "INVALID_REFRESH_TOKEN" {
            guard let previous = tokens.previousRefreshToken else { throw error }
            return try await requestTokens(for: previous)
        }
    }

    /// Requests new tokens, in at most three attempts. A retry is safe, because the gateway returns the same new
    /// refresh token for the same old one. If the outcome of an earlier request that replaces the session is
    /// unknown, sends that request's ``ResumptionKey`` too.
    private func requestTokens(for refreshToken: String) async throws -> SessionTokens {
        var failures = 0
        while true {
            do {
                let response: TimedResponse<TokenResponse> = try await core.postForm(
                    "/v1/token", ["grant_type": "refresh_token", "refresh_token": refreshToken],
                    resumptionKey: session.current.resumptionKey?.value)
                // A token that cannot be read is treated as that of another user.
                guard (try? IDTokenClaims(of: response.value.accessToken))?.subject == uid else {
                    throw AuthErrorCode.responseForAnotherUser
                }
                var tokens = try SessionTokens.required(response.tokens)
                tokens.previousRefreshToken = refreshToken
                return tokens
            } catch let error as AuthErrorCode where error.isTransient && failures < 2 {
                failures += 1
                let delay = max(error.retryAfter ?? 0, 0.5 * TimeInterval(failures))
                // The app decides about a longer wait. It gets the time as `retryAfter`.
                if delay > 5 { throw error }
                try await core.options.clock.sleep(delay)
            }
        }
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
