internal import Identity
internal import Pages

/// The reason why a sign-in in the browser failed, for the page, the SDK and the log.
struct FlowProblem {
    let page: FlowFailure
    /// An error code of Firebase's JavaScript SDK.
    let sdkCode: String
    let status: Int
    /// `nil` if the provider is unavailable.
    let refusal: (any Refusal)?
    /// For the log: why the provider is unavailable.
    let fault: ProviderUnreachable?
    /// Whether the same request may succeed later.
    let canRetry: Bool

    var refusalCode: String { refusal?.code.rawValue ?? "UNAVAILABLE" }

    /// Whether the page waits for a click. After a cancellation, and if the app does not offer the provider, the app
    /// explains the problem itself.
    var waitsForClick: Bool { page != .cancelled && page != .notOffered }

    /// - Returns: `nil` for an error that is neither a refusal nor an unreachable provider.
    init?(_ error: any Error) {
        switch error {
        case let error as ProviderUnreachable:
            (page, sdkCode, status, refusal, canRetry) = (.providerUnavailable, "auth/internal-error", 503, nil, true)
            fault = error
        case let limit as TooManyAttempts:
            fault = nil
            let minutes = Int(max(1, limit.retryAfter.components.seconds) + 59) / 60
            (page, sdkCode, status, refusal, canRetry) = (
                .tooManyAttempts(minutes: minutes), "auth/too-many-requests", 429, limit, true
            )
        case let refusal as any Refusal:
            let (page, code) = Self.named(refusal)
            fault = nil
            (self.page, sdkCode, status, self.refusal, canRetry) = (page, code, 400, refusal, false)
        default: return nil
        }
    }

    private static func named(_ refusal: any Refusal) -> (FlowFailure, String) {
        switch refusal {
        case AuthorizationRefusal.cancelled: (.cancelled, "auth/user-cancelled")
        case AuthorizationRefusal.stateInvalid: (.expired, "auth/internal-error")
        case AuthorizationRefusal.otherBrowser: (.otherBrowser, "auth/internal-error")
        case AuthorizationRefusal.alreadyUsed: (.alreadyUsed, "auth/internal-error")
        case AuthorizationRefusal.notVerifiable: (.rejected, "auth/internal-error")
        case AuthorizationRefusal.malformedStart, is AccessRefusal, is TenantRefusal:
            (.malformed, "auth/internal-error")
        case AuthorizationRefusal.notConfigured: (.notOffered, "auth/operation-not-allowed")
        case is ContinueURLRefusal: (.domainNotAllowed, "auth/unauthorized-domain")
        case let refusal as ProviderRefusal where refusal.code == .operationNotAllowed:
            (.notOffered, "auth/operation-not-allowed")
        default: (.rejected, "auth/invalid-credential")
        }
    }
}
