/// A second factor that an account has enrolled: a second proof that a sign-in demands after the first.
public struct Factor: Hashable, Sendable {
    /// The kind of proof.
    public enum Kind: String, Codable, CaseIterable, Sendable {
        /// A time-based one-time password (RFC 6238) of an authenticator app.
        case totp
        /// A code that is sent to a telephone number.
        case phone
    }

    /// The wire's `mfaEnrollmentId`. Unique within the account.
    public let id: ID<Factor>
    public let kind: Kind
    /// The number of ``Kind/phone``; otherwise `nil`.
    public let phoneNumber: PhoneNumber?
    public let displayName: String?
    public let enrolledAt: Instant

    public init(
        id: ID<Factor>, kind: Kind, phoneNumber: PhoneNumber? = nil, displayName: String?, enrolledAt: Instant
    ) {
        self.id = id
        self.kind = kind
        self.phoneNumber = phoneNumber
        self.displayName = displayName
        self.enrolledAt = enrolledAt
    }
}

/// The second factors of an account, and the state of its recovery codes. Contains no secrets.
public struct SecondFactors: Hashable, Sendable {
    /// The maximum number of factors of an account.
    public static let limit = 5

    /// In the order of enrolment.
    public let factors: [Factor]
    /// `nil` if the account has no recovery code.
    public let recoveryCodes: RecoveryCodes?

    /// The unused recovery codes of an account.
    public struct RecoveryCodes: Hashable, Sendable {
        /// How many codes are unused.
        public let remaining: Int
        /// When the codes were generated.
        public let createdAt: Instant

        public init(remaining: Int, createdAt: Instant) {
            self.remaining = remaining
            self.createdAt = createdAt
        }
    }

    public init(factors: [Factor] = [], recoveryCodes: RecoveryCodes? = nil) {
        self.factors = factors
        self.recoveryCodes = recoveryCodes
    }

    public static let none = SecondFactors()
}

extension SecondFactors {
    public var isEmpty: Bool { factors.isEmpty }

    public func factor(_ id: ID<Factor>) -> Factor? { factors.first { $0.id == id } }

    /// Whether a session that was opened with `proof` counts as one with a second factor. It does as long as the
    /// account has that factor: a factor that was removed, because it was lost or stolen, proves nothing any more.
    /// After a recovery code, the account must have a factor that it had then.
    ///
    /// - Parameter authenticatedAt: when the user of the session last authenticated.
    func confirm(_ proof: SessionFactor?, authenticatedAt: Instant) -> Bool {
        guard let proof else { return false }
        return factors.contains {
            proof.method == .recoveryCode ? $0.enrolledAt <= authenticatedAt : $0.id == proof.factor
        }
    }
}

/// The second factor with which a session was opened. Every ID token of the session has it as claims.
public struct SessionFactor: Hashable, Codable, Sendable {
    /// The claim `firebase.sign_in_second_factor`.
    public enum Method: String, Codable, Sendable {
        case totp
        case phone
        case recoveryCode = "recovery_code"
    }

    public let method: Method
    /// The claim `firebase.second_factor_identifier`; `nil` for a recovery code.
    public let factor: ID<Factor>?

    public init(_ method: Method, _ factor: ID<Factor>? = nil) {
        self.method = method
        self.factor = factor
    }
}
