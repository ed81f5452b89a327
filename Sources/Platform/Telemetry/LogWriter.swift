internal import Glibc
internal import Synchronization

/// Carries lines from any thread to a descriptor through a bounded queue and a thread of its own, so that a reader
/// who stalls costs lines and never time.
final class LogWriter: Sendable {
    private enum Item {
        case line([UInt8])
        /// Signalled when all before it is written.
        case mark(Semaphore)
        case end
    }

    private struct Queue {
        var items: [Item] = []
        var bytes = 0
        var dropped = 0
        /// Those dropped since the reader was last told.
        var unreported = 0
        /// The thread knows that there is something to do, and has not looked yet.
        var isAnnounced = false
    }

    /// How long the thread lets lines gather: waking it for each would cost more than writing it.
    private static let gatheringMicroseconds: UInt32 = 2000
    /// Lines are written together up to this size, up to which a pipe takes all or nothing (POSIX's PIPE_BUF), so that
    /// whoever reads never gets half a line.
    private static let chunkBytes = 4096

    private let descriptor: Int32
    private let capacity: Int
    private let dropNotice: @Sendable (Int) -> [UInt8]
    private let queue = Mutex(Queue())
    private let arrival = Semaphore()

    /// - Parameters:
    ///   - capacity: of the queue, in bytes.
    ///   - dropNotice: the line that tells the reader how many lines are missing at this place.
    init(descriptor: Int32, capacity: Int, dropNotice: @escaping @Sendable (Int) -> [UInt8]) {
        self.descriptor = descriptor
        self.capacity = capacity
        self.dropNotice = dropNotice
        var thread = pthread_t()
        let code = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<LogWriter>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        precondition(code == 0, "no thread for the log")
        pthread_detach(thread)
    }

    var dropped: Int { queue.withLock { $0.dropped } }

    func append(_ line: [UInt8]) {
        change { queue in
            if queue.bytes + line.count <= capacity {
                queue.bytes += line.count
                queue.items.append(.line(line))
            } else {
                queue.dropped += 1
                queue.unreported += 1
            }
        }
    }

    func flush(within timeout: Duration) -> Bool {
        let written = Semaphore()
        add(.mark(written))
        return written.wait(atMost: timeout)
    }

    /// Ends the thread once all lines are written.
    func close() { add(.end) }

    private func add(_ item: Item) {
        change { $0.items.append(item) }
    }

    private func change(_ change: (inout Queue) -> Void) {
        let isNews = queue.withLock { queue in
            change(&queue)
            defer { queue.isAnnounced = true }
            return !queue.isAnnounced
        }
        if isNews { arrival.signal() }
    }

    private func run() {
        // A reader who goes away is an error to handle here, not a signal; and all other signals are for others.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        while true {
            arrival.wait()
            usleep(Self.gatheringMicroseconds)
            let (items, missing) = take()
            guard write(items) else { return }
            if missing > 0 { write(dropNotice(missing), lines: 0) }
        }
    }

    private func take() -> ([Item], missing: Int) {
        queue.withLock { queue in
            defer {
                queue.items = []
                queue.unreported = 0
                queue.isAnnounced = false
            }
            return (queue.items, queue.unreported)
        }
    }

    /// - Returns: whether more may come.
    private func write(_ items: [Item]) -> Bool {
        var chunk: [UInt8] = []
        var lines = 0
        func writeChunk() {
            guard lines > 0 else { return }
            write(chunk, lines: lines)
            queue.withLock { $0.bytes -= chunk.count }
            chunk.removeAll(keepingCapacity: true)
            lines = 0
        }
        for item in items {
            switch item {
            case .line(let line):
                if chunk.count + line.count > Self.chunkBytes { writeChunk() }
                chunk += line
                lines += 1
            case .mark(let written):
                writeChunk()
                written.signal()
            case .end:
                writeChunk()
                return false
            }
        }
        writeChunk()
        return true
    }

    /// Whole lines in one call, unless the reader takes a long one in pieces.
    ///
    /// - Parameter lines: how many are lost if they cannot be written.
    private func write(_ bytes: [UInt8], lines: Int) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written)
            }
            if count >= 0 {
                written += count
            } else if errno == EAGAIN {
                var interest = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&interest, 1, -1)
            } else if errno != EINTR {
                return queue.withLock { $0.dropped += lines }
            }
        }
    }
}
