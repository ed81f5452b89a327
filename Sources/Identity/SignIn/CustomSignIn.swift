/// Sign-in with a custom token of the app's own backend.
public struct CustomSignIn: Sendable {
    private let with: Collaborators
    private let customTokens: CustomTokens

    public init(with collaborators: Collaborators, customTokens: CustomTokens) {
        with = collaborators
        self.customTokens = customTokens
    }

    /// Creates the account if it does not exist. A deleted ID gets a new, empty account if the token was issued after
    /// the deletion.
    ///
    /// Throws ``CustomTokenRefusal`` and ``SignInRefusal/accountDisabled``.
    public func signIn(
        _ token: String?, in project: Project, from origin: RequestContext
    ) async throws -> (signedIn: SignedIn, isNewAccount: Bool) {
        guard let token, !token.isEmpty else { throw CustomTokenRefusal.missing }
        let claim = try await customTokens.read(token, project)
        let now = with.clock.now()
        let wanted = Session(
            id: with.entropy.sessionID(), account: claim.account, generation: 1, method: .custom,
            authenticatedAt: now, claims: claim.claims, device: origin.device,
            networkHash: with.networkHash(of: origin, in: project))
        let opened = try await refusing(\.atCustomTokenSignIn) {
            try await with.store.openOrCreate(wanted, issuedAt: claim.issuedAt, in: project.realm)
        }
        let signedIn = try await with.tokens.signedIn(opened.account, opened.session, in: project, at: now)
        return (signedIn, opened.isNew)
    }
}

extension Session {
    /// The same session with the account's `generation`.
    public func begun(at generation: Int64) -> Session {
        Session(
            id: id, account: account, generation: generation, method: method, authenticatedAt: authenticatedAt,
            claims: claims, device: device, networkHash: networkHash)
    }
}
