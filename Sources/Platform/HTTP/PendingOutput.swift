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
    private var sent = 0

    /// Sends `output`. If the socket does not accept all of it, keeps the rest and leaves `output` empty.
    mutating func send(_ output: inout [UInt8], to descriptor: Int32) -> Outcome {
        swap(&bytes, &output)
        sent = 0
        let outcome = flush(to: descriptor)
        if outcome != .waiting { swap(&bytes, &output) }
        return outcome
    }

    mutating func flush(to descriptor: Int32) -> Outcome {
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                CSystem.send(descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
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
}
