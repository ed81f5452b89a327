// The request bodies about telephone numbers and second factors. Members that are `nil` are not sent.

struct SendVerificationCodeRequest: Encodable {
    var tenantId: String?
    var phoneNumber: String
}

struct SignInWithPhoneNumberRequest: Encodable {
    var tenantId: String?
    var sessionInfo: String?
    var code: String?
    var temporaryProof: String?
    var phoneNumber: String?
    var idToken: String?
    var operation: String
    var takeOver: Bool?
}

struct EmptyObject: Codable, Hashable, Sendable {}

/// A code that was sent to a telephone number.
struct PhoneVerification: Encodable, Sendable {
    var sessionInfo: String
    var code: String
}

struct StartFactorEnrollmentRequest: Encodable {
    var idToken: String
    var phoneEnrollmentInfo: PhoneEnrollmentInfo?
    var totpEnrollmentInfo: EmptyObject?

    struct PhoneEnrollmentInfo: Encodable {
        var phoneNumber: String
    }
}

struct FinalizeFactorEnrollmentRequest: Encodable {
    var idToken: String
    var displayName: String?
    var phoneVerificationInfo: PhoneVerification?
    var totpVerificationInfo: TOTPVerificationInfo?

    struct TOTPVerificationInfo: Encodable {
        var sessionInfo: String
        var verificationCode: String
    }
}

struct WithdrawFactorRequest: Encodable {
    var idToken: String
    var mfaEnrollmentId: String
}

struct StartFactorSignInRequest: Encodable {
    var tenantId: String?
    var mfaPendingCredential: String
    var mfaEnrollmentId: String
}

struct FinalizeFactorSignInRequest: Encodable, Sendable {
    var tenantId: String?
    var mfaPendingCredential: String
    var mfaEnrollmentId: String?
    var phoneVerificationInfo: PhoneVerification?
    var totpVerificationInfo: TOTPVerificationInfo?
    var recoveryCodeInfo: RecoveryCodeInfo?

    struct TOTPVerificationInfo: Encodable, Sendable {
        var verificationCode: String
    }

    struct RecoveryCodeInfo: Encodable, Sendable {
        var code: String
    }
}
