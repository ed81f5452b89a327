internal import Identity

extension ErrorCode {
    /// What the error means and what the developer of the app can do about it, for the pages of `dev`.
    var explanation: String {
        switch self {
        case .adminOnlyOperation: "The project allows only administrators to do this."
        case .apiKeyAndroidAppBlocked, .apiKeyHTTPReferrerBlocked, .apiKeyIOSAppBlocked:
            "The API key belongs to an app that does not list this caller. Check the header that names the caller."
        case .apiKeyInvalid: "The gateway does not know the API key."
        case .blockingFunctionErrorResponse:
            "A blocking function refused the request, or its answer is not valid. The message contains its error."
        case .claimsTooLarge: "Custom claims may have at most 1000 characters as JSON."
        case .configurationExists: "The provider, tenant or endpoint is configured already. Update it instead."
        case .configurationNotFound: "The provider, tenant or endpoint is not configured."
        case .credentialMismatch: "The custom token belongs to another project."
        case .credentialTooOldLoginAgain:
            "The change needs a sign-in of the last five minutes. Sign the user in again, then repeat the request."
        case .duplicateEmail, .emailExists: "Another account has this email address."
        case .duplicateLocalID: "Another account has this ID."
        case .duplicateRawID: "Another account has this identity."
        case .emailNotFound: "No account has this email address."
        case .emptyHashKey: "The hash algorithm of the import needs a key."
        case .eventsExpired: "The feed no longer has events this old. Read the accounts again, and continue at the end."
        case .expiredOOBCode: "The email action code has expired. Send a new email."
        case .federatedUserIDAlreadyLinked: "The identity is linked to another account."
        case .forbiddenClaim: "The claim has a reserved name, such as sub or firebase."
        case .identityNotFound: "The account has no identity of this provider."
        case .insufficientPermission: "Only administrators can choose a project. Send a service key."
        case .invalidBlockingFunction: "The event or the URL of a blocking function is not valid."
        case .invalidArgument: "The request is malformed. The message names the member and the rule."
        case .invalidClaims: "Custom claims must be a JSON object."
        case .invalidConfig: "The configuration is not valid. The message names the member."
        case .invalidContinueURI: "The continue URL is not a valid URL."
        case .invalidCredentialOrProviderID: "The credential does not fit the provider."
        case .invalidCustomToken: "The custom token is not valid. The message names the reason."
        case .invalidDuration: "The duration is outside the permitted range."
        case .invalidEmail, .invalidNewEmail: "The text is not an email address."
        case .invalidGrantType: "The grant type must be refresh_token."
        case .invalidHashAlgorithm: "The import names an unknown hash algorithm."
        case .invalidHashMemoryCosts, .invalidHashParameter, .invalidHashRounds:
            "A parameter of the imported hashes is outside the permitted range."
        case .invalidIdentifier: "The identifier is not an email address."
        default: furtherExplanation
        }
    }

    private var furtherExplanation: String {
        switch self {
        case .invalidIdpResponse:
            "The provider's token cannot be used. The message names the reason, for example a wrong audience or nonce."
        case .invalidIDToken: "The ID token is not valid, or its session has ended. Sign the user in again."
        case .invalidLoginCredentials:
            "No account has this address with this password. Open Accounts to see whether the account exists and has a password."
        case .invalidOOBCode: "The email action code was used, was replaced by a newer one, or never existed."
        case .invalidPageSelection: "The page token does not belong to this list, or is older than a day."
        case .invalidPassword: "The password is wrong, or the account has no password."
        case .quotaExceeded:
            "The project's daily budget of text messages is used up, or too few of the last codes were confirmed."
        case .sessionExpired: "The code has expired. Send a new one."
        case .invalidTemporaryProof:
            "The proof of the telephone number has expired or was used. Send a new code to the number."
        case .missingPhoneNumber: "The request has a temporary proof and no telephone number."
        case .invalidPendingToken: "The pending token has expired or was used. Let the user sign in again."
        case .invalidPhoneNumber: "The phone number needs a country code, for example +15551234567."
        case .invalidProfileAttribute: "The name or the photo URL is not valid."
        case .invalidProviderID: "The gateway does not know this provider, or the provider is not configured."
        case .invalidRefreshToken: "The refresh token is not valid, or its session has ended. Sign the user in again."
        case .invalidRequestURI: "requestUri is not a valid URL."
        case .invalidReqType: "The request type is unknown or not permitted here."
        case .invalidTenantID: "The tenant ID is not valid."
        case .lastSignInMethod: "Without this method, the user could no longer sign in to the account."
        case .localIDListExceedsLimit: "The list has too many IDs."
        case .loginServices: "An app that offers a social provider must also offer Sign in with Apple."
        case .maximumUserCountExceeded: "The batch has too many accounts."
        case .mergeAlreadyDone: "The merge has been done already."
        case .mergeNotFound: "There is no such merge."
        case .mergeNotUndoable: "The merge is too old, or a later change prevents its reversal."
        case .mergePreviewOutdated: "An account has changed since the preview. Request a new preview."
        case .mergeSameAccount: "Both sides are the same account."
        case .methodNotAllowed: "The path exists, but not for this method."
        case .missingContinueURI, .missingCustomToken, .missingEmail, .missingGrantType, .missingIdentifier,
            .missingIDToken, .missingLocalID, .missingMergeToken, .missingNewEmail, .missingOOBCode, .missingPassword,
            .missingProviderID, .missingRawID, .missingRefreshToken, .missingRequestURI, .missingReqType,
            .missingSessionID, .missingUserAccount:
            "The request lacks a required member."
        default: lastExplanation
        }
    }

    private var lastExplanation: String {
        switch self {
        case .missingOrInvalidNonce: "The nonce is missing, wrong or used. A credential with a nonce signs in once."
        case .notFound: "There is no such path, or what the path names does not exist."
        case .notImplemented: "This release does not have the operation."
        case .operationNotAllowed: "The project or the app does not offer this sign-in method."
        case .passwordDoesNotMeetRequirements, .weakPassword: "The password does not meet the project's policy."
        case .passwordLoginDisabled: "The project does not offer sign-in by password."
        case .permissionDenied: "The credentials do not permit this request."
        case .phoneNumberExists: "Another account has this phone number."
        case .projectDisabled: "The project is disabled."
        case .providerAlreadyLinked: "The account has another identity of this provider."
        case .providerIssuerInUse: "Identities of the provider's earlier issuer exist."
        case .queryDeadlineExceeded: "The query took too long. Sort by another member, or search."
        case .recoveryPending: "The account's earlier address can still be restored."
        case .requestTooLarge: "The body is larger than the operation permits."
        case .sessionNotFound: "The session does not exist or has ended."
        case .tenantIDMismatch: "The token or code belongs to another tenant."
        case .tenantNotFound: "The tenant does not exist."
        case .tokenExpired: "The session was ended, for example by a new password. Sign the user in again."
        case .tooManyAttemptsTryLater: "A rate limit was reached. Wait before the next attempt."
        case .unauthenticated: "The bearer token is not valid."
        case .unauthorizedDomain: "The URL's domain is not one of the project's authorized domains."
        case .unexpectedParameter: "Two parameters exclude each other."
        case .unsupportedMediaType: "The gateway accepts JSON, and gzip as the only content coding."
        case .unsupportedTenantOperation: "The operation is not available in a tenant."
        case .uriTooLong: "The URL is too long."
        case .userCancelled: "The user cancelled the sign-in at the provider."
        case .userDisabled: "An administrator has disabled the account."
        case .userMismatch: "The credential belongs to another account than the signed-in one."
        case .userNotFound: "The account was deleted or never existed."
        default: explanationAboutSecondFactors
        }
    }

    private var explanationAboutSecondFactors: String {
        switch self {
        case .duplicateMFAEnrollmentID: "The list names a second factor twice."
        case .invalidCode:
            "The code of the text message, the one-time password or the recovery code is wrong, or was used before."
        case .invalidMFAEnrollmentID: "The list has a second factor without an ID."
        case .invalidMFAPhoneNumber: "The telephone number of a second factor must begin with a plus sign."
        case .invalidMFAPendingCredential:
            "The sign-in with the first factor is too old, was used, or came from another app or device. Begin again."
        case .invalidSessionInfo:
            "sessionInfo is unknown, too old or was used, or it belongs to another purpose or account. Begin again."
        case .mfaEnrollmentNotFound: "The account does not have this second factor."
        case .missingCode, .missingCredential, .missingMFAEnrollmentID, .missingMFAPendingCredential,
            .missingSessionInfo:
            "The request lacks a required member."
        case .secondFactorEnrollmentRequired: "The project requires second factors. Enroll one first."
        case .secondFactorExists: "The account has a second factor of this kind already."
        case .invalidAuthenticatorResponse:
            "A check of the passkey failed. The log names it, for example an origin that is not allowed."
        case .invalidCredentialID: "The credential ID must be base64 or base64url."
        case .missingAuthenticatorResponse: "The request has no response of an authenticator."
        case .passkeyChallengeTimeout: "The challenge has expired, or was used. Start again."
        case .passkeyEnrollmentNotFound: "No account of the project has this passkey."
        case .passkeyExists: "An account has this passkey."
        case .passkeyLimitExceeded: "The account has the maximum number of passkeys."
        case .passkeyNotEnabled: "The project does not allow passkeys. Set passkeys.enabled in its configuration."
        case .rpIDInUse:
            "Another project has this RP ID or passkeys of it, or the project has passkeys of its present RP ID."
        case .secondFactorLimitExceeded: "The account has the maximum number of second factors."
        case .unsupportedFirstFactor: "Accounts with this sign-in method cannot enroll second factors."
        case .unverifiedEmail: "The address must be verified before a second factor is enrolled."
        default: ""
        }
    }
}
