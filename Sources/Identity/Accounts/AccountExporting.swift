/// Exports what the gateway stores about an account, for the account's owner. Throws ``EditRefusal`` and
/// ``TooManyAttempts``.
public struct AccountExporting: Sendable {
    private let store: any AccountExportStore
    private let emailFactory: EmailFactory
    private let limiter: RateLimiter
    private let clock: WallClock

    public init(store: any AccountExportStore, emailFactory: EmailFactory, limiter: RateLimiter, clock: WallClock) {
        self.store = store
        self.emailFactory = emailFactory
        self.limiter = limiter
        self.clock = clock
    }

    /// Requires a recent login, because a stolen token must not be enough to copy everything about a person. The export
    /// is audited, and the owner gets an email about it.
    public func export(
        for caller: Caller, in realm: Realm, from context: RequestContext
    ) async throws -> AccountExport {
        let (account, now) = (caller.account, clock.now())
        try caller.requireRecentLogin(by: realm.policy, at: now)
        let key = LimitKey.accountExports(account.id)
        try limiter.count(key, Policy.exportLimit, Policy.exportWindow, realm.id)
        do {
            let notice = try emailFactory.notice(
                .accountExported, about: account, by: realm.policy, from: context, at: now)
            var records = try await store.records(
                of: account, since: now - AccountRecords.activityPeriod,
                recording: AuditNote(.accountExported, account.id), by: .user(context.trace),
                sending: EmailBatch(emails: notice), at: now, in: realm.id)
            records.hideOthersAddresses(of: account)
            return AccountExport(account: account, records: records, exportedAt: now)
        } catch {
            // The user has received nothing.
            limiter.subtract(key, Policy.exportWindow, realm.id)
            throw error
        }
    }
}

/// Reads the records of an account.
public protocol AccountExportStore: Sendable {
    /// Records the export and enqueues its notice, and returns the records of an account from before that, in one
    /// transaction with a fixed number of statements.
    ///
    /// - Parameter start: earlier audit events are not returned.
    func records(
        of account: Account, since start: Instant, recording note: AuditNote, by actor: AuditActor,
        sending emailBatch: EmailBatch, at now: Instant, in realm: ID<Realm>
    ) async throws -> AccountRecords
}

extension AccountRecords {
    /// Removes the recipients that are not addresses of `account`.
    fileprivate mutating func hideOthersAddresses(of account: Account) {
        let own = account.ownAddresses
        emails = emails.map { email in
            QueuedMessage(
                kind: email.kind, recipient: email.recipient.flatMap { own.contains($0) ? $0 : nil },
                createdAt: email.createdAt, failedAt: email.failedAt)
        }
    }
}
