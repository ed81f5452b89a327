/// The outcome of a delivery. Contains no address.
public enum DeliveryResult: Hashable, Sendable {
    /// The server accepted the message, and is now responsible for its delivery.
    case accepted
    /// A retry may succeed. If the reply was lost, the server may have accepted the message.
    case transient(DeliveryError)
    /// A retry cannot succeed: the server rejected the message or the recipient, or the message is not valid.
    case permanent(DeliveryError)
}

/// Why a message was not delivered.
public enum DeliveryError: Hashable, Sendable {
    case unknownHost
    /// No server accepted a connection.
    case unreachable
    /// The server does not offer `STARTTLS`, the TLS handshake failed, the certificate is not valid for this host, or
    /// trusted certificates cannot be read.
    case tlsFailed
    case notAuthenticated(status: Int)
    case timedOut
    /// The connection ended before the server replied to the message.
    case connectionLost
    /// The server replied to this step with 4xx or 5xx (RFC 5321 §4.2.1).
    case rejected(status: Int, to: Step)
    /// Another error; `code` is libcurl's.
    case protocolError(code: Int)
    /// Too many deliveries ran at the same time, or memory is exhausted.
    case overloaded
    /// The client was closed.
    case closed
    /// An address or the message ID is not valid in a header.
    case malformed
}

/// A step of the SMTP dialogue.
public enum Step: String, Sendable, CaseIterable {
    case greeting
    case hello = "EHLO"
    case encryption = "STARTTLS"
    case authentication = "AUTH"
    case sender = "MAIL"
    case recipient = "RCPT"
    case message = "DATA"

    /// - Parameter line: a line that the client sends.
    /// - Returns: `nil` unless the line begins with one of the commands above, or with `HELO`, which counts as `EHLO`.
    init?(sending line: some Collection<UInt8>) {
        let verb = line.prefix { (0x41...0x5A).contains($0) }
        let isTerminated = line.dropFirst(verb.count).first.map { [0x20, 0x0D].contains($0) } ?? false
        guard isTerminated else { return nil }
        self.init(rawValue: verb.elementsEqual("HELO".utf8) ? "EHLO" : String(decoding: verb, as: UTF8.self))
    }
}

extension DeliveryError: CustomStringConvertible {
    /// Text for logs and operators.
    public var description: String {
        switch self {
        case .unknownHost: "mail server not found"
        case .unreachable: "mail server not reachable"
        case .tlsFailed: "no valid TLS encryption with the mail server"
        case .notAuthenticated(let status): "the mail server replied \(status) to AUTH"
        case .timedOut: "timed out"
        case .connectionLost: "connection lost"
        case .rejected(let status, .greeting): "the mail server's greeting was \(status)"
        case .rejected(let status, let step): "the mail server replied \(status) to \(step.rawValue)"
        case .protocolError(let code): "SMTP protocol error (libcurl \(code))"
        case .overloaded: "too many deliveries at the same time, or out of memory"
        case .closed: "the delivery was stopped"
        case .malformed: "an address or the message ID is not valid"
        }
    }
}
