/// Writes the notices about a merge. The store calls it in the merge's transaction, where alone the recipients are certain.
public struct MergeNotices: Sendable {
    private let merge: AccountMerge
    private let with: Collaborators
    private let origin: Origin

    init(of merge: AccountMerge, with collaborators: Collaborators, from origin: Origin) {
        self.merge = merge
        with = collaborators
        self.origin = origin
    }

    /// Each address gets one notice. The source's own has a link that undoes the merge.
    public func mailing(for accounts: MergedAccounts) throws -> Mailing {
        guard with.outOfBand.isSent else { return Mailing() }
        let methods = accounts.target.wayInProviders
        var mailing = Mailing()
        var written: Set<Email> = []
        if let email = accounts.source.verifiedEmail {
            written.insert(email)
            mailing = try undoLink(to: email, methods)
        }
        for (email, account) in accounts.otherRecipients where written.insert(email).inserted {
            mailing.letters += try with.notice(
                .accountsMerged, to: email, about: account, LetterContent(methods: methods), from: origin,
                at: merge.mergedAt)
        }
        return mailing
    }

    private func undoLink(to email: Email, _ methods: [ProviderID]) throws -> Mailing {
        let secret = with.outOfBand.newCode()
        let plan = merge.terms.plan
        let code = OOBCode(
            hash: with.outOfBand.hash(secret), purpose: .undoMerge, account: plan.target, email: email,
            source: plan.source, createdAt: merge.mergedAt, expiresAt: merge.undoableUntil)
        let letter = try with.letter(
            .accountsMerged, to: email, about: nil, LetterContent(code: secret, methods: methods), from: origin,
            at: merge.mergedAt, until: merge.undoableUntil)
        return Mailing(codes: [code], letters: [letter])
    }
}

/// Two accounts that were merged, as the transaction of the merge sees them.
public struct MergedAccounts: Hashable, Sendable {
    /// An address that an account had, and can get back by a link that was sent there.
    public struct Recovery: Hashable, Sendable {
        public let account: ID<Account>
        public let email: Email

        public init(account: ID<Account>, email: Email) {
            self.account = account
            self.email = email
        }
    }

    /// As it was before.
    public let source: Account
    /// As it is now.
    public let target: Account
    /// Of both accounts.
    public let recoveries: [Recovery]

    public init(source: Account, target: Account, recoveries: [Recovery]) {
        self.source = source
        self.target = target
        self.recoveries = recoveries
    }

    /// Beside the source's own address. A notice about an account that is no more names none.
    fileprivate var otherRecipients: [(Email, ID<Account>?)] {
        (target.verifiedEmail.map { [($0, target.id)] } ?? [])
            + recoveries.map { ($0.email, $0.account == source.id ? nil : $0.account) }
    }
}

extension Account {
    fileprivate var verifiedEmail: Email? { emailIsVerified ? email : nil }

    fileprivate var wayInProviders: [ProviderID] { signInMethods + (phoneNumber == nil ? [] : [.phone]) }
}
