public import HTTP

/// Fetches documents from providers.
public struct DocumentFetch: Sendable {
    /// The maximum size of a document, in bytes.
    public static let maximumLength = 256 * 1024
    /// The maximum time for one fetch.
    public static let deadline: Duration = .seconds(5)

    /// Returns a document within ``deadline``, and its lifetime if the response states one. Does not follow redirects.
    /// Throws an error unless the response has status 200 and at most ``maximumLength`` bytes. Operators see the
    /// description of the error.
    public var get: @Sendable (DocumentAddress) async throws -> (body: [UInt8], maxAge: Duration?)

    public init(get: @escaping @Sendable (DocumentAddress) async throws -> (body: [UInt8], maxAge: Duration?)) {
        self.get = get
    }
}

extension DocumentFetch {
    /// Fetches documents over the network.
    ///
    /// - Parameter allowsPrivateAddresses: whether a document whose URL comes from a project's configuration may be
    ///   fetched from a private address, and from this machine without TLS.
    public static func http(_ client: HTTP.Client, allowsPrivateAddresses: Bool = false) -> DocumentFetch {
        DocumentFetch { address in
            let request = ClientRequest(
                .get, address.url, headers: ["Accept": "application/json"], deadline: deadline,
                maximumResponseBytes: maximumLength,
                destination: address.isFromConfiguration && !allowsPrivateAddresses
                    ? .fromProject(allowingPrivateAddresses: false) : .fromOperator)
            let response = try await client.send(request)
            guard response.status == 200 else { throw DocumentFault.status(response.status) }
            return (response.body, response.headers.freshness)
        }
    }
}

/// The reason why a fetched document is rejected.
enum DocumentFault: Error, CustomStringConvertible {
    case status(Int)
    case tooLong
    case unreadable
    case noKeys
    case otherIssuer(seen: String)
    case keysURLNotUsable

    var description: String {
        switch self {
        case .status(let status): "the response has status \(status)"
        case .tooLong: "the response is too long"
        case .unreadable: "the response is not a valid document"
        case .noKeys: "the response has no usable key"
        case .otherIssuer(let seen): "the discovery document names the issuer \(seen)"
        case .keysURLNotUsable: "jwks_uri in the discovery document is not an https URL, or is too long"
        }
    }
}
