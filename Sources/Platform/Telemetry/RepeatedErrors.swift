internal import Synchronization

/// Limits the lines for errors with the same cause to one per second.
final class RepeatedErrors: Sendable {
    private struct Entry {
        var writtenAt: ContinuousClock.Instant
        /// The errors since then.
        var unwritten = 0
    }

    private static let interval: Duration = .seconds(1)
    /// The maximum number of causes. Errors with further causes are not limited.
    private static let capacity = 1000

    /// Guards the recent errors by cause.
    private let entries = Mutex<[String: Entry]>([:])

    /// Counts an error.
    ///
    /// - Returns: if the caller must write a line now, the number of earlier errors without a line; otherwise `nil`.
    func add(_ cause: String, at now: ContinuousClock.Instant) -> Int? {
        entries.withLock { entries in
            guard let entry = entries[cause] else {
                if entries.count < Self.capacity { entries[cause] = Entry(writtenAt: now) }
                return 0
            }
            guard entry.writtenAt.duration(to: now) >= Self.interval else {
                entries[cause]?.unwritten += 1
                return nil
            }
            entries[cause] = Entry(writtenAt: now)
            return entry.unwritten
        }
    }

    /// Returns the causes whose errors have waited for a line for long enough, with their numbers. Forgets causes
    /// without recent errors.
    func takeDue(at now: ContinuousClock.Instant) -> [(cause: String, count: Int)] {
        entries.withLock { entries in
            let due = entries.filter { $0.value.writtenAt.duration(to: now) >= Self.interval }
            for (cause, entry) in due { entries[cause] = entry.unwritten > 0 ? Entry(writtenAt: now) : nil }
            return due.filter { $0.value.unwritten > 0 }.map { (cause: $0.key, count: $0.value.unwritten) }
                .sorted { $0.cause < $1.cause }
        }
    }
}
