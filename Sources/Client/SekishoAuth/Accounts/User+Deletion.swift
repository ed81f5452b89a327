/// Whether the gateway revokes Apple's tokens after an account is deleted.
public enum AppleRevocation: String, Sendable {
    /// The gateway will revoke Apple's tokens. This disconnects the app from the Apple Account.
    case queued = "QUEUED"
    /// The account has an Apple identity, but the gateway has no token from Apple, or no private key to revoke the
    /// token with. The user can disconnect the app in the settings of a device.
    case notPossible = "NOT_POSSIBLE"
    /// The account has no Apple identity, or the user has already disconnected the app.
    case notNeeded = "NONE"
}

extension User {
    /// Deletes the account and signs the user out.
    ///
    /// The gateway revokes the tokens of Sign in with Apple if the app sent an authorization code at a sign-in.
    /// Otherwise, call ``Auth/revokeToken(withAuthorizationCode:)`` first.
    ///
    /// - Throws: ``AuthErrorCode/requiresRecentLogin``; ``AuthErrorCode/keychainError`` if the store fails, before or
    ///   after the deletion. A repeated call deletes the account if it still exists, and removes the session.
    /// - Returns: whether the gateway revokes Apple's tokens; `nil` if this is unknown, for example because the account
    ///   was already deleted.
    @discardableResult public func delete() async throws -> AppleRevocation? {
        try await replacingTokens(onAccountError: .keepUser) { [self] idToken in
            do {
                let response: DeleteResponse = try await core.post(
                    "/v1/accounts:delete", IDTokenRequest(idToken: idToken))
                try await core.signOutLocally(self)
                return response.appleRevocation.flatMap(AppleRevocation.init(rawValue:))
            } catch let error as AuthErrorCode where error == .userNotFound {
                // An earlier request deleted the account, but its response was lost.
                try await core.signOutLocally(self)
                return nil
            }
        }
    }

    /// Completion-handler form of the `async` method.
    public func delete(completion: (((any Error)?) -> Void)? = nil) {
        MainQueue.complete(completion) { _ = try await self.delete() }
    }
}

extension Auth {
    /// Revokes Apple's tokens, which disconnects the app from the user's Apple Account. The account, its Apple identity
    /// and its sessions stay.
    ///
    /// - Parameter authorizationCode: the `authorizationCode` of a new `ASAuthorizationAppleIDCredential` as a UTF-8
    ///   string. It can be used once, within five minutes.
    /// - Throws: ``AuthErrorCode/nullUser`` if no user is signed in; ``AuthErrorCode/invalidCredential`` if Apple
    ///   rejects the code.
    public func revokeToken(withAuthorizationCode authorizationCode: String) async throws {
        guard let user = currentUser else { throw AuthErrorCode.nullUser }
        try await user.withIDToken(onAccountError: .keepUser) { idToken in
            let _: EmptyResponse = try await user.core.post(
                "/v2/accounts:revokeToken",
                RevokeTokenRequest(
                    providerId: AuthProviderID.apple.rawValue, token: authorizationCode, idToken: idToken))
        }
    }

    /// Completion-handler form of the `async` method.
    public func revokeToken(
        withAuthorizationCode authorizationCode: String, completion: (((any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) { try await self.revokeToken(withAuthorizationCode: authorizationCode) }
    }
}
