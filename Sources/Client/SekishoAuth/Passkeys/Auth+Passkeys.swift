extension Auth {
    /// The provider ID of sign-ins with a passkey.
    static let passkeyProvider = "passkey"

    /// Starts to create an account with a passkey in one system dialog. The gateway stores nothing yet.
    ///
    /// Pass the options to `ASAuthorizationAccountCreationProvider` (iOS 26 or later), or to
    /// `ASAuthorizationPlatformPublicKeyCredentialProvider`, and the result to
    /// ``finalizePasskeySignUp(withPlatformCredential:name:email:displayName:)``.
    ///
    /// - Parameters:
    ///   - email: the name of the account in lists of passkeys.
    ///   - displayName: the name of the user there.
    /// - Throws: ``AuthErrorCode/operationNotAllowed`` if the project does not use passkeys;
    ///   ``AuthErrorCode/adminRestrictedOperation``.
    public func startPasskeySignUp(email: String? = nil, displayName: String? = nil) async throws
        -> PasskeySignUpOptions
    {
        let response: PasskeyCreationResponse = try await core.post(
            "/v2/accounts/passkeySignUp:start",
            StartPasskeySignUpRequest(tenantId: core.tenantID, email: email, displayName: displayName))
        return PasskeySignUpOptions(try PasskeyCreationOptions(response))
    }

    func passkeyRequestOptions() async throws -> PasskeyRequestOptions {
        let response: StartPasskeySignInResponse = try await core.post(
            "/v2/accounts/passkeySignIn:start", StartPasskeySignInRequest(tenantId: core.tenantID))
        return try PasskeyRequestOptions(response)
    }

    func signIn(withPasskey credential: PasskeyCredential) async throws -> AuthDataResult {
        let response = PasskeyResponse(credential)
        return try await core.performSignIn { [core] in
            let received: TimedResponse<SessionResponse> = try await core.post(
                "/v2/accounts/passkeySignIn:finalize",
                FinalizePasskeySignInRequest(tenantId: core.tenantID, authenticatorAuthenticationResponse: response))
            return try core.authentication(received, provider: Self.passkeyProvider)
        }
    }

    func signUp(withPasskey credential: PasskeyCredential, name: String?, email: String?, displayName: String?)
        async throws -> AuthDataResult
    {
        let response = PasskeyResponse(credential)
        return try await core.performSignIn { [core] in
            let received: TimedResponse<SessionResponse> = try await core.post(
                "/v2/accounts/passkeySignUp:finalize",
                FinalizePasskeySignUpRequest(
                    tenantId: core.tenantID, authenticatorRegistrationResponse: response, name: name,
                    displayName: displayName, email: email))
            return try core.authentication(received, provider: Self.passkeyProvider, isNewUser: true)
        }
    }
}
