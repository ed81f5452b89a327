/// Why an email address or a password is invalid.
public enum CredentialRefusal: Refusal, Hashable {
    case missingEmail
    case invalidEmail
    case missingPassword
    case weakPassword(minimumLength: Int)
    /// The missing requirements; at least one.
    case passwordLacks([PasswordRequirement])
}

extension CredentialRefusal {
    public var code: ErrorCode {
        switch self {
        case .missingEmail: .missingEmail
        case .invalidEmail: .invalidEmail
        case .missingPassword: .missingPassword
        case .weakPassword: .weakPassword
        case .passwordLacks: .passwordDoesNotMeetRequirements
        }
    }

    public var detail: String? {
        switch self {
        case .missingEmail, .invalidEmail, .missingPassword: nil
        case .weakPassword(let minimum): "Password should be at least \(minimum) characters"
        case .passwordLacks(let requirements):
            "Missing password requirements: [" + requirements.map(\.sentence).joined(separator: ", ") + "]"
        }
    }
}

extension PasswordRequirement {
    /// A sentence for developers, with Firebase's text if Firebase has the same rule.
    fileprivate var sentence: String {
        switch self {
        case .minimumLength(let length): "Password must contain at least \(length) characters"
        case .maximumLength(let length): "Password may contain at most \(length) characters"
        case .lowercase: "Password must contain a lower case character"
        case .uppercase: "Password must contain an upper case character"
        case .digit: "Password must contain a numeric character"
        case .symbol: "Password must contain a non-alphanumeric character"
        case .notBreached: "Password must not have appeared in a data breach"
        }
    }
}

/// Why a sign-in was rejected.
public enum SignInRefusal: Refusal, Hashable {
    case passwordsNotAllowed
    /// No account has the address. Used only without email enumeration protection.
    case unknownEmail
    /// The password is wrong, or the account has none. Used only without email enumeration protection.
    case wrongPassword
    /// ``unknownEmail`` or ``wrongPassword``, with email enumeration protection.
    case unknownEmailOrWrongPassword
    case accountDisabled
    /// A re-authentication with the credential of another account.
    case otherAccount
}

extension SignInRefusal {
    public var code: ErrorCode {
        switch self {
        case .passwordsNotAllowed: .passwordLoginDisabled
        case .unknownEmail: .emailNotFound
        case .wrongPassword: .invalidPassword
        case .unknownEmailOrWrongPassword: .invalidLoginCredentials
        case .accountDisabled: .userDisabled
        case .otherAccount: .userMismatch
        }
    }
}

/// Why no account was created.
public enum SignUpRefusal: Refusal, Hashable {
    /// Only administrators create accounts; see ``Policy/allowsSignUp``.
    case notAllowed
    case passwordsNotAllowed
    case anonymousNotAllowed
    case emailTaken
}

extension SignUpRefusal {
    public var code: ErrorCode {
        switch self {
        case .passwordsNotAllowed: .operationNotAllowed
        case .notAllowed, .anonymousNotAllowed: .adminOnlyOperation
        case .emailTaken: .emailExists
        }
    }
}

/// Why a token of the gateway is rejected.
public enum TokenRefusal: Refusal, Hashable {
    /// Malformed, forged, expired, or of another project.
    case invalidIDToken
    /// Valid, but issued for another tenant, or for no tenant.
    case otherTenant
    /// Malformed, forged, or of another project.
    case invalidRefreshToken
    /// Valid, but its session has ended or no longer exists.
    case sessionEnded
    /// An older refresh token, used after its grace period, so the session was ended. See ``Rotation/stolen``.
    case refreshTokenStolen
    case accountDeleted
    case accountDisabled
    /// The session is an administrator's (see ``SupportAccess``), and the operation needs the user.
    case supportAccess
}

extension TokenRefusal {
    public var code: ErrorCode {
        switch self {
        case .invalidIDToken: .invalidIDToken
        case .otherTenant: .tenantIDMismatch
        case .invalidRefreshToken: .invalidRefreshToken
        case .sessionEnded, .refreshTokenStolen: .tokenExpired
        case .accountDeleted: .userNotFound
        case .accountDisabled: .userDisabled
        case .supportAccess: .credentialTooOldLoginAgain
        }
    }

    public var loggedCode: String { self == .refreshTokenStolen ? "REFRESH_TOKEN_STOLEN" : code.rawValue }
}

/// Why an account was not changed.
public enum EditRefusal: Refusal, Hashable {
    case passwordsNotAllowed
    /// Only administrators delete accounts; see ``Policy/allowsDeletion``.
    case deletionNotAllowed
    case emailTaken
    /// The account would lose its last sign-in method, and the request does not confirm it.
    case lastSignInMethod
    /// The login is older than ``Policy/recentLoginMaxAge``.
    case loginTooOld
    /// The project has email enumeration protection, so an address is changed only after it has been verified.
    case emailNeedsVerification
}

extension EditRefusal {
    public var code: ErrorCode {
        switch self {
        case .passwordsNotAllowed, .emailNeedsVerification: .operationNotAllowed
        case .deletionNotAllowed: .adminOnlyOperation
        case .emailTaken: .emailExists
        case .lastSignInMethod: .lastSignInMethod
        case .loginTooOld: .credentialTooOldLoginAgain
        }
    }

    public var detail: String? {
        switch self {
        case .passwordsNotAllowed, .deletionNotAllowed, .emailTaken, .loginTooOld: nil
        case .lastSignInMethod:
            "This would remove the account's last sign-in method. Set allowNoSignInMethod to true to confirm."
        case .emailNeedsVerification: "Please verify the new email before changing email."
        }
    }
}

/// Why an administrator's request was rejected.
public enum AdministrationRefusal: Refusal, Hashable {
    case accountUnknown
    case invalidPhoneNumber
    case taken(UniqueMember)
    /// The import would replace an account that has identities, and the service key lacks the permission to do so.
    case unlinksIdentities
    /// ID tokens would have an `auth_time` in the future, so backends would take every session for a recent login.
    case futureValidSince
}

extension AdministrationRefusal {
    public var code: ErrorCode {
        switch self {
        case .accountUnknown: .userNotFound
        case .invalidPhoneNumber: .invalidPhoneNumber
        case .taken(let member): member.takenCode
        case .unlinksIdentities: .permissionDenied
        case .futureValidSince: .invalidArgument
        }
    }

    public var detail: String? {
        switch self {
        case .accountUnknown, .taken: nil
        case .invalidPhoneNumber: "Invalid format."
        case .unlinksIdentities: ServiceKeyScope.linkUsers.missingScopeDetail
        case .futureValidSince: "validSince must not be in the future"
        }
    }
}

extension UniqueMember {
    /// The code for a value that another account has.
    var takenCode: ErrorCode {
        switch self {
        case .id: .duplicateLocalID
        case .email: .emailExists
        case .phoneNumber: .phoneNumberExists
        case .identity: .federatedUserIDAlreadyLinked
        case .passkey, .userHandle: .passkeyExists
        }
    }
}

/// Why no session was ended.
public enum SessionRefusal: Refusal, Hashable {
    /// The session does not exist, has ended, or belongs to another account. The caller must not learn which.
    case unknownSession
}

extension SessionRefusal {
    public var code: ErrorCode {
        switch self {
        case .unknownSession: .sessionNotFound
        }
    }
}
