/// A single-use code that was sent to a mailbox. Only its hash is kept.
public struct OOBCode: Hashable, Sendable {
    /// What a code is good for: the wire's `requestType`.
    public enum Purpose: String, Sendable, CaseIterable {
        case verifyEmail = "VERIFY_EMAIL"
        case resetPassword = "PASSWORD_RESET"
        case signIn = "EMAIL_SIGNIN"
        case changeEmail = "VERIFY_AND_CHANGE_EMAIL"
        /// Back to an address that was verified before it was changed.
        case recoverEmail = "RECOVER_EMAIL"
        /// Removes a sign-in method that was added to an account, and everything that was added after it.
        case removeSignInMethod = "REMOVE_SIGN_IN_METHOD"
        /// Brings back an account that was merged into another one.
        case undoMerge = "UNDO_MERGE"

        /// Undoes what an intruder may have done, so no change of the account's credentials voids it. It is sent without
        /// being asked for.
        public var isRemedy: Bool {
            switch self {
            case .verifyEmail, .resetPassword, .signIn, .changeEmail: false
            case .recoverEmail, .removeSignInMethod, .undoMerge: true
            }
        }
    }

    /// SHA-256 of the code, by which alone it is found.
    public let hash: [UInt8]
    public let purpose: Purpose
    /// Whose it is; of ``Purpose/signIn`` who held the address when the link was sent, if anybody did; of
    /// ``Purpose/undoMerge`` the account that ``source`` went into.
    public let account: ID<Account>?
    /// The account has to be of this generation; `nil` where the code outlives changes of it.
    public let generation: Int64?
    /// The address that the code is about; of a remedy the one that it was sent to, and to go back to.
    public let email: EmailAddress
    /// Of ``Purpose/changeEmail`` the address to be, of ``Purpose/recoverEmail`` the one to be left.
    public let newEmail: EmailAddress?
    /// Of ``Purpose/removeSignInMethod``, and of nothing else.
    public let method: AddedSignInMethod?
    /// Of ``Purpose/undoMerge`` the account that comes back.
    public let source: ID<Account>?
    public let createdAt: Instant
    public let expiresAt: Instant

    public init(
        hash: [UInt8], purpose: Purpose, account: ID<Account>?, generation: Int64? = nil, email: EmailAddress,
        newEmail: EmailAddress? = nil, method: AddedSignInMethod? = nil, source: ID<Account>? = nil, createdAt: Instant,
        expiresAt: Instant
    ) {
        self.hash = hash
        self.purpose = purpose
        self.account = account
        self.generation = generation
        self.email = email
        self.newEmail = newEmail
        self.method = method
        self.source = source
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// Why a code does nothing.
public enum OOBCodeRefusal: Refusal, Hashable {
    case missing
    /// Unknown, used, of another purpose or project, or what it was made for has changed.
    case invalid
    case expired
    /// The address presented with it is not the one that it was sent to.
    case otherEmail
    /// The address is another account's by now. The code is used up all the same, unless it is a
    /// ``OOBCode/Purpose/recoverEmail``.
    case emailTaken
    case accountDisabled
    /// The project does not allow what it is for.
    case notAllowed
}

extension OOBCodeRefusal {
    public var code: ErrorCode {
        switch self {
        case .missing: .missingOOBCode
        case .invalid: .invalidOOBCode
        case .expired: .expiredOOBCode
        case .otherEmail: .invalidEmail
        case .emailTaken: .emailExists
        case .accountDisabled: .userDisabled
        case .notAllowed: .operationNotAllowed
        }
    }

    public var detail: String? {
        switch self {
        case .missing, .invalid, .expired, .emailTaken, .accountDisabled, .notAllowed: nil
        case .otherEmail: "The email provided does not match the sign-in email address."
        }
    }
}
