/// A provider's word about one person, believed: signature, issuer, audience, times and nonce have been checked.
public struct VerifiedIdentity: Hashable, Codable, Sendable {
    public let provider: ProviderID
    /// 1 to 255 characters.
    public let subject: String
    /// The client id that the provider gave its word to.
    public let audience: String
    /// The provider's `iss`; `nil` for providers built in, whose issuer never changes.
    public var issuer: String?
    public var email: EmailAddress?
    public var emailTrust: EmailTrust
    /// A relay address that hides the person's own.
    public var isPrivateEmail: Bool
    public var name: PersonName?
    /// What the provider would have shown; by default ``PersonName/full``.
    public var displayName: String?
    public var photoURL: String?
    /// Apple's `real_user_status`: 0 unsupported, 1 unknown, 2 likely real.
    public var realUserStatus: Int?
    /// What the provider said, as a JSON object: the wire's `rawUserInfo`.
    public var rawUserInfo: String
    /// The nonce that the token was asked for with, as far as it is known unhashed.
    public var nonce: String?
    /// Used up when this identity signs somebody in or is linked.
    public var marks: [ReplayKey]

    public init(
        provider: ProviderID, subject: String, audience: String, issuer: String? = nil, email: EmailAddress? = nil,
        emailTrust: EmailTrust = .none, isPrivateEmail: Bool = false, name: PersonName? = nil,
        displayName: String? = nil, photoURL: String? = nil, realUserStatus: Int? = nil, rawUserInfo: String = "{}",
        nonce: String? = nil, marks: [ReplayKey] = []
    ) {
        self.provider = provider
        self.subject = subject
        self.audience = audience
        self.issuer = issuer
        self.email = email
        self.emailTrust = emailTrust
        self.isPrivateEmail = isPrivateEmail
        self.name = name
        self.displayName = displayName ?? name?.full
        self.photoURL = photoURL
        self.realUserStatus = realUserStatus
        self.rawUserInfo = rawUserInfo
        self.nonce = nonce
        self.marks = marks
    }
}

/// How far a provider's word goes that an address is this person's.
public enum EmailTrust: String, Codable, Comparable, Sendable {
    case none
    /// The person proved to the provider once that the mailbox was theirs; whose it is today, the provider cannot know.
    case verified
    /// The provider runs the mailbox, or knows who does.
    case authoritative

    public static func < (left: EmailTrust, right: EmailTrust) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .none: 0
        case .verified: 1
        case .authoritative: 2
        }
    }
}

/// Something that counts once.
public struct ReplayKey: Hashable, Codable, Sendable {
    /// SHA-256 of what is used.
    public let hash: [UInt8]
    /// From when on its age alone has it refused, so that the mark need not be kept.
    public let expiresAt: Instant

    public init(hash: [UInt8], expiresAt: Instant) {
        self.hash = hash
        self.expiresAt = expiresAt
    }
}
