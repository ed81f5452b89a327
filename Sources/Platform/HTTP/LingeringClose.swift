internal import CSystem
internal import EventLoop

/// Reads and discards what a rejected client still sends, for a limited time. Closing with unread bytes makes the
/// kernel reset the connection, which can destroy the response (RFC 9112 §9.6).
final class LingeringClose {
    let descriptor: Int32
    private let loop: Loop
    private let ended: (Int32) -> Void
    private var watch: Loop.Watch?
    private var timer: Loop.Timer?
    private var bytesLeft = 8 * 1024 * 1024

    /// - Parameter descriptor: its sending side must have been shut down. It is closed at the end, and at once if the
    ///   kernel refuses to watch it; then the result is `nil`.
    init?(of descriptor: Int32, on loop: Loop, ended: @escaping (Int32) -> Void) {
        self.descriptor = descriptor
        self.loop = loop
        self.ended = ended
        do {
            watch = try loop.watch(descriptor, for: .readable) { [unowned self] _ in discard() }
        } catch {
            CSystem.close(descriptor)
            return nil
        }
        timer = loop.schedule(after: .seconds(2)) { [unowned self] in close() }
    }

    func close() {
        guard let watch, let timer else { return }
        self.watch = nil
        loop.cancel(timer)
        loop.unwatch(watch)
        CSystem.close(descriptor)
        ended(descriptor)
    }

    private func discard() {
        let count = recv(descriptor, nil, 256 * 1024, Int32(MSG_TRUNC))
        bytesLeft -= count
        let isOver = count < 0 ? shim_errno() != EAGAIN : count == 0
        if isOver || bytesLeft < 0 { close() }
    }
}
