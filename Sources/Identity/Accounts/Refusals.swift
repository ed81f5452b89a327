/// What is wrong with an e-mail and password before anybody is looked up.
public enum CredentialRefusal: Error, Hashable {
    case missingEmail
    case invalidEmail
    case missingPassword
    case weakPassword(minimumLength: Int)
    /// At least one.
    case passwordLacks([PasswordRequirement])
}

/// Why somebody was not let in.
public enum SignInRefusal: Error, Hashable {
    case passwordsNotAllowed
    /// No account holds the address. Only where the project does not hide accounts.
    case unknownEmail
    /// Wrong, or the account has none. Only where the project does not hide accounts.
    case wrongPassword
    /// One of the two above, where the project hides which.
    case unknownEmailOrWrongPassword
    case accountDisabled
}

/// Why no account was made.
public enum SignUpRefusal: Error, Hashable {
    case passwordsNotAllowed
    case anonymousNotAllowed
    case emailTaken
}

/// Why a token of ours is not accepted.
public enum TokenRefusal: Error, Hashable {
    /// Malformed, forged, expired, or of another project.
    case invalidIDToken
    /// Genuine, but of another tenant, or of none.
    case otherTenant
    /// Malformed, forged, of another project, or of an account that is gone.
    case invalidRefreshToken
    /// Genuine, but its session has ended.
    case sessionEnded
    /// Genuine, but so old that somebody else must hold its successors; its session has ended with it.
    case refreshTokenStolen
    case accountGone
    case accountDisabled
}

/// Why an account was not changed.
public enum EditRefusal: Error, Hashable {
    case passwordsNotAllowed
    case emailTaken
    /// Nobody could sign in to the account any more, and the request does not say that this is meant.
    case lastSignInMethod
    /// The login is older than ``Policy/recentLoginMaxAge``.
    case loginTooOld
    /// The project hides accounts, so an address is taken over only after it has been verified.
    case emailNeedsVerification
}

/// Why an administrator's wish was not carried out.
public enum AdministrationRefusal: Error, Hashable {
    case accountUnknown
    case invalidPhoneNumber
    case taken(UniqueMember)
    /// An import would replace an account that has identities, and may not.
    case unlinksIdentities
}

/// Why no session was ended.
public enum SessionRefusal: Error, Hashable {
    /// There is none of that name, it has ended, or it is another account's: which of these is nobody's business.
    case unknownSession
}
