/// Issues and reads the challenges of passkey ceremonies. A challenge states its kind and its expiry, and has a message
/// authentication code, so that the gateway stores none.
public struct PasskeyChallenges: Sendable {
    /// What a challenge was issued for.
    public enum Kind: UInt8, Sendable {
        case signIn = 1
        case enrolment
        /// An enrolment that a browser or device performs without asking the user, after a sign-in by password.
        case conditionalEnrolment
        case signUp
    }

    /// The requests in which a challenge is valid.
    public struct Binding: Hashable, Sendable {
        public let realm: ID<Realm>
        public let app: ID<App>
        public let rpID: String
        /// The account to which an enrolment adds a passkey; `nil` for a sign-in and a sign-up.
        public let enrolment: Enrolment?

        public init(realm: ID<Realm>, app: ID<App>, rpID: String, enrolment: Enrolment? = nil) {
            self.realm = realm
            self.app = app
            self.rpID = rpID
            self.enrolment = enrolment
        }
    }

    public struct Enrolment: Hashable, Sendable {
        public let account: ID<Account>
        /// The generation that the account must still have.
        public let generation: Int64
        public let session: ID<Session>
        public let userHandle: String

        public init(account: ID<Account>, generation: Int64, session: ID<Session>, userHandle: String) {
            self.account = account
            self.generation = generation
            self.session = session
            self.userHandle = userHandle
        }
    }

    /// A challenge, as text that is sent in base64.
    public struct Issued: Sendable {
        /// 72 characters of base64url.
        public let text: String
        /// The user handle of an account that is created with the challenge.
        public let signUpHandle: String

        public init(text: String, signUpHandle: String) {
            self.text = text
            self.signUpHandle = signUpHandle
        }
    }

    /// A challenge that the gateway has issued. It may have expired.
    public struct Content: Sendable {
        public let kind: Kind
        public let replayKey: ReplayKey
        public let signUpHandle: String

        public init(kind: Kind, replayKey: ReplayKey, signUpHandle: String) {
            self.kind = kind
            self.replayKey = replayKey
            self.signUpHandle = signUpHandle
        }
    }

    public var issue: @Sendable (Kind, _ end: Instant, Binding) -> Issued
    /// Returns `nil` unless the gateway has issued the challenge with this binding.
    public var read: @Sendable (_ challenge: [UInt8], Binding) -> Content?
    /// Returns the user handles of an account that has no passkey: one for each active master key, the current one
    /// first. An enrolment that is repeated after a lost response therefore replaces the passkey on the device.
    public var userHandles: @Sendable (ID<Account>, ID<Realm>) -> [String]

    public init(
        issue: @escaping @Sendable (Kind, Instant, Binding) -> Issued,
        read: @escaping @Sendable ([UInt8], Binding) -> Content?,
        userHandles: @escaping @Sendable (ID<Account>, ID<Realm>) -> [String]
    ) {
        self.issue = issue
        self.read = read
        self.userHandles = userHandles
    }
}

extension PasskeyChallenges {
    /// How long a challenge is valid, which is also the time limit of the ceremony in browsers.
    public static let lifetime: Duration = .seconds(300)

    /// Returns the content of a challenge.
    ///
    /// - Throws: ``PasskeyRefusal/challengeExpired``; ``PasskeyRefusal/invalidResponse(reason:)`` unless the challenge
    ///   is of one of `kinds`, and has this binding.
    func open(
        _ challenge: [UInt8], _ kinds: Set<Kind>, _ binding: Binding, at now: Instant
    ) throws(PasskeyRefusal) -> Content {
        guard let content = read(challenge, binding), kinds.contains(content.kind) else {
            throw .invalidResponse(reason: "wrong challenge")
        }
        guard content.replayKey.expiresAt > now else { throw .challengeExpired }
        return content
    }
}
