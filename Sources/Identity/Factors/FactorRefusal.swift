/// Why a request about second factors was rejected.
public enum FactorRefusal: Refusal, Hashable {
    /// The realm does not allow second factors, or not this kind.
    case notAllowed(String)
    /// The session was opened with a method that has no second factors.
    case unsupportedFirstFactor
    case unverifiedEmail
    /// The account already has a factor that it can have only once.
    case exists
    /// The account already has a factor with this telephone number.
    case numberExists
    /// A telephone number of an administrator's factor.
    case invalidNumber
    /// The number is a test number, whose fixed code other people know.
    case testNumber
    /// The account has ``SecondFactors/limit`` factors.
    case limitExceeded
    /// The enrolment has expired, was used, or belongs to another account or to another generation of the account.
    case invalidSessionInfo
    /// The code is wrong, or was used before.
    case invalidCode
    case missingPendingCredential
    /// A request for a code has no pending credential.
    case missingPendingCredentialOfCode
    /// - Parameter member: the member of the request that has the proof.
    case missingMember(String)
    case missingCode
    case missingSessionInfo
    case missingFactor
    /// The pending credential is malformed, expired or used; belongs to another app, device or realm; or the account
    /// has changed since.
    case invalidPendingCredential
    /// The account has no factor with this ID.
    case factorUnknown
    /// The request has no proof for the factor.
    case providerNotSupported
    /// A session that may only be used to enrol a second factor; see ``Session/isRestricted(by:of:)``.
    case enrolmentRequired
    /// An administrator's factor has no ID.
    case missingID
    /// Two factors of an administrator's request have the same ID.
    case duplicateID
}

extension FactorRefusal {
    public var code: ErrorCode {
        switch self {
        case .notAllowed, .testNumber: .operationNotAllowed
        case .unsupportedFirstFactor: .unsupportedFirstFactor
        case .unverifiedEmail: .unverifiedEmail
        case .exists, .numberExists: .secondFactorExists
        case .invalidNumber: .invalidMFAPhoneNumber
        case .limitExceeded: .secondFactorLimitExceeded
        case .invalidSessionInfo: .invalidSessionInfo
        case .invalidCode: .invalidCode
        case .missingPendingCredential: .missingCredential
        case .missingPendingCredentialOfCode: .missingMFAPendingCredential
        case .missingMember: .invalidArgument
        case .missingCode: .missingCode
        case .missingSessionInfo: .missingSessionInfo
        case .missingFactor: .missingMFAEnrollmentID
        case .invalidPendingCredential: .invalidMFAPendingCredential
        case .factorUnknown: .mfaEnrollmentNotFound
        case .providerNotSupported: .invalidArgument
        case .enrolmentRequired: .secondFactorEnrollmentRequired
        case .missingID: .invalidMFAEnrollmentID
        case .duplicateID: .duplicateMFAEnrollmentID
        }
    }

    public var detail: String? {
        switch self {
        case .notAllowed(let sentence): sentence
        case .unsupportedFirstFactor: "MFA is not available for the given first factor."
        case .unverifiedEmail: "Need to verify email first before enrolling second factors."
        case .exists: "The account has already enrolled a one-time password."
        case .numberExists: "Phone number already enrolled as second factor for this account."
        case .invalidNumber: "Invalid format."
        case .testNumber: "A test number cannot be a second factor."
        case .providerNotSupported: "MFA provider not supported!"
        case .missingMember(let member): "((Missing \(member).))"
        case .missingPendingCredential: "Please set MFA Pending Credential."
        case .missingPendingCredentialOfCode: "Request does not have MFA pending credential."
        case .missingFactor: "Please set the ID of the second factor."
        case .enrolmentRequired: "Enroll a second factor first."
        case .missingID: "mfaEnrollmentId must be defined."
        case .limitExceeded, .invalidSessionInfo, .invalidCode, .invalidPendingCredential, .factorUnknown,
            .duplicateID, .missingCode, .missingSessionInfo:
            nil
        }
    }
}
