public import Identity

/// What the endpoints of sign-in use.
public struct SignInServices: Sendable {
    let authenticator: Authenticator
    let identifiers: IdentifierLookup
    let customTokens: CustomSignIn
    let federated: FederatedSignIn
    /// Returns 27 random letters and digits.
    let authURISession: @Sendable () -> String

    public init(
        authenticator: Authenticator, identifiers: IdentifierLookup, customTokens: CustomSignIn,
        federated: FederatedSignIn, authURISession: @escaping @Sendable () -> String
    ) {
        self.authenticator = authenticator
        self.identifiers = identifiers
        self.customTokens = customTokens
        self.federated = federated
        self.authURISession = authURISession
    }
}
