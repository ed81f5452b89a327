/// Codes that link an identity, or merge two accounts, at the exchange.
extension SignInCodes {
    /// Proves the identity of a provider's result, which the exchange links to the caller's account. Changes nothing.
    ///
    /// - Returns: `nil` if another account has the identity.
    public func link(
        _ secrets: FlowResultSecrets, to caller: Caller, for app: App, in realm: Realm, from context: RequestContext
    ) async throws -> PageLink? {
        let redeemed = try await flows.redeem(
            grant: secrets.grant, sessionID: secrets.sessionID, for: app, in: realm)
        let pendingToken = try await federated.pendingToken(
            toLink: .authorization(redeemed), to: caller, for: app, in: realm, from: context)
        guard let pendingToken else { return nil }
        return .pendingToken(pendingToken)
    }

    /// Returns what a code carries to link an identity, or to merge accounts, at the exchange.
    public func seal(_ link: PageLink, in realm: Realm) throws -> String {
        try sealedTokens.encode(link, until: clock.now() + Self.lifetime, in: realm.id)
    }

    /// Links the identity of the page to the account of the app's session. Or merges the app's guest account into the
    /// account of the session on the page. The same transaction marks the code as used, so it has an effect once, and a
    /// second exchange at the same time ends the session of the first.
    func link(
        _ sealed: String, with hash: [UInt8], of proven: ProvenSignIn, for app: App, in realm: Realm,
        from context: RequestContext
    ) async throws -> SignedIn {
        let link = try sealedTokens.decode(PageLink.self, from: sealed, at: clock.now(), in: realm.id).0
        let code = ExchangedCode(hash: hash, endedSession: proven.endsSession ? proven.session.id : nil)
        do {
            return try await perform(
                link, by: proven.session, for: app, in: realm, from: context.exchanging(code))
        } catch let refusal as any Refusal where Self.isAboutUsedCode(refusal) {
            throw try await refusingReuse(of: hash, in: realm)
        }
    }

    /// Links the identity or the address, or merges the accounts, and opens a session.
    ///
    /// - Parameter session: the one on the page.
    public func perform(
        _ link: PageLink, by session: Session, for app: App, in realm: Realm, from context: RequestContext
    ) async throws -> SignedIn {
        let contents = IDTokenContents(account: session.account, session: session.id)
        switch link {
        case .pendingToken(let token):
            return try await self.link(token, to: contents, for: app, in: realm, from: context)
        case .email(let email, let code, let passwordHash):
            return try await emailLink.link(
                email: email, passwordHash: passwordHash, code: code, to: contents, in: realm, from: context)
        case .merge(let token, let account, let guestSession):
            let guest = IDTokenContents(account: account, session: guestSession)
            guard let merged = try await merge(token, by: guest, in: realm, from: context) else {
                try await store.end(session.id, at: clock.now(), in: realm.id)
                throw SignInCodeRefusal.invalid
            }
            return merged
        }
    }

    private func link(
        _ pendingToken: String, to contents: IDTokenContents, for app: App, in realm: Realm,
        from context: RequestContext
    ) async throws -> SignedIn {
        let outcome = try await federated.link(
            .pendingToken(pendingToken), to: contents, for: app, in: realm, from: context)
        guard case .signedIn(let signedIn) = outcome else {
            if case .conflict(let refusal, _) = outcome { throw refusal }
            throw SignInCodeRefusal.invalid
        }
        return signedIn
    }

    /// - Returns: `nil` if the guest has signed out, or if an account has changed since the preview.
    private func merge(
        _ token: String, by guest: IDTokenContents, in realm: Realm, from context: RequestContext
    ) async throws -> SignedIn? {
        guard let caller = try await caller(guest, in: realm) else { return nil }
        do {
            return try await AccountMerging(federated).commit(token, by: caller, in: realm, from: context).signedIn
        } catch MergeRefusal.changed {
            return nil
        }
    }

    /// Whether the proof of a link was used, or its session has ended: as a rule by another exchange of the same code.
    private static func isAboutUsedCode(_ refusal: any Refusal) -> Bool {
        switch refusal {
        case ProviderRefusal.tokenAlreadyUsed, ProviderRefusal.invalidPendingToken, OOBCodeRefusal.invalid,
            OOBCodeRefusal.expired, MergeRefusal.alreadyMerged, TokenRefusal.sessionEnded, SignInCodeRefusal.invalid:
            true
        default: false
        }
    }
}
