/// Sign-in with a token that the app's own backend made.
public struct CustomSignIn: Sendable {
    private let with: Collaborators
    private let customTokens: CustomTokens

    public init(with collaborators: Collaborators, customTokens: CustomTokens) {
        with = collaborators
        self.customTokens = customTokens
    }

    /// Makes the account if there is none of that id. An id that was deleted begins clean, if its backend asked for it
    /// after that.
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
            place: with.place(of: origin, in: project))
        let opened = try await refusing(\.atCustomTokenSignIn) {
            try await with.store.openOrCreate(wanted, issuedAt: claim.issuedAt, in: project.realm)
        }
        let signedIn = try await with.tokens.signedIn(opened.account, opened.session, in: project, at: now)
        return (signedIn, opened.isNew)
    }
}

extension Session {
    /// The same session, begun when the account was of `generation`.
    public func begun(at generation: Int64) -> Session {
        Session(
            id: id, account: account, generation: generation, method: method, authenticatedAt: authenticatedAt,
            claims: claims, device: device, place: place)
    }
}
