/// A fault that the simulator injects into its response, which the client then has to reject.
public enum ConsentFault: String, Sendable, CaseIterable {
    /// The code was redeemed before.
    case usedCode = "used_code"
    /// The response has the `state` of another request.
    case otherState = "other_state"
    /// The ID token has the nonce of another request.
    case otherNonce = "other_nonce"
    /// The response is the error `server_error`. Apple never redirects with this error.
    case serverError = "server_error"

    func label(in language: ConsentLanguage) -> String {
        switch self {
        case .usedCode: language.text("A code that was already used", "使用済みの認可コード")
        case .otherState: language.text("The state of another request", "別のリクエストのstate")
        case .otherNonce: language.text("An ID token with another nonce", "nonceが異なるIDトークン")
        case .serverError: language.text("The error server_error", "エラー server_error")
        }
    }
}
