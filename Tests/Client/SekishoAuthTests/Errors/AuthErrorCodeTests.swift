import Foundation
import Testing

@testable import SekishoAuth

@Suite("Errors")
struct AuthErrorCodeTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let message: String
        let number: Int
        var testDescription: String { message }
    }

    static let rows = [
        ("USER_NOT_FOUND", 17011), ("EMAIL_NOT_FOUND", 17011), ("INVALID_EMAIL", 17008), ("INVALID_IDENTIFIER", 17008),
        ("USER_DISABLED", 17005), ("EMAIL_EXISTS", 17007), ("TOKEN_EXPIRED", 17021), ("INVALID_PASSWORD", 17009),
        ("INVALID_ID_TOKEN", 17017), ("WEAK_PASSWORD : Password should be at least 6 characters", 17026),
        ("CREDENTIAL_TOO_OLD_LOGIN_AGAIN", 17014), ("PASSWORD_DOES_NOT_MEET_REQUIREMENTS", 17211),
        ("INVALID_LOGIN_CREDENTIALS", 17004), ("INVALID_IDP_RESPONSE : expired", 17004),
        ("INVALID_PENDING_TOKEN", 17004), ("FEDERATED_USER_ID_ALREADY_LINKED", 17025),
        ("OPERATION_NOT_ALLOWED", 17006), ("PASSWORD_LOGIN_DISABLED", 17006), ("NOT_IMPLEMENTED", 17006),
        ("ADMIN_ONLY_OPERATION", 17085),
        ("TOO_MANY_ATTEMPTS_TRY_LATER", 17010), ("MISSING_OR_INVALID_NONCE", 17094), ("EXPIRED_OOB_CODE", 17029),
        ("INVALID_OOB_CODE", 17030), ("INVALID_CUSTOM_TOKEN", 17000), ("CREDENTIAL_MISMATCH", 17002),
        ("MISSING_EMAIL", 17034), ("INVALID_MESSAGE_PAYLOAD", 17031), ("INVALID_SENDER", 17032),
        ("INVALID_RECIPIENT_EMAIL", 17033), ("MISSING_IOS_BUNDLE_ID", 17036),
        ("MISSING_ANDROID_PACKAGE_NAME", 17037), ("UNAUTHORIZED_DOMAIN", 17038), ("INVALID_CONTINUE_URI", 17039),
        ("MISSING_CONTINUE_URI", 17040), ("INVALID_HOSTING_LINK_DOMAIN", 17214),
        ("EMAIL_CHANGE_NEEDS_VERIFICATION", 17090), ("UNVERIFIED_EMAIL", 17086),
        ("MISSING_MFA_PENDING_CREDENTIAL", 17081), ("MISSING_MFA_ENROLLMENT_ID", 17082),
        ("INVALID_MFA_PENDING_CREDENTIAL", 17083), ("MFA_ENROLLMENT_NOT_FOUND", 17084),
        ("SECOND_FACTOR_EXISTS", 17087), ("SECOND_FACTOR_LIMIT_EXCEEDED", 17088), ("UNSUPPORTED_FIRST_FACTOR", 17089),
        ("INVALID_PHONE_NUMBER", 17042), ("INVALID_CODE", 17044), ("INVALID_SESSION_INFO", 17046),
        ("SESSION_EXPIRED", 17051), ("QUOTA_EXCEEDED", 17052), ("CAPTCHA_CHECK_FAILED", 17056),
        ("INVALID_PROVIDER_ID", 17071), ("TENANT_ID_MISMATCH", 17072), ("UNSUPPORTED_TENANT_OPERATION", 17073),
        ("PASSKEY_ENROLLMENT_NOT_FOUND", 17212), ("INVALID_AUTHENTICATOR_RESPONSE", 17215),
        ("INVALID_CREDENTIAL_ID", 17215), ("MISSING_AUTHENTICATOR_RESPONSE", 17215),
        ("PASSKEY_CHALLENGE_TIMEOUT", 17051), ("PASSKEY_EXISTS", 17025), ("PASSKEY_NOT_ENABLED", 17006),
        ("MISSING_CLIENT_IDENTIFIER", 17093), ("BLOCKING_FUNCTION_ERROR_RESPONSE", 17105),
        ("PROVIDER_ALREADY_LINKED", 17015), ("USER_MISMATCH", 17024), ("API_KEY_INVALID", 17023),
        ("INVALID_REFRESH_TOKEN", 17017), ("LAST_SIGN_IN_METHOD", 20001), ("USER_CANCELLED", 17058),
        ("SOMETHING_NEW : text", 17999),
    ].map { Row(message: $0.0, number: $0.1) }

    @Test(
        "Error codes of the wire have FirebaseAuth's numbers, and other codes have 17999 (internalError)",
        arguments: rows)
    func codes(row: Row) throws {
        let body = #"{"error":{"code":400,"message":"\#(row.message)","unknown":1}}"#
        let error = try #require(ServerError(decoding: Data(body.utf8))).authError
        #expect(error.rawValue == row.number)
        #expect(error.serverCode == row.message.split(separator: " ").first.map(String.init))
        #expect(error.localizedDescription.isEmpty == false)
    }

    @Test("Every code has a unique name, and each code for an error of the gateway can be created from its number")
    func descriptions() {
        #expect(Set(AuthErrorCode.descriptions.values.map(\.name)).count == AuthErrorCode.descriptions.count)
        for code in ServerError.codes.values { #expect(AuthErrorCode(rawValue: code.rawValue) == code) }
        #expect(AuthErrorCode(rawValue: 1) == nil)
    }

    /// The numbers of the enum `AuthErrorCode` in FirebaseAuth 12.19.
    static let numbersInFirebaseAuth: Set<Int> = {
        let ranges = [
            17000...17000, 17002...17002, 17004...17012, 17014...17017, 17020...17021, 17023...17026, 17028...17034,
            17036...17048, 17051...17063, 17066...17068, 17071...17076, 17078...17078, 17081...17090, 17093...17094,
            17105...17105, 17200...17211, 17214...17214, 17995...17995, 17999...18000,
        ]
        return Set(ranges.flatMap(Array.init))
    }()

    /// The numbers of FirebaseAuth's branch for passkeys.
    static let numbersOfPasskeys: Set<Int> = [17212, 17215]

    @Test("Every code of FirebaseAuth exists; further codes have numbers above 20000")
    func allCodes() {
        let numbers = Set(AuthErrorCode.descriptions.keys)
        #expect(Self.numbersInFirebaseAuth.subtracting(numbers) == [])
        let others = numbers.subtracting(Self.numbersInFirebaseAuth).subtracting(Self.numbersOfPasskeys)
        #expect(others.allSatisfy { $0 > 20000 })
    }

    @Test("An error can be matched as an NSError, as a code and in a catch clause")
    func matching() throws {
        let thrown: any Error = AuthErrorCode.wrongPassword.with("text", details: ["key": "value"])
        let error = thrown as NSError
        #expect(error.domain == AuthErrorDomain)
        #expect(error.code == AuthErrorCode.wrongPassword.rawValue)
        #expect(error.localizedDescription == "text")
        #expect(error.userInfo[AuthErrorUserInfoNameKey] as? String == "ERROR_WRONG_PASSWORD")
        #expect(AuthErrorCode(rawValue: error.code) == .wrongPassword)
        #expect(AuthErrorCode.Code(rawValue: error.code) == .wrongPassword)
        #expect(AuthErrorCode(_nsError: error).code == .wrongPassword)
        #expect((thrown as? AuthErrorCode)?.code == .wrongPassword)
        #expect(thrown._code == 17009)
        switch AuthErrorCode(_nsError: error).code {
        case .weakPassword: Issue.record("matched weakPassword")
        case .wrongPassword: break
        default: Issue.record("matched no code")
        }
        do {
            throw thrown
        } catch AuthErrorCode.weakPassword {
            Issue.record("matched weakPassword")
        } catch AuthErrorCode.wrongPassword {
        }
        #expect(AuthErrorCode(_nsError: NSError(domain: "other", code: 17009)) == .internalError)
    }

    @Test("The description of an error of the gateway is the explanation that follows the code")
    func text() throws {
        let body = #"{"error":{"code":400,"message":"WEAK_PASSWORD : at least 6 characters"}}"#
        let error = try #require(ServerError(decoding: Data(body.utf8))).authError
        #expect(error.localizedDescription == "at least 6 characters")
    }

    @Test("The description of an error that is not implemented does not contain the code of the message")
    func notImplemented() throws {
        let message = "OPERATION_NOT_ALLOWED : mfa is not implemented."
        let body = #"{"error":{"code":501,"errorCode":"NOT_IMPLEMENTED","message":"\#(message)"}}"#
        let error = try #require(ServerError(decoding: Data(body.utf8))).authError
        #expect(error.rawValue == AuthErrorCode.operationNotAllowed.rawValue)
        #expect(error.localizedDescription == "mfa is not implemented.")
    }

    @Test(
        "A body of another form is not decoded as an error of the gateway",
        arguments: ["", "{}", "[]", #"{"error":"x"}"#, "<html>"])
    func otherBodies(body: String) {
        #expect(ServerError(decoding: Data(body.utf8)) == nil)
    }

    @Test("The descriptions of credentials, errors and nonces contain no secret")
    func redaction() {
        let secret = "top-secret"
        let values: [Any] = [
            EmailAuthProvider.credential(withEmail: secret, password: secret),
            EmailAuthProvider.credential(withEmail: secret, link: "https://example.com/?oobCode=\(secret)"),
            OAuthProvider.credential(withProviderID: "apple.com", idToken: secret, rawNonce: secret),
            OAuthProvider.credential(providerID: .apple, pendingToken: secret),
            AuthErrorCode.credentialAlreadyInUse.with(details: [AuthErrorCode.pendingTokenKey: secret]),
            SignInNonce(rawNonce: secret, sha256: secret, expiresAt: nil),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), String(describing: [value])] {
                #expect(!text.contains(secret), "\(type(of: value))")
            }
            #expect(!dumped.contains(secret), "\(type(of: value))")
        }
    }
}
