public import Crypto
public import HTTP

/// Sends requests to servers whose URL an operator or a project's configuration chose: hooks, webhooks, senders of text
/// messages. Follows no redirects, and bounds the time and the size of every response.
public struct SignedCall: Sendable {
    /// The servers to which requests may go. The check applies to the address of the connection, because names can
    /// resolve differently each time.
    public enum Egress: Sendable {
        /// Public addresses with https.
        case publicAddresses
        /// Any address with https, because the operator allows private addresses.
        case privateAddressesToo
        /// Any address with https, and this machine also with http, for development.
        case loopbackWithoutTLS
    }

    private let send: @Sendable (ClientRequest) async throws -> ClientResponse
    private let egress: Egress

    public init(egress: Egress, send: @escaping @Sendable (ClientRequest) async throws -> ClientResponse) {
        self.egress = egress
        self.send = send
    }

    public init(_ client: HTTP.Client, egress: Egress) {
        self.init(egress: egress, send: client.send(_:))
    }

    /// Sends `body` with POST, and returns the response, which may be a redirect or an error.
    ///
    /// - Parameters:
    ///   - contentType: of the body.
    ///   - signature: signs the body, if the receiver has a secret.
    ///   - headers: further header fields.
    ///   - deadline: the time limit of the whole request.
    ///   - maximumResponseBytes: the maximum size of the response's body.
    ///   - cutsLongResponse: whether a longer body is cut off, instead of failing the request.
    /// - Throws: ``ClientFault``. Only ``ClientFault/provesNothingSent`` tells that the receiver got nothing.
    public func post(
        _ body: [UInt8], of contentType: String = "application/json", to url: String,
        signature: WebhookSignature? = nil, headers: Headers = Headers(), deadline: Duration,
        maximumResponseBytes: Int = 64 * 1024, cutsLongResponse: Bool = false
    ) async throws -> ClientResponse {
        var headers = headers
        headers.add("Content-Type", contentType)
        for field in signature?.fields ?? [] { headers.add(field.name, field.value) }
        var request = ClientRequest(
            .post, url, headers: headers, body: body, deadline: deadline, maximumResponseBytes: maximumResponseBytes,
            destination: egress.destination)
        request.cutsLongResponse = cutsLongResponse
        return try await send(request)
    }
}

extension SignedCall.Egress {
    fileprivate var destination: ClientRequest.Destination {
        switch self {
        case .publicAddresses: .fromProject(allowingPrivateAddresses: false)
        case .privateAddressesToo: .fromProject(allowingPrivateAddresses: true)
        case .loopbackWithoutTLS: .fromOperator
        }
    }
}

extension ClientFault {
    /// Whether the request did not reach a server, so that a repetition cannot be the second delivery.
    public var provesNothingSent: Bool {
        switch self {
        case .invalidURL, .invalidHeader, .destinationNotAllowed, .unknownHost, .unreachable, .tlsFailed, .overloaded:
            true
        case .connectionLost, .timedOut, .tooLarge, .protocolError, .notWatched, .closed: false
        }
    }
}
