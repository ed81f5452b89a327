/// The error codes, with FirebaseAuth's names and numbers.
extension AuthErrorCode {
    /// The custom token is not valid.
    public static let invalidCustomToken = AuthErrorCode(known: 17000)
    /// The custom token belongs to another project.
    public static let customTokenMismatch = AuthErrorCode(known: 17002)
    /// The credential is wrong, malformed or expired.
    public static let invalidCredential = AuthErrorCode(known: 17004)
    /// An administrator disabled the account.
    public static let userDisabled = AuthErrorCode(known: 17005)
    /// The project does not allow this operation.
    public static let operationNotAllowed = AuthErrorCode(known: 17006)
    /// Another account uses the email address.
    public static let emailAlreadyInUse = AuthErrorCode(known: 17007)
    /// The email address is not valid.
    public static let invalidEmail = AuthErrorCode(known: 17008)
    /// The password is wrong, or the account has no password.
    public static let wrongPassword = AuthErrorCode(known: 17009)
    /// Too many requests were sent. Try again later.
    public static let tooManyRequests = AuthErrorCode(known: 17010)
    /// The account does not exist.
    public static let userNotFound = AuthErrorCode(known: 17011)
    /// An account with the same email address has other sign-in methods. Sign in with one of them, then link this
    /// credential.
    public static let accountExistsWithDifferentCredential = AuthErrorCode(known: 17012)
    /// The operation requires a more recent login. Reauthenticate and try again.
    public static let requiresRecentLogin = AuthErrorCode(known: 17014)
    /// The provider is already linked to the account.
    public static let providerAlreadyLinked = AuthErrorCode(known: 17015)
    /// The provider is not linked to the account.
    public static let noSuchProvider = AuthErrorCode(known: 17016)
    /// The user's token is not valid. Sign in again.
    public static let invalidUserToken = AuthErrorCode(known: 17017)
    /// The gateway could not be reached, or did not respond in time.
    public static let networkError = AuthErrorCode(known: 17020)
    /// The session has ended. Sign in again.
    public static let userTokenExpired = AuthErrorCode(known: 17021)
    /// The API key is not valid.
    public static let invalidAPIKey = AuthErrorCode(known: 17023)
    /// The credential belongs to another user.
    public static let userMismatch = AuthErrorCode(known: 17024)
    /// The credential is already linked to another account.
    public static let credentialAlreadyInUse = AuthErrorCode(known: 17025)
    /// The password is too weak.
    public static let weakPassword = AuthErrorCode(known: 17026)
    /// The API key does not belong to this app.
    public static let appNotAuthorized = AuthErrorCode(known: 17028)
    /// The code from the email has expired.
    public static let expiredActionCode = AuthErrorCode(known: 17029)
    /// The code from the email is not valid or was already used.
    public static let invalidActionCode = AuthErrorCode(known: 17030)
    /// The email template is not valid.
    public static let invalidMessagePayload = AuthErrorCode(known: 17031)
    /// The sender of the email is not valid.
    public static let invalidSender = AuthErrorCode(known: 17032)
    /// The recipient of the email is not valid.
    public static let invalidRecipientEmail = AuthErrorCode(known: 17033)
    /// The email address is missing.
    public static let missingEmail = AuthErrorCode(known: 17034)
    /// The bundle identifier is missing.
    public static let missingIosBundleID = AuthErrorCode(known: 17036)
    /// The Android package name is missing.
    public static let missingAndroidPackageName = AuthErrorCode(known: 17037)
    /// The domain of the continue URL is not an authorized domain of the project.
    public static let unauthorizedDomain = AuthErrorCode(known: 17038)
    /// The continue URL is not valid.
    public static let invalidContinueURI = AuthErrorCode(known: 17039)
    /// The continue URL is missing.
    public static let missingContinueURI = AuthErrorCode(known: 17040)
    /// The phone number is missing.
    public static let missingPhoneNumber = AuthErrorCode(known: 17041)
    /// The phone number is not valid.
    public static let invalidPhoneNumber = AuthErrorCode(known: 17042)
    /// The verification code is missing.
    public static let missingVerificationCode = AuthErrorCode(known: 17043)
    /// The verification code is wrong.
    public static let invalidVerificationCode = AuthErrorCode(known: 17044)
    /// The verification ID is missing. The library does not throw this error.
    public static let missingVerificationID = AuthErrorCode(known: 17045)
    /// The verification ID is not valid.
    public static let invalidVerificationID = AuthErrorCode(known: 17046)
    /// The app credential is missing. The library does not throw this error.
    public static let missingAppCredential = AuthErrorCode(known: 17047)
    /// The app credential is not valid. The library does not throw this error.
    public static let invalidAppCredential = AuthErrorCode(known: 17048)
    /// The verification code, or the dialog of a passkey, has expired. For a session that has ended, see
    /// ``userTokenExpired``.
    public static let sessionExpired = AuthErrorCode(known: 17051)
    /// The project's quota is used up.
    public static let quotaExceeded = AuthErrorCode(known: 17052)
    /// The token for push notifications is missing. The library does not throw this error.
    public static let missingAppToken = AuthErrorCode(known: 17053)
    /// The app does not forward push notifications. The library does not throw this error.
    public static let notificationNotForwarded = AuthErrorCode(known: 17054)
    /// The app could not be verified. The library does not throw this error.
    public static let appNotVerified = AuthErrorCode(known: 17055)
    /// The CAPTCHA check failed.
    public static let captchaCheckFailed = AuthErrorCode(known: 17056)
    /// Another sign-in in the browser is in progress.
    public static let webContextAlreadyPresented = AuthErrorCode(known: 17057)
    /// The user cancelled the sign-in in the browser.
    public static let webContextCancelled = AuthErrorCode(known: 17058)
    /// The verification of the app failed. The library does not throw this error.
    public static let appVerificationUserInteractionFailure = AuthErrorCode(known: 17059)
    /// The client ID is not valid. The library does not throw this error.
    public static let invalidClientID = AuthErrorCode(known: 17060)
    /// A request in the browser failed. The library does not throw this error.
    public static let webNetworkRequestFailed = AuthErrorCode(known: 17061)
    /// An internal error occurred in the browser. The library does not throw this error.
    public static let webInternalError = AuthErrorCode(known: 17062)
    /// The sign-in in the browser failed.
    public static let webSignInUserInteractionFailure = AuthErrorCode(known: 17063)
    /// The player is not signed in to Game Center. The library does not throw this error.
    public static let localPlayerNotAuthenticated = AuthErrorCode(known: 17066)
    /// The operation requires a signed-in user.
    public static let nullUser = AuthErrorCode(known: 17067)
    /// Dynamic Links are not activated. The library does not throw this error.
    public static let dynamicLinkNotActivated = AuthErrorCode(known: 17068)
    /// The provider ID is not valid.
    public static let invalidProviderID = AuthErrorCode(known: 17071)
    /// The user or credential belongs to another tenant.
    public static let tenantIDMismatch = AuthErrorCode(known: 17072)
    /// Tenants do not support this operation.
    public static let unsupportedTenantOperation = AuthErrorCode(known: 17073)
    /// The Dynamic Links domain is not valid. The library does not throw this error.
    public static let invalidDynamicLinkDomain = AuthErrorCode(known: 17074)
    /// The credential is malformed or does not match. The library does not throw this error.
    public static let rejectedCredential = AuthErrorCode(known: 17075)
    /// The app does not contain GameKit. The library does not throw this error.
    public static let gameKitNotLinked = AuthErrorCode(known: 17076)
    /// The sign-in requires a second factor.
    public static let secondFactorRequired = AuthErrorCode(known: 17078)
    /// The multi-factor session is missing.
    public static let missingMultiFactorSession = AuthErrorCode(known: 17081)
    /// The second factor is missing.
    public static let missingMultiFactorInfo = AuthErrorCode(known: 17082)
    /// The multi-factor session is not valid.
    public static let invalidMultiFactorSession = AuthErrorCode(known: 17083)
    /// The account has no such second factor.
    public static let multiFactorInfoNotFound = AuthErrorCode(known: 17084)
    /// Only administrators can perform this operation.
    public static let adminRestrictedOperation = AuthErrorCode(known: 17085)
    /// The email address is not verified.
    public static let unverifiedEmail = AuthErrorCode(known: 17086)
    /// The account already has this second factor.
    public static let secondFactorAlreadyEnrolled = AuthErrorCode(known: 17087)
    /// The account already has the maximum number of second factors.
    public static let maximumSecondFactorCountExceeded = AuthErrorCode(known: 17088)
    /// The first factor does not support second factors.
    public static let unsupportedFirstFactor = AuthErrorCode(known: 17089)
    /// The new email address must be verified first.
    public static let emailChangeNeedsVerification = AuthErrorCode(known: 17090)
    /// The app's identifier is missing from the request.
    public static let missingClientIdentifier = AuthErrorCode(known: 17093)
    /// The nonce is missing, expired or already used, or does not match the identity token. Pass the raw nonce, neither
    /// hashed nor encoded.
    public static let missingOrInvalidNonce = AuthErrorCode(known: 17094)
    /// A blocking function rejected the operation.
    public static let blockingCloudFunctionError = AuthErrorCode(known: 17105)
    /// The project does not use reCAPTCHA. The library does not throw this error.
    public static let recaptchaNotEnabled = AuthErrorCode(known: 17200)
    /// The reCAPTCHA token is missing. The library does not throw this error.
    public static let missingRecaptchaToken = AuthErrorCode(known: 17201)
    /// The reCAPTCHA token is not valid. The library does not throw this error.
    public static let invalidRecaptchaToken = AuthErrorCode(known: 17202)
    /// The reCAPTCHA action is not valid. The library does not throw this error.
    public static let invalidRecaptchaAction = AuthErrorCode(known: 17203)
    /// The client type is missing. The library does not throw this error.
    public static let missingClientType = AuthErrorCode(known: 17204)
    /// The reCAPTCHA version is missing. The library does not throw this error.
    public static let missingRecaptchaVersion = AuthErrorCode(known: 17205)
    /// The reCAPTCHA version is not valid. The library does not throw this error.
    public static let invalidRecaptchaVersion = AuthErrorCode(known: 17206)
    /// The request type is not valid. The library does not throw this error.
    public static let invalidReqType = AuthErrorCode(known: 17207)
    /// The app does not contain the reCAPTCHA SDK. The library does not throw this error.
    public static let recaptchaSDKNotLinked = AuthErrorCode(known: 17208)
    /// The reCAPTCHA site key is missing. The library does not throw this error.
    public static let recaptchaSiteKeyMissing = AuthErrorCode(known: 17209)
    /// The reCAPTCHA action could not be created. The library does not throw this error.
    public static let recaptchaActionCreationFailed = AuthErrorCode(known: 17210)
    /// The password does not meet the project's policy.
    public static let passwordDoesNotMeetRequirements = AuthErrorCode(known: 17211)
    /// The account has no such passkey, or no account has the passkey.
    public static let missingPasskeyEnrollment = AuthErrorCode(known: 17212)
    /// The domain of the link is not valid.
    public static let invalidHostingLinkDomain = AuthErrorCode(known: 17214)
    /// The passkey's response is not valid.
    public static let invalidAuthenticatorResponse = AuthErrorCode(known: 17215)
    /// The session could not be stored or read on this device.
    public static let keychainError = AuthErrorCode(known: 17995)
    /// An internal error occurred.
    public static let internalError = AuthErrorCode(known: 17999)
    /// The ID token is not a valid JSON Web Token.
    public static let malformedJWT = AuthErrorCode(known: 18000)
    /// The sign-in method is the only one of the account, and the project protects it. FirebaseAuth has no such code.
    public static let lastSignInMethod = AuthErrorCode(known: 20001)

    /// The name in FirebaseAuth and the default description of each code.
    static let descriptions: [Int: (name: String, text: String)] = [
        17000: ("ERROR_INVALID_CUSTOM_TOKEN", "The custom token is not valid."),
        17002: ("ERROR_CUSTOM_TOKEN_MISMATCH", "The custom token belongs to another project."),
        17004: ("ERROR_INVALID_CREDENTIAL", "The credential is wrong, malformed or expired."),
        17005: ("ERROR_USER_DISABLED", "An administrator disabled the account."),
        17006: ("ERROR_OPERATION_NOT_ALLOWED", "The project does not allow this operation."),
        17007: ("ERROR_EMAIL_ALREADY_IN_USE", "Another account uses the email address."),
        17008: ("ERROR_INVALID_EMAIL", "The email address is not valid."),
        17009: ("ERROR_WRONG_PASSWORD", "The password is wrong, or the account has no password."),
        17010: ("ERROR_TOO_MANY_REQUESTS", "Too many requests were sent. Try again later."),
        17011: ("ERROR_USER_NOT_FOUND", "The account does not exist."),
        17012: (
            "ERROR_ACCOUNT_EXISTS_WITH_DIFFERENT_CREDENTIAL",
            "An account with the same email address has other sign-in methods. Sign in with one of "
                + "them, then link this credential."
        ),
        17014: (
            "ERROR_REQUIRES_RECENT_LOGIN",
            "The operation requires a more recent login. Reauthenticate and try again."
        ),
        17015: ("ERROR_PROVIDER_ALREADY_LINKED", "The provider is already linked to the account."),
        17016: ("ERROR_NO_SUCH_PROVIDER", "The provider is not linked to the account."),
        17017: ("ERROR_INVALID_USER_TOKEN", "The user's token is not valid. Sign in again."),
        17020: ("ERROR_NETWORK_REQUEST_FAILED", "The gateway could not be reached, or did not respond in time."),
        17021: ("ERROR_USER_TOKEN_EXPIRED", "The session has ended. Sign in again."),
        17023: ("ERROR_INVALID_API_KEY", "The API key is not valid."),
        17024: ("ERROR_USER_MISMATCH", "The credential belongs to another user."),
        17025: ("ERROR_CREDENTIAL_ALREADY_IN_USE", "The credential is already linked to another account."),
        17026: ("ERROR_WEAK_PASSWORD", "The password is too weak."),
        17028: ("ERROR_APP_NOT_AUTHORIZED", "The API key does not belong to this app."),
        17029: ("ERROR_EXPIRED_ACTION_CODE", "The code from the email has expired."),
        17030: ("ERROR_INVALID_ACTION_CODE", "The code from the email is not valid or was already used."),
        17031: ("ERROR_INVALID_MESSAGE_PAYLOAD", "The email template is not valid."),
        17032: ("ERROR_INVALID_SENDER", "The sender of the email is not valid."),
        17033: ("ERROR_INVALID_RECIPIENT_EMAIL", "The recipient of the email is not valid."),
        17034: ("ERROR_MISSING_EMAIL", "The email address is missing."),
        17036: ("ERROR_MISSING_IOS_BUNDLE_ID", "The bundle identifier is missing."),
        17037: ("ERROR_MISSING_ANDROID_PACKAGE_NAME", "The Android package name is missing."),
        17038: (
            "ERROR_UNAUTHORIZED_DOMAIN", "The domain of the continue URL is not an authorized domain of the project."
        ),
        17039: ("ERROR_INVALID_CONTINUE_URI", "The continue URL is not valid."),
        17040: ("ERROR_MISSING_CONTINUE_URI", "The continue URL is missing."),
        17041: ("ERROR_MISSING_PHONE_NUMBER", "The phone number is missing."),
        17042: ("ERROR_INVALID_PHONE_NUMBER", "The phone number is not valid."),
        17043: ("ERROR_MISSING_VERIFICATION_CODE", "The verification code is missing."),
        17044: ("ERROR_INVALID_VERIFICATION_CODE", "The verification code is wrong."),
        17045: ("ERROR_MISSING_VERIFICATION_ID", "The verification ID is missing."),
        17046: ("ERROR_INVALID_VERIFICATION_ID", "The verification ID is not valid."),
        17047: ("ERROR_MISSING_APP_CREDENTIAL", "The app credential is missing."),
        17048: ("ERROR_INVALID_APP_CREDENTIAL", "The app credential is not valid."),
        17051: ("ERROR_SESSION_EXPIRED", "The verification code has expired."),
        17052: ("ERROR_QUOTA_EXCEEDED", "The project's quota is used up."),
        17053: ("ERROR_MISSING_APP_TOKEN", "The token for push notifications is missing."),
        17054: ("ERROR_NOTIFICATION_NOT_FORWARDED", "The app does not forward push notifications."),
        17055: ("ERROR_APP_NOT_VERIFIED", "The app could not be verified."),
        17056: ("ERROR_CAPTCHA_CHECK_FAILED", "The CAPTCHA check failed."),
        17057: ("ERROR_WEB_CONTEXT_ALREADY_PRESENTED", "Another sign-in in the browser is in progress."),
        17058: ("ERROR_WEB_CONTEXT_CANCELLED", "The user cancelled the sign-in in the browser."),
        17059: ("ERROR_APP_VERIFICATION_FAILED", "The verification of the app failed."),
        17060: ("ERROR_INVALID_CLIENT_ID", "The client ID is not valid."),
        17061: ("ERROR_WEB_NETWORK_REQUEST_FAILED", "A request in the browser failed."),
        17062: ("ERROR_WEB_INTERNAL_ERROR", "An internal error occurred in the browser."),
        17063: ("ERROR_WEB_USER_INTERACTION_FAILURE", "The sign-in in the browser failed."),
        17066: ("ERROR_LOCAL_PLAYER_NOT_AUTHENTICATED", "The player is not signed in to Game Center."),
        17067: ("ERROR_NULL_USER", "The operation requires a signed-in user."),
        17068: ("ERROR_DYNAMIC_LINK_NOT_ACTIVATED", "Dynamic Links are not activated."),
        17071: ("ERROR_INVALID_PROVIDER_ID", "The provider ID is not valid."),
        17072: ("ERROR_TENANT_ID_MISMATCH", "The user or credential belongs to another tenant."),
        17073: ("ERROR_UNSUPPORTED_TENANT_OPERATION", "Tenants do not support this operation."),
        17074: ("ERROR_INVALID_DYNAMIC_LINK_DOMAIN", "The Dynamic Links domain is not valid."),
        17075: ("ERROR_REJECTED_CREDENTIAL", "The credential is malformed or does not match."),
        17076: ("ERROR_GAME_KIT_NOT_LINKED", "The app does not contain GameKit."),
        17078: ("ERROR_SECOND_FACTOR_REQUIRED", "The sign-in requires a second factor."),
        17081: ("ERROR_MISSING_MULTI_FACTOR_SESSION", "The multi-factor session is missing."),
        17082: ("ERROR_MISSING_MULTI_FACTOR_INFO", "The second factor is missing."),
        17083: ("ERROR_INVALID_MULTI_FACTOR_SESSION", "The multi-factor session is not valid."),
        17084: ("ERROR_MULTI_FACTOR_INFO_NOT_FOUND", "The account has no such second factor."),
        17085: ("ERROR_ADMIN_RESTRICTED_OPERATION", "Only administrators can perform this operation."),
        17086: ("ERROR_UNVERIFIED_EMAIL", "The email address is not verified."),
        17087: ("ERROR_SECOND_FACTOR_ALREADY_ENROLLED", "The account already has this second factor."),
        17088: (
            "ERROR_MAXIMUM_SECOND_FACTOR_COUNT_EXCEEDED",
            "The account already has the maximum number of second factors."
        ),
        17089: ("ERROR_UNSUPPORTED_FIRST_FACTOR", "The first factor does not support second factors."),
        17090: ("ERROR_EMAIL_CHANGE_NEEDS_VERIFICATION", "The new email address must be verified first."),
        17093: ("ERROR_MISSING_CLIENT_IDENTIFIER", "The app's identifier is missing from the request."),
        17094: (
            "ERROR_MISSING_OR_INVALID_NONCE",
            "The nonce is missing, expired or already used, or does not match the identity token. Pass the raw "
                + "nonce, neither hashed nor encoded."
        ),
        17105: ("ERROR_BLOCKING_CLOUD_FUNCTION_ERROR", "A blocking function rejected the operation."),
        17200: ("ERROR_RECAPTCHA_NOT_ENABLED", "The project does not use reCAPTCHA."),
        17201: ("ERROR_MISSING_RECAPTCHA_TOKEN", "The reCAPTCHA token is missing."),
        17202: ("ERROR_INVALID_RECAPTCHA_TOKEN", "The reCAPTCHA token is not valid."),
        17203: ("ERROR_INVALID_RECAPTCHA_ACTION", "The reCAPTCHA action is not valid."),
        17204: ("ERROR_MISSING_CLIENT_TYPE", "The client type is missing."),
        17205: ("ERROR_MISSING_RECAPTCHA_VERSION", "The reCAPTCHA version is missing."),
        17206: ("ERROR_INVALID_RECAPTCHA_VERSION", "The reCAPTCHA version is not valid."),
        17207: ("ERROR_INVALID_REQ_TYPE", "The request type is not valid."),
        17208: ("ERROR_RECAPTCHA_SDK_NOT_LINKED", "The app does not contain the reCAPTCHA SDK."),
        17209: ("ERROR_RECAPTCHA_SITE_KEY_MISSING", "The reCAPTCHA site key is missing."),
        17210: ("ERROR_RECAPTCHA_ACTION_CREATION_FAILED", "The reCAPTCHA action could not be created."),
        17211: ("ERROR_PASSWORD_DOES_NOT_MEET_REQUIREMENTS", "The password does not meet the project's policy."),
        17212: ("ERROR_MISSING_PASSKEY_ENROLLMENT", "The account has no such passkey."),
        17214: ("ERROR_INVALID_HOSTING_LINK_DOMAIN", "The domain of the link is not valid."),
        17215: ("ERROR_INVALID_AUTHENTICATOR_RESPONSE", "The passkey's response is not valid."),
        17995: ("ERROR_KEYCHAIN_ERROR", "The session could not be stored or read on this device."),
        17999: ("ERROR_INTERNAL_ERROR", "An internal error occurred."),
        18000: ("ERROR_MALFORMED_JWT", "The ID token is not a valid JSON Web Token."),
        20001: (
            "ERROR_LAST_SIGN_IN_METHOD",
            "The sign-in method is the only one of the account, so it cannot be removed."
        ),
    ]
}
