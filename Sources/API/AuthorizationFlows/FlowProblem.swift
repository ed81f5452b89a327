internal import Identity
internal import Pages

/// The reason why a sign-in in the browser failed, for the page, the SDK and the log.
struct FlowProblem {
    /// The failure that the page explains.
    let kind: FlowFailure
    /// An error code of Firebase's JavaScript SDK.
    let sdkCode: String
    /// The HTTP status of the page.
    let status: Int
    /// `nil` if the provider is unavailable.
    let refusal: (any Refusal)?
    /// For the log: why the provider is unavailable.
    let fault: ProviderUnreachable?
    /// Whether the same request may succeed later.
    let canRetry: Bool

    var refusalCode: String { refusal?.code.rawValue ?? "UNAVAILABLE" }

    /// Whether the page waits for a click before it returns to the app. It does not wait if the user cancelled or the
    /// app does not offer the provider, because the app explains these problems itself.
    var waitsForClick: Bool { kind != .cancelled && kind != .notOffered }

    /// - Returns: `nil` for an error that is neither a refusal nor an unreachable provider.
    init?(_ error: any Error) {
        switch error {
        case let error as ProviderUnreachable:
            (kind, sdkCode, status, refusal, canRetry) = (.providerUnavailable, "auth/internal-error", 503, nil, true)
            fault = error
        case let limit as TooManyAttempts:
            fault = nil
            (kind, sdkCode, status, refusal, canRetry) = (
                .tooManyAttempts(minutes: limit.retryAfter.delayMinutes), "auth/too-many-requests", 429, limit, true
            )
        case let refusal as any Refusal:
            let (kind, code) = Self.kindAndSDKCode(of: refusal)
            fault = nil
            (self.kind, sdkCode, status, self.refusal, canRetry) = (kind, code, 400, refusal, false)
        default: return nil
        }
    }

    private static func kindAndSDKCode(of refusal: any Refusal) -> (FlowFailure, String) {
        switch refusal {
        case AuthorizationRefusal.cancelled: (.cancelled, "auth/user-cancelled")
        case AuthorizationRefusal.stateInvalid: (.expired, "auth/internal-error")
        case AuthorizationRefusal.otherBrowser: (.otherBrowser, "auth/internal-error")
        case AuthorizationRefusal.alreadyUsed: (.alreadyUsed, "auth/internal-error")
        case AuthorizationRefusal.notVerifiable: (.rejected, "auth/internal-error")
        case AuthorizationRefusal.malformedStart, is AccessRefusal, is TenantRefusal:
            (.malformed, "auth/internal-error")
        case AuthorizationRefusal.appRemoved: (.notOffered, "auth/operation-not-allowed")
        case is ContinueURLRefusal: (.domainNotAllowed, "auth/unauthorized-domain")
        case let refusal as ProviderRefusal where refusal.code == .operationNotAllowed:
            (.notOffered, "auth/operation-not-allowed")
        default: (.rejected, "auth/invalid-credential")
        }
    }
}
