/// What happened to an account. The decision or the service that causes a change makes its events, and hands them to
/// the store with the change. In the transaction of the change, the store writes the events to the audit trail, and
/// those that the project's listeners want to the outbox; see ``EventRecording``.
///
/// An event has IDs and names of members, but no addresses and no names of users.
public struct AccountEvent: Hashable, Sendable {
    public let change: Change
    public let account: ID<Account>

    public init(_ change: Change, of account: ID<Account>) {
        self.change = change
        self.account = account
    }

    /// What has changed. The account is that of the event.
    public enum Change: Hashable, Sendable {
        /// An administrator created the account.
        case accountCreated
        /// A user signed up. The audit trail has no line about it.
        case accountSignedUp(by: ProviderID)
        /// An administrator changed these members.
        case accountUpdated(fields: [String])
        /// An import replaced the account.
        case accountReplacedByImport
        case accountDeleted
        case accountDisabled
        case accountEnabled
        /// The account received everything that `source` had, and `source` was deleted.
        case accountMerged(source: ID<Account>)
        /// `source` was restored from the account.
        case accountMergeUndone(source: ID<Account>)
        /// The user who proved the address took over the account, whose address had never been verified.
        ///
        /// - Parameter provider: the provider that verified the address; `nil` if the user opened a link in an email.
        case accountReclaimed(by: ProviderID?)
        /// The account has no sign-in method left.
        case accountSignInMethodMissing
        case identityLinked(ProviderID)
        case identityUnlinked(ProviderID)
        /// An administrator moved the identity to the account.
        case identityMoved(ProviderID, source: ID<Account>)
        /// The identity moved to another Apple developer team with its app.
        case identityTransferred(ProviderID)
        /// The provider has disabled the user's account there, so the identity can no longer sign in.
        case identitySuspended(ProviderID)
        /// The provider reported something about the identity.
        case signalReceived(ProviderID, type: String, effects: [String])
        /// A user signed in. The audit trail has no line about it.
        case sessionOpened(ID<Session>, by: ProviderID)
        /// - Parameter session: `nil` for all sessions of the account.
        case sessionRevoked(ID<Session>?)
        case factorAdded(Factor.Kind, ID<Factor>)
        case factorRemoved(Factor.Kind, ID<Factor>)
        case passkeyAdded(ID<Passkey>)
        case passkeyRemoved(ID<Passkey>)
        /// The signature counter of a passkey was not above the stored one: the passkey may have been copied.
        case passkeyCounterFailed(ID<Passkey>)
        case recoveryCodeUsed
        /// All recovery codes were replaced by new ones.
        case recoveryCodesRenewed
        case passwordChanged
        case passwordRemoved
        /// - Parameter provider: the provider whose identity has another address now; `nil` for another cause.
        case emailChanged(by: ProviderID?)
        case emailVerified
        /// The owner of a mailbox stated that the account with this address belongs to someone else.
        case emailDisavowed
        case phoneAdded
        case phoneRemoved
        /// The number was assigned to another person, who proved it and got a new account.
        case phoneTakenOver
        /// The user stopped using Sign in with Apple for the app. The identity stays linked.
        ///
        /// - Parameter clientID: `nil` if Apple's notification came before the account had the identity.
        case appleConsentRevoked(clientID: String?)
        case appleAccountDeleted(clientID: String)
        /// Apple's relay stopped forwarding email to the user.
        case appleEmailDisabled(clientID: String)
        case appleEmailEnabled(clientID: String)
        /// A parent has withdrawn consent to the use of the app. The account is empty if no account has stated the app
        /// transaction.
        case ageConsentRescinded(bundleID: String, transactionID: String)
    }

    /// The kinds of events. The raw values are the types of events for listeners, and actions in the audit trail.
    public enum Kind: String, Sendable, CaseIterable {
        case accountCreated = "account.created"
        case accountUpdated = "account.updated"
        case accountDeleted = "account.deleted"
        case accountDisabled = "account.disabled"
        case accountEnabled = "account.enabled"
        case accountMerged = "account.merged"
        case accountMergeUndone = "account.mergeUndone"
        case accountReclaimed = "account.reclaimed"
        case accountSignInMethodMissing = "account.signInMethodMissing"
        case identityLinked = "identity.linked"
        case identityUnlinked = "identity.unlinked"
        case identityMoved = "identity.moved"
        case identityTransferred = "identity.transferred"
        case identitySuspended = "identity.suspended"
        case signalReceived = "signal.received"
        case sessionOpened = "session.opened"
        case sessionRevoked = "session.revoked"
        case factorAdded = "factor.added"
        case factorRemoved = "factor.removed"
        case passkeyAdded = "passkey.added"
        case passkeyRemoved = "passkey.removed"
        case passkeyCounterFailed = "passkey.counter"
        case recoveryCodeUsed = "recoveryCode.used"
        case recoveryCodesRenewed = "recoveryCode.renewed"
        case passwordChanged = "password.changed"
        case passwordRemoved = "password.removed"
        case emailChanged = "email.changed"
        case emailVerified = "email.verified"
        case emailDisavowed = "email.disavowed"
        case phoneAdded = "phone.added"
        case phoneRemoved = "phone.removed"
        case phoneTakenOver = "phone.takenOver"
        case appleConsentRevoked = "apple.consentRevoked"
        case appleAccountDeleted = "apple.accountDeleted"
        case appleEmailDisabled = "apple.emailDisabled"
        case appleEmailEnabled = "apple.emailEnabled"
        case ageConsentRescinded = "ageConsent.rescinded"
    }
}

extension AccountEvent.Change {
    public var kind: AccountEvent.Kind {
        switch self {
        case .accountCreated, .accountSignedUp: .accountCreated
        case .accountUpdated, .accountReplacedByImport: .accountUpdated
        case .accountDeleted: .accountDeleted
        case .accountDisabled: .accountDisabled
        case .accountEnabled: .accountEnabled
        case .accountMerged: .accountMerged
        case .accountMergeUndone: .accountMergeUndone
        case .accountReclaimed: .accountReclaimed
        case .accountSignInMethodMissing: .accountSignInMethodMissing
        case .identityLinked: .identityLinked
        case .identityUnlinked: .identityUnlinked
        case .identityMoved: .identityMoved
        case .identityTransferred: .identityTransferred
        case .identitySuspended: .identitySuspended
        case .signalReceived: .signalReceived
        case .sessionOpened: .sessionOpened
        case .sessionRevoked: .sessionRevoked
        case .factorAdded: .factorAdded
        case .factorRemoved: .factorRemoved
        case .passkeyAdded: .passkeyAdded
        case .passkeyRemoved: .passkeyRemoved
        case .passkeyCounterFailed: .passkeyCounterFailed
        case .recoveryCodeUsed: .recoveryCodeUsed
        case .recoveryCodesRenewed: .recoveryCodesRenewed
        case .passwordChanged: .passwordChanged
        case .passwordRemoved: .passwordRemoved
        case .emailChanged: .emailChanged
        case .emailVerified: .emailVerified
        case .emailDisavowed: .emailDisavowed
        case .phoneAdded: .phoneAdded
        case .phoneRemoved: .phoneRemoved
        case .phoneTakenOver: .phoneTakenOver
        case .appleConsentRevoked: .appleConsentRevoked
        case .appleAccountDeleted: .appleAccountDeleted
        case .appleEmailDisabled: .appleEmailDisabled
        case .appleEmailEnabled: .appleEmailEnabled
        case .ageConsentRescinded: .ageConsentRescinded
        }
    }

    /// A value of an event's ``data``.
    public enum Value: Hashable, Sendable {
        case text(String)
        case names([String])
        /// The member is present with this value, or absent.
        case yes
    }

    /// The details for listeners, besides the account and the actor, by the names of the members.
    public var data: [String: Value] {
        switch self {
        case .accountUpdated(let fields): ["fields": .names(fields)]
        case .accountReplacedByImport: ["method": .text("import")]
        case .accountSignedUp(let method): ["method": .text(method.rawValue)]
        case .sessionOpened(let session, let method):
            ["sessionId": .text(session.rawValue), "method": .text(method.rawValue)]
        case .accountMerged(let source), .accountMergeUndone(let source): ["source": .text(source.rawValue)]
        case .accountReclaimed(let provider?): ["provider": .text(provider.rawValue)]
        case .identityLinked(let provider), .identityUnlinked(let provider), .identityTransferred(let provider),
            .identitySuspended(let provider):
            ["provider": .text(provider.rawValue)]
        case .signalReceived(let provider, let type, let effects):
            ["provider": .text(provider.rawValue), "type": .text(type), "effect": .names(effects)]
        case .identityMoved(let provider, let source):
            ["provider": .text(provider.rawValue), "source": .text(source.rawValue)]
        case .sessionRevoked(let session): session.map { ["sessionId": .text($0.rawValue)] } ?? ["all": .yes]
        case .factorAdded(let kind, let factor), .factorRemoved(let kind, let factor):
            ["factor": .text(kind.rawValue), "factorId": .text(factor.rawValue)]
        case .passkeyAdded(let passkey), .passkeyRemoved(let passkey), .passkeyCounterFailed(let passkey):
            ["credentialId": .text(passkey.rawValue)]
        case .appleConsentRevoked(let clientID?), .appleAccountDeleted(let clientID),
            .appleEmailDisabled(let clientID), .appleEmailEnabled(let clientID):
            ["clientId": .text(clientID)]
        case .ageConsentRescinded(let bundleID, let transactionID):
            ["bundleId": .text(bundleID), "appTransactionId": .text(transactionID)]
        case .accountCreated, .accountDeleted, .accountDisabled, .accountEnabled, .accountReclaimed(nil),
            .accountSignInMethodMissing, .passwordChanged, .passwordRemoved, .emailChanged, .emailVerified,
            .emailDisavowed, .phoneAdded, .phoneRemoved, .phoneTakenOver, .appleConsentRevoked(nil), .recoveryCodeUsed,
            .recoveryCodesRenewed:
            [:]
        }
    }
}

extension AccountEvent.Change.Value: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // The type of the value tells which case it is.
        if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let names = try? container.decode([String].self) {
            self = .names(names)
        } else {
            self = .yes
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .names(let names): try container.encode(names)
        case .yes: try container.encode(true)
        }
    }
}

extension AccountEvent.Kind {
    /// Whether the law requires the listener to act. Deliveries are then repeated daily until they succeed, and the
    /// event is kept until then.
    public var isKeptUntilDelivered: Bool { self == .ageConsentRescinded }
    public static let keptUntilDelivered = allCases.filter(\.isKeptUntilDelivered)
}
