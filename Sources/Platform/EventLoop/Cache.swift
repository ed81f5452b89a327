internal import Synchronization

/// Values cached for a short time, so that the configuration may change while the process runs.
///
/// A value older than `lifetime` is loaded again before it is used. Of several concurrent callers, one loads the value
/// and the others wait for it. All of them get a failure, which is not cached.
public final class Cache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Gets `nil` if the loading ended before the wait began.
    private typealias Waiter = CheckedContinuation<Value?, any Error>

    private struct Entry {
        var value: Value?
        var loadedAt = ContinuousClock.now
        /// `nil` unless a caller is loading.
        var waiters: [Waiter]?
        /// Whether the value being loaded may already be out of date.
        var isForgotten = false
    }

    private let lifetime: Duration
    private let capacity: Int
    private let load: @Sendable (Key) async throws -> Value
    private let entries = Mutex<[Key: Entry]>([:])

    /// - Parameter capacity: when it is reached, every entry that is not being loaded is dropped, because strangers may
    ///   choose keys.
    public init(
        lifetime: Duration, capacity: Int = 10_000, load: @escaping @Sendable (Key) async throws -> Value
    ) {
        self.lifetime = lifetime
        self.capacity = capacity
        self.load = load
    }

    public func value(for key: Key) async throws -> Value {
        while true {
            switch entries.withLock({ begin(key, in: &$0) }) {
            case .fresh(let value): return value
            case .wait:
                if let value = try await loadedByAnother(key) { return value }
            case .load:
                let result: Result<Value?, any Error>
                do { result = .success(try await load(key)) } catch { result = .failure(error) }
                let (waiters, answer) = entries.withLock { finish(key, result, in: &$0) }
                for waiter in waiters { waiter.resume(with: answer) }
                if let value = try result.get() { return value }
            }
        }
    }

    /// Invalidates all values: later callers load them again.
    public func forgetAll() {
        entries.withLock { entries in
            entries = entries.filter { $0.value.waiters != nil }.mapValues { entry in
                var entry = entry
                entry.value = nil
                entry.isForgotten = true
                return entry
            }
        }
    }

    private enum Turn {
        case fresh(Value)
        case load
        case wait
    }

    private func begin(_ key: Key, in entries: inout [Key: Entry]) -> Turn {
        if let entry = entries[key] {
            if let value = entry.value, entry.loadedAt.duration(to: .now) < lifetime { return .fresh(value) }
            if entry.waiters != nil { return .wait }
        } else if entries.count >= capacity {
            entries = entries.filter { $0.value.waiters != nil }
        }
        entries[key, default: Entry()].waiters = []
        return .load
    }

    private func finish(
        _ key: Key, _ result: Result<Value?, any Error>, in entries: inout [Key: Entry]
    ) -> ([Waiter], Result<Value?, any Error>) {
        let waiters = entries[key]?.waiters ?? []
        let isForgotten = entries[key]?.isForgotten == true
        switch result {
        case .success(let value) where !isForgotten: entries[key] = Entry(value: value)
        default: entries[key] = nil
        }
        return (waiters, isForgotten ? .success(nil) : result)
    }

    private func loadedByAnother(_ key: Key) async throws -> Value? {
        try await withCheckedThrowingContinuation { continuation in
            let isOver = entries.withLock { entries in
                entries[key]?.waiters?.append(continuation)
                return entries[key]?.waiters == nil
            }
            if isOver { continuation.resume(returning: nil) }
        }
    }
}
