internal import CSystem
internal import EventLoop

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
    /// Sent after `bytes`, from memory that other responses may share.
    private(set) var body: [UInt8] = []
    /// Of both.
    private var sent = 0

    /// Sends `output` and `body`. If the socket does not accept all of it, keeps the rest and leaves `output` empty.
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
