import EventLoop
import Synchronization
import Testing

@Suite("Caches")
struct CacheTests {
    private final class Counter: Sendable {
        let loads = Mutex(0)
        func next() -> Int {
            loads.withLock { loads in
                loads += 1
                return loads
            }
        }
    }

    @Test("A value is loaded once while it is fresh, and again after its lifetime")
    func lifetime() async throws {
        let counter = Counter()
        let fresh = Cache<String, Int>(lifetime: .seconds(3600)) { _ in counter.next() }
        #expect(try await fresh.value(for: "a") == 1)
        #expect(try await fresh.value(for: "a") == 1)
        let stale = Cache<String, Int>(lifetime: .zero) { _ in counter.next() }
        #expect(try await stale.value(for: "a") == 2)
        #expect(try await stale.value(for: "a") == 3)
    }

    @Test("A value is loaded once for concurrent callers")
    func coalescing() async throws {
        let counter = Counter()
        let cache = Cache<String, Int>(lifetime: .seconds(3600)) { _ in
            for _ in 1...100 { await Task.yield() }
            return counter.next()
        }
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 1...50 { group.addTask { try await cache.value(for: "a") } }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(values == [1])
    }

    @Test("A failure of loading is thrown to the caller, and the next caller loads again")
    func failure() async throws {
        struct LoadingFailed: Error {}
        let counter = Counter()
        let cache = Cache<String, Int>(lifetime: .seconds(3600)) { _ in
            guard counter.next() > 1 else { throw LoadingFailed() }
            return 7
        }
        await #expect(throws: LoadingFailed.self) { try await cache.value(for: "a") }
        #expect(try await cache.value(for: "a") == 7)
    }

    @Test("After an invalidation, stored values and values that were being loaded are loaded again")
    func invalidation() async throws {
        let counter = Counter()
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let cache = Cache<String, Int>(lifetime: .seconds(3600)) { _ in
            start.yield()
            for await _ in gate { break }
            return counter.next()
        }
        async let first = cache.value(for: "a")
        for await _ in started { break }
        cache.invalidateAll()
        async let second = cache.value(for: "a")
        // The gate opens once for each of the three loads of this test.
        for _ in 1...3 { open.yield() }
        #expect(try await first == 1)
        #expect(try await second == 2)
        cache.invalidateAll()
        #expect(try await cache.value(for: "a") == 3)
    }

    @Test("A new value in a cache at its capacity replaces older values")
    func capacity() async throws {
        let counter = Counter()
        let cache = Cache<Int, Int>(lifetime: .seconds(3600), capacity: 2) { _ in counter.next() }
        for key in 1...3 { _ = try await cache.value(for: key) }
        #expect(try await cache.value(for: 3) == 3)
        #expect(try await cache.value(for: 1) == 4)
    }

    @Test("While loading fails, the last value is returned up to the outage limit, and loading is rarely tried")
    func outage() async throws {
        struct Unreachable: Error {}
        let counter = Counter()
        let isDown = Mutex(false)
        let cache = Cache<String, Int>(lifetime: .milliseconds(20), outageLimit: .seconds(3600)) { _ in
            if isDown.withLock({ $0 }) { throw Unreachable() }
            return counter.next()
        }
        #expect(try await cache.value(for: "a") == 1)
        isDown.withLock { $0 = true }
        try await Task.sleep(for: .milliseconds(30))
        for _ in 1...3 { #expect(try await cache.value(for: "a") == 1) }
        await #expect(throws: Unreachable.self) { try await cache.value(for: "never loaded") }
        await #expect(throws: Unreachable.self) {
            try await cache.newValue(for: "a", interval: .zero) { try await Task.sleep(for: $0) }
        }
        #expect(try await cache.value(for: "a") == 1, "the failed attempt to get a new value has not removed it")
        isDown.withLock { $0 = false }
        try await Task.sleep(for: .milliseconds(30))
        #expect(try await cache.value(for: "a") == 2)
        cache.invalidateAll()
        isDown.withLock { $0 = true }
        await #expect(throws: Unreachable.self) { try await cache.value(for: "a") }
    }

    @Test("Fifty callers that need a new value share one loading, which begins after the interval")
    func newValue() async throws {
        let counter = Counter()
        let cache = Cache<String, Int>(lifetime: .seconds(3600)) { _ in counter.next() }
        #expect(try await cache.value(for: "a") == 1)
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 1...50 {
                group.addTask {
                    try await cache.newValue(for: "a", interval: .milliseconds(50)) { try await Task.sleep(for: $0) }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(values).isSubset(of: [2, 3]), "a caller that came during the loading needs another one")
        #expect(try await cache.value(for: "a") == counter.next() - 1)
    }
}
