internal import Synchronization

/// Values kept for a short time, so that what is configured may change while the process runs.
///
/// A value older than `lifetime` is loaded again before it is used. Two callers may load the same value at once;
/// the later answer stays.
public final class Cache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        let value: Value
        let loadedAt: ContinuousClock.Instant
    }

    private let lifetime: Duration
    private let capacity: Int
    private let load: @Sendable (Key) async throws -> Value
    private let entries = Mutex<[Key: Entry]>([:])

    /// - Parameter capacity: once reached, everything is forgotten: keys may come from strangers.
    public init(
        lifetime: Duration, capacity: Int = 10_000, load: @escaping @Sendable (Key) async throws -> Value
    ) {
        self.lifetime = lifetime
        self.capacity = capacity
        self.load = load
    }

    public func value(for key: Key) async throws -> Value {
        if let entry = entries.withLock({ $0[key] }), entry.loadedAt.duration(to: .now) < lifetime {
            return entry.value
        }
        let value = try await load(key)
        entries.withLock { entries in
            if entries.count >= capacity { entries.removeAll() }
            entries[key] = Entry(value: value, loadedAt: .now)
        }
        return value
    }

    public func forgetAll() {
        entries.withLock { $0.removeAll() }
    }

    public func forget(_ key: Key) {
        entries.withLock { $0[key] = nil }
    }
}
