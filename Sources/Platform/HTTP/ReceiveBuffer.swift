internal import CSystem
internal import EventLoop

/// The memory that all connections of a loop receive into, so that an idle connection needs none.
struct ReceiveBuffer: ~Copyable {
    enum Outcome {
        /// Valid until the next call.
        case bytes(UnsafeRawBufferPointer)
        /// Nothing has arrived.
        case nothing
        /// The client closed its side, or the connection failed.
        case ended
    }

    private let memory: UnsafeMutableRawBufferPointer

    init(capacity: Int) {
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { memory.deallocate() }

    /// - Parameter limit: the most bytes to read, at least 1.
    func receive(from descriptor: Int32, atMost limit: Int) -> Outcome {
        let count = recv(descriptor, memory.baseAddress, min(limit, memory.count), 0)
        if count > 0 { return .bytes(UnsafeRawBufferPointer(rebasing: memory[..<count])) }
        guard count < 0, [EAGAIN, EINTR].contains(shim_errno()) else { return .ended }
        return .nothing
    }
}
