internal import Curl
internal import EventLoop

/// Sends messages to a submission server with libcurl.
///
/// The client has its own threads, because every interface of libcurl blocks the caller between the end of a message
/// and the server's reply.
public final class SMTPClient: Sendable {
    /// The maximum number of messages that are sent at the same time. The same number may wait; further messages fail
    /// with a transient error.
    public static let connections = 8

    private let server: SubmissionServer
    private let clientName: String
    private let deadline: Duration
    private let threads: FairPool
    private let cancellation = CancellationFlag()

    /// - Parameters:
    ///   - clientName: the host name in `EHLO` (RFC 5321 §4.1.1.1); replaced with `localhost` unless it is 1 to 253
    ///     ASCII letters, digits, dots and hyphens.
    ///   - deadline: the time limit of a whole transaction, from the name look-up to the reply to the message.
    /// - Throws: ``SystemError`` if the system cannot create threads.
    public init(to server: SubmissionServer, clientName: String, deadline: Duration) throws {
        self.server = server
        self.clientName = clientName.wholeMatch(of: /[A-Za-z0-9.-]{1,253}/) == nil ? "localhost" : clientName
        self.deadline = deadline
        // The capacity is twice the number of messages that may wait: one key may fill only half of the pool's queue,
        // and all messages have the same key.
        threads = try FairPool(name: "email", threads: Self.connections, capacity: 2 * Self.connections)
    }

    /// Delivers a message to the submission server.
    public func submit(_ message: Message) async -> DeliveryResult {
        guard let fields = MessageFields(message) else { return .permanent(.malformed) }
        do {
            return try await threads.run(for: ["email"]) { [self] in
                guard !cancellation.isSet else { return .transient(.closed) }
                do {
                    return try Submission(
                        message, fields, to: server, clientName: clientName, within: deadline, cancelledBy: cancellation
                    ).perform()
                } catch let fault as CurlFault {
                    return DeliveryResult(fault.code, after: .greeting, status: 0)
                }
            }
        } catch {
            return .transient(cancellation.isSet ? .closed : .overloaded)
        }
    }

    /// Ends running deliveries within about a second with a transient error. All later deliveries fail with the same
    /// error.
    public func close() {
        cancellation.set()
    }

    /// Closes the client, and blocks until no delivery is running.
    public func stop() {
        close()
        threads.stop()
    }
}
