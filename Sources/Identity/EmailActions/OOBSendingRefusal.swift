/// Why no code was sent.
public enum OOBSendingRefusal: Refusal, Hashable {
    /// The project does not allow the purpose.
    case notAllowed
    /// No account has the address of a password reset. Clients get this only without email enumeration protection.
    case emailUnknown
    /// No account has the address that a backend requests to verify or to change.
    case accountUnknown
    case missingIDToken, missingNewEmail, invalidNewEmail
    /// The code is a remedy; see ``OOBCode/Purpose/isRemedy``.
    case notOnRequest
    case emailNotConfigured
}

extension OOBSendingRefusal {
    public var code: ErrorCode {
        switch self {
        case .notAllowed, .emailNotConfigured: .operationNotAllowed
        case .emailUnknown: .emailNotFound
        case .accountUnknown: .userNotFound
        case .missingIDToken: .missingIDToken
        case .missingNewEmail: .missingNewEmail
        case .invalidNewEmail: .invalidNewEmail
        case .notOnRequest: .invalidReqType
        }
    }

    public var detail: String? {
        switch self {
        case .notAllowed, .emailUnknown, .accountUnknown, .missingIDToken, .missingNewEmail, .invalidNewEmail: nil
        case .notOnRequest: "The gateway sends this code only in a notice, not on request."
        case .emailNotConfigured: "This installation does not send email."
        }
    }
}
