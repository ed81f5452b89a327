internal import Foundation

/// The operation that a credential is used for.
enum AuthOperationType: Sendable {
    case signIn
    /// Links the credential to the account of the ID token. Linking a password replaces the session. The request then
    /// has a ``ResumptionKey``, with which the library gets the new tokens if the response is lost.
    case link(idToken: String, resumptionKey: String?)
    /// Reauthenticates the user of the ID token. The credential must already be linked.
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

/// The result of a successful authentication.
struct Authentication: Sendable {
    var tokens: SessionTokens
    var additionalUserInfo: AdditionalUserInfo?
    var credential: OAuthCredential?
}

extension AuthCore {
    /// Sends a credential to the gateway.
    func authenticate(_ credential: AuthCredential, for operation: AuthOperationType) async throws -> Authentication {
        switch credential.content {
        case .password(let email, let password):
            try await authenticate(email: email, password: password, for: operation)
        case .emailLink(let email, let code):
            try await authenticate(email: email, linkCode: code, for: operation)
        case .idp, .pendingToken, .browser:
            try await authenticate(idp: credential, for: operation)
        case .phone(let content):
            try await authenticate(
                phone: credential as? PhoneAuthCredential ?? PhoneAuthCredential(.phone(content)), for: operation)
        }
    }

    private func authenticate(
        email: String, password: String, for operation: AuthOperationType
    ) async throws -> Authentication {
        guard !email.isEmpty else { throw AuthErrorCode.missingEmail }
        if let idToken = operation.linkingIDToken {
            guard !password.isEmpty else { throw AuthErrorCode.weakPassword }
            return try await signUp(
                email: email, password: password, idToken: idToken, resumptionKey: operation.resumptionKey)
        }
        guard !password.isEmpty else { throw AuthErrorCode.wrongPassword }
        let response: TimedResponse<SessionResponse> = try await post(
            "/v1/accounts:signInWithPassword",
            SignInWithPasswordRequest(
                tenantId: tenantID, email: email, password: password, idToken: operation.reauthenticationIDToken))
        return try authentication(response, provider: EmailAuthProvider.id)
    }

    /// Creates an account, or links a password to the account of an ID token. The ID token determines the tenant, so
    /// the request for a link has no `tenantId`.
    func signUp(
        email: String?, password: String?, idToken: String? = nil, resumptionKey: String? = nil
    ) async throws -> Authentication {
        let response: TimedResponse<SessionResponse> = try await post(
            "/v1/accounts:signUp",
            SignUpRequest(
                tenantId: idToken == nil ? tenantID : nil, idToken: idToken, email: email, password: password),
            resumptionKey: resumptionKey)
        return try authentication(
            response, provider: email == nil ? nil : EmailAuthProvider.id, isNewUser: idToken == nil)
    }

    private func authenticate(
        email: String, linkCode: String, for operation: AuthOperationType
    ) async throws -> Authentication {
        guard !linkCode.isEmpty else { throw AuthErrorCode.invalidActionCode }
        let response: TimedResponse<SessionResponse> = try await post(
            "/v1/accounts:signInWithEmailLink",
            SignInWithEmailLinkRequest(
                tenantId: operation.linkingIDToken == nil ? tenantID : nil, email: email, oobCode: linkCode,
                idToken: operation.linkingIDToken))
        return try authentication(response, provider: EmailAuthProvider.id)
    }

    /// Sends a custom token to the gateway.
    func authenticate(customToken: String) async throws -> Authentication {
        let response: TimedResponse<SessionResponse> = try await post(
            "/v1/accounts:signInWithCustomToken",
            SignInWithCustomTokenRequest(tenantId: tenantID, token: customToken))
        return try authentication(response, provider: nil)
    }

    private func authenticate(
        idp given: AuthCredential, for operation: AuthOperationType
    ) async throws -> Authentication {
        let credential = keepingName(of: given)
        var request = SignInWithIdpRequest()
        request.tenantId = operation.linkingIDToken == nil ? tenantID : nil
        request.credential = try credential.idpCredential
        request.pendingToken = (credential as? OAuthCredential)?.pendingToken
        if case .browser(let requestURI, let sessionID) = credential.content {
            (request.requestUri, request.sessionId) = (requestURI, sessionID)
        }
        request.idToken = operation.linkingIDToken
        if operation.reauthenticationIDToken != nil { request.autoCreate = false }
        do {
            let response: TimedResponse<SignInWithIdpResponse> = try await post("/v1/accounts:signInWithIdp", request)
            if let conflict = response.value.conflict(defaultProvider: credential.provider) { throw conflict }
            forgetName(of: credential)
            try response.value.requireNoFactor(
                additionalUserInfo: AdditionalUserInfo(response.value),
                credential: response.value.credential(completedBy: credential), core: self)
            return Authentication(
                tokens: try .required(response.tokens), additionalUserInfo: AdditionalUserInfo(response.value),
                credential: response.value.credential(completedBy: credential))
        } catch let error as AuthErrorCode {
            throw error.withUpdatedCredential(of: credential.provider)
        }
    }

    func authentication(
        _ response: TimedResponse<SessionResponse>, provider: String?, isNewUser: Bool = false
    ) throws -> Authentication {
        let additionalUserInfo = AdditionalUserInfo(
            providerID: provider ?? "", isNewUser: response.value.isNewUser ?? isNewUser)
        try response.value.requireNoFactor(additionalUserInfo: additionalUserInfo, core: self)
        return Authentication(tokens: try .required(response.tokens), additionalUserInfo: additionalUserInfo)
    }

    var tenantID: String? { withState(\.tenantID) }
}

extension AuthCredential {
    /// The identity provider's tokens as a member of a request. `nil` for other credentials.
    ///
    /// - Throws: ``AuthErrorCode/invalidCredential`` if there is neither an ID token nor a code.
    var idpCredential: IdpCredential? {
        get throws {
            guard case .idp(let tokens) = content else { return nil }
            guard tokens.idToken != nil || tokens.authorizationCode?.isEmpty == false else {
                throw AuthErrorCode.invalidCredential.with("The credential has no ID token.")
            }
            return IdpCredential(
                providerId: provider, idToken: tokens.idToken, accessToken: tokens.accessToken,
                rawNonce: tokens.rawNonce,
                fullName: tokens.name, authorizationCode: tokens.authorizationCode)
        }
    }
}

extension SignInWithIdpResponse {
    /// Returns the error in a response with status 200, or `nil` if the sign-in succeeded.
    ///
    /// - Parameter defaultProvider: the provider of the error's credential if the response names none.
    fileprivate func conflict(defaultProvider: String) -> AuthErrorCode? {
        var details: [String: any Sendable] = [:]
        details[AuthErrors.userInfoEmailKey] = email
        details[AuthErrors.userInfoUpdatedCredentialKey] = pendingToken.map {
            OAuthCredential(
                provider: providerId ?? defaultProvider, .pendingToken($0), idToken: oauthIdToken,
                accessToken: oauthAccessToken)
        }
        if needConfirmation == true {
            details[AuthErrors.userInfoSignInMethodsKey] = verifiedProvider
            return AuthErrorCode.accountExistsWithDifferentCredential.with(details: details)
        }
        return errorMessage.map { ServerError(message: $0).authError.with(details: details) }
    }

    /// Returns the credential for requests to the provider's API.
    ///
    /// - Parameter sent: the credential of the request, whose tokens are used if the response has none.
    fileprivate func credential(completedBy sent: AuthCredential) -> OAuthCredential {
        OAuthCredential(
            provider: providerId ?? sent.provider,
            .idp(
                IdpTokens(
                    idToken: oauthIdToken ?? (sent as? OAuthCredential)?.idToken,
                    accessToken: oauthAccessToken ?? (sent as? OAuthCredential)?.accessToken)))
    }
}

extension AuthErrorCode {
    /// Returns the error with an ``updatedCredential``, if the gateway's error has a pending token to make it from.
    fileprivate func withUpdatedCredential(of provider: String) -> AuthErrorCode {
        guard updatedCredential == nil, let pendingToken else { return self }
        return with(
            details: [
                AuthErrors.userInfoUpdatedCredentialKey: OAuthCredential(
                    provider: provider, .pendingToken(pendingToken))
            ])
    }
}
