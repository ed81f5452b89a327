/// A code that is sent to a telephone number. Only keyed hashes of the code are stored.
public struct PhoneCode: Hashable, Sendable {
    /// What a right code proves the number for. No code is accepted for another purpose.
    public enum Purpose: String, Sendable, CaseIterable {
        case signIn = "SIGN_IN_OR_SIGN_UP"
        case enrolment = "MULTI_FACTOR_ENROLLMENT"
        case secondFactor = "MULTI_FACTOR_SIGN_IN"
    }

    /// Who requests a code. Each kind has rate limits of its own, so that requests of one kind do not use up the codes
    /// of another one.
    public enum Requester: Hashable, Sendable {
        /// A client that has proven nothing, or enrols the number.
        case anyone
        /// A client that has proven the first factor of an account with the number as second factor.
        case provenFirstFactor
        /// As ``provenFirstFactor``, in a known network of the account: probably its owner.
        case knownNetwork(ClientNetwork)
    }

    /// What a code is bound to.
    public struct Binding: Hashable, Sendable {
        /// SHA-256 of the wire's `sessionInfo`, by which the code is looked up.
        public let hash: [UInt8]
        public let realm: ID<Realm>
        public let purpose: Purpose
        public let number: PhoneNumber
        /// The account of a second factor, with the generation that it must still have; `nil` for a sign-in.
        public let account: AccountBinding?

        public init(
            hash: [UInt8], realm: ID<Realm>, purpose: Purpose, number: PhoneNumber, account: AccountBinding?
        ) {
            self.hash = hash
            self.realm = realm
            self.purpose = purpose
            self.number = number
            self.account = account
        }
    }

    public struct AccountBinding: Hashable, Sendable {
        public let account: ID<Account>
        public let generation: Int64
        /// The factor that a sign-in uses; `nil` for an enrolment.
        public let factor: ID<Factor>?

        public init(account: ID<Account>, generation: Int64, factor: ID<Factor>?) {
            self.account = account
            self.generation = generation
            self.factor = factor
        }
    }

    public let binding: Binding
    public let codeHash: [UInt8]
    public let project: ID<Project>
    /// The prefix of ``CallingCodes`` by which the code is counted.
    public let callingCode: String
    public let createdAt: Instant
    public let expiresAt: Instant

    static let lifetime: Duration = .seconds(600)
    /// The maximum number of codes that are compared with a stored one.
    public static let attemptLimit = 5
    /// The maximum number of wrong codes of one purpose for a number from one network within a day.
    static let wrongCodeLimit = 20
}

/// Creates and hashes codes and their sessions.
public struct PhoneCodeSecrets: Sendable {
    /// Returns 32 random bytes in base64url: the wire's `sessionInfo`.
    public var newSessionInfo: @Sendable () -> String
    /// Returns six random digits.
    public var newCode: @Sendable () -> String
    /// Returns the SHA-256 of `sessionInfo`.
    public var hash: @Sendable (_ sessionInfo: String) -> [UInt8]
    /// Returns the keyed hashes of a code, one for each active master key, that of the current key first.
    public var codeHashes: @Sendable (_ code: String, PhoneCode.Binding) -> [[UInt8]]
    /// Compares in constant time.
    public var areEqual: @Sendable ([UInt8], [UInt8]) -> Bool
    /// Returns a random UUID.
    public var newMessageID: @Sendable () -> ID<OutgoingSMS>
    /// Encrypts the content of a message, bound to its ID.
    public var seal: @Sendable (SMSContent, ID<OutgoingSMS>) throws -> [UInt8]
    /// Called with each code that is issued. Only a mode that lists codes keeps them.
    public var didIssue: @Sendable (_ code: String, _ sessionInfo: String, PhoneCode) -> Void

    public init(
        newSessionInfo: @escaping @Sendable () -> String, newCode: @escaping @Sendable () -> String,
        hash: @escaping @Sendable (String) -> [UInt8],
        codeHashes: @escaping @Sendable (String, PhoneCode.Binding) -> [[UInt8]],
        areEqual: @escaping @Sendable ([UInt8], [UInt8]) -> Bool,
        newMessageID: @escaping @Sendable () -> ID<OutgoingSMS>,
        seal: @escaping @Sendable (SMSContent, ID<OutgoingSMS>) throws -> [UInt8]
    ) {
        self.newSessionInfo = newSessionInfo
        self.newCode = newCode
        self.hash = hash
        self.codeHashes = codeHashes
        self.areEqual = areEqual
        self.newMessageID = newMessageID
        self.seal = seal
        didIssue = { _, _, _ in }
    }
}

/// A text message in the queue. Its ID is the idempotency key of all attempts.
public struct OutgoingSMS: Hashable, Sendable {
    public let id: ID<OutgoingSMS>
    /// An encrypted ``SMSContent``.
    public let content: [UInt8]
    /// The account of a second factor, with which the message is deleted.
    public let account: ID<Account>?
    /// Whether the sender recognises a repeated message by its ID.
    public let isIdempotent: Bool
    public let createdAt: Instant

    /// The pauses between the request and the attempts. After the last one there is no other.
    public static let attemptDelays: [Duration] = [.zero, .seconds(10), .seconds(30)]
    /// How long after the request the message may be sent.
    public static let lifetime: Duration = .seconds(120)
}

/// What the sender needs. It is stored encrypted.
public struct SMSContent: Hashable, Codable, Sendable {
    public let phoneNumber: String
    public let text: String
    public let code: String
    public let locale: String
    public let purpose: String
    public let projectId: String
    public let tenantId: String?
    public let appId: String?
    /// When the code expires.
    public let expiresAt: Instant
}

/// The limits of a project on the codes of a day, which the store counts exactly.
public struct SMSBudget: Hashable, Sendable {
    public let perDay: Int
    public let perCallingCode: Int

    /// The budget of a code. A fifth of the project's budget, and of that of each calling code, is reserved for codes
    /// as second factor: anyone can request the others. Without second factors, nothing is reserved.
    init(of purpose: PhoneCode.Purpose, toCallingCode prefix: String, in realm: Realm) {
        let settings = realm.project.sms
        let mayDemandFactors = realm.policy.secondFactors.state != .disabled || realm.project.hasTenants
        let isLimited = purpose != .secondFactor && mayDemandFactors
        let usable = { (budget: Int) in isLimited ? budget - budget / Self.reservedPart : budget }
        perDay = usable(settings.budgetPerDay)
        perCallingCode = usable(settings.budget(ofCallingCode: prefix))
    }

    private static let reservedPart = 5

    /// The share of the last ``outcomeCount`` codes of a calling code that must be confirmed.
    public static let confirmedShare = 0.2
    public static let outcomeCount = 50
    public static let pause: Duration = .seconds(3600)
}

/// Why the store issued no code.
public enum SMSQuota: Error, Hashable, Sendable {
    case projectBudget
    case callingCodeBudget
    /// Too few of the last codes were confirmed.
    case paused
}

/// A stored code after an attempt was counted.
public struct AttemptedCode: Hashable, Sendable {
    public let binding: PhoneCode.Binding
    public let codeHash: [UInt8]

    public init(binding: PhoneCode.Binding, codeHash: [UInt8]) {
        self.binding = binding
        self.codeHash = codeHash
    }
}

/// The result of counting an attempt at a code.
public enum PhoneCodeAttempt: Hashable, Sendable {
    case counted(AttemptedCode)
    /// ``PhoneCode/attemptLimit`` attempts were counted before.
    case exhausted
    case expired
    /// Unknown, used, or of another purpose.
    case unknown
}

/// Stores codes for telephone numbers. Every call is one statement or one transaction, and may throw
/// ``StoreUnavailable``.
public protocol PhoneCodeStore: Sendable {
    /// Stores a code, and enqueues its message.
    ///
    /// - Parameters:
    ///   - message: `nil` if no message is sent.
    ///   - budget: `nil` for no limit.
    /// - Throws: ``SMSQuota``.
    func issue(_ code: PhoneCode, sending message: OutgoingSMS?, within budget: SMSBudget?) async throws

    /// Counts an attempt, before the code is compared: concurrent attempts cannot exceed the limit, on any replica.
    func countAttempt(
        _ hash: [UInt8], for purpose: PhoneCode.Purpose, at now: Instant, in realm: ID<Realm>
    ) async throws -> PhoneCodeAttempt
}

extension PhoneCode.AccountBinding {
    init(_ account: Account, factor: ID<Factor>? = nil) {
        self.init(account: account.id, generation: account.generation, factor: factor)
    }
}
