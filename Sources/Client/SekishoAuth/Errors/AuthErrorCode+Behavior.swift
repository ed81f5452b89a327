internal import Foundation

extension AuthErrorCode {
    /// Any error as the app sees it.
    init(surfacing error: any Error) {
        switch error {
        case let error as AuthErrorCode: self = error
        case let error as SessionStoreError: self = AuthCore.storeError(error)
        default: self = .internalError
        }
    }

    static let responseForAnotherUser = internalError.with("The response is for a different user than the request.")

    /// Whether the same request may succeed soon: no response, a response that is not the gateway's, or an overload.
    var isTransient: Bool {
        self == .networkError || self == .tooManyRequests || self == .internalError && serverCode == nil
    }

    /// Whether the gateway reported that the session or its account does not exist any more.
    var endsSession: Bool { serverCode.map(ServerError.endsSession) ?? false }
    /// Whether the gateway rejected the ID token, which a refresh may replace.
    var rejectsIDToken: Bool { serverCode.map(ServerError.rejectsIDToken) ?? false }
}
