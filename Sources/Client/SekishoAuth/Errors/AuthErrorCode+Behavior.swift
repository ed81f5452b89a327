internal import Foundation

extension AuthErrorCode {
    /// Converts any error to the one that the app gets.
    init(converting error: any Error) {
        switch error {
        case let error as AuthErrorCode: self = error
        case let error as SessionStoreError: self = AuthCore.storeError(error)
        default: self = .internalError
        }
    }

    static let responseForAnotherUser = internalError.with("The response is for a different user than the request.")

    /// Whether a retry may succeed: no response, too many requests, or an internal error without a code of the gateway,
    /// such as a response with status 503 or a response from a proxy.
    var isTransient: Bool {
        self == .networkError || self == .tooManyRequests || self == .internalError && serverCode == nil
    }

    /// Whether the gateway reported that the session has ended, or that the account is deleted or disabled.
    var endsSession: Bool { serverCode.map(ServerError.endsSession) ?? false }
    /// Whether the gateway rejected the ID token. A refresh may help.
    var rejectsIDToken: Bool { serverCode.map(ServerError.rejectsIDToken) ?? false }
}
