internal import Glibc
internal import Synchronization

/// Writes lines from any thread to a descriptor, through a bounded queue and a thread of its own. If the reader is
/// slow, lines are dropped, and callers are not delayed.
final class LogWriter: Sendable {
    private enum Item {
        case line([UInt8])
        /// A semaphore to signal when all earlier lines have been written.
        case flush(Semaphore)
        case end
    }

    private struct Queue {
        var items: [Item] = []
        var bytes = 0
        var dropped = 0
        /// Dropped lines that the log has not reported yet.
        var unreported = 0
        /// Whether the thread has been woken and has not emptied the queue yet.
        var wakeIsPending = false
    }

    /// How long the thread waits for further lines, because waking it for each line would cost more than writing the
    /// line.
    private static let batchingMicroseconds: UInt32 = 2000
    /// The maximum size of lines that are written together. It is PIPE_BUF: a write of at most this size to a pipe is
    /// atomic, so that readers never receive a part of a line (unless the line itself is longer).
    private static let chunkBytes = 4096

    private let descriptor: Int32
    private let capacity: Int
    private let dropNotice: @Sendable (Int) -> [UInt8]
    private let queue = Mutex(Queue())
    private let arrival = Semaphore()

    /// - Parameters:
    ///   - capacity: the maximum size of the queued lines in bytes.
    ///   - dropNotice: returns the line that reports this number of dropped lines.
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
        precondition(code == 0, "pthread_create failed for the log thread")
        pthread_detach(thread)
    }

    var dropped: Int { queue.withLock { $0.dropped } }

    func append(_ line: [UInt8]) {
        updateAndWake { queue in
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
        add(.flush(written))
        return written.wait(atMost: timeout)
    }

    /// Ends the thread after all lines have been written.
    func close() { add(.end) }

    private func add(_ item: Item) {
        updateAndWake { $0.items.append(item) }
    }

    private func updateAndWake(_ update: (inout Queue) -> Void) {
        let mustWake = queue.withLock { queue in
            update(&queue)
            defer { queue.wakeIsPending = true }
            return !queue.wakeIsPending
        }
        if mustWake { arrival.signal() }
    }

    private func run() {
        // Blocks all signals. Because SIGPIPE is blocked, a write to a closed pipe returns an error. Other threads
        // handle the other signals.
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        while true {
            arrival.wait()
            usleep(Self.batchingMicroseconds)
            let (items, missing) = takeItems()
            guard write(items) else { return }
            // If this write fails, no line is counted as dropped: the missing lines are counted already.
            if missing > 0 { write(dropNotice(missing), lines: 0) }
        }
    }

    private func takeItems() -> ([Item], missing: Int) {
        queue.withLock { queue in
            defer {
                queue.items = []
                queue.unreported = 0
                queue.wakeIsPending = false
            }
            return (queue.items, queue.unreported)
        }
    }

    /// - Returns: `false` if `items` contains ``Item/end``.
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
            case .flush(let written):
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

    /// Writes whole lines with one call, unless the system accepts only a part.
    ///
    /// - Parameter lines: the number of lines, which are counted as dropped if the write fails.
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
