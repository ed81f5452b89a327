internal import Foundation

/// What is known about the attempts to renew a user's tokens.
struct RefreshState: Sendable {
    /// Attempts that ended.
    var attempts = 0
    var failure: AuthErrorCode?
    /// ``AuthClock/uptime`` before which the gateway wants no attempt.
    var notBefore: TimeInterval = 0
}

extension User {
    /// Returns tokens whose ID token is valid for some minutes.
    ///
    /// Any number of callers share one request. It waits for operations that replace the tokens, and no caller's
    /// cancellation cancels it.
    ///
    /// - Parameter forced: whether valid tokens are renewed too.
    func freshTokens(forced: Bool = false) async throws -> SessionTokens {
        // A store that failed may work again. Until the write succeeds, a restart would lose the session.
        try? core.saveIfNeeded(self)
        let known = session.current.tokens
        if !forced && known.isFresh(core.time.reading) { return known }
        let attempts = refreshState.current.attempts
        return try await gate.run { [self] in
            // The attempt of another caller, or an operation, came first.
            let tokens = session.current.tokens
            if tokens.idToken != known.idToken { return tokens }
            let state = refreshState.current
            if state.attempts != attempts, let failure = state.failure { throw failure }
            // A task of its own, because other callers wait for it too.
            return try await Task { try await renewTokens(from: known) }.value
        }
    }

    /// Renews the tokens. Call inside the gate.
    func renewTokens(from known: SessionTokens) async throws -> SessionTokens {
        core.adoptStoredSession()
        let stored = session.current.tokens
        if stored.idToken != known.idToken && stored.isFresh(core.time.reading) { return stored }
        do {
            try core.saveIfNeeded(self)
            try requireAttemptAllowed()
            let tokens = try await requestTokens()
            core.update(self) { $0.renew(tokens) }
            finishAttempt(nil)
            await core.listenersCalled()
            return tokens
        } catch {
            let error = AuthErrorCode(surfacing: error)
            finishAttempt(error)
            if error.endsSession {
                // Another process may have replaced the session, for example with a new password.
                let rejected = session.current.tokens
                core.adoptStoredSession()
                let stored = session.current.tokens
                if stored != rejected { return try await renewTokens(from: rejected) }
                await core.endSession(of: self)
            }
            throw error
        }
    }

    /// The gateway gives the same successor for the same refresh token, so that the request can be repeated after a lost response.
    private func requestTokens() async throws -> SessionTokens {
        let tokens = session.current.tokens
        do {
            return try await requestTokens(for: tokens.refreshToken)
        } catch let error as AuthErrorCode where error.serverCode == "INVALID_REFRESH_TOKEN" {
            guard let former = tokens.formerRefreshToken else { throw error }
            return try await requestTokens(for: former)
        }
    }

    /// Repeats a request without a usable response two times.
    private func requestTokens(for refreshToken: String) async throws -> SessionTokens {
        var failures = 0
        while true {
            do {
                let response: Received<TokenResponse> = try await core.post(
                    "/v1/token", TokenRequest(refreshToken: refreshToken),
                    resumptionKey: session.current.resumptionKey?.value)
                // A token that cannot be read does not belong to the user.
                guard (try? IDTokenClaims(of: response.value.accessToken))?.subject == uid else {
                    throw AuthErrorCode.responseForAnotherUser
                }
                var tokens = try SessionTokens.required(response.tokens)
                tokens.formerRefreshToken = refreshToken
                return tokens
            } catch let error as AuthErrorCode where error.isTransient && failures < 2 {
                failures += 1
                let delay = max(error.retryAfter ?? 0, 0.5 * TimeInterval(failures))
                if delay > 5 { throw error }
                try await core.options.clock.sleep(delay)
            }
        }
    }

    private func requireAttemptAllowed() throws {
        let state = refreshState.current
        let wait = state.notBefore - core.options.clock.uptime()
        if wait > 0, let failure = state.failure {
            throw failure.with(nil, [AuthErrors.userInfoRetryAfterKey: wait])
        }
    }

    private func finishAttempt(_ failure: AuthErrorCode?) {
        let uptime = core.options.clock.uptime()
        refreshState.withLock { state in
            state.attempts += 1
            state.failure = failure
            state.notBefore = failure?.retryAfter.map { uptime + $0 } ?? 0
        }
    }
}
