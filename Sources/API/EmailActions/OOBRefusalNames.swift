internal import Identity

extension WireError {
    init(_ refusal: OOBSendingRefusal) {
        let message =
            switch refusal {
            case .notAllowed: "OPERATION_NOT_ALLOWED"
            case .emailUnknown: "EMAIL_NOT_FOUND"
            case .accountUnknown: "USER_NOT_FOUND"
            case .missingIDToken: "MISSING_ID_TOKEN"
            case .missingNewEmail: "MISSING_NEW_EMAIL"
            case .invalidNewEmail: "INVALID_NEW_EMAIL"
            case .onlyOnChange: "INVALID_REQ_TYPE : Such codes go out by themselves when an address is changed."
            case .emailNotConfigured: "OPERATION_NOT_ALLOWED : This installation sends no mail."
            }
        self = .refused(message)
    }

    init(_ refusal: OOBCodeRefusal) {
        let message =
            switch refusal {
            case .missing: "MISSING_OOB_CODE"
            case .invalid: "INVALID_OOB_CODE"
            case .expired: "EXPIRED_OOB_CODE"
            case .otherEmail: "INVALID_EMAIL : The email provided does not match the sign-in email address."
            case .emailTaken: "EMAIL_EXISTS"
            case .accountDisabled: "USER_DISABLED"
            case .notAllowed: "OPERATION_NOT_ALLOWED"
            }
        self = .refused(message)
    }

    init(_ refusal: ContinueURL.Refusal) {
        let message =
            switch refusal {
            case .malformed: "INVALID_CONTINUE_URI"
            case .unauthorizedDomain: "UNAUTHORIZED_DOMAIN : Domain not allowlisted by project"
            }
        self = .refused(message)
    }
}
