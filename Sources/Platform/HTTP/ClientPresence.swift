internal import Synchronization

/// Whether the client of a request is still connected. Queued work for a client that is gone can be dropped.
///
/// A client that has closed only its sending side is present. To distinguish it from a client that has closed its
/// connection, the server sends an interim response, which the latter answers with a reset. HTTP/1.0 has no interim
/// responses, so its clients are gone only after a reset.
public final class ClientPresence: Sendable {
    private let hasEnded = Atomic(false)

    public init() {}

    /// May be called on any thread.
    public var isGone: Bool { hasEnded.load(ordering: .relaxed) }

    /// Records that the client has disconnected.
    public func end() { hasEnded.store(true, ordering: .relaxed) }
}
