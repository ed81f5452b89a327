/// A blocking function has refused, or its answer cannot be used.
public enum HookRefusal: Refusal, Hashable {
    /// - Parameters:
    ///   - detail: what the client gets to see: the function's own error.
    ///   - message: what a page shows to the user; `nil` if the function has sent no text for users.
    case refused(detail: String, message: HookMessage?)
    case invalidReply(String)
    /// A status other than 2xx, without the reason.
    case failed(detail: String)
    /// For development: a function cannot be reached, or does not answer with JSON. Production answers with
    /// ``HookUnavailable``.
    case unavailable(detail: String)

    public var code: ErrorCode { .blockingFunctionErrorResponse }

    public var detail: String? {
        switch self {
        case .refused(let detail, _), .failed(let detail), .unavailable(let detail): detail
        case .invalidReply(let problem): "((\(problem)))"
        }
    }

    public var isServerError: Bool { if case .unavailable = self { true } else { false } }

    public var loggedCode: String {
        switch self {
        case .refused: code.rawValue
        case .invalidReply: "\(code.rawValue)_INVALID_REPLY"
        case .failed: "\(code.rawValue)_STATUS"
        case .unavailable: "\(code.rawValue)_UNAVAILABLE"
        }
    }
}

/// A blocking function cannot be reached, or does not answer in time. A retry may succeed.
public struct HookUnavailable: Error, CustomStringConvertible {
    /// Contains neither the URL nor the answer of the function.
    public let reason: String
    public let isLate: Bool
    /// Whether the function has answered, but not with JSON.
    public let isNotJSON: Bool

    public init(reason: String, isLate: Bool = false, isNotJSON: Bool = false) {
        self.reason = reason
        self.isLate = isLate
        self.isNotJSON = isNotJSON
    }

    public var description: String { "a blocking function is unavailable: \(reason)" }
}
