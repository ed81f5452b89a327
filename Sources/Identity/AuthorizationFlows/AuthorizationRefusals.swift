/// Why a sign-in in the browser does not start or does not complete.
public enum AuthorizationRefusal: Refusal, Hashable {
    /// `state` is absent, forged or expired, or its realm is deleted or disabled.
    case stateInvalid
    /// Another browser started the flow.
    case otherBrowser
    /// The provider's response was processed before, or was never received.
    case alreadyUsed
    /// The user cancelled.
    case cancelled
    /// The provider responded with an error. The value has the form of OAuth's error codes, or is `unknown`.
    case providerError(String)
    /// The provider's response lacks a parameter, or does not belong to this provider.
    case invalidResponse
    /// The provider's token endpoint rejected the code, or the client ID and its secret.
    case tokenRequestRejected(String)
    /// The code was redeemed, but the keys for the provider's identity token could not be fetched.
    case notVerifiable
    /// The app of the flow was removed.
    case appRemoved
    /// The URL of the page that starts a flow lacks the API key, the provider or the operation, or has an invalid
    /// parameter.
    case malformedStart
    /// The session ID is too short or too long, or has characters other than visible ASCII.
    case invalidSessionID
    case missingSessionID
    /// The grant is unknown, used or expired, or belongs to another session ID, app or realm.
    case invalidGrant
    /// The flow was started for another operation than the one that the request performs.
    case otherOperation
    /// The sign-in in the browser failed before the client sent this request. The value is the error in the URL that
    /// the gateway redirected the browser to.
    case failed(String)
}

extension AuthorizationRefusal {
    public var code: ErrorCode {
        switch self {
        case .cancelled: .userCancelled
        case .appRemoved: .operationNotAllowed
        case .invalidSessionID, .malformedStart: .invalidArgument
        case .missingSessionID: .missingSessionID
        case .stateInvalid, .otherBrowser, .alreadyUsed, .providerError, .invalidResponse, .tokenRequestRejected,
            .notVerifiable, .invalidGrant, .otherOperation, .failed:
            .invalidIdpResponse
        }
    }

    public var loggedCode: String {
        switch self {
        case .stateInvalid: "FLOW_STATE_INVALID"
        case .otherBrowser: "FLOW_OTHER_BROWSER"
        case .alreadyUsed: "FLOW_ALREADY_USED"
        case .providerError(let error): "FLOW_PROVIDER_ERROR(\(error))"
        case .invalidResponse: "FLOW_INVALID_RESPONSE"
        case .tokenRequestRejected(let error): "FLOW_CODE_REJECTED(\(error))"
        case .notVerifiable: "FLOW_NOT_VERIFIABLE"
        case .invalidGrant: "FLOW_INVALID_GRANT"
        case .otherOperation: "FLOW_OTHER_OPERATION"
        case .cancelled, .appRemoved, .malformedStart, .invalidSessionID, .missingSessionID, .failed: code.rawValue
        }
    }

    public var detail: String? {
        switch self {
        case .stateInvalid: "The state is not valid or has expired."
        case .otherBrowser: "The sign-in was started in another browser."
        case .alreadyUsed: "The provider's response was already used, or was never received."
        case .cancelled, .missingSessionID: nil
        case .providerError(let error): "The provider responded with the error \(error)."
        case .invalidResponse: "The provider's response is not valid."
        case .tokenRequestRejected(let error): "The provider's token endpoint rejected the request: \(error)."
        case .notVerifiable: "The identity token could not be verified, because the provider's keys are unavailable."
        case .appRemoved: "The app that started the sign-in was removed."
        case .malformedStart: "The URL of the page lacks a required parameter, or a parameter is not valid."
        case .invalidSessionID: "sessionId must have 16 to 128 visible ASCII characters."
        case .invalidGrant: "The grant is not valid: it was used, has expired, or belongs to another sessionId or app."
        case .otherOperation: "The request must perform the operation that was given to createAuthUri."
        case .failed(let error): "The sign-in in the browser failed: \(error)."
        }
    }
}
