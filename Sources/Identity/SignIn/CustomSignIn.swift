/// Sign-in with a custom token of the app's own backend.
public struct CustomSignIn: Sendable {
    private let store: any AccountStore
    private let authenticator: Authenticator
    private let customTokens: CustomTokens
    private let tokens: any TokenAuthority
    private let networks: NetworkHashing
    private let clock: WallClock
    private let entropy: Entropy

    public init(
        store: any AccountStore, authenticator: Authenticator, customTokens: CustomTokens, tokens: any TokenAuthority,
        networks: NetworkHashing, clock: WallClock, entropy: Entropy
    ) {
        self.store = store
        self.authenticator = authenticator
        self.customTokens = customTokens
        self.tokens = tokens
        self.networks = networks
        self.clock = clock
        self.entropy = entropy
    }

    /// Signs in to the account that the token names. Creates the account if it does not exist. If the account was
    /// deleted, a new, empty account with the same ID is created, provided that the token was issued after the
    /// deletion.
    ///
    /// Throws ``CustomTokenRefusal``, ``SignInRefusal`` and ``TokenRefusal``.
    ///
    /// - Parameter idToken: the ID token of the account that authenticates again; `nil` for a sign-in.
    public func signIn(
        _ token: String?, reauthenticating idToken: String? = nil, in project: Project, from context: RequestContext
    ) async throws -> (signedIn: SignedIn, isNewAccount: Bool) {
        guard let token, !token.isEmpty else { throw CustomTokenRefusal.missing }
        let contents = try await customTokens.read(token, project)
        try await authenticator.requireMatchingToken(idToken, of: contents.account, in: project)
        let now = clock.now()
        // 1 is the generation of a new account. If the account exists, the store uses its generation instead.
        let requested = Session(
            id: entropy.sessionID(), account: contents.account, generation: 1, method: .custom,
            authenticatedAt: now, claims: contents.claims, device: context.device,
            networkHash: networks.hash(of: context, in: project), sessionLimit: project.policy.sessionLimit)
        let opened = try await mappingConflicts(to: \.refusalOfCustomTokenSignIn) {
            try await store.openOrCreate(requested, issuedAt: contents.issuedAt, in: project.realm)
        }
        let signedIn = try await tokens.signedIn(opened.account, opened.session, in: project, at: now)
        return (signedIn, opened.isNew)
    }
}
