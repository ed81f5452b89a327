/// A single-use email action code. Only its hash is stored.
public struct OOBCode: Hashable, Sendable {
    /// The purpose of a code: the wire's `requestType`.
    public enum Purpose: String, Sendable, CaseIterable {
        case verifyEmail = "VERIFY_EMAIL"
        case resetPassword = "PASSWORD_RESET"
        case signIn = "EMAIL_SIGNIN"
        case changeEmail = "VERIFY_AND_CHANGE_EMAIL"
        /// Restores a verified address that was replaced.
        case recoverEmail = "RECOVER_EMAIL"
        /// Removes an added sign-in method, and the identities and password that were added at the same time or later.
        case removeSignInMethod = "REMOVE_SIGN_IN_METHOD"
        /// Removes an added second factor, and the identities, the password and the factors that were added at the same
        /// time or later.
        case revertFactorAddition = "REVERT_SECOND_FACTOR_ADDITION"
        /// Restores an account that was merged into another one.
        case undoMerge = "UNDO_MERGE"

        /// Whether the code undoes what an attacker may have done. Such a code is sent without a request, and a change
        /// of the account's credentials does not invalidate it (but see ``MailboxChange/VoidedRemedies``).
        public var isRemedy: Bool {
            switch self {
            case .verifyEmail, .resetPassword, .signIn, .changeEmail: false
            case .recoverEmail, .removeSignInMethod, .revertFactorAddition, .undoMerge: true
            }
        }
    }

    /// SHA-256 of the code, by which the code is looked up.
    public let hash: [UInt8]
    public let purpose: Purpose
    /// The account of the code. For ``Purpose/signIn`` the account that had the address when the code was stored, if
    /// there was one; for ``Purpose/undoMerge`` the account that ``source`` was merged into.
    public let account: ID<Account>?
    /// The generation that the account must still have: a counter that increases when all sessions end. `nil` if the
    /// code is valid in every generation.
    public let generation: Int64?
    /// The address that the code is about: for ``Purpose/changeEmail`` the account's address, or the new one if the
    /// account had none. A remedy was sent to this address, and restores it.
    public let email: EmailAddress
    /// For ``Purpose/changeEmail`` the new address, for ``Purpose/recoverEmail`` the address to be replaced.
    public let newEmail: EmailAddress?
    /// For ``Purpose/removeSignInMethod`` the method to be removed, for ``Purpose/revertFactorAddition`` the factor.
    public let method: AddedSignInMethod?
    /// For ``Purpose/undoMerge`` the account to be restored.
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

    /// The address that a ``Purpose/changeEmail`` replaces; `nil` if the account had none.
    public var replacedEmail: EmailAddress? { email == newEmail ? nil : email }
}

/// Why a code was rejected.
public enum OOBCodeRefusal: Refusal, Hashable {
    case missing
    /// Unknown, used, of another purpose or realm, or invalidated by a change of the account. Also thrown if the merge
    /// of the code can no longer be undone, and if a user disavows an address that is already verified.
    case invalid
    case expired
    /// The code was sent to another address than the request names.
    case otherEmail
    /// Another account has the address now. The code is consumed nevertheless, unless its purpose is
    /// ``OOBCode/Purpose/recoverEmail``.
    case emailTaken
    case accountDisabled
    /// The project does not allow the purpose, or the tenant is disabled.
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
