internal import Encoding
public import HTTP

/// The pages for browsers that a mode adds for requests that no operation handles.
public struct ModePages: Sendable {
    /// Returns the page for a path that does not exist; `nil` for a path that has no page.
    let unknownPath: @Sendable (Request) -> Response?
    /// Returns the page for a form whose body is too large; `nil` for a page of the contract. The body was not read.
    let tooLargeForm: @Sendable (Request) -> Response?

    public init(
        unknownPath: @escaping @Sendable (Request) -> Response?,
        tooLargeForm: @escaping @Sendable (Request) -> Response?
    ) {
        self.unknownPath = unknownPath
        self.tooLargeForm = tooLargeForm
    }
}

/// A request from outside with its response, for the observer of ``RequestPipeline``. It contains the secrets that the
/// client and the gateway sent.
public struct ObservedRequest: Sendable {
    public let request: Request
    public let response: Response
    /// `nil` for a path without an operation.
    public let operationID: String?
    /// The code of the error that the caller caused.
    public let errorCode: String?
    public let duration: Duration

    public init(
        _ request: Request, _ response: Response, operationID: String? = nil, errorCode: String? = nil,
        duration: Duration = .zero
    ) {
        self.request = request
        self.response = response
        self.operationID = operationID
        self.errorCode = errorCode
        self.duration = duration
    }
}

extension Request {
    /// Whether the client is a browser that opens a page: it accepts HTML by name.
    public var acceptsHTML: Bool {
        headers.values(of: "Accept").contains { value in
            value.split(separator: ",").contains { type in
                type.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased().isExactly("text/html")
            }
        }
    }
}
