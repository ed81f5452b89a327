/// Why a request about a telephone number was rejected.
public enum PhoneRefusal: Refusal, Hashable {
    /// The realm has no sign-in by telephone number.
    case notAllowed
    /// The project has no sender of text messages.
    case noSender
    /// The mode has no telephone numbers in tenants.
    case tenant
    case invalidNumber
    /// An account with a second factor has no telephone number as first factor.
    case unsupportedFirstFactor
    /// The project sends no codes to the region of the number.
    case regionNotAllowed
    /// The project's budget, or that of the calling code, is used up, or the calling code is paused.
    case quotaExceeded
    case missingSessionInfo
    case missingCode
    /// Unknown, used, or of another purpose, realm or number.
    case invalidSessionInfo
    case sessionExpired
    case invalidCode
    case missingNumber
    case invalidTemporaryProof
    /// Another account has the number.
    case numberTaken
    /// The caller's account has a number.
    case alreadyLinked
    case missingIDToken
    /// No account has the number.
    case accountUnknown
    case accountDisabled
    /// The fixed code of a test number does not protect an account that has another sign-in method.
    case testNumber
}

extension PhoneRefusal {
    public var code: ErrorCode {
        switch self {
        case .notAllowed, .noSender, .regionNotAllowed, .testNumber: .operationNotAllowed
        case .tenant: .unsupportedTenantOperation
        case .invalidNumber: .invalidPhoneNumber
        case .unsupportedFirstFactor: .unsupportedFirstFactor
        case .quotaExceeded: .quotaExceeded
        case .missingSessionInfo: .missingSessionInfo
        case .missingCode: .missingCode
        case .invalidSessionInfo: .invalidSessionInfo
        case .sessionExpired: .sessionExpired
        case .invalidCode: .invalidCode
        case .missingNumber: .missingPhoneNumber
        case .invalidTemporaryProof: .invalidTemporaryProof
        case .numberTaken: .phoneNumberExists
        case .alreadyLinked: .providerAlreadyLinked
        case .missingIDToken: .missingIDToken
        case .accountUnknown: .userNotFound
        case .accountDisabled: .userDisabled
        }
    }

    public var detail: String? {
        switch self {
        case .noSender: "This project has no sender of text messages."
        case .invalidNumber: "Invalid format."
        case .unsupportedFirstFactor:
            "A phone number cannot be set as a first factor on an SMS based MFA user."
        case .regionNotAllowed: "SMS unable to be sent until this region enabled by the app developer."
        case .testNumber: "A test number cannot belong to an account that has another sign-in method."
        case .notAllowed, .tenant, .quotaExceeded, .missingSessionInfo, .missingCode, .invalidSessionInfo,
            .sessionExpired, .invalidCode, .missingNumber, .invalidTemporaryProof, .numberTaken, .alreadyLinked,
            .missingIDToken, .accountUnknown, .accountDisabled:
            nil
        }
    }
}
