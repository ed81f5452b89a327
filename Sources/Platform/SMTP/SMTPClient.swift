internal import Curl
internal import EventLoop

/// Hands messages to a submission server, on top of libcurl.
///
/// On threads of its own: whatever interface it is called through, libcurl blocks its caller from the end of a message
/// until the server has answered for it.
public final class SMTPClient: Sendable {
    /// Messages under way; as many again wait, and more are refused for now.
    public static let connections = 8

    private let server: SubmissionServer
    private let clientName: String
    private let deadline: Duration
    private let threads: FairPool
    private let cut = CancellationFlag()

    /// - Parameters:
    ///   - clientName: what we call ourselves, a host name (RFC 5321 §4.1.1.1).
    ///   - deadline: of a whole transaction, from the look-up of the server's name to its answer for the message.
    /// - Throws: ``SystemError`` when no threads can be had.
    public init(to server: SubmissionServer, clientName: String, deadline: Duration) throws {
        self.server = server
        self.clientName = clientName.wholeMatch(of: /[A-Za-z0-9.-]{1,253}/) == nil ? "localhost" : clientName
        self.deadline = deadline
        threads = try FairPool(name: "mail", threads: Self.connections, capacity: 2 * Self.connections)
    }

    public func submit(_ message: Message) async -> DeliveryResult {
        guard let fields = MessageFields(message) else { return .refusedForGood(.malformed) }
        do {
            return try await threads.run(for: ["mail"]) { [self] in
                guard !cut.isMade else { return .refusedForNow(.closed) }
                do {
                    return try Submission(
                        message, fields, to: server, naming: clientName, within: deadline, unless: cut
                    ).perform()
                } catch let fault as CurlFault {
                    return DeliveryResult(fault.code, after: .greeting, status: 0)
                }
            }
        } catch {
            return .refusedForNow(cut.isMade ? .closed : .overloaded)
        }
    }

    /// Fails what is under way, within about a second, and every later message, for now.
    public func close() {
        cut.make()
    }

    /// Blocks until nothing is under way any more.
    public func stop() {
        close()
        threads.stop()
    }
}
