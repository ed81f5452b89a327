internal import Curl
public import EventLoop

/// Hands messages to a submission server, from one loop, on top of libcurl. Connections are kept for the next message.
///
/// Close it before its loop stops.
public actor Relay {
    /// Messages under way; more are refused for now.
    public static let limit = 32

    public nonisolated let loop: Loop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let server: SubmissionServer
    private let clientName: String
    private let deadline: Duration
    private let transfers: Transfers
    private var lastID: UInt64 = 0
    private var isClosed = false

    /// - Parameters:
    ///   - clientName: what we call ourselves, a host name (RFC 5321 §4.1.1.1).
    ///   - deadline: of a whole transaction, from the look-up of the server's name to its answer for the message.
    /// - Throws: ``SystemError`` when the process is out of memory.
    public init(loop: Loop, server: SubmissionServer, clientName: String, deadline: Duration) throws {
        self.loop = loop
        self.server = server
        self.clientName = clientName.wholeMatch(of: /[A-Za-z0-9.-]{1,253}/) == nil ? "localhost" : clientName
        self.deadline = deadline
        transfers = try Transfers(loop: loop, connections: 8, connectionsPerHost: 8, idleConnections: 4)
    }

    public func submit(_ message: Message) async -> Verdict {
        guard !isClosed else { return .refusedForNow(.closed) }
        guard transfers.count < Self.limit else { return .refusedForNow(.overloaded) }
        guard let fields = MessageFields(message) else { return .refusedForGood(.malformed) }
        lastID += 1
        let submission: Submission
        do {
            submission = try Submission(
                message, fields, id: lastID, to: server, naming: clientName, within: deadline)
        } catch {
            return Verdict(error.code, after: .greeting, status: 0)
        }
        return await withCheckedContinuation { continuation in
            submission.continuation = continuation
            transfers.begin(submission)
        }
    }

    /// Fails what is under way, and every later message, for now.
    public func close() {
        isClosed = true
        transfers.close()
    }
}
