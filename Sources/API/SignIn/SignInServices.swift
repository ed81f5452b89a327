public import Identity

/// What the endpoints of sign-in use.
public struct SignInServices: Sendable {
    let authenticator: Authenticator
    let identifiers: IdentifierLookup
    let customTokens: CustomSignIn
    let federated: FederatedSignIn
    /// Sign-ins with a provider in a browser.
    let flows: AuthorizationFlows
    let origin: PublicOrigin
    /// Returns 27 random letters and digits.
    let authURISession: @Sendable () -> String

    public init(
        authenticator: Authenticator, identifiers: IdentifierLookup, customTokens: CustomSignIn,
        federated: FederatedSignIn, flows: AuthorizationFlows, origin: PublicOrigin,
        authURISession: @escaping @Sendable () -> String
    ) {
        self.authenticator = authenticator
        self.identifiers = identifiers
        self.customTokens = customTokens
        self.federated = federated
        self.flows = flows
        self.origin = origin
        self.authURISession = authURISession
    }
}
