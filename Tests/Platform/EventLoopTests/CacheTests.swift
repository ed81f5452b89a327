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
}
