internal import Foundation

extension AuthCore {
    /// Runs `authenticate`, then completes the sign-in with its result. Cancelling the caller does not cancel a sign-in
    /// that has begun, because the gateway may already have used the credential or created the account.
    func performSignIn(
        isAnonymous: Bool = false, _ authenticate: @escaping @Sendable () async throws -> Authentication
    ) async throws -> AuthDataResult {
        try Task.checkCancellation()
        return try await Task { try await completeSignIn(try await authenticate(), isAnonymous: isAnonymous) }.value
    }

    /// Loads the account's profile, stores the session and sets the current user.
    func completeSignIn(_ authentication: Authentication, isAnonymous: Bool = false) async throws -> AuthDataResult {
        let (profile, tenant) = try await profile(of: authentication.tokens)
        let user = User(
            Session(
                tokens: authentication.tokens, profile: profile, isAnonymous: isAnonymous, tenantID: tenant),
            core: self)
        try storeAsCurrentUser(user)
        await waitForListeners()
        return AuthDataResult(
            user: user, additionalUserInfo: authentication.additionalUserInfo, credential: authentication.credential)
    }

    /// Returns the profile of the account that new tokens are for.
    ///
    /// The profile is made from the ID token's claims if two requests fail with a transient error, or if a response is
    /// for another account. The sign-in must not fail then, because a single-use credential cannot be used again.
    /// ``User/reload()`` completes the profile.
    private func profile(of tokens: SessionTokens) async throws -> (Profile, tenantID: String?) {
        let claims = try IDTokenClaims(of: tokens.idToken)
        for attempt in 1...2 {
            do {
                let user = try await lookup(tokens.idToken)
                guard user.localId == claims.subject else { break }
                return (Profile(user), user.tenantId)
            } catch let error as AuthErrorCode where error.isTransient {
                if attempt == 1 { try await options.clock.sleep(min(error.retryAfter ?? 0.5, 2)) }
            }
        }
        return (Profile(claims), claims.firebase("tenant"))
    }
}

extension User {
    /// Reauthenticates the user, and adopts the new tokens.
    func performReauthentication(with credential: AuthCredential) async throws -> AuthDataResult {
        let authentication = try await replacingTokens(onAccountError: .keepUser) { [self] idToken in
            let authentication: Authentication
            do {
                authentication = try await core.authenticate(credential, for: .reauthenticate(idToken: idToken))
            } catch let error as AuthErrorCode where error == .userNotFound {
                throw AuthErrorCode.userMismatch
            } catch let error as AuthErrorCode where error == .secondFactorRequired {
                throw error.multiFactorResolver.map { error.with($0.reauthenticating(self)) } ?? error
            }
            guard try IDTokenClaims(of: authentication.tokens.idToken).subject == uid else {
                await core.revokeSessionIgnoringErrors(authentication.tokens.idToken)
                throw AuthErrorCode.userMismatch
            }
            await adopt(authentication.tokens, since: idToken)
            return authentication
        }
        return AuthDataResult(
            user: self, additionalUserInfo: authentication.additionalUserInfo, credential: authentication.credential)
    }

    /// Links a credential to the account, adopts the new tokens and reloads the profile.
    func performLink(with credential: AuthCredential) async throws -> AuthDataResult {
        if session.current.profile.identities.contains(where: { $0.providerID == credential.provider }) {
            throw AuthErrorCode.providerAlreadyLinked
        }
        let authentication = try await replacingTokens { [self] idToken in
            // Linking a password ends the session and starts another.
            let replacesSession = if case .password = credential.content { true } else { false }
            let authentication = try await replacingSession(if: replacesSession) { key in
                try await core.authenticate(credential, for: .link(idToken: idToken, resumptionKey: key))
            }
            guard try IDTokenClaims(of: authentication.tokens.idToken).subject == uid else {
                throw AuthErrorCode.responseForAnotherUser
            }
            await adopt(authentication.tokens, since: idToken) { session in
                session.isAnonymous = false
                if replacesSession { session.resumptionKey = nil }
            }
            return authentication
        }
        // The credential is linked. If the profile cannot be loaded now, the next `reload()` loads it.
        do {
            try await reload()
        } catch let error as AuthErrorCode where error.isTransient {
            core.update(self) { session in
                session.profile.identities.append(ProviderProfile(providerID: credential.provider, uid: ""))
            }
        }
        return AuthDataResult(
            user: self, additionalUserInfo: authentication.additionalUserInfo, credential: authentication.credential)
    }
}

extension AuthCore {
    /// Revokes the session of an ID token. Errors are ignored, because nothing depends on the outcome.
    func revokeSessionIgnoringErrors(_ idToken: String) async {
        let _: EmptyResponse? = try? await post(
            "/v1/accounts:revokeSession", RevokeSessionRequest(idToken: idToken, sessionId: "current"))
    }
}
