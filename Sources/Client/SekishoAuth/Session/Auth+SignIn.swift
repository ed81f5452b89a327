extension Auth {
    /// Signs in with an email address and a password.
    ///
    /// - Throws: ``AuthErrorCode/invalidCredential`` if the address or the password is wrong (if email enumeration
    ///   protection is off, ``AuthErrorCode/userNotFound`` or ``AuthErrorCode/wrongPassword``);
    ///   ``AuthErrorCode/userDisabled``; ``AuthErrorCode/invalidEmail`` or ``AuthErrorCode/missingEmail``;
    ///   ``AuthErrorCode/operationNotAllowed`` if the project does not allow passwords.
    @discardableResult public func signIn(
        withEmail email: String, password: String
    ) async throws -> AuthDataResult {
        try await signIn(with: EmailAuthProvider.credential(withEmail: email, password: password))
    }

    /// Creates an account with an email address and a password, and signs in to it.
    ///
    /// - Throws: ``AuthErrorCode/emailAlreadyInUse``; ``AuthErrorCode/weakPassword`` or
    ///   ``AuthErrorCode/passwordDoesNotMeetRequirements``; ``AuthErrorCode/invalidEmail`` or
    ///   ``AuthErrorCode/missingEmail``; ``AuthErrorCode/operationNotAllowed`` if the project or the app's
    ///   configuration does not allow passwords.
    @discardableResult public func createUser(
        withEmail email: String, password: String
    ) async throws -> AuthDataResult {
        guard !email.isEmpty else { throw AuthErrorCode.missingEmail }
        guard !password.isEmpty else { throw AuthErrorCode.weakPassword }
        return try await core.performSignIn { [core] in try await core.signUp(email: email, password: password) }
    }

    /// Signs in with a credential.
    ///
    /// - Throws: ``AuthErrorCode/accountExistsWithDifferentCredential`` if an account with the same email address has
    ///   other sign-in methods: sign in with one of them, then link the error's ``AuthErrorCode/updatedCredential``.
    ///   ``AuthErrorCode/invalidCredential`` if the credential is wrong, malformed or expired.
    ///   ``AuthErrorCode/missingOrInvalidNonce``; ``AuthErrorCode/userDisabled``;
    ///   ``AuthErrorCode/operationNotAllowed``.
    @discardableResult public func signIn(with credential: AuthCredential) async throws -> AuthDataResult {
        try await core.performSignIn { [core] in try await core.authenticate(credential, for: .signIn) }
    }

    /// Creates an anonymous account and signs in to it. If the current user is anonymous, returns that user.
    ///
    /// - Throws: ``AuthErrorCode/adminRestrictedOperation`` if the project does not allow anonymous accounts;
    ///   ``AuthErrorCode/operationNotAllowed`` if the app's configuration does not allow them.
    @discardableResult public func signInAnonymously() async throws -> AuthDataResult {
        try await core.anonymousSignInQueue.run { [core] in
            if let user = core.currentUser, user.isAnonymous {
                return AuthDataResult(user: user, additionalUserInfo: nil)
            }
            return try await core.performSignIn(isAnonymous: true) {
                try await core.signUp(email: nil, password: nil)
            }
        }
    }

    /// Signs in with a custom token that the app's backend has signed.
    ///
    /// - Throws: ``AuthErrorCode/invalidCustomToken``; ``AuthErrorCode/customTokenMismatch`` if the token belongs to
    ///   another project; ``AuthErrorCode/userDisabled``.
    @discardableResult public func signIn(withCustomToken token: String) async throws -> AuthDataResult {
        try await core.performSignIn { [core] in try await core.authenticate(customToken: token) }
    }

    /// Signs in with an email link from ``sendSignInLink(toEmail:actionCodeSettings:)``.
    ///
    /// - Throws: ``AuthErrorCode/invalidActionCode`` or ``AuthErrorCode/expiredActionCode``;
    ///   ``AuthErrorCode/invalidEmail`` if the link was sent to another address; ``AuthErrorCode/userDisabled``;
    ///   ``AuthErrorCode/operationNotAllowed`` if the project or the app's configuration does not allow email links.
    @discardableResult public func signIn(withEmail email: String, link: String) async throws -> AuthDataResult {
        try await signIn(with: EmailAuthProvider.credential(withEmail: email, link: link))
    }

    /// Returns whether a link is a sign-in link with an action code. The code is not verified.
    public func isSignIn(withEmailLink link: String) -> Bool {
        guard let link = ActionCodeURL(link: link) else { return false }
        return link.operation == .emailLink && link.code?.isEmpty == false
    }

    /// Signs the user out on this device, and sends a request that ends the session at the gateway. The call does not
    /// wait for this request and ignores its errors.
    ///
    /// - Throws: ``AuthErrorCode/keychainError`` if the stored session cannot be removed. The user then stays signed
    ///   in.
    public func signOut() throws {
        guard let user = try core.signOut() else { return }
        // A task, because the caller does not wait. Errors are ignored, because the user is already signed out on this
        // device.
        Task {
            if let tokens = try? await user.freshTokens() {
                await user.core.revokeSessionIgnoringErrors(tokens.idToken)
            }
        }
    }

    /// Sets the current user, for example to a user that another instance has signed in.
    ///
    /// Both instances then share a session. Use only one of them afterwards: if both refresh the tokens, the gateway
    /// can detect the reuse of an old refresh token and end the session.
    ///
    /// - Throws: ``AuthErrorCode/nullUser`` if the user is `nil`; ``AuthErrorCode/tenantIDMismatch`` if the user's
    ///   tenant is not ``tenantID``; ``AuthErrorCode/invalidUserToken`` for a user of another gateway;
    ///   ``AuthErrorCode/keychainError`` if the session cannot be stored.
    public func updateCurrentUser(_ user: User?) async throws {
        guard let user else { throw AuthErrorCode.nullUser }
        try core.requireSameServer(user)
        guard user.tenantID == tenantID else { throw AuthErrorCode.tenantIDMismatch }
        try core.storeAsCurrentUser(user.core === core ? user : User(user.session.current, core: core))
        await core.waitForListeners()
    }
}

extension Auth {
    /// Completion-handler form of the `async` method.
    public func signIn(
        withEmail email: String, password: String, completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) { try await self.signIn(withEmail: email, password: password) }
    }

    /// Completion-handler form of the `async` method.
    public func createUser(
        withEmail email: String, password: String, completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) { try await self.createUser(withEmail: email, password: password) }
    }

    /// Completion-handler form of the `async` method.
    public func signIn(
        with credential: AuthCredential, completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) { try await self.signIn(with: credential) }
    }

    /// Completion-handler form of the `async` method.
    public func signInAnonymously(completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil) {
        MainQueue.complete(completion) { try await self.signInAnonymously() }
    }

    /// Completion-handler form of the `async` method.
    public func signIn(
        withCustomToken token: String, completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) { try await self.signIn(withCustomToken: token) }
    }

    /// Completion-handler form of the `async` method.
    public func signIn(
        withEmail email: String, link: String, completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) { try await self.signIn(withEmail: email, link: link) }
    }

    /// Completion-handler form of the `async` method.
    public func updateCurrentUser(_ user: User?, completion: (((any Error)?) -> Void)? = nil) {
        MainQueue.complete(completion) { try await self.updateCurrentUser(user) }
    }
}
