/// The address of a document that a provider publishes.
public struct DocumentAddress: Hashable, Sendable {
    public let url: String
    /// The address comes from the configuration of a project, so it must not reach the private network of the gateway.
    public let isConfigured: Bool

    public init(url: String, isConfigured: Bool) {
        self.url = url
        self.isConfigured = isConfigured
    }
}

/// Fetches documents from providers.
public struct DocumentFetch: Sendable {
    /// The maximum size of a document, in bytes.
    public static let maximumLength = 256 * 1024
    public static let deadline: Duration = .seconds(5)

    /// Returns within ``deadline`` and follows no redirect. Throws unless the response has status 200 and at most
    /// ``maximumLength`` bytes; operators may see the error.
    public var get: @Sendable (DocumentAddress) async throws -> (body: [UInt8], maxAge: Duration?)

    public init(get: @escaping @Sendable (DocumentAddress) async throws -> (body: [UInt8], maxAge: Duration?)) {
        self.get = get
    }
}

/// The reason why a fetched document is rejected.
enum DocumentFault: Error, CustomStringConvertible {
    case tooLong
    case unreadable
    case noKeys
    case otherIssuer
    case keysNotEncrypted

    var description: String {
        switch self {
        case .tooLong: "the response is too long"
        case .unreadable: "the response is not a valid document"
        case .noKeys: "the response has no usable key"
        case .otherIssuer: "the configuration belongs to another issuer"
        case .keysNotEncrypted: "jwks_uri in the configuration is not an https URL"
        }
    }
}

/// No version of the document is available.
struct DocumentUnavailable: Error {
    let reason: String
}
