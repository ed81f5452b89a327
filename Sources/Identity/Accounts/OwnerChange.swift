/// What the owner of an account changes, with the effects that belong to the same transaction.
public struct OwnerChange: Hashable, Sendable {
    public var update = AccountUpdate()
    /// The identities of these providers are unlinked, with an address that nothing else holds (see
    /// ``Account/primaryEmail(without:)``) and with the other sessions that were opened through them.
    public var unlinked: Set<ProviderID> = []
    /// Rejects the change if the account would have no sign-in method left.
    public var protectsLastSignInMethod = false
    /// Identities of these providers do not count as sign-in methods.
    public var linkOnly: Set<ProviderID> = []
    /// Read after all slow work. If ``replacement`` is set, logins up to this second become void.
    public var changedAt: Instant
    /// Ends every session of the account, sets `validSince` to the login time of this session, and opens it instead.
    public private(set) var replacement: Session?
    public var emailBatch = EmailBatch.none
    /// Audit events, without those of unlinked identities: the store adds them.
    public var notes: [AuditNote] = []
    public var actor = AuditActor.system

    public init(changedAt: Instant) {
        self.changedAt = changedAt
    }

    public mutating func replace(with session: Session) {
        replacement = session
        update.sessions = .endAll
        update.lastSignInAt = changedAt
    }
}

extension OwnerChange {
    /// The audit events for this change of `account`, except unlinked identities.
    func notes(about account: Account) -> [AuditNote] {
        let notes = update.email == nil ? [] : [AuditNote(.emailChanged, account.id)]
        return account.notes(notes, for: update, endsSessions: replacement != nil)
    }
}
