internal import Foundation

/// What a rejection of a request with an ID token means.
enum Rejection: Sendable {
    /// The account does not exist any more or is disabled: the user is signed out.
    case concernsUser
    /// The gateway may have rejected the credential in the request. The user stays signed in.
    case concernsRequest
}

extension User {
    /// Runs an operation that leaves the tokens as they are.
    func withIDToken<Result: Sendable>(
        _ rejection: Rejection = .concernsUser, _ operation: @Sendable (String) async throws -> Result
    ) async throws -> Result {
        let tokens = try await freshTokens()
        do {
            do {
                return try await operation(tokens.idToken)
            } catch let error as AuthErrorCode where error.rejectsIDToken {
                // The tokens that the gateway rejects are replaced, unless an operation has just done so.
                let current = session.current.tokens
                let renewed = current.idToken == tokens.idToken ? try await freshTokens(forced: true) : current
                return try await operation(renewed.idToken)
            }
        } catch {
            await endSession(error, rejection)
            throw error
        }
    }

    /// Runs an operation that may replace the tokens. Nothing renews them meanwhile, and the cancellation of the caller
    /// does not cancel it, because the response has the only tokens that are valid then.
    func replacingTokens<Result: Sendable>(
        _ rejection: Rejection = .concernsUser, _ operation: @escaping @Sendable (String) async throws -> Result
    ) async throws -> Result {
        try await Task { [self] in
            try await gate.run { [self] in
                var tokens = session.current.tokens
                if !tokens.isFresh(core.time.reading) {
                    tokens = try await renewTokens(from: tokens)
                }
                do {
                    do {
                        return try await operation(tokens.idToken)
                    } catch let error as AuthErrorCode where error.rejectsIDToken {
                        let renewed = try await renewTokens(from: tokens)
                        return try await operation(renewed.idToken)
                    }
                } catch {
                    await endSession(error, rejection)
                    throw error
                }
            }
        }.value
    }

    private func endSession(_ error: any Error, _ rejection: Rejection) async {
        // Whether a rejected ID token means that the session has ended is the answer to a refresh.
        if rejection == .concernsUser, let error = error as? AuthErrorCode, error.endsSession, !error.rejectsIDToken {
            await core.endSession(of: self)
        }
    }

    /// Loads the account and keeps it.
    func loadProfile(with idToken: String) async throws {
        let user = try await core.lookup(idToken)
        guard user.localId == uid else {
            throw AuthErrorCode.responseForAnotherUser
        }
        core.update(self) { session in
            session.profile = Profile(user)
            session.tenantID = user.tenantId
        }
        await core.listenersCalled()
    }

    /// Keeps new tokens of an operation, if there are any.
    func adopt(_ tokens: SessionTokens?, _ change: @Sendable (inout Session) -> Void = { _ in }) async {
        core.update(self) { session in
            if let tokens { session.renew(tokens) }
            change(&session)
        }
        await core.listenersCalled()
    }
}

extension AuthCore {
    /// Loads the account of an ID token.
    func lookup(_ idToken: String) async throws -> LookupUser {
        let response: LookupResponse = try await post("/v1/accounts:lookup", IDTokenRequest(idToken: idToken))
        guard let user = response.users?.first, response.users?.count == 1 else {
            throw AuthErrorCode.internalError.with("The response contains no account.")
        }
        return user
    }

    /// Signs a user out whose session or account does not exist any more.
    func endSession(of user: User) async {
        // A store that cannot remove the item keeps the user: the next request ends the session again.
        _ = try? signOut(user)
        await listenersCalled()
    }
}
