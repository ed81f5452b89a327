/// What an app or a page shows for an error, and what the user can do.
///
/// The folder of the gateway's API has symbolic links to this file and to the texts, so that the gateway responds with
/// the same texts.
struct ErrorTextEntry: Sendable {
    /// The values of the member `action`.
    enum Action: String, CaseIterable, Sendable {
        case retry, wait, reauthenticate, checkInput, otherMethod, contactSupport
    }

    /// The gateway's error codes with this text.
    var codes: [String] = []
    /// The numbers of the library's error codes with this text. The text of the gateway's code has precedence.
    var numbers: [Int] = []
    let action: Action
    let key: ErrorTextKey
}

enum ErrorTextTable {
    /// The entry for errors that the table does not contain.
    static let general = ErrorTextEntry(
        numbers: [17062, 17999],
        action: .retry,
        key: .general)

    /// Every code and every number occurs once.
    static let entries = [
        general,
        ErrorTextEntry(
            numbers: [17020, 17061],
            action: .retry,
            key: .noConnection),
        ErrorTextEntry(
            codes: ["TOO_MANY_ATTEMPTS_TRY_LATER", "QUOTA_EXCEEDED", "QUERY_DEADLINE_EXCEEDED"],
            numbers: [17010, 17052],
            action: .wait,
            key: .tooManyAttempts),
        ErrorTextEntry(
            codes: ["INVALID_LOGIN_CREDENTIALS"],
            action: .checkInput,
            key: .wrongCredentials),
        ErrorTextEntry(
            codes: ["INVALID_PASSWORD"],
            numbers: [17009],
            action: .checkInput,
            key: .wrongPassword),
        ErrorTextEntry(
            codes: ["MISSING_PASSWORD"],
            action: .checkInput,
            key: .missingPassword),
        ErrorTextEntry(
            codes: ["EMAIL_NOT_FOUND", "USER_NOT_FOUND"],
            numbers: [17011],
            action: .checkInput,
            key: .unknownAccount),
        ErrorTextEntry(
            codes: [
                "CREDENTIAL_MISMATCH", "INVALID_CREDENTIAL_OR_PROVIDER_ID", "INVALID_CUSTOM_TOKEN",
                "DUPLICATE_MFA_ENROLLMENT_ID", "INVALID_IDP_RESPONSE", "INVALID_MFA_ENROLLMENT_ID",
                "INVALID_MFA_PENDING_CREDENTIAL", "INVALID_PENDING_TOKEN", "MFA_ENROLLMENT_NOT_FOUND",
                "MISSING_CREDENTIAL", "MISSING_MFA_ENROLLMENT_ID", "MISSING_MFA_PENDING_CREDENTIAL",
                "MISSING_SESSION_INFO",
                "MISSING_OR_INVALID_NONCE",
            ],
            numbers: [17000, 17002, 17004, 17063, 17075, 17081, 17082, 17083, 17084, 17094, 18000],
            action: .retry,
            key: .failedSignIn),
        ErrorTextEntry(
            codes: ["USER_DISABLED"],
            numbers: [17005],
            action: .contactSupport,
            key: .accountDisabled),
        ErrorTextEntry(
            codes: [
                "LOGIN_SERVICES_4_8", "NOT_IMPLEMENTED", "OPERATION_NOT_ALLOWED", "PASSWORD_LOGIN_DISABLED",
                "UNSUPPORTED_FIRST_FACTOR",
            ],
            numbers: [17006, 17066, 17089],
            action: .otherMethod,
            key: .notAvailable),
        ErrorTextEntry(
            codes: ["ADMIN_ONLY_OPERATION", "BLOCKING_FUNCTION_ERROR_RESPONSE", "MAXIMUM_USER_COUNT_EXCEEDED"],
            numbers: [17085, 17105],
            action: .contactSupport,
            key: .notAllowed),
        ErrorTextEntry(
            codes: ["DUPLICATE_EMAIL", "EMAIL_EXISTS"],
            numbers: [17007],
            action: .otherMethod,
            key: .emailExists),
        ErrorTextEntry(
            codes: [
                "INVALID_EMAIL", "INVALID_IDENTIFIER", "INVALID_NEW_EMAIL", "INVALID_RECIPIENT_EMAIL", "MISSING_EMAIL",
                "MISSING_IDENTIFIER", "MISSING_NEW_EMAIL",
            ],
            numbers: [17008, 17033, 17034],
            action: .checkInput,
            key: .invalidEmail),
        ErrorTextEntry(
            numbers: [17012],
            action: .otherMethod,
            key: .accountExists),
        ErrorTextEntry(
            codes: ["CREDENTIAL_TOO_OLD_LOGIN_AGAIN"],
            numbers: [17014],
            action: .reauthenticate,
            key: .oldLogin),
        ErrorTextEntry(
            codes: ["PROVIDER_ALREADY_LINKED", "SECOND_FACTOR_EXISTS"],
            numbers: [17015, 17087],
            action: .otherMethod,
            key: .alreadyAdded),
        ErrorTextEntry(
            codes: ["IDENTITY_NOT_FOUND", "SESSION_NOT_FOUND"],
            numbers: [17016],
            action: .checkInput,
            key: .notFound),
        ErrorTextEntry(
            codes: [
                "INVALID_ID_TOKEN", "INVALID_REFRESH_TOKEN", "MISSING_ID_TOKEN", "MISSING_REFRESH_TOKEN",
                "TOKEN_EXPIRED",
            ],
            numbers: [17017, 17021, 17067],
            action: .reauthenticate,
            key: .signedOut),
        ErrorTextEntry(
            codes: ["FEDERATED_USER_ID_ALREADY_LINKED"],
            numbers: [17025],
            action: .otherMethod,
            key: .linkedElsewhere),
        ErrorTextEntry(
            codes: ["PHONE_NUMBER_EXISTS"],
            action: .checkInput,
            key: .phoneNumberExists),
        ErrorTextEntry(
            codes: ["USER_MISMATCH"],
            numbers: [17024],
            action: .reauthenticate,
            key: .otherAccount),
        ErrorTextEntry(
            codes: ["PASSWORD_DOES_NOT_MEET_REQUIREMENTS", "WEAK_PASSWORD"],
            numbers: [17026, 17211],
            action: .checkInput,
            key: .weakPassword),
        ErrorTextEntry(
            codes: ["EXPIRED_OOB_CODE", "INVALID_TEMPORARY_PROOF", "SESSION_EXPIRED"],
            numbers: [17029, 17051],
            action: .retry,
            key: .expiredCode),
        ErrorTextEntry(
            codes: ["INVALID_OOB_CODE", "MISSING_OOB_CODE"],
            numbers: [17030],
            action: .retry,
            key: .invalidLink),
        ErrorTextEntry(
            codes: ["INVALID_CODE", "INVALID_SESSION_INFO", "MISSING_CODE"],
            numbers: [17043, 17044, 17045, 17046],
            action: .checkInput,
            key: .wrongCode),
        ErrorTextEntry(
            codes: ["INVALID_MFA_PHONE_NUMBER", "INVALID_PHONE_NUMBER", "MISSING_PHONE_NUMBER"],
            numbers: [17041, 17042],
            action: .checkInput,
            key: .invalidPhoneNumber),
        ErrorTextEntry(
            codes: ["LAST_SIGN_IN_METHOD"],
            numbers: [20001],
            action: .otherMethod,
            key: .lastMethod),
        ErrorTextEntry(
            codes: ["USER_CANCELLED"],
            numbers: [17058],
            action: .retry,
            key: .cancelled),
        ErrorTextEntry(
            numbers: [17057],
            action: .retry,
            key: .otherSignIn),
        ErrorTextEntry(
            numbers: [17995],
            action: .retry,
            key: .notSaved),
        ErrorTextEntry(
            codes: ["UNVERIFIED_EMAIL"],
            numbers: [17086],
            action: .checkInput,
            key: .unverifiedEmail),
        ErrorTextEntry(
            codes: ["EMAIL_CHANGE_NEEDS_VERIFICATION"],
            numbers: [17090],
            action: .checkInput,
            key: .unverifiedNewEmail),
        ErrorTextEntry(
            numbers: [17078],
            action: .checkInput,
            key: .secondStepNeeded),
        ErrorTextEntry(
            codes: ["SECOND_FACTOR_ENROLLMENT_REQUIRED"],
            action: .otherMethod,
            key: .secondStepMissing),
        ErrorTextEntry(
            codes: ["SECOND_FACTOR_LIMIT_EXCEEDED"],
            numbers: [17088],
            action: .checkInput,
            key: .secondStepLimit),
        ErrorTextEntry(
            codes: ["PASSKEY_EXISTS"],
            action: .otherMethod,
            key: .passkeyExists),
        ErrorTextEntry(
            codes: ["PASSKEY_LIMIT_EXCEEDED"],
            action: .checkInput,
            key: .passkeyLimit),
        ErrorTextEntry(
            codes: ["PASSKEY_ENROLLMENT_NOT_FOUND"],
            numbers: [17212],
            action: .otherMethod,
            key: .passkeyRemoved),
        ErrorTextEntry(
            codes: ["PASSKEY_CHALLENGE_TIMEOUT", "INVALID_AUTHENTICATOR_RESPONSE"],
            numbers: [17215],
            action: .retry,
            key: .passkeyRejected),
        ErrorTextEntry(
            codes: ["MERGE_SAME_ACCOUNT"],
            action: .otherMethod,
            key: .sameAccount),
        ErrorTextEntry(
            codes: ["MERGE_PREVIEW_OUTDATED"],
            action: .retry,
            key: .outdatedMerge),
        ErrorTextEntry(
            codes: ["RECOVERY_PENDING"],
            action: .wait,
            key: .recoveryPending),
        ErrorTextEntry(
            codes: ["MERGE_ALREADY_DONE", "MERGE_NOT_FOUND", "MERGE_NOT_UNDOABLE"],
            action: .contactSupport,
            key: .mergeNotUndoable),
        ErrorTextEntry(
            codes: ["INVALID_PROFILE_ATTRIBUTE"],
            action: .checkInput,
            key: .invalidEntry),
        ErrorTextEntry(
            codes: [
                "API_KEY_ANDROID_APP_BLOCKED", "API_KEY_HTTP_REFERRER_BLOCKED", "API_KEY_INVALID",
                "API_KEY_IOS_APP_BLOCKED", "CAPTCHA_CHECK_FAILED", "CLAIMS_TOO_LARGE", "CONFIGURATION_EXISTS",
                "CONFIGURATION_NOT_FOUND", "DUPLICATE_LOCAL_ID", "DUPLICATE_RAW_ID", "EMPTY_HASH_KEY",
                "EVENTS_EXPIRED",
                "FORBIDDEN_CLAIM", "INSUFFICIENT_PERMISSION", "INVALID_ARGUMENT", "INVALID_BLOCKING_FUNCTION",
                "INVALID_CLAIMS", "INVALID_CONFIG",
                "INVALID_CONTINUE_URI", "INVALID_CREDENTIAL_ID", "INVALID_DURATION", "INVALID_GRANT_TYPE",
                "INVALID_HASH_ALGORITHM",
                "INVALID_HASH_MEMORY_COSTS", "INVALID_HASH_PARAMETER", "INVALID_HASH_ROUNDS",
                "INVALID_HOSTING_LINK_DOMAIN", "INVALID_MESSAGE_PAYLOAD", "INVALID_PAGE_SELECTION",
                "INVALID_PROVIDER_ID", "INVALID_REQUEST_URI", "INVALID_REQ_TYPE", "INVALID_SENDER", "INVALID_TENANT_ID",
                "LOCAL_ID_LIST_EXCEEDS_LIMIT", "METHOD_NOT_ALLOWED", "MISSING_ANDROID_PACKAGE_NAME",
                "MISSING_AUTHENTICATOR_RESPONSE",
                "MISSING_CLIENT_IDENTIFIER", "MISSING_CONTINUE_URI", "MISSING_CUSTOM_TOKEN", "MISSING_GRANT_TYPE",
                "MISSING_IOS_BUNDLE_ID", "MISSING_LOCAL_ID", "MISSING_MERGE_TOKEN", "MISSING_PROVIDER_ID",
                "MISSING_RAW_ID", "MISSING_REQUEST_URI", "MISSING_REQ_TYPE", "MISSING_SESSION_ID",
                "MISSING_USER_ACCOUNT", "NOT_FOUND", "PASSKEY_NOT_ENABLED", "PERMISSION_DENIED", "PROJECT_DISABLED",
                "PROVIDER_ISSUER_IN_USE", "REQUEST_TOO_LARGE", "RP_ID_IN_USE", "TENANT_ID_MISMATCH", "TENANT_NOT_FOUND",
                "UNAUTHENTICATED", "UNAUTHORIZED_DOMAIN",
                "UNEXPECTED_PARAMETER", "UNSUPPORTED_MEDIA_TYPE", "UNSUPPORTED_TENANT_OPERATION", "URI_TOO_LONG",
            ],
            numbers: [
                17023, 17028, 17031, 17032, 17036, 17037, 17038, 17039, 17040, 17047, 17048, 17053, 17054, 17055, 17056,
                17059, 17060, 17068, 17071, 17072, 17073, 17074, 17076, 17093, 17200, 17201, 17202, 17203, 17204, 17205,
                17206, 17207, 17208, 17209, 17210, 17214,
            ],
            action: .contactSupport,
            key: .appMisconfigured),
    ]
}
