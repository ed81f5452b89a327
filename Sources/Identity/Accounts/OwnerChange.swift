/// A change of an account by its owner, with everything that is applied in the same transaction.
public struct OwnerChange: Hashable, Sendable {
    public var update = AccountUpdate()
    /// The identities of these providers are unlinked. An address that only these providers supply is replaced or
    /// removed (see ``Account/primaryEmail(without:)``). The sessions that were opened with these providers end, except
    /// the session that makes the change.
    public var unlinked: Set<ProviderID> = []
    /// The passkeys that are removed. The sessions that were opened with them end, except the session that makes the
    /// change. Passkeys that the account does not have are ignored.
    public var removedPasskeys: Set<ID<Passkey>> = []
    /// Rejects the change if none of these sign-in methods would be left; `nil` permits the loss of the last one.
    public var protectedMethods: UsableSignInMethods?
    /// Rejects the change if it would suspend roles in the console.
    public var keepsRoles = false
    /// The time of the change, read after all slow work, such as hashing a password.
    public private(set) var changedAt: Instant
    /// The session to open. If it is set, every other session of the account ends, and `validSince` becomes
    /// ``changedAt``, rounded down to a whole second.
    public private(set) var replacementSession: NewSession?
    /// The session that replaces only the caller's; other sessions of the account continue.
    public private(set) var renewedSession: NewSession?
    public var emailBatch = EmailBatch.none
    /// The events, except those about unlinked identities; see ``AccountEvent/unlinking(_:from:)``.
    public var events: [AccountEvent] = []
    public let recording: EventRecording

    public init(changedAt: Instant, recording: EventRecording) {
        self.changedAt = changedAt
        self.recording = recording
    }

    /// Ends the caller's session, and opens `session`.
    public mutating func renewSession(with session: NewSession) {
        renewedSession = session
        changedAt = session.openedAt
    }

    /// Ends every session of the account, and opens `session`.
    public mutating func replaceSession(with session: NewSession) {
        replacementSession = session
        changedAt = session.openedAt
        update.endsSessions = true
        update.lastSignInAt = changedAt
    }
}

extension OwnerChange {
    /// The events of this change of `account`, except those about unlinked identities.
    func events(about account: Account) -> [AccountEvent] {
        let changes: [AccountEvent.Change] = update.email == nil ? [] : [.emailChanged(by: nil)]
        return account.events(changes, addingPasswordOrSessionsOf: update)
    }
}
