/// What became of a message. Names no address.
public enum DeliveryResult: Hashable, Sendable {
    /// By the server, which answers for it from now on.
    case accepted
    /// The same message may be taken later. It may have been taken, where the answer was lost.
    case refusedForNow(DeliveryError)
    /// This message for this recipient will never be taken.
    case refusedForGood(DeliveryError)
}

/// Why a message was not taken.
public enum DeliveryError: Hashable, Sendable {
    case unknownHost
    /// Nobody accepted a connection; or an unencrypted one would have left this machine.
    case unreachable
    /// No encryption was agreed upon, or the certificate is not one to believe for this host.
    case tlsFailed
    case notAuthenticated(status: Int)
    case timedOut
    /// The connection ended before the server had answered for the message.
    case connectionLost
    /// What the server said, of 4xx and 5xx (RFC 5321 §4.2.1).
    case answered(status: Int, to: Step)
    /// By libcurl's own number.
    case protocolError(code: Int)
    case overloaded
    case closed
    /// An address or an id that cannot stand in a header.
    case malformed
}

/// How far the dialogue had come.
public enum Step: String, Sendable, CaseIterable {
    case greeting
    case hello = "EHLO"
    case encryption = "STARTTLS"
    case authentication = "AUTH"
    case sender = "MAIL"
    case recipient = "RCPT"
    case message = "DATA"

    /// - Parameter line: as it was sent; what is no command that matters is `nil`.
    init?(sending line: some Collection<UInt8>) {
        let verb = line.prefix { (0x41...0x5A).contains($0) }
        let isWhole = line.dropFirst(verb.count).first.map { [0x20, 0x0D].contains($0) } ?? false
        guard isWhole else { return nil }
        self.init(rawValue: verb.elementsEqual("HELO".utf8) ? "EHLO" : String(decoding: verb, as: UTF8.self))
    }
}

extension DeliveryError: CustomStringConvertible {
    /// For logs and operators.
    public var description: String {
        switch self {
        case .unknownHost: "no such mail server"
        case .unreachable: "mail server not reachable"
        case .tlsFailed: "no trustworthy encryption with the mail server"
        case .notAuthenticated(let status): "\(status) to AUTH"
        case .timedOut: "timed out"
        case .connectionLost: "connection lost"
        case .answered(let status, let step): "\(status) to \(step.rawValue)"
        case .protocolError(let code): "no SMTP (\(code))"
        case .overloaded: "too much is being sent"
        case .closed: "stopped"
        case .malformed: "not a message that can be sent"
        }
    }
}
