internal import Foundation

extension User {
    /// The passkeys of the account, the oldest first. Call ``reload()`` after the user has changed them on another
    /// device.
    public var enrolledPasskeys: [PasskeyInfo] { (session.current.profile.passkeys ?? []).map(PasskeyInfo.init) }

    /// Removes a passkey from the account. Other sessions that were opened with the passkey end. Afterwards, call
    /// ``reportAcceptedPasskeys()``, so that the user's password manager hides the passkey.
    ///
    /// - Parameter credentialID: the ``PasskeyInfo/credentialID``.
    /// - Throws: ``AuthErrorCode/missingPasskeyEnrollment`` if the account has no such passkey;
    ///   ``AuthErrorCode/requiresRecentLogin``; ``AuthErrorCode/lastSignInMethod`` if the passkey is the last sign-in
    ///   method, and the project protects the last sign-in method.
    public func unenrollPasskey(withCredentialID credentialID: String) async throws {
        // FirebaseAuth's callers pass base64.
        guard let id = Data(anyBase64: credentialID)?.base64URL,
            session.current.profile.passkeys?.contains(where: { $0.credentialID == id }) == true
        else { throw AuthErrorCode.missingPasskeyEnrollment }
        try await changeAccount(replacesSession: true) { UpdateRequest(idToken: $0, deletePasskey: [id]) }
    }

    /// - Parameter isUpgrade: whether the system creates the passkey without asking the user.
    func passkeyCreationOptions(isUpgrade: Bool = false) async throws -> PasskeyCreationOptions {
        let response: PasskeyCreationResponse = try await withIDToken { [core] in
            try await core.post(
                "/v2/accounts/passkeyEnrollment:start",
                StartPasskeyEnrollmentRequest(idToken: $0, mediation: isUpgrade ? "conditional" : nil))
        }
        return try PasskeyCreationOptions(response)
    }

    /// Stores the public key of a new passkey, adopts the new tokens and reloads the profile.
    func enrollPasskey(_ credential: PasskeyCredential, name: String?) async throws -> AuthDataResult {
        let response = PasskeyResponse(credential)
        try await replacingTokens { [self] idToken in
            let received: TimedResponse<SessionResponse> = try await core.post(
                "/v2/accounts/passkeyEnrollment:finalize",
                FinalizePasskeyEnrollmentRequest(
                    idToken: idToken, authenticatorRegistrationResponse: response, name: name))
            let tokens = try SessionTokens.required(received.tokens)
            guard try IDTokenClaims(of: tokens.idToken).subject == uid else {
                throw AuthErrorCode.responseForAnotherUser
            }
            await adopt(tokens, since: idToken) { $0.isAnonymous = false }
        }
        // The passkey is enrolled. If the profile cannot be loaded now, the next `reload()` loads it.
        do {
            try await reload()
        } catch let error as AuthErrorCode where error.isTransient {}
        return AuthDataResult(
            user: self, additionalUserInfo: AdditionalUserInfo(providerID: Auth.passkeyProvider, isNewUser: false))
    }

    /// Loads what the account's password managers can be told about its passkeys.
    func passkeySignals() async throws -> [PasskeySignal] {
        try await withIDToken { [self] in
            let user = try await core.lookup($0)
            guard user.localId == uid else { throw AuthErrorCode.responseForAnotherUser }
            let signals = user.passkeySignals ?? []
            let emptied = emptiedPasskeySignals.withLock { $0 }.filter { emptied in
                !signals.contains { $0.rpId == emptied.rpId && $0.userId == emptied.userId }
            }
            return signals + emptied
        }
    }
}
