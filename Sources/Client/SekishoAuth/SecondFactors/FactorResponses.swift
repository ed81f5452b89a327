// The response bodies about telephone numbers and second factors, with the members that the library reads.

struct SignInWithPhoneNumberResponse: Decodable, Sendable {
    var isNewUser: Bool?
    var phoneNumber: String?
    var idToken: String?
    var refreshToken: String?
    var expiresIn: StringEncodedNumber?
    var temporaryProof: String?
    var needConfirmation: Bool?
    var verifiedProvider: [String]?
}

/// A second factor. It has `phoneInfo` or `totpInfo`.
struct LookupFactor: Decodable, Sendable {
    var mfaEnrollmentId: String
    var displayName: String?
    var enrolledAt: Timestamp?
    var phoneInfo: String?
}

/// The session of a code that was sent to a telephone number.
struct PhoneSessionInfo: Decodable, Sendable {
    var sessionInfo: String
}

struct StartFactorEnrollmentResponse: Decodable, Sendable {
    var phoneSessionInfo: PhoneSessionInfo?
    var totpSessionInfo: TOTPSessionInfo?
}

struct TOTPSessionInfo: Decodable, Sendable {
    var sharedSecretKey: String
    var verificationCodeLength: Int
    var hashingAlgorithm: String
    var periodSec: Int
    var sessionInfo: String
}

struct StartFactorSignInResponse: Decodable, Sendable {
    var phoneResponseInfo: PhoneSessionInfo
}

struct RecoveryCodesResponse: Decodable, Sendable {
    var recoveryCodes: [String]
}
