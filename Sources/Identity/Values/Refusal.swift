/// An error caused by the caller: the gateway responds with an error code of the wire protocol. Every other error is a
/// fault of the gateway or of a server that the gateway depends on. The gateway responds to such a fault with status
/// 503 if a retry may succeed, otherwise with status 500.
public protocol Refusal: Error {
    var code: ErrorCode { get }
    /// A text for developers, which follows the code in the message. `nil` if the code needs no explanation.
    var detail: String? { get }
    /// The whole message. It begins with the code, unless Firebase responds with a sentence or another code
    /// instead.
    var message: String { get }
    /// Whether the status is 500, as for some refusals in development.
    var isServerError: Bool { get }
    /// A code for logs and metrics. It may be more specific than the code in the response.
    var loggedCode: String { get }
    /// How long the caller has to wait before the same request may succeed.
    var retryDelay: Duration? { get }
    /// The member `metadata` of the error's details, for example a pending token.
    var metadata: [String: String] { get }
}

extension Refusal {
    public var detail: String? { nil }

    public var message: String { codeWithDetail }

    /// The code, with the detail if there is one.
    public var codeWithDetail: String { detail.map { "\(code.rawValue) : \($0)" } ?? code.rawValue }

    public var isServerError: Bool { false }

    public var loggedCode: String { code.rawValue }

    public var retryDelay: Duration? { nil }

    public var metadata: [String: String] { [:] }
}

/// The error codes of the wire protocol. A client branches on them, so their texts never change.
public enum ErrorCode: String, CaseIterable, Sendable {
    case adminOnlyOperation = "ADMIN_ONLY_OPERATION"
    case apiKeyAndroidAppBlocked = "API_KEY_ANDROID_APP_BLOCKED"
    case apiKeyHTTPReferrerBlocked = "API_KEY_HTTP_REFERRER_BLOCKED"
    case apiKeyInvalid = "API_KEY_INVALID"
    case apiKeyIOSAppBlocked = "API_KEY_IOS_APP_BLOCKED"
    case blockingFunctionErrorResponse = "BLOCKING_FUNCTION_ERROR_RESPONSE"
    case claimsTooLarge = "CLAIMS_TOO_LARGE"
    case configurationExists = "CONFIGURATION_EXISTS"
    case configurationNotFound = "CONFIGURATION_NOT_FOUND"
    case credentialMismatch = "CREDENTIAL_MISMATCH"
    case credentialTooOldLoginAgain = "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"
    case duplicateEmail = "DUPLICATE_EMAIL"
    case duplicateLocalID = "DUPLICATE_LOCAL_ID"
    case duplicateMFAEnrollmentID = "DUPLICATE_MFA_ENROLLMENT_ID"
    case duplicateRawID = "DUPLICATE_RAW_ID"
    case emailExists = "EMAIL_EXISTS"
    case emailNotFound = "EMAIL_NOT_FOUND"
    case emptyHashKey = "EMPTY_HASH_KEY"
    case eventsExpired = "EVENTS_EXPIRED"
    case expiredOOBCode = "EXPIRED_OOB_CODE"
    case federatedUserIDAlreadyLinked = "FEDERATED_USER_ID_ALREADY_LINKED"
    case forbiddenClaim = "FORBIDDEN_CLAIM"
    case identityNotFound = "IDENTITY_NOT_FOUND"
    case insufficientPermission = "INSUFFICIENT_PERMISSION"
    case invalidBlockingFunction = "INVALID_BLOCKING_FUNCTION"
    case invalidArgument = "INVALID_ARGUMENT"
    case invalidAuthenticatorResponse = "INVALID_AUTHENTICATOR_RESPONSE"
    case invalidCode = "INVALID_CODE"
    case invalidClaims = "INVALID_CLAIMS"
    case invalidConfig = "INVALID_CONFIG"
    case invalidContinueURI = "INVALID_CONTINUE_URI"
    case invalidCredentialID = "INVALID_CREDENTIAL_ID"
    case invalidCredentialOrProviderID = "INVALID_CREDENTIAL_OR_PROVIDER_ID"
    case invalidCustomToken = "INVALID_CUSTOM_TOKEN"
    case invalidDuration = "INVALID_DURATION"
    case invalidEmail = "INVALID_EMAIL"
    case invalidGrantType = "INVALID_GRANT_TYPE"
    case invalidHashAlgorithm = "INVALID_HASH_ALGORITHM"
    case invalidHashMemoryCosts = "INVALID_HASH_MEMORY_COSTS"
    case invalidHashParameter = "INVALID_HASH_PARAMETER"
    case invalidHashRounds = "INVALID_HASH_ROUNDS"
    case invalidIdentifier = "INVALID_IDENTIFIER"
    case invalidIdpResponse = "INVALID_IDP_RESPONSE"
    case invalidIDToken = "INVALID_ID_TOKEN"
    case invalidLoginCredentials = "INVALID_LOGIN_CREDENTIALS"
    case invalidMFAEnrollmentID = "INVALID_MFA_ENROLLMENT_ID"
    case invalidMFAPendingCredential = "INVALID_MFA_PENDING_CREDENTIAL"
    case invalidMFAPhoneNumber = "INVALID_MFA_PHONE_NUMBER"
    case invalidNewEmail = "INVALID_NEW_EMAIL"
    case invalidOOBCode = "INVALID_OOB_CODE"
    case invalidPageSelection = "INVALID_PAGE_SELECTION"
    case invalidPassword = "INVALID_PASSWORD"
    case invalidPendingToken = "INVALID_PENDING_TOKEN"
    case invalidPhoneNumber = "INVALID_PHONE_NUMBER"
    case invalidProfileAttribute = "INVALID_PROFILE_ATTRIBUTE"
    case invalidProviderID = "INVALID_PROVIDER_ID"
    case invalidRefreshToken = "INVALID_REFRESH_TOKEN"
    case invalidRequestURI = "INVALID_REQUEST_URI"
    case invalidReqType = "INVALID_REQ_TYPE"
    case invalidSessionInfo = "INVALID_SESSION_INFO"
    case invalidTemporaryProof = "INVALID_TEMPORARY_PROOF"
    case invalidTenantID = "INVALID_TENANT_ID"
    case lastSignInMethod = "LAST_SIGN_IN_METHOD"
    case localIDListExceedsLimit = "LOCAL_ID_LIST_EXCEEDS_LIMIT"
    /// An app violates App Review guideline 4.8 ("Login Services").
    case loginServices = "LOGIN_SERVICES_4_8"
    case maximumUserCountExceeded = "MAXIMUM_USER_COUNT_EXCEEDED"
    case mergeAlreadyDone = "MERGE_ALREADY_DONE"
    case mergeNotFound = "MERGE_NOT_FOUND"
    case mergeNotUndoable = "MERGE_NOT_UNDOABLE"
    case mergePreviewOutdated = "MERGE_PREVIEW_OUTDATED"
    case mergeSameAccount = "MERGE_SAME_ACCOUNT"
    case mfaEnrollmentNotFound = "MFA_ENROLLMENT_NOT_FOUND"
    case methodNotAllowed = "METHOD_NOT_ALLOWED"
    case missingAuthenticatorResponse = "MISSING_AUTHENTICATOR_RESPONSE"
    case missingCode = "MISSING_CODE"
    case missingContinueURI = "MISSING_CONTINUE_URI"
    case missingCredential = "MISSING_CREDENTIAL"
    case missingCustomToken = "MISSING_CUSTOM_TOKEN"
    case missingEmail = "MISSING_EMAIL"
    case missingGrantType = "MISSING_GRANT_TYPE"
    case missingIdentifier = "MISSING_IDENTIFIER"
    case missingIDToken = "MISSING_ID_TOKEN"
    case missingLocalID = "MISSING_LOCAL_ID"
    case missingMergeToken = "MISSING_MERGE_TOKEN"
    case missingMFAEnrollmentID = "MISSING_MFA_ENROLLMENT_ID"
    case missingMFAPendingCredential = "MISSING_MFA_PENDING_CREDENTIAL"
    case missingNewEmail = "MISSING_NEW_EMAIL"
    case missingOOBCode = "MISSING_OOB_CODE"
    case missingOrInvalidNonce = "MISSING_OR_INVALID_NONCE"
    case missingPassword = "MISSING_PASSWORD"
    case missingPhoneNumber = "MISSING_PHONE_NUMBER"
    case missingProviderID = "MISSING_PROVIDER_ID"
    case missingRawID = "MISSING_RAW_ID"
    case missingRefreshToken = "MISSING_REFRESH_TOKEN"
    case missingRequestURI = "MISSING_REQUEST_URI"
    case missingReqType = "MISSING_REQ_TYPE"
    case missingSessionID = "MISSING_SESSION_ID"
    case missingSessionInfo = "MISSING_SESSION_INFO"
    case missingUserAccount = "MISSING_USER_ACCOUNT"
    case notFound = "NOT_FOUND"
    case notImplemented = "NOT_IMPLEMENTED"
    case operationNotAllowed = "OPERATION_NOT_ALLOWED"
    case passkeyChallengeTimeout = "PASSKEY_CHALLENGE_TIMEOUT"
    case passkeyEnrollmentNotFound = "PASSKEY_ENROLLMENT_NOT_FOUND"
    case passkeyExists = "PASSKEY_EXISTS"
    case passkeyLimitExceeded = "PASSKEY_LIMIT_EXCEEDED"
    case passkeyNotEnabled = "PASSKEY_NOT_ENABLED"
    case passwordDoesNotMeetRequirements = "PASSWORD_DOES_NOT_MEET_REQUIREMENTS"
    case passwordLoginDisabled = "PASSWORD_LOGIN_DISABLED"
    case permissionDenied = "PERMISSION_DENIED"
    case phoneNumberExists = "PHONE_NUMBER_EXISTS"
    case projectDisabled = "PROJECT_DISABLED"
    case providerAlreadyLinked = "PROVIDER_ALREADY_LINKED"
    case providerIssuerInUse = "PROVIDER_ISSUER_IN_USE"
    case queryDeadlineExceeded = "QUERY_DEADLINE_EXCEEDED"
    case quotaExceeded = "QUOTA_EXCEEDED"
    case recoveryPending = "RECOVERY_PENDING"
    case requestTooLarge = "REQUEST_TOO_LARGE"
    case rpIDInUse = "RP_ID_IN_USE"
    case secondFactorEnrollmentRequired = "SECOND_FACTOR_ENROLLMENT_REQUIRED"
    case secondFactorExists = "SECOND_FACTOR_EXISTS"
    case secondFactorLimitExceeded = "SECOND_FACTOR_LIMIT_EXCEEDED"
    case sessionExpired = "SESSION_EXPIRED"
    case sessionNotFound = "SESSION_NOT_FOUND"
    case tenantIDMismatch = "TENANT_ID_MISMATCH"
    case tenantNotFound = "TENANT_NOT_FOUND"
    case tokenExpired = "TOKEN_EXPIRED"
    case tooManyAttemptsTryLater = "TOO_MANY_ATTEMPTS_TRY_LATER"
    case unauthenticated = "UNAUTHENTICATED"
    case unauthorizedDomain = "UNAUTHORIZED_DOMAIN"
    case unexpectedParameter = "UNEXPECTED_PARAMETER"
    case unsupportedFirstFactor = "UNSUPPORTED_FIRST_FACTOR"
    case unsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE"
    case unsupportedTenantOperation = "UNSUPPORTED_TENANT_OPERATION"
    case unverifiedEmail = "UNVERIFIED_EMAIL"
    case uriTooLong = "URI_TOO_LONG"
    case userCancelled = "USER_CANCELLED"
    case userDisabled = "USER_DISABLED"
    case userMismatch = "USER_MISMATCH"
    case userNotFound = "USER_NOT_FOUND"
    case weakPassword = "WEAK_PASSWORD"
}
