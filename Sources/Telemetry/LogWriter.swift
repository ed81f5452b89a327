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
    }

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
        let isNews = queue.withLock { queue in
            guard queue.bytes + line.count <= capacity else {
                queue.dropped += 1
                queue.unreported += 1
                return queue.unreported == 1
            }
            queue.bytes += line.count
            queue.items.append(.line(line))
            return true
        }
        if isNews { arrival.signal() }
    }

    func flush(within timeout: Duration) -> Bool {
        let written = Semaphore()
        add(.mark(written))
        return written.wait(atMost: timeout)
    }

    /// Ends the thread once all lines are written.
    func close() { add(.end) }

    private func add(_ item: Item) {
        queue.withLock { $0.items.append(item) }
        arrival.signal()
    }

    private func run() {
        // A reader who goes away is an error to handle here, not a signal; and all other signals are for others.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        while true {
            arrival.wait()
            let (items, missing) = take()
            for item in items {
                switch item {
                case .line(let line):
                    write(line)
                    queue.withLock { $0.bytes -= line.count }
                case .mark(let written): written.signal()
                case .end: return
                }
            }
            if missing > 0 { write(dropNotice(missing)) }
        }
    }

    private func take() -> ([Item], missing: Int) {
        queue.withLock { queue in
            defer {
                queue.items = []
                queue.unreported = 0
            }
            return (queue.items, queue.unreported)
        }
    }

    /// A whole line in one call, unless the reader takes it in pieces.
    private func write(_ line: [UInt8]) {
        var written = 0
        while written < line.count {
            let count = line.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written)
            }
            if count >= 0 {
                written += count
            } else if errno == EAGAIN {
                var interest = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&interest, 1, -1)
            } else if errno != EINTR {
                queue.withLock { $0.dropped += 1 }
                return
            }
        }
    }
}
