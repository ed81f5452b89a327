internal import Foundation

/// What a credential is presented for.
enum CredentialUse: Sendable {
    case signIn
    /// Adds the sign-in method to the account of the ID token. A password replaces the session.
    case link(idToken: String, resumptionKey: String?)
    /// Proves again who the user of the ID token is. The account must already have the sign-in method.
    case reauthenticate(idToken: String)

    var linkingIDToken: String? {
        if case .link(let idToken, _) = self { idToken } else { nil }
    }

    var resumptionKey: String? {
        if case .link(_, let key) = self { key } else { nil }
    }

    var reauthenticationIDToken: String? {
        if case .reauthenticate(let idToken) = self { idToken } else { nil }
    }
}

/// The gateway accepted a credential.
struct Authentication: Sendable {
    var tokens: SessionTokens
    var info: AdditionalUserInfo?
    var credential: OAuthCredential?
}

extension AuthCore {
    /// Presents a credential to the gateway.
    func authenticate(_ credential: AuthCredential, for use: CredentialUse) async throws -> Authentication {
        switch credential.evidence {
        case .password(let email, let password):
            try await authenticate(email: email, password: password, for: use)
        case .emailLink(let email, let code):
            try await authenticate(email: email, linkCode: code, for: use)
        case .identity, .pending:
            try await authenticate(identity: credential, for: use)
        }
    }

    private func authenticate(
        email: String, password: String, for use: CredentialUse
    ) async throws -> Authentication {
        guard !email.isEmpty else { throw AuthErrorCode.missingEmail }
        if let idToken = use.linkingIDToken {
            guard !password.isEmpty else { throw AuthErrorCode.weakPassword }
            return try await signUp(
                email: email, password: password, idToken: idToken, resumptionKey: use.resumptionKey)
        }
        guard !password.isEmpty else { throw AuthErrorCode.wrongPassword }
        let response: Received<SessionResponse> = try await post(
            "/v1/accounts:signInWithPassword",
            SignInWithPasswordRequest(
                tenantId: tenantID, email: email, password: password, idToken: use.reauthenticationIDToken))
        return try authentication(response, provider: EmailAuthProvider.id)
    }

    /// Creates an account, or adds a password to one.
    func signUp(
        email: String?, password: String?, idToken: String? = nil, resumptionKey: String? = nil
    ) async throws -> Authentication {
        let response: Received<SessionResponse> = try await post(
            "/v1/accounts:signUp",
            SignUpRequest(
                tenantId: idToken == nil ? tenantID : nil, idToken: idToken, email: email, password: password),
            resumptionKey: resumptionKey)
        return try authentication(
            response, provider: email == nil ? nil : EmailAuthProvider.id, isNewUser: idToken == nil)
    }

    private func authenticate(
        email: String, linkCode: String, for use: CredentialUse
    ) async throws -> Authentication {
        guard !linkCode.isEmpty else { throw AuthErrorCode.invalidActionCode }
        let response: Received<SessionResponse> = try await post(
            "/v1/accounts:signInWithEmailLink",
            SignInWithEmailLinkRequest(
                tenantId: use.linkingIDToken == nil ? tenantID : nil, email: email, oobCode: linkCode,
                idToken: use.linkingIDToken))
        return try authentication(response, provider: EmailAuthProvider.id)
    }

    /// Signs in with a token that the app's backend signed.
    func authenticate(customToken: String) async throws -> Authentication {
        let response: Received<SessionResponse> = try await post(
            "/v1/accounts:signInWithCustomToken",
            SignInWithCustomTokenRequest(tenantId: tenantID, token: customToken))
        return try authentication(response, provider: nil)
    }

    private func authenticate(
        identity credential: AuthCredential, for use: CredentialUse
    ) async throws -> Authentication {
        var request = SignInWithIdpRequest()
        request.tenantId = use.linkingIDToken == nil ? tenantID : nil
        request.credential = try credential.idpCredential
        request.pendingToken = (credential as? OAuthCredential)?.pendingToken
        request.idToken = use.linkingIDToken
        if use.reauthenticationIDToken != nil { request.autoCreate = false }
        do {
            let response: Received<SignInWithIdpResponse> = try await post("/v1/accounts:signInWithIdp", request)
            if let conflict = response.value.conflict(credential.provider) { throw conflict }
            return Authentication(
                tokens: try .required(response.tokens), info: AdditionalUserInfo(response.value),
                credential: response.value.credential(credential))
        } catch let error as AuthErrorCode {
            throw error.withUpdatedCredential(of: credential.provider)
        }
    }

    private func authentication(
        _ response: Received<SessionResponse>, provider: String?, isNewUser: Bool = false
    ) throws -> Authentication {
        Authentication(
            tokens: try .required(response.tokens),
            info: AdditionalUserInfo(
                providerID: provider ?? "", isNewUser: response.value.isNewUser ?? isNewUser))
    }

    var tenantID: String? { withState(\.tenantID) }
}

extension AuthCredential {
    /// The body of an identity credential. `nil` if it is not one.
    var idpCredential: IdpCredential? {
        get throws {
            guard case .identity(let identity) = evidence else { return nil }
            guard let idToken = identity.idToken else {
                throw AuthErrorCode.invalidCredential.with("The gateway needs the provider's ID token.")
            }
            return IdpCredential(
                providerId: provider, idToken: idToken, accessToken: identity.accessToken, rawNonce: identity.rawNonce,
                fullName: identity.name, authorizationCode: identity.authorizationCode)
        }
    }
}

extension SignInWithIdpResponse {
    /// The error of a response that does not sign the user in.
    fileprivate func conflict(_ provider: String) -> AuthErrorCode? {
        var details: [String: any Sendable] = [:]
        details[AuthErrors.userInfoEmailKey] = email
        details[AuthErrors.userInfoUpdatedCredentialKey] = pendingToken.map {
            OAuthCredential(
                provider: providerId ?? provider, .pending(token: $0), idToken: oauthIdToken,
                accessToken: oauthAccessToken)
        }
        if needConfirmation == true {
            details[AuthErrors.userInfoSignInMethodsKey] = verifiedProvider
            return AuthErrorCode.accountExistsWithDifferentCredential.with(nil, details)
        }
        return errorMessage.map { ServerError(message: $0).authError.with(nil, details) }
    }

    /// What the app can present to the provider's own API.
    fileprivate func credential(_ used: AuthCredential) -> OAuthCredential {
        OAuthCredential(
            provider: providerId ?? used.provider,
            .identity(
                IdentityEvidence(
                    idToken: oauthIdToken ?? (used as? OAuthCredential)?.idToken,
                    accessToken: oauthAccessToken ?? (used as? OAuthCredential)?.accessToken)))
    }
}

extension AuthErrorCode {
    /// Makes the pending token of a rejection usable as a credential.
    fileprivate func withUpdatedCredential(of provider: String) -> AuthErrorCode {
        guard updatedCredential == nil, let pendingToken else { return self }
        return with(
            nil,
            [
                AuthErrors.userInfoUpdatedCredentialKey: OAuthCredential(
                    provider: provider, .pending(token: pendingToken))
            ])
    }
}
