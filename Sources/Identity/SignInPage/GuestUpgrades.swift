/// Decides about the account of a guest who signs in on the sign-in page. The guest account stays, or becomes part of
/// the account to which the user has signed in. Changes nothing.
///
/// Throws ``MergeRefusal``, ``EditRefusal`` and what ``FederatedMethod`` throws.
public struct GuestUpgrades: Sendable {
    private let federated: FederatedMethod
    private let emailLink: EmailLinkMethod
    private let flows: AuthorizationFlows
    private let secrets: FlowSecrets

    public init(
        federated: FederatedMethod, emailLink: EmailLinkMethod, flows: AuthorizationFlows, secrets: FlowSecrets
    ) {
        self.federated = federated
        self.emailLink = emailLink
        self.flows = flows
        self.secrets = secrets
    }

    public enum Decision: Sendable {
        case upgrade(GuestPreview)
        /// An account has the identity. The pending token signs in to it.
        case signIn(pendingToken: String)
        /// Another account has the address of the identity. Its owner can sign in to it.
        case conflict(SignInPageConflict)
    }

    /// Decides about an identity that a guest has proven at a provider.
    public func decide(
        _ secrets: FlowResultSecrets, of guest: Caller, for app: App, in realm: Realm, from context: RequestContext
    ) async throws -> Decision {
        let redeemed = try await flows.redeem(grant: secrets.grant, sessionID: secrets.sessionID, for: app, in: realm)
        return try await decide(.authorization(redeemed), of: guest, for: app, in: realm, from: context)
    }

    /// Decides again about an identity that a guest has proven, because accounts may have changed.
    ///
    /// - Throws: ``ProviderRefusal`` if the pending token has expired.
    public func decide(
        pendingToken: String, of guest: Caller, for app: App, in realm: Realm, from context: RequestContext
    ) async throws -> Decision {
        try await decide(.pendingToken(pendingToken), of: guest, for: app, in: realm, from: context)
    }

    private func decide(
        _ proof: IdentityProof, of guest: Caller, for app: App, in realm: Realm, from context: RequestContext
    ) async throws -> Decision {
        let pending = try await federated.pendingIdentity(provenBy: proof, for: app, in: realm, from: context)
        let provider = pending.identity.provider
        guard pending.owner == nil else { return .signIn(pendingToken: pending.pendingToken) }
        guard !pending.isConflict else {
            let known = pending.isHidden ? nil : pending.sameEmail
            return .conflict(
                SignInPageConflict(
                    id: secrets.random(), pendingToken: nil, provider: provider, email: known?.email?.rawValue,
                    methods: known?.signInMethodsOnPage ?? []))
        }
        return .upgrade(
            GuestPreview(id: secrets.random(), change: .upgrade(pendingToken: pending.pendingToken, provider: provider))
        )
    }

    /// Previews that the guest account gets the address of a mailbox that the user has proven.
    public func preview(adding email: SignInPageEmail) -> GuestPreview {
        GuestPreview(id: secrets.random(), change: .addEmail(email))
    }

    /// Whether a guest account can still get the address.
    ///
    /// - Throws: ``OOBCodeRefusal`` if the email is no longer valid.
    public func canAdd(_ email: SignInPageEmail, in realm: Realm) async throws -> Bool {
        try await emailLink.isFree(email.actionCode, in: realm)
    }

    /// Previews the merge of a guest account into the account of a session on the page.
    ///
    /// - Returns: the preview, and the token with which the merge is committed.
    public func preview(
        merging guest: Caller, into target: Caller, for app: App, in realm: Realm, from context: RequestContext
    ) async throws -> (preview: GuestPreview, mergeToken: String) {
        let preview = try await AccountMerging(federated).preview(
            of: guest, into: .session(target), for: app, in: realm, from: context)
        let merge = GuestMerge(preview, provenBy: target.session.id)
        return (GuestPreview(id: secrets.random(), change: .merge(merge)), preview.mergeToken)
    }
}
