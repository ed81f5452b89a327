/// Why a request about passkeys was rejected.
public enum PasskeyRefusal: Refusal, Hashable {
    /// The project does not allow passkeys.
    case notEnabled
    case missingResponse
    /// The response has no credential ID, or one that is not base64.
    case invalidCredentialID
    /// The challenge has expired, or was used.
    case challengeExpired
    /// A check of the ceremony failed.
    ///
    /// - Parameter reason: the name of the check, for the log.
    case invalidResponse(reason: String)
    /// A passkey with this credential ID is enrolled.
    case exists
    /// The account has ``Passkey/limit`` passkeys.
    case limitExceeded
    /// No account of the project has a passkey with this credential ID.
    case unknown
}

extension PasskeyRefusal {
    public var code: ErrorCode {
        switch self {
        case .notEnabled: .passkeyNotEnabled
        case .missingResponse: .missingAuthenticatorResponse
        case .invalidCredentialID: .invalidCredentialID
        case .challengeExpired: .passkeyChallengeTimeout
        case .invalidResponse: .invalidAuthenticatorResponse
        case .exists: .passkeyExists
        case .limitExceeded: .passkeyLimitExceeded
        case .unknown: .passkeyEnrollmentNotFound
        }
    }

    public var loggedCode: String {
        switch self {
        case .invalidResponse(let reason): "\(code.rawValue) : \(reason)"
        default: code.rawValue
        }
    }
}
