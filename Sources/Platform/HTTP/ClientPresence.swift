internal import Synchronization

/// Whether the client of a request is still connected. Queued work for a client that is gone can be dropped.
///
/// A client that has closed only its sending side counts as gone too, because the server cannot distinguish both. It
/// still receives its response.
public final class ClientPresence: Sendable {
    private let hasEnded = Atomic(false)

    public init() {}

    /// May be called on any thread.
    public var isGone: Bool { hasEnded.load(ordering: .relaxed) }

    /// Records that the client has disconnected.
    public func end() { hasEnded.store(true, ordering: .relaxed) }
}
