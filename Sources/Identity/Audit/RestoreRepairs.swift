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
        public var removedPasskeys: Set<ID<Passkey>> = []
        public var removedFactors: Set<ID<Factor>> = []
        /// The factors that the account got after the backup and still had at the loss. The backup lacks them.
        public var lostFactors: Set<ID<Factor>> = []

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
    /// The accounts from which such events took something that the backup has, by action. An administrator has to look
    /// at them.
    public private(set) var unrepaired: [String: Set<ID<Identity.Account>>] = [:]

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
        case "administrator.invited":
            // A person with a role is not invited, and the invitation replaced an earlier one, which the backup may
            // have.
            roles[ID(note.subject)] = .some(nil)
            lost[note.action, default: 0] += 1
        case "administrator.changed", "administrator.accepted":
            roles[ID(note.subject)] = .some(note.detail["administratorRole"].flatMap(AdministratorRole.init(rawValue:)))
            // A role that the backup lacks is not given again.
            if note.action == "administrator.accepted" { lost[note.action, default: 0] += 1 }
        default:
            let kind = AccountEvent.Kind(rawValue: note.action)
            guard let kind, change(&accounts[ID(note.subject), default: Account()], by: kind, note.detail) else {
                lost[note.action, default: 0] += 1
                if kind?.takesAway == true { unrepaired[note.action, default: []].insert(ID(note.subject)) }
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
        case .passkeyRemoved:
            guard let passkey = detail["credentialId"] else { return false }
            account.removedPasskeys.insert(ID(passkey))
        case .factorRemoved:
            guard let factor = detail["factorId"].map({ ID<Factor>($0) }) else { return false }
            if account.lostFactors.remove(factor) == nil { account.removedFactors.insert(factor) }
            account.endsSessions = true
        case .factorAdded:
            if let factor = detail["factorId"] { account.lostFactors.insert(ID(factor)) }
            return false
        // The event about the unlinked identity repairs the account.
        case .appleAccountDeleted: break
        case .accountCreated, .accountMerged, .accountMergeUndone, .accountSignInMethodMissing, .emailVerified,
            .identityLinked, .identityTransferred, .identitySuspended, .signalReceived, .ageConsentRescinded,
            .appleEmailDisabled, .appleEmailEnabled, .passkeyAdded, .passkeyCounterFailed, .recoveryCodeUsed,
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
            case "mfa":
                // The events about the factors repair the account.
                isRepaired = true
                continue
            default: continue
            }
            account.endsSessions = true
            isRepaired = true
        }
        return isRepaired
    }
}

extension RestoreRepairs.Account {
    /// The factors of `account` that stay; `nil` if all do.
    public func keptFactors(of account: Account) -> [KeptFactor]? {
        let factors = account.secondFactors.factors
        let kept = factors.filter { !removedFactors.contains($0.id) }
        guard kept.count < factors.count else { return nil }
        return kept.map { KeptFactor(id: $0.id, phoneNumber: $0.phoneNumber, displayName: nil) }
    }

    /// Whether the user replaced the last factor that the backup has: the account would ask for no factor.
    public func lostLastFactor(of account: Account) -> Bool {
        keptFactors(of: account)?.isEmpty == true && !lostFactors.isEmpty
    }

    /// Whether the repair leaves `account` neither an authenticator app nor a passkey, with which a person enters the
    /// console.
    public func endsAdministration(of account: Account) -> Bool {
        let factors = account.secondFactors.factors.filter { !removedFactors.contains($0.id) }
        let passkeys = account.passkeys.filter { !removedPasskeys.contains($0.id) }
        let isChanged = factors.count < account.secondFactors.factors.count || passkeys.count < account.passkeys.count
        return isChanged && passkeys.isEmpty && factors.allSatisfy { $0.kind != .totp }
    }
}

extension AccountEvent.Kind {
    /// Whether the event took something from the account that a backup gives back.
    fileprivate var takesAway: Bool {
        switch self {
        case .accountMerged, .accountMergeUndone, .factorRemoved, .identityMoved, .identitySuspended,
            .identityUnlinked, .passkeyRemoved, .phoneRemoved, .recoveryCodeUsed, .recoveryCodesRenewed:
            true
        case .accountCreated, .accountUpdated, .accountDeleted, .accountDisabled, .accountEnabled, .accountReclaimed,
            .accountSignInMethodMissing, .identityLinked, .identityTransferred, .signalReceived, .sessionOpened,
            .sessionRevoked, .factorAdded, .passkeyAdded, .passkeyCounterFailed, .passwordChanged, .passwordRemoved,
            .emailChanged, .emailVerified, .emailDisavowed, .phoneAdded, .phoneTakenOver, .appleConsentRevoked,
            .appleAccountDeleted, .appleEmailDisabled, .appleEmailEnabled, .ageConsentRescinded:
            false
        }
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
