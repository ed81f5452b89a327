/// The emails about changes by a sign-in with a provider.
extension FederatedMethod {
    /// Returns the notice to the owner if the account gets a new sign-in method, address or owner, or takes the place
    /// of another.
    ///
    /// - Parameter account: the account that the user is signed in to.
    func emails(
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
