/// A mail on its way: what is stored of it before anything is sent. Its id is its `Message-ID` (RFC 5322 §3.6.4), so that
/// a letter sent twice is one that receivers can tell is the same.
public struct OutgoingEmail: Hashable, Sendable {
    /// What it says. None of them quotes anything that a user typed.
    public enum Kind: String, Sendable, CaseIterable {
        case verifyEmail = "VERIFY_EMAIL"
        case resetPassword = "PASSWORD_RESET"
        case signIn = "EMAIL_SIGNIN"
        case changeEmail = "VERIFY_AND_CHANGE_EMAIL"
        /// Notices are sent without a request. This one has a link for each identity that was linked in the last 30 days.
        case passwordChanged = "notice.password-changed"
        /// With a way back, to the address that was left.
        case emailChanged = "notice.email-changed"
        /// Of a password too, and of a mailbox. With a link that removes it.
        case identityLinked = "notice.identity-linked"
        case identityUnlinked = "notice.identity-unlinked"
        case accountReclaimed = "notice.account-reclaimed"
        case accountDeleted = "notice.account-deleted"
        /// With a link that undoes the merge, to the address of the account that went into the other one.
        case accountsMerged = "notice.accounts-merged"
    }

    /// A random UUID in lower-case text.
    public let id: ID<OutgoingEmail>
    public let kind: Kind
    /// Whom it is about; `nil` while that is not known, and where the account is no more.
    public let account: ID<Account>?
    public let recipient: EmailAddress
    public let language: Language?
    /// A sealed ``EmailPayload``.
    public let content: [UInt8]
    public let createdAt: Instant
    /// It is of no use from then on.
    public let expiresAt: Instant

    public init(
        id: ID<OutgoingEmail>, kind: Kind, account: ID<Account>?, recipient: EmailAddress, language: Language?,
        content: [UInt8],
        createdAt: Instant, expiresAt: Instant
    ) {
        self.id = id
        self.kind = kind
        self.account = account
        self.recipient = recipient
        self.language = language
        self.content = content
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// What a letter needs beside its kind; sealed while it waits.
public struct EmailPayload: Hashable, Codable, Sendable {
    /// Of the link in it.
    public var code: String?
    /// For the link, so that stock clients can read it.
    public var apiKey: String?
    /// An URL of an authorized domain, checked when it was asked for.
    public var continueURL: String?
    /// What was linked or unlinked.
    public var provider: ProviderID?
    /// Links that each remove an identity; `nil` in letters that have none.
    public var removals: [Removal]?
    /// The sign-in methods that the account has after a merge.
    public var methods: [ProviderID]?

    /// The code of a link that removes an identity.
    public struct Removal: Hashable, Codable, Sendable {
        public let provider: ProviderID
        public let code: String

        public init(provider: ProviderID, code: String) {
            self.provider = provider
            self.code = code
        }
    }

    public init(
        code: String? = nil, apiKey: String? = nil, continueURL: String? = nil, provider: ProviderID? = nil,
        removals: [Removal]? = nil, methods: [ProviderID]? = nil
    ) {
        self.code = code
        self.apiKey = apiKey
        self.continueURL = continueURL
        self.provider = provider
        self.removals = removals
        self.methods = methods
    }
}

/// What goes into the mail with a change, or not at all.
public struct EmailBatch: Hashable, Sendable {
    public var codes: [OOBCode]
    public var letters: [OutgoingEmail]

    public init(codes: [OOBCode] = [], letters: [OutgoingEmail] = []) {
        self.codes = codes
        self.letters = letters
    }
}

/// Letters that wait to be sent. Every call is one statement or one transaction, and may throw ``StoreUnavailable``.
public protocol EmailQueue: Sendable {
    /// Takes letters that are due, for nobody else to try until `lease` has passed; a process that dies with them leaves
    /// them to the others.
    func claim(limit: Int, lease: Duration, at now: Instant) async throws -> [QueuedEmail]

    /// Binds the code of a reset that was asked for by address to the account that has the address now, unless that was
    /// done before.
    ///
    /// - Returns: whether there is such an account.
    func bind(_ code: [UInt8], of letter: QueuedEmail) async throws -> Bool

    /// Whether the code can still be used, so that its letter is worth sending.
    func stands(_ code: [UInt8]) async throws -> Bool

    /// Sent, or of no use any more: nothing of it is kept.
    func remove(_ letter: ID<OutgoingEmail>) async throws

    /// - Parameter failure: what went wrong, without any address.
    func postpone(_ letter: ID<OutgoingEmail>, until due: Instant, failure: String) async throws

    /// Keeps it for the operator to see, and tries no more.
    func giveUp(_ letter: ID<OutgoingEmail>, failure: String, at now: Instant) async throws
}

public struct QueuedEmail: Hashable, Sendable {
    public let letter: OutgoingEmail
    public let realm: ID<Realm>
    /// How often it was tried, this time included.
    public let attempts: Int

    public init(letter: OutgoingEmail, realm: ID<Realm>, attempts: Int) {
        self.letter = letter
        self.realm = realm
        self.attempts = attempts
    }
}
