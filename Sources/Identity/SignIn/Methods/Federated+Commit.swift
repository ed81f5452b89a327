/// The effects of the decision, and the emails about them.
extension FederatedMethod {
    /// - Throws: ``StoreConflict/stale`` if the decision has to be made again.
    func apply(
        _ decision: LinkingDecision, to proof: ResolvedProof, _ secondFactor: SecondFactorRule,
        _ hooked: HookedSignIn?, in realm: Realm, from context: RequestContext
    ) async throws -> SignInOutcome {
        switch decision {
        case .commit(let change): return try await commit(change, proof, secondFactor, hooked, in: realm, from: context)
        case .confirm(let account, let isRecycled):
            let use = PendingCredential.Use.link(to: account.id, generation: account.generation)
            let isHidden = proof.identity.hidesAccounts(in: realm)
            return .confirmationNeeded(
                existing: isHidden ? nil : account, isRecycled: isRecycled && !isHidden,
                pendingToken: try pendingToken(for: proof, use, in: realm))
        case .refuse(let refusal):
            guard refusal.issuesPendingToken else { throw refusal }
            return .conflict(refusal, pendingToken: try pendingToken(for: proof, proof.use, in: realm))
        }
    }

    /// Applies a change, and opens the session. A caller who links an identity is not signed in again: a response
    /// without tokens to a request that links would break Firebase's SDKs.
    private func commit(
        _ change: SignInChange, _ proof: ResolvedProof, _ secondFactor: SecondFactorRule, _ hooked: HookedSignIn?,
        in realm: Realm, from context: RequestContext
    ) async throws -> SignInOutcome {
        let identity = proof.identity
        func open(_ session: NewSession) async throws -> OpenedSession {
            let commit = SignInCommit(
                change: change, identity: identity, newSession: session,
                recording: realm.recording(by: .user(context.trace)),
                emailBatch: try emails(
                    about: change, of: identity, to: session.account, by: realm.policy, from: context,
                    at: session.openedAt))
            let account = try await mappingConflicts(to: { $0.refusalOfSignIn(with: proof) }) {
                try await store.commit(commit, in: realm.id)
            }
            return OpenedSession(session, of: account, isNewAccount: change.target.existing == nil)
        }
        let hook = HookCall(hooked, about: change, with: identity)
        if case .link(_, let caller?, _) = change {
            let callerChange = CallerChange(
                caller: caller, method: identity.provider, authenticatedAt: caller.authenticatedAtAfterLinking,
                endsSessions: realm.policy.secondFactors.endsGuestSessions(of: caller.account),
                credentialIssuedAt: identity.issuedAt, hook: hook)
            return .signedIn(
                try await completion.renewSession(callerChange, in: realm, from: context, commit: open))
        }
        let factor = FirstFactor(
            account: change.target, method: identity.provider, secondFactor: change.secondFactorRule(secondFactor),
            credentialIssuedAt: identity.issuedAt, hook: hook)
        return try await completion.signIn(factor, in: realm, from: context, commit: open)
    }

    /// Returns the notice to the owner if the account gets a new sign-in method, address or owner, or takes the place
    /// of another.
    ///
    /// - Parameter account: the account that the user is signed in to.
    private func emails(
        about change: SignInChange, of identity: VerifiedIdentity, to account: ID<Account>, by policy: Policy,
        from context: RequestContext, at now: Instant
    ) throws -> EmailBatch {
        switch change {
        case .signIn, .create: return .none
        case .signInChangingEmail(let account, let new):
            let emails = try [account.email, new].compactMap(\.self).flatMap {
                try emailFactory.notice(
                    .relayAddressChanged, to: .proven($0), about: account.id, from: context, at: now)
            }
            return EmailBatch(emails: emails)
        case .createInPlaceOf(let former):
            let emails = try former.email.map {
                try emailFactory.notice(
                    .accountReplaced, to: .proven($0), about: account, from: context, at: now)
            }
            return EmailBatch(emails: emails ?? [])
        case .link(let account, _, _):
            let method = AddedSignInMethod(provider: identity.provider, subject: identity.subject, addedAt: now)
            return try emailFactory.additionNotice(of: method, to: account, by: policy, from: context)
        case .reclaim(let account):
            let payload = EmailPayload(provider: identity.provider)
            let emails = try account.email.map {
                try emailFactory.notice(
                    .accountReclaimed, to: .proven($0), about: account.id, payload, from: context, at: now)
            }
            return EmailBatch(emails: emails ?? [])
        }
    }
}

extension SignInChange {
    /// A reclaim removes the factors of the account's creator, and a new account has none.
    fileprivate func secondFactorRule(_ rule: SecondFactorRule) -> SecondFactorRule {
        switch self {
        case .signIn, .signInChangingEmail, .link: rule
        case .reclaim, .create, .createInPlaceOf: rule.withoutFactors
        }
    }

    fileprivate var target: FirstFactor.Target {
        switch self {
        case .signIn(let account), .signInChangingEmail(let account, _), .link(let account, _, _): .existing(account)
        case .reclaim(let account): .existing(account, endsSessions: true)
        case .create, .createInPlaceOf: .new
        }
    }
}

extension StoreConflict {
    fileprivate func refusalOfSignIn(with proof: ResolvedProof) -> (any Refusal)? {
        switch self {
        case .alreadyUsed: proof.reuseRefusal
        case .stale, .taken, .notFound, .lastSignInMethod: nil
        }
    }
}
