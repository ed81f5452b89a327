extension User {
    /// Reloads the account's profile, for example after the user has verified the email address or changed the name on
    /// another device.
    public func reload() async throws {
        try await withIDToken { try await self.loadProfile(with: $0) }
    }

    /// Reauthenticates the user, before an operation that requires a recent login.
    ///
    /// - Throws: ``AuthErrorCode/userMismatch`` if the credential belongs to another user; otherwise as
    ///   ``Auth/signIn(with:)``.
    @discardableResult public func reauthenticate(with credential: AuthCredential) async throws -> AuthDataResult {
        try await performReauthentication(with: credential)
    }

    /// Links a credential to the account, which keeps its ``uid``. An anonymous user becomes a permanent one. Linking a
    /// password ends all other sessions of the account.
    ///
    /// - Throws: ``AuthErrorCode/credentialAlreadyInUse`` if the credential is linked to another account: use the
    ///   error's ``AuthErrorCode/updatedCredential`` to sign in to that account or to merge the accounts.
    ///   ``AuthErrorCode/emailAlreadyInUse``; ``AuthErrorCode/providerAlreadyLinked``;
    ///   ``AuthErrorCode/requiresRecentLogin``; otherwise as ``Auth/signIn(with:)``.
    @discardableResult public func link(with credential: AuthCredential) async throws -> AuthDataResult {
        try await performLink(with: credential)
    }

    /// Unlinks a provider from the account. Other sessions that were opened with this provider end. Unlinking the
    /// password ends all other sessions of the account. An email address that only this provider supplied is removed,
    /// or replaced by the address of another linked provider.
    ///
    /// - Parameters:
    ///   - provider: the provider ID, for example `apple.com`.
    ///   - allowNoSignInMethod: whether the last sign-in method may be removed (default: false).
    /// - Throws: ``AuthErrorCode/noSuchProvider`` if the provider is not linked; ``AuthErrorCode/requiresRecentLogin``;
    ///   ``AuthErrorCode/lastSignInMethod`` if the provider is the last sign-in method, `allowNoSignInMethod` is false,
    ///   and the project protects the last sign-in method.
    /// - Returns: this user.
    public func unlink(fromProvider provider: String, allowNoSignInMethod: Bool = false) async throws -> User {
        guard session.current.profile.identities.contains(where: { $0.providerID == provider }) else {
            throw AuthErrorCode.noSuchProvider
        }
        try await changeAccount(replacesSession: provider == EmailAuthProvider.id) { idToken in
            UpdateRequest(
                idToken: idToken, deleteProvider: [provider], allowNoSignInMethod: allowNoSignInMethod ? true : nil)
        }
        // Refreshes the ID token if its claims still contain the identity. A token that cannot be read is kept.
        if (try? IDTokenClaims(of: session.current.tokens.idToken).hasIdentity(of: provider)) == true {
            // An error is ignored, because the identity is unlinked. The claims then change with the next refresh.
            _ = try? await freshTokens(forced: true)
        }
        return self
    }

    /// Sets a new password. All other sessions of the account end.
    ///
    /// - Throws: ``AuthErrorCode/requiresRecentLogin``; ``AuthErrorCode/weakPassword`` or
    ///   ``AuthErrorCode/passwordDoesNotMeetRequirements``; ``AuthErrorCode/operationNotAllowed``.
    public func updatePassword(to password: String) async throws {
        guard !password.isEmpty else { throw AuthErrorCode.weakPassword }
        try await changeAccount(replacesSession: true) {
            UpdateRequest(idToken: $0, password: password)
        }
    }

    /// Sets a new email address, which is then unverified. All other sessions of the account end.
    ///
    /// - Throws: ``AuthErrorCode/operationNotAllowed`` if email enumeration protection is on: use
    ///   ``sendEmailVerification(beforeUpdatingEmail:actionCodeSettings:)``. ``AuthErrorCode/requiresRecentLogin``;
    ///   ``AuthErrorCode/emailAlreadyInUse``; ``AuthErrorCode/invalidEmail`` or ``AuthErrorCode/missingEmail``.
    public func updateEmail(to email: String) async throws {
        guard !email.isEmpty else { throw AuthErrorCode.missingEmail }
        try await changeAccount(replacesSession: true) {
            UpdateRequest(idToken: $0, email: email)
        }
    }

    /// Sends an email with a link that verifies the account's email address.
    ///
    /// - Throws: ``AuthErrorCode/missingEmail`` if the account has none; ``AuthErrorCode/unauthorizedDomain`` or
    ///   ``AuthErrorCode/invalidContinueURI`` for the ``ActionCodeSettings/url``; ``AuthErrorCode/operationNotAllowed``
    ///   if the gateway does not send email.
    public func sendEmailVerification(with actionCodeSettings: ActionCodeSettings? = nil) async throws {
        try await withIDToken { [self] in
            try await core.sendOobCode("VERIFY_EMAIL", idToken: $0, settings: actionCodeSettings)
        }
    }

    /// Sends an email with a link to a new email address. The link verifies the new address, which then replaces the
    /// account's address.
    ///
    /// - Throws: ``AuthErrorCode/requiresRecentLogin``; ``AuthErrorCode/emailAlreadyInUse`` if email enumeration
    ///   protection is off; ``AuthErrorCode/invalidEmail`` or ``AuthErrorCode/missingEmail``; otherwise as
    ///   ``sendEmailVerification(with:)``.
    public func sendEmailVerification(
        beforeUpdatingEmail newEmail: String, actionCodeSettings: ActionCodeSettings? = nil
    ) async throws {
        guard !newEmail.isEmpty else { throw AuthErrorCode.missingEmail }
        try await withIDToken(onAccountError: .keepUser) { [self] in
            try await core.sendOobCode(
                "VERIFY_AND_CHANGE_EMAIL", newEmail: newEmail, idToken: $0, settings: actionCodeSettings)
        }
    }

    /// Returns a request with which the app changes the display name and the photo URL.
    public func createProfileChangeRequest() -> UserProfileChangeRequest { UserProfileChangeRequest(user: self) }

    /// Sends a change of the account, adopts the tokens of the response and reloads the profile.
    ///
    /// - Parameter replacesSession: whether the gateway ends the session and starts another. Such a request has a
    ///   ``ResumptionKey``, so that a lost response does not sign the user out.
    func changeAccount(
        replacesSession: Bool = false, _ request: @escaping @Sendable (_ idToken: String) -> UpdateRequest
    ) async throws {
        try await replacingTokens { [self] idToken in
            let body = request(idToken)
            let response: TimedResponse<SessionResponse> = try await replacingSession(if: replacesSession) { key in
                try await core.post("/v1/accounts:update", body, resumptionKey: key)
            }
            await adopt(response.tokens, since: idToken) { if replacesSession { $0.resumptionKey = nil } }
            let emptied = (response.value.passkeySignals ?? []).filter(\.allAcceptedCredentialIds.isEmpty)
            emptiedPasskeySignals.withLock { $0 += emptied }
            do {
                try await loadProfile(with: session.current.tokens.idToken)
            } catch let error as AuthErrorCode where error.isTransient {
                // The account is changed. The next `reload()` loads the profile.
            }
        }
    }
}

extension User {
    /// Completion-handler form of the `async` method.
    public func reload(completion: (((any Error)?) -> Void)? = nil) {
        MainQueue.complete(completion) { try await self.reload() }
    }

    /// Completion-handler form of the `async` method.
    public func reauthenticate(
        with credential: AuthCredential, completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) { try await self.reauthenticate(with: credential) }
    }

    /// Completion-handler form of the `async` method.
    public func link(
        with credential: AuthCredential, completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) { try await self.link(with: credential) }
    }

    /// Completion-handler form of the `async` method.
    public func unlink(fromProvider provider: String, completion: ((User?, (any Error)?) -> Void)? = nil) {
        MainQueue.complete(completion) { try await self.unlink(fromProvider: provider) }
    }

    /// Completion-handler form of the `async` method.
    public func updatePassword(to password: String, completion: (((any Error)?) -> Void)? = nil) {
        MainQueue.complete(completion) { try await self.updatePassword(to: password) }
    }

    /// Completion-handler form of the `async` method.
    public func updateEmail(to email: String, completion: (((any Error)?) -> Void)? = nil) {
        MainQueue.complete(completion) { try await self.updateEmail(to: email) }
    }

    /// Completion-handler form of the `async` method.
    public func sendEmailVerification(completion: (((any Error)?) -> Void)? = nil) {
        MainQueue.complete(completion) { try await self.sendEmailVerification() }
    }

    /// Completion-handler form of the `async` method.
    public func sendEmailVerification(
        with actionCodeSettings: ActionCodeSettings, completion: (((any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) { try await self.sendEmailVerification(with: actionCodeSettings) }
    }

    /// Completion-handler form of the `async` method.
    public func sendEmailVerification(
        beforeUpdatingEmail newEmail: String, actionCodeSettings: ActionCodeSettings? = nil,
        completion: (((any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) {
            try await self.sendEmailVerification(
                beforeUpdatingEmail: newEmail, actionCodeSettings: actionCodeSettings)
        }
    }
}
