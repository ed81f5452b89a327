internal import Synchronization

/// Values kept for a short time, so that what is configured may change while the process runs.
///
/// A value older than `lifetime` is loaded again before it is used. Of all who want it meanwhile one loads it, and the
/// others wait for that; failures are told to them and not kept.
public final class Cache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Gets `nil` if the loading ended before the wait began.
    private typealias Waiter = CheckedContinuation<Value?, any Error>

    private struct Entry {
        var value: Value?
        var loadedAt = ContinuousClock.now
        /// `nil` while nobody loads.
        var waiters: [Waiter]?
        /// What is being loaded may be out of date already.
        var isForgotten = false
    }

    private let lifetime: Duration
    private let capacity: Int
    private let load: @Sendable (Key) async throws -> Value
    private let entries = Mutex<[Key: Entry]>([:])

    /// - Parameter capacity: once reached, everything that nobody is loading is forgotten: keys may come from strangers.
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

    /// Everything is loaded again before it is used, by whoever asks from now on.
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
