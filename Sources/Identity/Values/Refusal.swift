/// An error caused by the caller: the gateway responds with a code of the wire. Every other error is a fault of the
/// gateway, with status 500, or 503 if a retry may succeed.
public protocol Refusal: Error {
    var code: ErrorCode { get }
    /// A text for developers, which follows the code in the message. `nil` if the code needs no explanation.
    var detail: String? { get }
    /// The whole message. It begins with the code, unless the wire has a sentence instead.
    var message: String { get }
    /// A code for logs and metrics that is more specific than the client may know.
    var loggedCode: String { get }
    /// How long the caller has to wait before the same request may succeed.
    var retryDelay: Duration? { get }
    /// Values that a client may use to continue.
    var metadata: [String: String] { get }
}

extension Refusal {
    public var detail: String? { nil }

    public var message: String { codeWithDetail }

    /// The code, with the detail if there is one.
    public var codeWithDetail: String { detail.map { "\(code.rawValue) : \($0)" } ?? code.rawValue }

    public var loggedCode: String { code.rawValue }

    public var retryDelay: Duration? { nil }

    public var metadata: [String: String] { [:] }
}
