internal import Foundation

extension AuthCore {
    /// Signs in. The cancellation of the caller does not cancel it once it has begun, because the credential may be used
    /// up, and the account may exist, when the gateway has the request.
    func performSignIn(
        isAnonymous: Bool = false, _ authenticate: @escaping @Sendable () async throws -> Authentication
    ) async throws -> AuthDataResult {
        try Task.checkCancellation()
        return try await Task { try await completeSignIn(try await authenticate(), isAnonymous: isAnonymous) }.value
    }

    /// Makes the user of an authentication the current one, and stores the session.
    func completeSignIn(_ authentication: Authentication, isAnonymous: Bool = false) async throws -> AuthDataResult {
        let (profile, tenant) = try await profile(of: authentication.tokens)
        let user = User(
            Session(
                tokens: authentication.tokens, profile: profile, isAnonymous: isAnonymous, tenantID: tenant),
            core: self)
        try signIn(user)
        await listenersCalled()
        return AuthDataResult(
            user: user, additionalUserInfo: authentication.info, credential: authentication.credential)
    }

    /// The account of new tokens. If the gateway does not answer, the claims have to do until the next
    /// ``User/reload()``: the credential of the sign-in is used up, and another attempt would fail.
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
    /// Proves again who the user is.
    func performReauthentication(with credential: AuthCredential) async throws -> AuthDataResult {
        let authentication = try await replacingTokens(.concernsRequest) { [self] idToken in
            let authentication: Authentication
            do {
                authentication = try await core.authenticate(credential, for: .reauthenticate(idToken: idToken))
            } catch let error as AuthErrorCode where error == .userNotFound {
                throw AuthErrorCode.userMismatch
            }
            guard try IDTokenClaims(of: authentication.tokens.idToken).subject == uid else {
                await core.revokeQuietly(authentication.tokens.idToken)
                throw AuthErrorCode.userMismatch
            }
            await adopt(authentication.tokens)
            return authentication
        }
        return AuthDataResult(
            user: self, additionalUserInfo: authentication.info, credential: authentication.credential)
    }

    /// Adds a sign-in method to the account.
    func performLink(with credential: AuthCredential) async throws -> AuthDataResult {
        if session.current.profile.identities.contains(where: { $0.providerID == credential.provider }) {
            throw AuthErrorCode.providerAlreadyLinked
        }
        let authentication = try await replacingTokens { [self] idToken in
            let replacesSession = if case .password = credential.evidence { true } else { false }
            let authentication = try await replacingSession(if: replacesSession) { key in
                try await core.authenticate(credential, for: .link(idToken: idToken, resumptionKey: key))
            }
            guard try IDTokenClaims(of: authentication.tokens.idToken).subject == uid else {
                throw AuthErrorCode.responseForAnotherUser
            }
            await adopt(authentication.tokens) { session in
                session.isAnonymous = false
                if replacesSession { session.resumptionKey = nil }
            }
            return authentication
        }
        // The link is made. A profile that cannot be loaded now is loaded by the next `reload()`.
        do {
            try await reload()
        } catch let error as AuthErrorCode where error.isTransient {
            core.update(self) { session in
                session.profile.identities.append(ProviderProfile(providerID: credential.provider, uid: ""))
            }
        }
        return AuthDataResult(
            user: self, additionalUserInfo: authentication.info, credential: authentication.credential)
    }
}

extension AuthCore {
    /// Ends the session of an ID token. The outcome is ignored, because no part of the app depends on it.
    func revokeQuietly(_ idToken: String) async {
        let _: EmptyResponse? = try? await post(
            "/v1/accounts:revokeSession", RevokeSessionRequest(idToken: idToken, sessionId: "current"))
    }
}
