/// Where a provider publishes a document.
public struct DocumentAddress: Hashable, Sendable {
    public let url: String
    /// Chosen by a project's configuration, and not by us: it must not reach what is private to our network.
    public let isConfigured: Bool

    public init(url: String, isConfigured: Bool) {
        self.url = url
        self.isConfigured = isConfigured
    }
}

/// Gets documents from providers.
public struct DocumentFetch: Sendable {
    /// Bytes of a document.
    public static let maximumLength = 256 * 1024
    public static let deadline: Duration = .seconds(5)

    /// Answers within ``deadline``, follows no redirect, and throws for every answer but a 200 of at most
    /// ``maximumLength``. What it throws may be shown to operators.
    public var get: @Sendable (DocumentAddress) async throws -> (body: [UInt8], maxAge: Duration?)

    public init(get: @escaping @Sendable (DocumentAddress) async throws -> (body: [UInt8], maxAge: Duration?)) {
        self.get = get
    }
}

/// What is wrong with a document that was fetched.
enum DocumentFault: Error, CustomStringConvertible {
    case tooLong
    case unreadable
    case noKeys
    case otherIssuer
    case keysNotEncrypted

    var description: String {
        switch self {
        case .tooLong: "the answer is too long"
        case .unreadable: "the answer is not the document that it should be"
        case .noKeys: "the answer has no key to verify with"
        case .otherIssuer: "the configuration is of another issuer"
        case .keysNotEncrypted: "the configuration has its keys at no https address"
        }
    }
}

/// There is no document to go by.
struct DocumentUnavailable: Error {
    let reason: String
}
