internal import CSystem
internal import EventLoop

/// The output of a session. libpq buffers the bytes that the socket does not accept.
struct SessionOutput {
    /// Whether bytes wait until the socket is writable.
    private var isStalled = false

    /// Sends the buffered bytes. As long as some remain, `watch` also waits until the socket is writable.
    ///
    /// - Returns: `false` if the session was lost.
    mutating func flush(_ handle: OpaquePointer, _ watch: Loop.Watch, on loop: Loop) -> Bool {
        let state = PQflush(handle)
        guard state >= 0 else { return false }
        if isStalled != (state == 1) {
            isStalled.toggle()
            loop.change(watch, to: isStalled ? [.readable, .writable] : .readable)
        }
        return true
    }
}
