extension Auth {
    /// Signs in with an email address and its password.
    @discardableResult public func signIn(
        withEmail email: String, password: String
    ) async throws -> AuthDataResult {
        try await signIn(with: EmailAuthProvider.credential(withEmail: email, password: password))
    }

    /// Creates an account with an email address and a password, and signs in to it.
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
    ///   other sign-in methods. Its ``AuthErrorCode/updatedCredential`` can be linked after a sign-in with one of them.
    @discardableResult public func signIn(with credential: AuthCredential) async throws -> AuthDataResult {
        try await core.performSignIn { [core] in try await core.authenticate(credential, for: .signIn) }
    }

    /// Signs in to a new account without a sign-in method. If the current user is anonymous, returns that user.
    @discardableResult public func signInAnonymously() async throws -> AuthDataResult {
        try await core.anonymousSignIns.run { [core] in
            if let user = core.currentUser, user.isAnonymous {
                return AuthDataResult(user: user, additionalUserInfo: nil)
            }
            return try await core.performSignIn(isAnonymous: true) {
                try await core.signUp(email: nil, password: nil)
            }
        }
    }

    /// Signs in with a token that the app's backend signed.
    @discardableResult public func signIn(withCustomToken token: String) async throws -> AuthDataResult {
        try await core.performSignIn { [core] in try await core.authenticate(customToken: token) }
    }

    /// Signs in with the link of an email from ``sendSignInLink(toEmail:actionCodeSettings:)``.
    @discardableResult public func signIn(withEmail email: String, link: String) async throws -> AuthDataResult {
        try await signIn(with: EmailAuthProvider.credential(withEmail: email, link: link))
    }

    /// Whether a link signs in, so that it can be passed to ``signIn(withEmail:link:)``.
    public func isSignIn(withEmailLink link: String) -> Bool {
        guard let link = ActionCodeURL(link: link) else { return false }
        return link.operation == .emailLink && link.code?.isEmpty == false
    }

    /// Signs the user out on this device. A request to the gateway ends the session; the call does not wait for it.
    ///
    /// - Throws: ``AuthErrorCode/keychainError`` if the stored session cannot be removed. The user then stays signed in.
    public func signOut() throws {
        guard let user = try core.signOut() else { return }
        // A failure is ignored: the user is signed out on this device in any case.
        Task {
            if let tokens = try? await user.freshTokens() { await user.core.revokeQuietly(tokens.idToken) }
        }
    }

    /// Makes a user the current one, for example one that another instance signed in.
    ///
    /// Both instances then have the same session. Use only one of them afterwards: if both renew the tokens, the gateway
    /// can take a former refresh token for a stolen one and end the session.
    ///
    /// - Throws: ``AuthErrorCode/nullUser`` without a user; ``AuthErrorCode/tenantIDMismatch`` for a user of another
    ///   tenant than ``tenantID``; ``AuthErrorCode/invalidUserToken`` for a user of another gateway.
    public func updateCurrentUser(_ user: User?) async throws {
        guard let user else { throw AuthErrorCode.nullUser }
        try core.requireSameServer(user)
        guard user.tenantID == tenantID else { throw AuthErrorCode.tenantIDMismatch }
        try core.signIn(user.core === core ? user : User(user.session.current, core: core))
        await core.listenersCalled()
    }
}

extension Auth {
    /// See the asynchronous form.
    public func signIn(
        withEmail email: String, password: String, completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) { try await self.signIn(withEmail: email, password: password) }
    }

    /// See the asynchronous form.
    public func createUser(
        withEmail email: String, password: String, completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) { try await self.createUser(withEmail: email, password: password) }
    }

    /// See the asynchronous form.
    public func signIn(
        with credential: AuthCredential, completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) { try await self.signIn(with: credential) }
    }

    /// See the asynchronous form.
    public func signInAnonymously(completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil) {
        MainQueue.complete(completion) { try await self.signInAnonymously() }
    }

    /// See the asynchronous form.
    public func signIn(
        withCustomToken token: String, completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) { try await self.signIn(withCustomToken: token) }
    }

    /// See the asynchronous form.
    public func signIn(
        withEmail email: String, link: String, completion: ((AuthDataResult?, (any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) { try await self.signIn(withEmail: email, link: link) }
    }

    /// See the asynchronous form.
    public func updateCurrentUser(_ user: User?, completion: (((any Error)?) -> Void)? = nil) {
        MainQueue.complete(completion) { try await self.updateCurrentUser(user) }
    }
}
