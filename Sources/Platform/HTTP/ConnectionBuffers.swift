internal import CSystem
internal import EventLoop

/// Bytes that have arrived and have not been processed. Holds no memory while it is empty.
struct PendingInput {
    private var bytes: [UInt8] = []
    private var start = 0

    var isEmpty: Bool { bytes.isEmpty }
    var count: Int { bytes.count - start }

    mutating func append(_ more: UnsafeRawBufferPointer) {
        guard !more.isEmpty else { return }
        bytes.removeFirst(start)
        start = 0
        bytes.append(contentsOf: more)
    }

    /// Passes the bytes to `body`, which returns the number of bytes that it has consumed.
    ///
    /// - Returns: the remaining bytes.
    func remaining(afterConsumptionBy body: (UnsafeRawBufferPointer) -> Int) -> PendingInput {
        let used = bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        guard start + used < bytes.count else { return PendingInput() }
        var remaining = self
        remaining.start += used
        return remaining
    }
}

/// The receive buffer that all connections of a loop share, so that an idle connection needs no memory.
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

    /// - Parameter limit: the maximum number of bytes to read, at least 1.
    func receive(from descriptor: Int32, atMost limit: Int) -> Outcome {
        let count = recv(descriptor, memory.baseAddress, min(limit, memory.count), 0)
        if count > 0 { return .bytes(UnsafeRawBufferPointer(rebasing: memory[..<count])) }
        guard count < 0, [EAGAIN, EINTR].contains(shim_errno()) else { return .ended }
        return .nothing
    }
}

/// The part of a response that the kernel has not accepted. Holds no memory while it is empty.
struct PendingOutput {
    enum Outcome {
        case done
        /// The socket's buffer is full.
        case waiting
        /// The connection failed.
        case failed
    }

    private var bytes: [UInt8] = []
    /// Sent after `bytes`. Other responses may share its memory.
    private(set) var body: [UInt8] = []
    /// The number of sent bytes of `bytes` and `body` together.
    private var sent = 0

    /// Sends `output`, then `body`. If the result is `.waiting`, this object takes the bytes of `output` and leaves
    /// `output` empty; ``flush(to:)`` sends the remaining bytes later. Otherwise `output` stays unchanged, so that the
    /// caller can reuse its memory.
    mutating func send(_ output: inout [UInt8], then body: [UInt8] = [], to descriptor: Int32) -> Outcome {
        swap(&bytes, &output)
        self.body = body
        sent = 0
        let outcome = flush(to: descriptor)
        if outcome != .waiting {
            swap(&bytes, &output)
            self.body = []
        }
        return outcome
    }

    mutating func flush(to descriptor: Int32) -> Outcome {
        while sent < bytes.count + body.count {
            let count =
                sent < bytes.count
                ? Self.send(bytes, from: sent, to: descriptor, isLast: body.isEmpty)
                : Self.send(body, from: sent - bytes.count, to: descriptor, isLast: true)
            if count > 0 {
                sent += count
            } else if shim_errno() == EAGAIN {
                return .waiting
            } else if shim_errno() != EINTR {
                return .failed
            }
        }
        return .done
    }

    mutating func removeAll() { self = PendingOutput() }

    private static func send(_ bytes: [UInt8], from start: Int, to descriptor: Int32, isLast: Bool) -> Int {
        let flags = Int32(MSG_NOSIGNAL) | (isLast ? 0 : Int32(MSG_MORE))
        return bytes.withUnsafeBytes { bytes in
            CSystem.send(descriptor, bytes.baseAddress.map { $0 + start }, bytes.count - start, flags)
        }
    }
}

/// Reads and discards what a client still sends after the last response, for at most 2 seconds and 8 MiB. If a socket
/// is closed with unread bytes, the kernel resets the connection, and the client can lose the response (RFC 9112 §9.6).
final class LingeringClose {
    let descriptor: Int32
    private let loop: Loop
    private let ended: (Int32) -> Void
    private var watch: Loop.Watch?
    private var timer: Loop.Timer?
    private var bytesLeft = 8 * 1024 * 1024

    /// - Parameters:
    ///   - descriptor: a socket whose sending side the caller has already shut down. This object closes it.
    ///   - ended: called with the descriptor when it has been closed; never if the initializer returns `nil`.
    /// - Returns: `nil` if the loop cannot watch the descriptor. The descriptor is then closed at once.
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
