/// What the gateway does at Apple after the deletion of an account.
public enum AppleRevocation: String, Sendable {
    /// The gateway revokes Apple's tokens, so that the app is disconnected from the Apple Account.
    case queued = "QUEUED"
    /// The gateway has no Apple token. The user can disconnect the app in the settings of a device.
    case notPossible = "NOT_POSSIBLE"
    /// There is nothing to revoke.
    case notNeeded = "NONE"
}

extension User {
    /// Deletes the account and signs the user out. Needs a recent login.
    ///
    /// The gateway revokes the account's tokens of Sign in with Apple, if the app sent an authorization code with a
    /// sign-in. An app that sent none calls ``Auth/revokeToken(withAuthorizationCode:)`` first.
    ///
    /// - Returns: whether the gateway revokes Apple's tokens, or `nil` if the response does not state it.
    @discardableResult public func delete() async throws -> AppleRevocation? {
        try await replacingTokens(.concernsRequest) { [self] idToken in
            do {
                let response: DeleteResponse = try await core.post(
                    "/v1/accounts:delete", IDTokenRequest(idToken: idToken))
                await core.endSession(of: self)
                return response.appleRevocation.flatMap(AppleRevocation.init(rawValue:))
            } catch let error as AuthErrorCode where error == .userNotFound {
                // The response to an earlier attempt was lost.
                await core.endSession(of: self)
                return nil
            }
        }
    }

    /// See the asynchronous form.
    public func delete(completion: (((any Error)?) -> Void)? = nil) {
        MainQueue.complete(completion) { _ = try await self.delete() }
    }
}

extension Auth {
    /// Disconnects the app from the user's Apple Account. The account, its Apple identity and its sessions stay.
    ///
    /// - Parameter authorizationCode: the `authorizationCode` of a new `ASAuthorizationAppleIDCredential` as text. It
    ///   is valid for five minutes and for one use.
    /// - Throws: ``AuthErrorCode/nullUser`` if no user is signed in.
    public func revokeToken(withAuthorizationCode authorizationCode: String) async throws {
        guard let user = currentUser else { throw AuthErrorCode.nullUser }
        try await user.withIDToken(.concernsRequest) { idToken in
            let _: EmptyResponse = try await user.core.post(
                "/v2/accounts:revokeToken",
                RevokeTokenRequest(
                    providerId: AuthProviderID.apple.rawValue, token: authorizationCode, idToken: idToken))
        }
    }

    /// See the asynchronous form.
    public func revokeToken(
        withAuthorizationCode authorizationCode: String, completion: (((any Error)?) -> Void)? = nil
    ) {
        MainQueue.complete(completion) { try await self.revokeToken(withAuthorizationCode: authorizationCode) }
    }
}
