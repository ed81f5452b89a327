import HTTP
import Identity
import Testing

@testable import API

@Suite("Refusals and faults as responses")
struct RefusalMessagesTests {
    /// The canonical status is the error code that Google writes beside the HTTP status, such as `INVALID_ARGUMENT`.
    @Test(
        "A refusal without a canonical status causes HTTP status 400, and its message begins with its error code",
        arguments: [
            (CredentialRefusal.missingEmail as any Refusal, "MISSING_EMAIL"),
            (CredentialRefusal.invalidEmail, "INVALID_EMAIL"),
            (CredentialRefusal.missingPassword, "MISSING_PASSWORD"),
            (
                CredentialRefusal.weakPassword(minimumLength: 9),
                "WEAK_PASSWORD : Password should be at least 9 characters"
            ),
            (
                CredentialRefusal.passwordLacks([
                    .minimumLength(9), .maximumLength(99), .lowercase, .uppercase, .digit, .symbol, .notBreached,
                ]),
                "PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [Password must contain at least 9 characters, Password may contain at most 99 characters, Password must contain a lower case character, Password must contain an upper case character, Password must contain a numeric character, Password must contain a non-alphanumeric character, Password must not have appeared in a data breach]"
            ),
            (SignInRefusal.passwordsNotAllowed, "PASSWORD_LOGIN_DISABLED"),
            (SignInRefusal.unknownEmail, "EMAIL_NOT_FOUND"),
            (SignInRefusal.wrongPassword, "INVALID_PASSWORD"),
            (SignInRefusal.unknownEmailOrWrongPassword, "INVALID_LOGIN_CREDENTIALS"),
            (SignInRefusal.accountDisabled, "USER_DISABLED"),
            (SignUpRefusal.passwordsNotAllowed, "OPERATION_NOT_ALLOWED"),
            (SignUpRefusal.anonymousNotAllowed, "ADMIN_ONLY_OPERATION"),
            (SignUpRefusal.emailTaken, "EMAIL_EXISTS"),
            (TokenRefusal.invalidIDToken, "INVALID_ID_TOKEN"),
            (TokenRefusal.invalidRefreshToken, "INVALID_REFRESH_TOKEN"),
            (TokenRefusal.sessionEnded, "TOKEN_EXPIRED"),
            (TokenRefusal.accountDeleted, "USER_NOT_FOUND"),
            (TokenRefusal.accountDisabled, "USER_DISABLED"),
            (CustomTokenRefusal.missing, "MISSING_CUSTOM_TOKEN"),
            (CustomTokenRefusal.invalid(.expired), "INVALID_CUSTOM_TOKEN : The custom token has expired."),
            (CustomTokenRefusal.otherProject, "CREDENTIAL_MISMATCH"),
            (CustomTokenRefusal.tenantMismatch, "TENANT_ID_MISMATCH"),
            (CustomTokenRefusal.missingAccount, "MISSING_IDENTIFIER"),
            (CustomTokenRefusal.invalidClaims, "INVALID_CLAIMS"),
            (CustomTokenRefusal.claimsTooLarge, "CLAIMS_TOO_LARGE"),
            (CustomTokenRefusal.reservedClaim(name: "sub"), "FORBIDDEN_CLAIM : sub"),
            (EditRefusal.passwordsNotAllowed, "OPERATION_NOT_ALLOWED"),
            (EditRefusal.emailTaken, "EMAIL_EXISTS"),
            (EditRefusal.loginTooOld, "CREDENTIAL_TOO_OLD_LOGIN_AGAIN"),
            (
                EditRefusal.emailNeedsVerification,
                "OPERATION_NOT_ALLOWED : Please verify the new email before changing email."
            ),
            (SessionRefusal.unknownSession, "SESSION_NOT_FOUND"),
            (AdministrationRefusal.accountUnknown, "USER_NOT_FOUND"),
            (AdministrationRefusal.invalidPhoneNumber, "INVALID_PHONE_NUMBER : Invalid format."),
            (AdministrationRefusal.taken(.id), "DUPLICATE_LOCAL_ID"),
            (AdministrationRefusal.taken(.email), "EMAIL_EXISTS"),
            (AdministrationRefusal.taken(.phoneNumber), "PHONE_NUMBER_EXISTS"),
            (AdministrationRefusal.taken(.identity), "FEDERATED_USER_ID_ALREADY_LINKED"),
        ])
    func name(refusal: any Refusal, message: String) {
        let error = WireError(refusal)
        #expect(error.message == message)
        #expect(error.code == 400)
        #expect(error.status == nil)
        #expect(refusal.loggedCode == String(message.prefix { $0 != " " }))
    }

    @Test("The log names the theft of a refresh token, but the client gets only TOKEN_EXPIRED")
    func stolen() {
        #expect(TokenRefusal.refreshTokenStolen.message == "TOKEN_EXPIRED")
        #expect(TokenRefusal.refreshTokenStolen.loggedCode == "REFRESH_TOKEN_STOLEN")
    }

    @Test(
        "An error that the caller did not cause has a status of at least 500, and no error code in the log",
        arguments: [Overloaded(), StoreUnavailable(reason: "down"), CancellationError()] as [any Error])
    func fault(error: any Error) {
        let outcome = RequestOutcome(error)
        #expect(outcome.refusalCode == nil)
        #expect(outcome.response.status >= 500)
    }

    /// Firebase's clients keep the user signed in after an error that is not JSON.
    @Test("A transaction conflict that remains after the last attempt causes status 503 in plain text with Retry-After")
    func conflict() throws {
        let outcome = RequestOutcome(PersistentConflict(attempts: 5))
        #expect(outcome.refusalCode == nil && outcome.fault is PersistentConflict)
        #expect(outcome.response.status == 503)
        #expect(outcome.response.headers["Retry-After"] == "1")
        #expect(outcome.response.headers["Content-Type"]?.hasPrefix("text/plain") == true)
    }

    @Test(
        "An error body has the envelope of the service that the client called",
        arguments: [
            (
                SignUpRefusal.emailTaken as any Refusal, ErrorEnvelope.identityToolkit,
                #"{"error":{"code":400,"errorCode":"EMAIL_EXISTS","errors":[{"domain":"global","message":"EMAIL_EXISTS","reason":"invalid"}],"message":"EMAIL_EXISTS"}}"#
            ),
            (
                TokenRefusal.sessionEnded, .secureToken,
                #"{"error":{"code":400,"errorCode":"TOKEN_EXPIRED","message":"TOKEN_EXPIRED","status":"INVALID_ARGUMENT"}}"#
            ),
            (
                RequestRefusal.invalidField("", "must be an object"), .identityToolkit,
                #"{"error":{"code":400,"errorCode":"INVALID_ARGUMENT","errors":[{"domain":"global","message":"Invalid JSON payload received. must be an object","reason":"invalid"}],"message":"Invalid JSON payload received. must be an object","status":"INVALID_ARGUMENT"}}"#
            ),
            (
                RequestRefusal.notFound, .identityToolkit,
                #"{"error":{"code":404,"errorCode":"NOT_FOUND","errors":[{"domain":"global","message":"Not Found","reason":"notFound"}],"message":"Not Found","status":"NOT_FOUND"}}"#
            ),
            (
                AccessRefusal.missingCredentials, .secureToken,
                #"{"error":{"code":403,"errorCode":"PERMISSION_DENIED","message":"The request is missing a valid API key.","status":"PERMISSION_DENIED"}}"#
            ),
            (
                RequestRefusal.notImplemented("mfa"), .identityToolkit,
                #"{"error":{"code":501,"errorCode":"NOT_IMPLEMENTED","errors":[{"domain":"global","message":"OPERATION_NOT_ALLOWED : mfa is not implemented.","reason":"unimplemented"}],"message":"OPERATION_NOT_ALLOWED : mfa is not implemented.","status":"NOT_IMPLEMENTED"}}"#
            ),
        ])
    func envelope(refusal: any Refusal, envelope: ErrorEnvelope, expected: String) throws {
        #expect(try envelope.response(refusal).text == expected)
    }

    @Test(
        "Retry-After is in whole seconds, rounded up and at least one",
        arguments: [
            (Duration.seconds(400), "400"), (.milliseconds(399_500), "400"), (.milliseconds(1), "1"), (.zero, "1"),
        ])
    func tooMany(wait: Duration, seconds: String) throws {
        let refusal = TooManyAttempts(retryAfter: wait)
        #expect(refusal.loggedCode == "TOO_MANY_ATTEMPTS_TRY_LATER")
        for envelope in [ErrorEnvelope.identityToolkit, .secureToken] {
            let response = try envelope.response(refusal)
            #expect(response.status == 400)
            #expect(response.headers["Retry-After"] == seconds)
        }
    }

    @Test("The error for an unknown API key has a detail with the reason")
    func unknownKey() throws {
        let text = try ErrorEnvelope.secureToken.response(AccessRefusal.unknownKey).text
        #expect(
            text.contains(
                #""domain":"googleapis.com","metadata":{"service":"identitytoolkit.googleapis.com"},"reason":"API_KEY_INVALID""#
            ))
        #expect(text.contains(#""status":"INVALID_ARGUMENT""#))
    }

    @Test("The error for an invalid bearer token names the header field")
    func bearer() throws {
        let response = try ErrorEnvelope.identityToolkit.response(AccessRefusal.bearerNotAccepted)
        #expect(response.status == 401)
        #expect(response.text.contains(#""location":"Authorization","locationType":"header""#))
        #expect(response.headers["WWW-Authenticate"] == #"Bearer error="invalid_token""#)
    }
}
