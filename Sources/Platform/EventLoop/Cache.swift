internal import Synchronization

/// Caches values for a limited time, so that changes at their source take effect while the process runs.
///
/// A value older than `lifetime` is loaded again before it is used. Of several concurrent callers for one key, one
/// loads the value and the others wait for it. If loading fails, all of them get the error, which is not cached. If the
/// value is invalidated while it is being loaded, only the caller that loads it gets this value or error; the others
/// load the value again.
public final class Cache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Resumed with `nil` if loading ended before the wait began, or if the value was invalidated while it was loaded.
    private typealias Waiter = CheckedContinuation<Value?, any Error>

    private struct Entry {
        var value: Value?
        var loadedAt = ContinuousClock.now
        /// The callers that wait for the loading caller; `nil` if no caller is loading.
        var waiters: [Waiter]?
        var isLoading: Bool { waiters != nil }
        /// Whether the value being loaded may already be outdated.
        var isInvalidated = false
    }

    private let lifetime: Duration
    private let capacity: Int
    private let load: @Sendable (Key) async throws -> Value
    private let entries = Mutex<[Key: Entry]>([:])

    /// - Parameter capacity: with this number of entries, a new key removes all entries that are not being loaded. This
    ///   limits the memory, because clients may choose keys.
    public init(
        lifetime: Duration, capacity: Int = 10_000, load: @escaping @Sendable (Key) async throws -> Value
    ) {
        self.lifetime = lifetime
        self.capacity = capacity
        self.load = load
    }

    /// Returns the cached value, or loads it.
    ///
    /// - Throws: errors of `load`.
    public func value(for key: Key) async throws -> Value {
        while true {
            switch entries.withLock({ beginLookUp(key, in: &$0) }) {
            case .fresh(let value): return value
            case .wait:
                if let value = try await loadedByAnother(key) { return value }
            case .load:
                let result: Result<Value?, any Error>
                do { result = .success(try await load(key)) } catch { result = .failure(error) }
                let (waiters, answer) = entries.withLock { finishLoading(key, result, in: &$0) }
                for waiter in waiters { waiter.resume(with: answer) }
                if let value = try result.get() { return value }
            }
        }
    }

    /// Invalidates all values: later callers load them again.
    public func invalidateAll() {
        entries.withLock { entries in
            entries = entries.filter { $0.value.isLoading }.mapValues { entry in
                var entry = entry
                entry.value = nil
                entry.isInvalidated = true
                return entry
            }
        }
    }

    private enum Decision {
        case fresh(Value)
        case load
        case wait
    }

    private func beginLookUp(_ key: Key, in entries: inout [Key: Entry]) -> Decision {
        if let entry = entries[key] {
            if let value = entry.value, entry.loadedAt.duration(to: .now) < lifetime { return .fresh(value) }
            if entry.isLoading { return .wait }
        } else if entries.count >= capacity {
            entries = entries.filter { $0.value.isLoading }
        }
        entries[key, default: Entry()].waiters = []
        return .load
    }

    private func finishLoading(
        _ key: Key, _ result: Result<Value?, any Error>, in entries: inout [Key: Entry]
    ) -> ([Waiter], Result<Value?, any Error>) {
        let waiters = entries[key]?.waiters ?? []
        let isInvalidated = entries[key]?.isInvalidated == true
        switch result {
        case .success(let value) where !isInvalidated: entries[key] = Entry(value: value)
        default: entries[key] = nil
        }
        return (waiters, isInvalidated ? .success(nil) : result)
    }

    private func loadedByAnother(_ key: Key) async throws -> Value? {
        try await withCheckedThrowingContinuation { continuation in
            let hasEnded = entries.withLock { entries in
                entries[key]?.waiters?.append(continuation)
                return entries[key]?.waiters == nil
            }
            if hasEnded { continuation.resume(returning: nil) }
        }
    }
}
