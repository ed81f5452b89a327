/// Creates the notices about a merge. The store calls ``emailBatch(for:)`` within the merge's transaction, because the
/// recipients are known only there.
public struct MergeNotices: Sendable {
    private let merge: AccountMerge
    private let emailFactory: EmailFactory
    private let policy: Policy
    private let context: RequestContext

    init(of merge: AccountMerge, emailFactory: EmailFactory, by policy: Policy, from context: RequestContext) {
        self.merge = merge
        self.emailFactory = emailFactory
        self.policy = policy
        self.context = context
    }

    /// Each address gets one notice. The notice to the source's own address has a link that undoes the merge, if the
    /// address is proven. The notice to the target's own address has a link that removes what came with the source, if
    /// a passkey or the number did: an intruder in the target may have brought it. Identities get such links with the
    /// notice of a reset.
    public func emailBatch(for accounts: MergedAccounts) throws -> EmailBatch {
        guard emailFactory.sendsEmail else { return .none }
        let methods = accounts.target.signInProviders
        var emailBatch = EmailBatch.none
        var notified: Set<EmailAddress> = []
        if let email = accounts.source.provenEmail {
            notified.insert(email)
            emailBatch = try noticeWithUndoLink(to: email, methods)
        }
        for (recipient, account) in accounts.otherRecipients(by: policy)
        where notified.insert(recipient.email).inserted {
            let isOwner = account == accounts.target.id && recipient.email == accounts.target.email
            let moved =
                isOwner
                ? merge.precondition.plan.movedMethod(of: accounts.target, at: merge.mergedAt) : nil
            emailBatch =
                emailBatch
                + (try emailFactory.mergeNotice(
                    to: recipient, about: account, removing: moved, methods, from: context, at: merge.mergedAt))
        }
        return emailBatch
    }

    private func noticeWithUndoLink(to email: EmailAddress, _ methods: [ProviderID]) throws -> EmailBatch {
        let secret = emailFactory.newCode()
        let plan = merge.precondition.plan
        let code = OOBCode(
            hash: emailFactory.hash(secret), purpose: .undoMerge, account: plan.target, email: email,
            source: plan.source, createdAt: merge.mergedAt, expiresAt: merge.undoableUntil)
        let outgoing = try emailFactory.outgoingEmail(
            .accountsMerged, to: email, about: nil, EmailPayload(code: secret, methods: methods), from: context,
            at: merge.mergedAt, until: merge.undoableUntil)
        return EmailBatch(codes: [code], emails: [outgoing])
    }
}

extension MergePlan {
    /// A passkey or the number that moves to the target; `nil` if neither does.
    fileprivate func movedMethod(of target: Account, at mergedAt: Instant) -> AddedSignInMethod? {
        if let passkey = passkeys.first {
            return AddedSignInMethod(provider: .passkey, subject: passkey.rawValue, addedAt: mergedAt)
        }
        guard movesPhoneNumber else { return nil }
        return AddedSignInMethod(provider: .phone, subject: target.phoneNumber?.rawValue, addedAt: mergedAt)
    }
}

/// Two merged accounts, as the transaction of the merge has read them.
public struct MergedAccounts: Hashable, Sendable {
    /// An earlier address of an account, which can still be restored by a link that was sent to it.
    public struct Recovery: Hashable, Sendable {
        public let account: ID<Account>
        public let email: EmailAddress

        public init(account: ID<Account>, email: EmailAddress) {
            self.account = account
            self.email = email
        }
    }

    /// The account before the merge.
    public let source: Account
    /// The account after the merge.
    public let target: Account
    /// The earlier addresses of both accounts.
    public let recoveries: [Recovery]

    public init(source: Account, target: Account, recoveries: [Recovery]) {
        self.source = source
        self.target = target
        self.recoveries = recoveries
    }

    /// Recipients of notices without a link. Their notices do not refer to the deleted account.
    fileprivate func otherRecipients(by policy: Policy) -> [(NoticeRecipient, ID<Account>?)] {
        (NoticeRecipient(of: target, by: policy).map { [($0, target.id)] } ?? [])
            + recoveries.map { (.proven($0.email), $0.account == source.id ? nil : $0.account) }
            + (NoticeRecipient(of: source, by: policy).map { [($0, nil)] } ?? [])
    }
}

extension Account {
    fileprivate var signInProviders: [ProviderID] {
        signInMethods + (phoneNumber == nil ? [] : [.phone]) + (passkeys.isEmpty ? [] : [.passkey])
    }
}
