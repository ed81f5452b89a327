internal import Encoding

/// What has to be done again after a database was restored from a backup: the backup lacks what users and
/// administrators revoked after it was made. The audit events of that time, which were exported before, state it.
public struct RestoreRepairs: Hashable, Sendable {
    /// The repairs of one account.
    public struct Account: Hashable, Sendable {
        public var isDeleted = false
        /// Whether the last change of this member disabled the account.
        public var isDisabled = false
        /// Whether the account got another address, or was taken over by the owner of its address. The old mailbox must
        /// not get the account, so the account is disabled until an administrator has looked at it.
        public var changedOwner = false
        /// Whether the password that the backup has was replaced or removed.
        public var lostPassword = false
        public var endsSessions = false
        public var endedSessions: Set<ID<Session>> = []
        public var unlinked: Set<ProviderID> = []

        public init() {}
    }

    /// By the ID of the account.
    public private(set) var accounts: [ID<Identity.Account>: Account] = [:]
    public private(set) var revokedAPIKeys: [String] = []
    public private(set) var revokedServiceKeys: [String] = []
    public private(set) var removedTenants: [ID<Tenant>] = []
    /// What the people with a role in the project may have at most; `nil` for no role.
    public private(set) var roles: [ID<Identity.Account>: AdministratorRole?] = [:]
    /// The number of events that no repair covers, by action: what they created or changed is lost.
    public private(set) var lost: [String: Int] = [:]

    /// - Parameters:
    ///   - events: the events of one realm, in the order of their times. Events that the backup has are ignored.
    ///   - backup: when the backup was made.
    public init(_ events: [AuditEvent], after backup: Instant) {
        for event in events where event.lastOccurredAt > backup { add(event) }
    }

    private mutating func add(_ event: AuditEvent) {
        let note = event.note
        switch note.action {
        case "apiKey.revoked": revokedAPIKeys.append(note.subject)
        case "serviceKey.revoked": revokedServiceKeys.append(note.subject)
        case "tenant.removed": removedTenants.append(ID(note.subject))
        case "administrator.removed", "administrator.suspended": roles[ID(note.subject)] = .some(nil)
        case "administrator.changed", "administrator.accepted":
            roles[ID(note.subject)] = .some(note.detail["administratorRole"].flatMap(AdministratorRole.init(rawValue:)))
            // A role that the backup lacks is not given again.
            if note.action == "administrator.accepted" { lost[note.action, default: 0] += 1 }
        default:
            let kind = AccountEvent.Kind(rawValue: note.action)
            guard let kind, change(&accounts[ID(note.subject), default: Account()], by: kind, note.detail) else {
                lost[note.action, default: 0] += 1
                return
            }
        }
    }

    /// - Returns: whether the change repairs what the event did.
    private func change(
        _ account: inout Account, by kind: AccountEvent.Kind, _ detail: [String: String]
    ) -> Bool {
        switch kind {
        case .accountDeleted: account.isDeleted = true
        case .accountDisabled: account.isDisabled = true
        case .accountEnabled:
            account.isDisabled = false
            account.endsSessions = true
        case .emailChanged, .emailDisavowed, .accountReclaimed: account.changedOwner = true
        case .passwordChanged, .passwordRemoved:
            account.lostPassword = true
            account.endsSessions = true
        case .accountUpdated where detail["method"] != nil:
            // An import replaced the account, and may have changed the address.
            account.changedOwner = true
            account.lostPassword = true
            account.endsSessions = true
        case .accountUpdated:
            return update(&account, detail["fields"]?.split(separator: " ").map(String.init) ?? [])
        case .appleConsentRevoked, .phoneTakenOver: account.endsSessions = true
        case .sessionRevoked:
            // An event that counts repetitions may not name every session.
            if detail["repeated"] == nil, let session = detail["sessionId"] {
                account.endedSessions.insert(ID(session))
            } else {
                account.endsSessions = true
            }
        case .identityUnlinked:
            guard let provider = detail["provider"] else { return false }
            account.unlinked.insert(ProviderID(provider))
        case .identityMoved:
            // Only the event of the account that lost the identity names the target.
            guard detail["target"] != nil, let provider = detail["provider"] else { return false }
            account.unlinked.insert(ProviderID(provider))
        // The event about the unlinked identity repairs the account.
        case .appleAccountDeleted: break
        case .accountCreated, .accountMerged, .accountMergeUndone, .accountSignInMethodMissing, .emailVerified,
            .identityLinked, .identityTransferred, .identitySuspended, .signalReceived, .ageConsentRescinded,
            .appleEmailDisabled, .appleEmailEnabled, .factorAdded,
            .factorRemoved, .passkeyAdded, .passkeyRemoved, .passkeyCounterFailed, .recoveryCodeUsed,
            .recoveryCodesRenewed, .phoneAdded, .phoneRemoved, .sessionOpened:
            return false
        }
        return true
    }

    private func update(_ account: inout Account, _ fields: [String]) -> Bool {
        var isRepaired = false
        for field in fields {
            switch field {
            case "email": account.changedOwner = true
            case "password": account.lostPassword = true
            case "validSince": break
            default: continue
            }
            account.endsSessions = true
            isRepaired = true
        }
        return isRepaired
    }
}

extension AccountEvent {
    /// The events of a repair that has ended these sessions.
    public static func repairing(_ account: ID<Account>, ended sessions: [ID<Session>]) -> [AccountEvent] {
        sessions.map { AccountEvent(.sessionRevoked($0), of: account) }
    }
}

extension AuditEvent {
    /// When the event occurred; for an event that counts repetitions, the time of the latest.
    fileprivate var lastOccurredAt: Instant {
        note.detail["lastOccurredAt"].flatMap(Instant.init(iso8601:)) ?? occurredAt
    }
}
