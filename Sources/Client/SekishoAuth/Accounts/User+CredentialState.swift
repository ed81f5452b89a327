/// The state of an Apple identity, as the gateway last recorded it.
public struct CredentialState: Hashable, Sendable {
    /// The states of `ASAuthorizationAppleIDProvider.CredentialState`, and ``unknown``.
    public enum State: String, Sendable {
        /// The user uses Sign in with Apple for the app.
        case authorized = "AUTHORIZED"
        /// The user has disconnected the app from the Apple Account.
        case revoked = "REVOKED"
        /// The account has no Apple identity.
        case notFound = "NOT_FOUND"
        /// The app has moved to another developer team, and the user has not signed in since.
        case transferred = "TRANSFERRED"
        /// The gateway cannot check the state, for example because it has no token from Apple.
        case unknown = "UNKNOWN"
    }

    /// The provider ID, `apple.com`.
    public let providerID: String
    /// The user ID at Apple, for `ASAuthorizationAppleIDProvider.getCredentialState(forUserID:)`. `nil` if the account
    /// has no Apple identity.
    public let userID: String?
    /// The state.
    public let state: State
    /// When the gateway recorded the state, as an RFC 3339 time.
    public let checkedAt: String?
}

extension User {
    /// Returns the states of the account's Apple identities; for an account without one, a single ``CredentialState``
    /// with `notFound`. The gateway does not send a request to Apple for this.
    public func credentialState() async throws -> [CredentialState] {
        let response: CredentialStateResponse = try await withIDToken { [core] idToken in
            try await core.post("/v1/accounts:credentialState", IDTokenRequest(idToken: idToken))
        }
        return response.identities.map {
            CredentialState(
                providerID: $0.providerId, userID: $0.rawId,
                state: CredentialState.State(rawValue: $0.credentialState) ?? .unknown, checkedAt: $0.checkedAt)
        }
    }
}
