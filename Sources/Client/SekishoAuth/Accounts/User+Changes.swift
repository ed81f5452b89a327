extension User {
    /// Loads the account's profile, for example after the user has verified the email address or changed the name on
    /// another device.
    public func reload() async throws {
        try await withIDToken { try await self.loadProfile(with: $0) }
    }

    /// Proves again who the user is, before an operation that needs a recent login.
    ///
    /// - Throws: ``AuthErrorCode/userMismatch`` if the credential belongs to another user.
    @discardableResult public func reauthenticate(with credential: AuthCredential) async throws -> AuthDataResult {
        try await performReauthentication(with: credential)
    }

    /// Adds a sign-in method to the account, which keeps its ``uid``.
    ///
    /// - Throws: ``AuthErrorCode/credentialAlreadyInUse`` if another account has the identity. Its
    ///   ``AuthErrorCode/updatedCredential`` can sign in to that account or merge the two.
    @discardableResult public func link(with credential: AuthCredential) async throws -> AuthDataResult {
        try await performLink(with: credential)
    }

    /// Removes a sign-in method from the account.
    ///
    /// - Parameters:
    ///   - provider: its ID, for example `apple.com`.
    ///   - allowNoSignInMethod: whether the last sign-in method may be removed (default: false).
    public func unlink(fromProvider provider: String, allowNoSignInMethod: Bool = false) async throws -> User {
        guard session.current.profile.identities.contains(where: { $0.providerID == provider }) else {
            throw AuthErrorCode.noSuchProvider
        }
        try await changeAccount("/v1/accounts:unlink") { idToken in
            UnlinkRequest(
                idToken: idToken, deleteProvider: [provider],
                allowNoSignInMethod: allowNoSignInMethod ? true : nil)
        }
        // The claims still name the identity, unless the gateway has replaced the tokens.
        if (try? IDTokenClaims(of: session.current.tokens.idToken).names(provider)) == true {
            // The identity is unlinked in any case; the claims change with the next refresh.
            _ = try? await freshTokens(forced: true)
        }
        return self
    }

    /// Sets a new password. Needs a recent login. The account's other sessions end.
    public func updatePassword(to password: String) async throws {
        guard !password.isEmpty else { throw AuthErrorCode.weakPassword }
        try await changeAccount("/v1/accounts:update", replacesSession: true) {
            UpdateRequest(idToken: $0, password: password)
        }
    }

    /// Sets a new email address, which is then unverified. Needs a recent login.
    ///
    /// With email enumeration protection, the gateway rejects the change: use
    /// ``sendEmailVerification(beforeUpdatingEmail:actionCodeSettings:)``.
    public func updateEmail(to email: String) async throws {
        guard !email.isEmpty else { throw AuthErrorCode.missingEmail }
        try await changeAccount("/v1/accounts:update", replacesSession: true) {
            UpdateRequest(idToken: $0, email: email)
        }
    }

    /// Sends an email with a link that verifies the account's address.
    public func sendEmailVerification(with actionCodeSettings: ActionCodeSettings? = nil) async throws {
        try await withIDToken { [self] in
            try await core.sendOobCode("VERIFY_EMAIL", idToken: $0, settings: actionCodeSettings)
        }
    }

    /// Sends an email to a new address. Its link verifies the address and makes it the account's.
    public func sendEmailVerification(
        beforeUpdatingEmail newEmail: String, actionCodeSettings: ActionCodeSettings? = nil
    ) async throws {
        guard !newEmail.isEmpty else { throw AuthErrorCode.missingEmail }
        try await withIDToken(.concernsRequest) { [self] in
            try await core.sendOobCode(
                "VERIFY_AND_CHANGE_EMAIL", newEmail: newEmail, idToken: $0, settings: actionCodeSettings)
        }
    }

    /// Prepares a change of the profile.
    public func createProfileChangeRequest() -> UserProfileChangeRequest { UserProfileChangeRequest(user: self) }

    /// Sends a change of the account, keeps the tokens of the response and loads the profile.
    ///
    /// - Parameter replacesSession: whether the change ends the gateway's session and begins another.
    func changeAccount(
        _ path: String, replacesSession: Bool = false,
        _ request: @escaping @Sendable (String) -> some Encodable & Sendable
    ) async throws {
        try await replacingTokens { [self] idToken in
            let body = request(idToken)
            let response: Received<SessionResponse> = try await replacingSession(if: replacesSession) { key in
                try await core.post(path, body, resumptionKey: key)
            }
            await adopt(response.tokens) { if replacesSession { $0.resumptionKey = nil } }
            do {
                try await loadProfile(with: session.current.tokens.idToken)
            } catch let error as AuthErrorCode where error.isTransient {
                // The change is made. The next `reload()` shows it.
            }
        }
    }
}

extension User {
    /// See the asynchronous form.
    public func reload(completion: (((any Error)?) -> Void)? = nil) {
        MainQueue.complete(completion) { try await self.reload() }
    }

    /// See the asynchronous form.
    public func reauthenticate(
        with credential: AuthCredential, completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) { try await self.reauthenticate(with: credential) }
    }

    /// See the asynchronous form.
    public func link(
        with credential: AuthCredential, completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) { try await self.link(with: credential) }
    }

    /// See the asynchronous form.
    public func unlink(fromProvider provider: String, completion: ((User?, (any Error)?) -> Void)? = nil) {
        MainQueue.complete(completion) { try await self.unlink(fromProvider: provider) }
    }

    /// See the asynchronous form.
    public func updatePassword(to password: String, completion: (((any Error)?) -> Void)? = nil) {
        MainQueue.complete(completion) { try await self.updatePassword(to: password) }
    }

    /// See the asynchronous form.
    public func updateEmail(to email: String, completion: (((any Error)?) -> Void)? = nil) {
        MainQueue.complete(completion) { try await self.updateEmail(to: email) }
    }

    /// See the asynchronous form.
    public func sendEmailVerification(completion: (((any Error)?) -> Void)? = nil) {
        MainQueue.complete(completion) { try await self.sendEmailVerification() }
    }

    /// See the asynchronous form.
    public func sendEmailVerification(
        with actionCodeSettings: ActionCodeSettings, completion: (((any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) { try await self.sendEmailVerification(with: actionCodeSettings) }
    }

    /// See the asynchronous form.
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
