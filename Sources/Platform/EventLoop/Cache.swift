internal import Synchronization

/// Caches values for a limited time, so that changes at their source take effect while the process runs.
///
/// A value older than `lifetime` is loaded again before it is used. Of several concurrent callers for one key, one
/// loads the value and the others wait for it. If loading fails, all of them get the error, which is not cached. If the
/// value is invalidated while it is being loaded, only the caller that loads it gets this value or error; the others
/// load the value again.
///
/// With an outage limit, the last value is returned while its source cannot be reached, until the value is that old. A
/// failure is then remembered for the lifetime; meanwhile, no caller waits for the source.
public final class Cache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Resumed with `nil` if loading ended before the wait began, or if the value was invalidated while it was loaded.
    private typealias Waiter = CheckedContinuation<Value?, any Error>

    /// A class, so that a look-up does not copy the members. Only used while ``entries`` is locked.
    private final class Entry: @unchecked Sendable {
        var value: Value?
        let loadedAt = ContinuousClock.now
        /// When the loading of `value` began, and when the latest loading began.
        let valueBegan: ContinuousClock.Instant?
        var loadingBegan: ContinuousClock.Instant?
        /// Whether the next look-up loads the value, although it is fresh.
        var mustReload = false
        /// The latest failure, if loading has not succeeded since.
        var failure: (at: ContinuousClock.Instant, error: any Error)?
        /// The callers that wait for the loading caller; `nil` if no caller is loading.
        var waiters: [Waiter]?
        var isLoading: Bool { waiters != nil }
        /// Whether the value being loaded may already be outdated.
        var isInvalidated = false

        init(value: Value? = nil, began: ContinuousClock.Instant? = nil) {
            self.value = value
            valueBegan = began
            loadingBegan = began
        }
    }

    private let lifetime: Duration
    private let outageLimit: Duration
    private let isOutage: @Sendable (any Error) -> Bool
    private let capacity: Int
    private let load: @Sendable (Key) async throws -> Value
    private let entries = Mutex<[Key: Entry]>([:])

    /// - Parameters:
    ///   - outageLimit: the maximum age of a value that is returned while loading fails; zero returns none.
    ///   - isOutage: whether an error of `load` means that the source cannot be reached.
    ///   - capacity: with this number of entries, a new key removes all entries that are not being loaded. This limits
    ///     the memory, because clients may choose keys.
    public init(
        lifetime: Duration, outageLimit: Duration = .zero,
        isOutage: @escaping @Sendable (any Error) -> Bool = { _ in true }, capacity: Int = 10_000,
        load: @escaping @Sendable (Key) async throws -> Value
    ) {
        self.lifetime = lifetime
        self.outageLimit = outageLimit
        self.isOutage = isOutage
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
                if let value = try await loadedForAll(key) { return value }
            }
        }
    }

    /// Returns a value whose loading began after this call. For each key, one loading begins per `interval` at most: a
    /// caller waits for the next permitted loading, together with other callers.
    ///
    /// - Parameter sleep: suspends the caller for a duration.
    /// - Throws: errors of `load` and of `sleep`.
    public func newValue(
        for key: Key, interval: Duration, sleep: (Duration) async throws -> Void
    ) async throws -> Value {
        let start = ContinuousClock.now
        while true {
            let pause = entries.withLock { pauseBeforeLoading(key, after: start, interval, in: $0) }
            guard pause <= .zero else {
                try await sleep(pause)
                continue
            }
            let value = try await value(for: key)
            let (began, failure) = entries.withLock { ($0[key]?.valueBegan, $0[key]?.failure) }
            // Without an entry, the value was loaded for this call, and invalidated meanwhile.
            guard let began, began <= start else { return value }
            if let failure { throw failure.error }
        }
    }

    /// Returns the age of the cached value; `nil` if there is none.
    public func age(of key: Key) -> Duration? {
        entries.withLock { entries in
            entries[key].flatMap { $0.value == nil ? nil : $0.loadedAt.duration(to: .now) }
        }
    }

    /// Returns the time until the next permitted loading. If the value may be loaded now, the next look-up loads it.
    private func pauseBeforeLoading(
        _ key: Key, after start: ContinuousClock.Instant, _ interval: Duration, in entries: [Key: Entry]
    ) -> Duration {
        guard let entry = entries[key], !entry.isLoading, let began = entry.loadingBegan, began <= start else {
            return .zero
        }
        let pause = interval - began.duration(to: .now)
        if pause <= .zero { entry.mustReload = true }
        return pause
    }

    /// Invalidates all values: later callers load them again.
    public func invalidateAll() {
        entries.withLock { entries in
            entries = entries.filter { $0.value.isLoading }
            for entry in entries.values {
                entry.value = nil
                entry.isInvalidated = true
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
            if let value = entry.value {
                let age = entry.loadedAt.duration(to: .now)
                if age < lifetime, !entry.mustReload { return .fresh(value) }
                let waits = entry.failure.map { !entry.isLoading && $0.at.duration(to: .now) >= lifetime } ?? true
                if age < outageLimit, !waits { return .fresh(value) }
            }
            if entry.isLoading { return .wait }
        } else if entries.count >= capacity {
            entries = entries.filter { $0.value.isLoading }
        }
        let entry = entries[key] ?? Entry()
        entries[key] = entry
        entry.waiters = []
        entry.loadingBegan = .now
        return .load
    }

    private func finishLoading(
        _ key: Key, _ result: Result<Value?, any Error>, in entries: inout [Key: Entry]
    ) -> ([Waiter], Result<Value?, any Error>) {
        let entry = entries[key] ?? Entry()
        let waiters = entry.waiters ?? []
        guard !entry.isInvalidated else {
            entries[key] = nil
            return (waiters, .success(nil))
        }
        switch result {
        case .success(let value):
            entries[key] = Entry(value: value, began: entry.loadingBegan)
        case .failure(let error):
            guard let value = entry.value, isOutage(error), entry.loadedAt.duration(to: .now) < outageLimit else {
                entries[key] = nil
                return (waiters, result)
            }
            entry.waiters = nil
            entry.failure = (.now, error)
            return (waiters, .success(value))
        }
        return (waiters, result)
    }

    /// Loads a value, and resumes the callers that wait for it.
    private func loadedForAll(_ key: Key) async throws -> Value? {
        let result: Result<Value?, any Error>
        do { result = .success(try await load(key)) } catch { result = .failure(error) }
        let (waiters, answer) = entries.withLock { finishLoading(key, result, in: &$0) }
        for waiter in waiters { waiter.resume(with: answer) }
        // The caller that has loaded a value may use it even if it was invalidated meanwhile.
        return try answer.get() ?? result.get()
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
