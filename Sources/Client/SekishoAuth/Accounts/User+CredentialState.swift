/// Whether the user still uses Sign in with Apple for the app, as the gateway last learned it.
public struct CredentialState: Hashable, Sendable {
    /// The states of `ASAuthorizationAppleIDProvider.CredentialState`, and one more.
    public enum State: String, Sendable {
        /// The user has not disconnected the app.
        case authorized = "AUTHORIZED"
        /// The user has disconnected the app from the Apple Account.
        case revoked = "REVOKED"
        /// The account has no Apple identity.
        case notFound = "NOT_FOUND"
        /// The app is moving to another developer team.
        case transferred = "TRANSFERRED"
        /// The gateway cannot check the state at Apple.
        case unknown = "UNKNOWN"
    }

    /// The provider's ID.
    public let providerID: String
    /// Apple's ID of the user, for `ASAuthorizationAppleIDProvider.getCredentialState(forUserID:)`.
    public let userID: String?
    /// The state.
    public let state: State
    /// When the gateway last learned the state, as an RFC 3339 time.
    public let checkedAt: String?
}

extension User {
    /// Returns the state of the account's Apple identity. The gateway sends Apple no request for this.
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
