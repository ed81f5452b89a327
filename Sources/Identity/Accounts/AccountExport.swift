/// What the gateway stores about an account, for the account's owner: no secret, no hash and no key.
public struct AccountExport: Sendable {
    public let account: Account
    public let records: AccountRecords
    public let exportedAt: Instant
}

/// What the gateway stores about an account outside the account itself. Each list has at most
/// ``AccountRecords/limit`` elements, the latest first.
public struct AccountRecords: Hashable, Sendable {
    /// The maximum number of elements of a list.
    public static let limit = 1000
    /// Audit events that are older are not exported.
    public static let activityPeriod: Duration = .seconds(90 * 86_400)

    /// The active sessions.
    public var sessions: [ListedSession] = []
    public var activity: [AuditEvent] = []
    /// The emails that wait to be sent or could not be sent. The gateway deletes an email that it has sent.
    public var emails: [QueuedMessage] = []
    /// The text messages, as ``emails``.
    public var textMessages: [QueuedMessage] = []
    public var appleTokens: [AppleToken] = []
    public var appTransactions: [StatedTransaction] = []
    /// The accounts that were merged into the account, as long as a merge can be undone.
    public var merges: [Merge] = []
    /// When each known network was last used. The gateway stores the networks themselves only as keyed hashes.
    public var knownNetworks: [Instant] = []

    public init() {}

    public struct QueuedMessage: Hashable, Sendable {
        /// The wire's kind of an email; `nil` for a text message.
        public let kind: String?
        /// `nil` for a text message, whose number is sealed with its text.
        public let recipient: EmailAddress?
        public let createdAt: Instant
        /// When the gateway gave up; `nil` while the message waits.
        public let failedAt: Instant?

        public init(kind: String?, recipient: EmailAddress?, createdAt: Instant, failedAt: Instant?) {
            self.kind = kind
            self.recipient = recipient
            self.createdAt = createdAt
            self.failedAt = failedAt
        }
    }

    /// A token of Sign in with Apple that the gateway stores encrypted.
    public struct AppleToken: Hashable, Sendable {
        public let clientID: String
        public let state: AppleGrant.State
        public let createdAt: Instant
        /// When Apple was last asked about the token.
        public let checkedAt: Instant?

        public init(clientID: String, state: AppleGrant.State, createdAt: Instant, checkedAt: Instant?) {
            self.clientID = clientID
            self.state = state
            self.createdAt = createdAt
            self.checkedAt = checkedAt
        }
    }

    /// An app transaction of the App Store that the app has stated for the account.
    public struct StatedTransaction: Hashable, Sendable {
        public let bundleID: String
        public let id: String
        public let statedAt: Instant

        public init(bundleID: String, id: String, statedAt: Instant) {
            self.bundleID = bundleID
            self.id = id
            self.statedAt = statedAt
        }
    }

    public struct Merge: Hashable, Sendable {
        public let source: ID<Account>
        public let mergedAt: Instant
        public let undoUntil: Instant

        public init(source: ID<Account>, mergedAt: Instant, undoUntil: Instant) {
            self.source = source
            self.mergedAt = mergedAt
            self.undoUntil = undoUntil
        }
    }
}

extension Account {
    /// The addresses that are the owner's own data. An email about the account may also go to an earlier mailbox, whose
    /// address may be that of another person.
    var ownAddresses: Set<EmailAddress> {
        Set([email, initialEmail].compactMap(\.self) + identities.compactMap(\.email))
    }
}
