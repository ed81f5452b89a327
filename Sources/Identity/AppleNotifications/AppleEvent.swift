/// A change at Apple that concerns a user of Sign in with Apple.
public struct AppleEvent: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// The user has disconnected the app.
        case consentRevoked
        /// The Apple Account was deleted.
        case accountDeleted
        /// The relay starts or stops forwarding email to the user.
        case forwarding(Bool)
    }

    public let kind: Kind
    public let subject: String
    /// The client ID to which Apple sent the notification: the primary App ID of the group of apps.
    public let clientID: String
    /// The relay address of ``Kind/forwarding(_:)``, if Apple names it.
    public let email: EmailAddress?
    public let occurredAt: Instant
    public let receivedAt: Instant
    /// The replay key of the event, consumed once in each realm.
    public let replayKey: ReplayKey

    public init(
        kind: Kind, subject: String, clientID: String, email: EmailAddress? = nil, occurredAt: Instant,
        receivedAt: Instant, replayKey: ReplayKey
    ) {
        self.kind = kind
        self.subject = subject
        self.clientID = clientID
        self.email = email
        self.occurredAt = occurredAt
        self.receivedAt = receivedAt
        self.replayKey = replayKey
    }

    /// Credentials, sessions and grants (stored tokens of Apple) from before this time count as older than the event.
    /// The time is the next whole second, because identity tokens state their times in whole seconds.
    public var cutoff: Instant { Instant(seconds: occurredAt.seconds + 1) }

    /// Until this time, the store remembers that identity tokens from before the event are invalid. By then all of them
    /// have expired: Apple's tokens are valid for a day.
    public var voidUntil: Instant { occurredAt + AppleNotification.replayKeyLifetime }

    /// Whether the event invalidates the identity tokens that Apple issued before it.
    public var voidsCredentials: Bool {
        switch kind {
        case .consentRevoked, .accountDeleted: true
        case .forwarding: false
        }
    }
}

/// The stored state of the identity that an event refers to.
public struct AppleEventFacts: Hashable, Sendable {
    public let account: Account
    /// When Apple issued the latest of the credentials that opened the account's stored sessions.
    public let credentialIssuedAt: Instant?
    /// When the owner last revoked tokens through the gateway.
    public let tokensRevokedAt: Instant?
    /// The session that requested that revocation.
    public let tokensRevokedBy: ID<Session>?
    /// The time of the latest event about email forwarding that was applied.
    public let forwardingChangedAt: Instant?

    public init(
        account: Account, credentialIssuedAt: Instant? = nil, tokensRevokedAt: Instant? = nil,
        tokensRevokedBy: ID<Session>? = nil, forwardingChangedAt: Instant? = nil
    ) {
        self.account = account
        self.credentialIssuedAt = credentialIssuedAt
        self.tokensRevokedAt = tokensRevokedAt
        self.tokensRevokedBy = tokensRevokedBy
        self.forwardingChangedAt = forwardingChangedAt
    }
}

/// The effects of an event on an identity, its sessions and its grants.
public struct AppleEventDecision: Hashable, Sendable {
    public enum Change: Hashable, Sendable {
        case none
        /// The identity stays linked, and its credential state becomes ``CredentialStatus/State/revoked``.
        case revoke
        /// - Parameter remaining: the account without the identity.
        case unlink(remaining: Account)
        case setForwarding(Bool)
    }

    /// The effect on the sessions that were opened with Apple before the event.
    public enum Sessions: Hashable, Sendable {
        case keep
        /// - Parameter except: a session that continues.
        case end(except: ID<Session>?)
    }

    /// An event `consent-revoked` that arrives within this time after a revocation through the gateway is attributed to
    /// that revocation.
    public static let ownRevocationWindow: Duration = .seconds(600)

    public let change: Change
    public let sessions: Sessions
    /// Whether the grants from before the event become ``AppleGrant/State/revoked``.
    public let revokesGrants: Bool

    public init(_ event: AppleEvent, _ facts: AppleEventFacts) {
        let identity = facts.account.identity(.apple, subject: event.subject)
        let isOutdated = identity.map { facts.isOutdated(event, for: $0) } ?? true
        switch event.kind {
        case .consentRevoked where facts.isCausedByGateway(event):
            // Apps with Firebase's SDK call `accounts:delete` next, with the session that requested the revocation.
            self.init(
                change: isOutdated ? .none : .revoke, sessions: .end(except: facts.tokensRevokedBy),
                revokesGrants: true)
        case .consentRevoked:
            self.init(change: isOutdated ? .none : .revoke, sessions: .end(except: nil), revokesGrants: true)
        case .accountDeleted:
            self.init(
                change: isOutdated
                    ? .none : .unlink(remaining: facts.account.afterDeletion(ofAppleAccount: event.subject)),
                sessions: .end(except: nil), revokesGrants: true)
        case .forwarding(let forwards):
            // If events have the same time, the one that arrives last is applied.
            let isLatest = facts.forwardingChangedAt.map { $0 <= event.occurredAt } ?? true
            let isForCurrentAddress = event.email == nil || identity?.email == nil || identity?.email == event.email
            self.init(
                change: identity != nil && isLatest && isForCurrentAddress ? .setForwarding(forwards) : .none,
                sessions: .keep, revokesGrants: false)
        }
    }

    private init(change: Change, sessions: Sessions, revokesGrants: Bool) {
        self.change = change
        self.sessions = sessions
        self.revokesGrants = revokesGrants
    }
}

extension AppleEventFacts {
    /// Whether, after the event, Apple has confirmed that the user uses the app, or an administrator has linked the
    /// identity.
    fileprivate func isOutdated(_ event: AppleEvent, for identity: LinkedIdentity) -> Bool {
        if let credentialIssuedAt, credentialIssuedAt >= event.cutoff { return true }
        guard let credential = identity.credential else { return identity.linkedAt.map { $0 >= event.cutoff } ?? false }
        return credential.state == .authorized && credential.checkedAt >= event.cutoff
    }

    /// Whether the event follows a revocation that the owner requested through the gateway.
    fileprivate func isCausedByGateway(_ event: AppleEvent) -> Bool {
        guard let tokensRevokedAt else { return false }
        return event.occurredAt >= tokensRevokedAt - AppleNotification.leeway
            && event.receivedAt <= tokensRevokedAt + AppleEventDecision.ownRevocationWindow
    }
}

extension AppleEventDecision {
    /// Whether the change leaves the account without a sign-in method. Identities of the providers in `linkOnly` do not
    /// count as sign-in methods.
    public func leavesNoSignInMethod(ignoring linkOnly: Set<ProviderID>) -> Bool {
        guard case .unlink(let remaining) = change else { return false }
        return !remaining.hasSignInMethod(ignoring: linkOnly)
    }

    /// The events of the change of `account`.
    ///
    /// - Parameter clientID: see ``AppleEvent/clientID``.
    func events(
        about account: ID<Account>, ofClient clientID: String, ignoring linkOnly: Set<ProviderID>
    ) -> [AccountEvent] {
        let changes: [AccountEvent.Change] =
            switch change {
            case .none: []
            case .revoke: [.appleConsentRevoked(clientID: clientID)]
            case .unlink:
                [.appleAccountDeleted(clientID: clientID), .identityUnlinked(.apple)]
                    + (leavesNoSignInMethod(ignoring: linkOnly) ? [.accountSignInMethodMissing] : [])
            case .setForwarding(true): [.appleEmailEnabled(clientID: clientID)]
            case .setForwarding(false): [.appleEmailDisabled(clientID: clientID)]
            }
        return changes.map { AccountEvent($0, of: account) }
    }
}

extension AccountEvent {
    /// The events about an identity whose user had disconnected the app, or deleted the Apple Account, before the
    /// account had the identity. It is not stored which of the two it was, and to which client Apple reported it.
    public static func applyingEarlierAppleEvent(to account: ID<Account>) -> [AccountEvent] {
        [AccountEvent(.appleConsentRevoked(clientID: nil), of: account)]
    }
}
