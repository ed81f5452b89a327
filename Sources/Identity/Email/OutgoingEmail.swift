/// An email in the queue. Its ID is the left part of its `Message-ID` (RFC 5322 §3.6.4), so that mail clients
/// recognise a message that was sent twice.
public struct OutgoingEmail: Hashable, Sendable {
    /// The template of the email. No template contains user input.
    public enum Kind: String, Sendable, CaseIterable {
        case verifyEmail = "VERIFY_EMAIL"
        case resetPassword = "PASSWORD_RESET"
        case signIn = "EMAIL_SIGNIN"
        case changeEmail = "VERIFY_AND_CHANGE_EMAIL"
        /// Has a link to the sign-in page and a code, which sign in.
        case signInCode = "SIGN_IN_CODE"
        /// Has a link to the sign-in page and a code, which create an account. If an account has the address when the
        /// email is sent, it is sent as ``accountExists``.
        case signUpCode = "SIGN_UP_CODE"
        /// Has no link. States how to sign in.
        case accountExists = "ACCOUNT_EXISTS"
        /// A notice, like all following kinds: no client requests it. After a reset of the password, it has a removal
        /// link for each identity whose provider has not verified the account's address.
        case passwordChanged = "notice.password-changed"
        /// Sent to the former address, with a link that restores it.
        case emailChanged = "notice.email-changed"
        /// Sent to the former relay address of an Apple identity and to the new one. Has no link.
        case relayAddressChanged = "notice.relay-address-changed"
        /// Sent after an identity, a password or an email link was added. Has a link that removes the sign-in method.
        case identityLinked = "notice.identity-linked"
        case identityUnlinked = "notice.identity-unlinked"
        /// Sent after a second factor was added. Has a link that removes the factor.
        case factorAdded = "notice.factor-added"
        case factorRemoved = "notice.factor-removed"
        /// Sent after an administrator removed or replaced the second factors.
        case factorsReset = "notice.factors-reset"
        case recoveryCodeUsed = "notice.recovery-code-used"
        case recoveryCodesRenewed = "notice.recovery-codes-renewed"
        /// Sent after so many wrong one-time passwords that the gateway accepts only a few more per day.
        case manyWrongCodes = "notice.many-wrong-codes"
        /// Sent after the user who proved the address took over an account whose address had never been verified.
        case accountReclaimed = "notice.account-reclaimed"
        /// Sent after the user who proved the address got a new account with it; see ``EarlierMailbox``.
        case accountReplaced = "notice.account-replaced"
        case accountDeleted = "notice.account-deleted"
        /// Sent after the owner exported what the gateway stores about the account.
        case accountExported = "notice.account-exported"
        /// Sent after an administrator got ``SupportAccess`` to the account.
        case supportAccess = "notice.support-access"
        /// Sent to the owners after a person accepted an invitation to the console.
        case administratorAdded = "notice.administrator-added"
        /// Sent to the owners after a person became an owner.
        case ownerAdded = "notice.owner-added"
        /// Has a link that undoes the merge if it goes to the address of the source account. The one to the target's
        /// own address has a link in ``EmailPayload/removals`` if a passkey or the number came with the source.
        case accountsMerged = "notice.accounts-merged"
    }

    /// A random UUID in lower case.
    public let id: ID<OutgoingEmail>
    public private(set) var kind: Kind
    /// The account that the email is about. `nil` for a sign-in link, for a notice about a deleted account, and until
    /// ``EmailQueue/storeResetCode(_:of:)`` finds the account of a password reset.
    public let account: ID<Account>?
    public let recipient: EmailAddress
    /// The language of the request that caused the email. The queue replaces it by the language of the account, if the
    /// account has one, unless ``isLanguageRequested``.
    public let language: Language?
    /// Whether the app has requested the language for emails.
    public var isLanguageRequested = false
    /// An encrypted ``EmailPayload``.
    public let content: [UInt8]
    public let createdAt: Instant
    /// The email is not sent after this time.
    public let expiresAt: Instant
    /// Whether the email is a notice to an address that nobody has verified. The queue accepts at most one such notice
    /// of each kind per address and day, so that an attacker cannot flood a stranger's mailbox.
    public var isLimitedToOnePerDay = false

    public init(
        id: ID<OutgoingEmail>, kind: Kind, account: ID<Account>?, recipient: EmailAddress, language: Language?,
        content: [UInt8], createdAt: Instant, expiresAt: Instant
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

    /// The same email with another template.
    public func withKind(_ kind: Kind) -> OutgoingEmail {
        var email = self
        email.kind = kind
        return email
    }
}

/// The values that the email's template needs. The payload is stored encrypted.
public struct EmailPayload: Hashable, Codable, Sendable {
    /// The code of the link.
    public var code: String?
    /// The API key. Firebase's SDKs read it from the link.
    public var apiKey: String?
    /// A URL of an authorized domain, checked when the client requested the email.
    public var continueURL: String?
    /// The sealed ``SignInPageLink`` of the visit in which the email was requested; `nil` in other emails.
    public var signInPage: String?
    /// The URL that the link begins with if an app opens it; see ``AppLink``.
    public var appLinkBase: String?
    /// The sign-in method that was added or removed, or by which the user proved the address of a reclaimed account.
    public var provider: ProviderID?
    /// Links that remove one identity each; `nil` if the email has none.
    public var removals: [Removal]?
    /// The sign-in methods of the account after a merge, or those that a password reset has removed.
    public var methods: [ProviderID]?
    /// `true` in the notice of a deletion if the gateway cannot disconnect the app from the Apple Account; otherwise
    /// `nil`.
    public var staysConnectedToApple: Bool?
    /// `true` in the notice of a password reset if there is an ``EarlierMailbox``; otherwise `nil`.
    public var hasEarlierMailbox: Bool?
    /// The app whose brand the email has; `nil` for the brand of the project.
    public var app: ID<App>?
    /// What an email of the sign-in page has; `nil` in other emails.
    public var page: Page?
    /// What the reader is invited to, in an email in which an invited person sets a password; `nil` in other emails.
    public var invitation: ConsoleInvitation?

    /// A link to the sign-in page, and the code to enter there.
    public struct Page: Hashable, Codable, Sendable {
        public let link: String
        public let code: String
        /// `true` if the email confirms the address of a guest who keeps the account; otherwise `nil`.
        public let keepsGuest: Bool?

        public init(link: String, code: String, keepsGuest: Bool = false) {
            self.link = link
            self.code = code
            self.keepsGuest = keepsGuest ? true : nil
        }
    }

    /// An invitation to the console.
    public struct ConsoleInvitation: Hashable, Codable, Sendable {
        public let role: AdministratorRole
        /// `nil` for all projects.
        public let project: ID<Project>?

        public init(role: AdministratorRole, project: ID<Project>?) {
            self.role = role
            self.project = project
        }
    }

    /// A link that removes an identity.
    public struct Removal: Hashable, Codable, Sendable {
        public let provider: ProviderID
        public let code: String

        public init(provider: ProviderID, code: String) {
            self.provider = provider
            self.code = code
        }
    }

    public init(
        code: String? = nil, apiKey: String? = nil, continueURL: String? = nil, appLinkBase: String? = nil,
        provider: ProviderID? = nil, removals: [Removal]? = nil, methods: [ProviderID]? = nil, page: Page? = nil
    ) {
        self.code = code
        self.apiKey = apiKey
        self.continueURL = continueURL
        self.appLinkBase = appLinkBase
        self.provider = provider
        self.removals = removals
        self.methods = methods
        self.page = page
    }
}

/// Codes and emails that are stored in the transaction of an account change.
public struct EmailBatch: Hashable, Sendable {
    public var codes: [OOBCode]
    public var emails: [OutgoingEmail]

    public static let none = EmailBatch()

    public init(codes: [OOBCode] = [], emails: [OutgoingEmail] = []) {
        self.codes = codes
        self.emails = emails
    }
}

/// The queue of emails to be sent. Every call is one statement or one transaction and may throw ``StoreUnavailable``.
public protocol EmailQueue: Sendable {
    /// Claims emails that are due, for the caller to send, and deletes expired ones. No other worker can claim the
    /// returned emails until `lease` has passed.
    func claim(limit: Int, lease: Duration, at now: Instant) async throws -> [QueuedEmail]

    /// Stores the code of a password reset for the account that has the recipient's address now. The request for the
    /// reset did not look up the account. Does nothing if an earlier call has found the account.
    ///
    /// - Parameter codeHash: the SHA-256 of the code.
    /// - Returns: whether the code can be redeemed: there is such an account, and the code has not been redeemed.
    func storeResetCode(_ codeHash: [UInt8], of queued: QueuedEmail) async throws -> Bool

    /// Whether a code is still stored. Codes are deleted when they are redeemed or invalidated, but not at once when
    /// they expire.
    ///
    /// - Parameter codeHash: the SHA-256 of the code.
    func isCodeStored(_ codeHash: [UInt8]) async throws -> Bool

    /// Returns the methods of the account that has the address now; `nil` if no account has it.
    func signInMethods(of email: EmailAddress, in realm: ID<Realm>) async throws -> [ProviderID]?

    /// Deletes an email that was sent or is no longer needed.
    func remove(_ id: ID<OutgoingEmail>) async throws

    /// - Parameter failure: the reason, without any address.
    func postpone(_ id: ID<OutgoingEmail>, until due: Instant, failure: String) async throws

    /// Marks the email as failed. It stays in the list for operators, and is not sent again.
    func giveUp(_ id: ID<OutgoingEmail>, failure: String, at now: Instant) async throws
}

public struct QueuedEmail: Hashable, Sendable {
    public let email: OutgoingEmail
    public let realm: ID<Realm>
    /// Attempts so far, including the current one.
    public let attempts: Int
    /// Whether the recipient is a relay address that forwards no email.
    public let relayIsStopped: Bool
    /// Whether the email gives access to an account, but the provider has disabled the recipient's account there.
    /// Another person may read its mailbox.
    public let mailboxIsSuspended: Bool

    public init(
        email: OutgoingEmail, realm: ID<Realm>, attempts: Int, relayIsStopped: Bool = false,
        mailboxIsSuspended: Bool = false
    ) {
        self.email = email
        self.realm = realm
        self.attempts = attempts
        self.relayIsStopped = relayIsStopped
        self.mailboxIsSuspended = mailboxIsSuspended
    }
}

extension OutgoingEmail.Kind {
    /// Whether the reader of the email can sign in to the account.
    public var givesAccess: Bool { self == .resetPassword || self == .signIn || self == .signInCode }
}
