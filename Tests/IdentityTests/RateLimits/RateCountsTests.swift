import Identity
import Testing

/// A reference to ``RateCounts``, because `#expect` cannot call mutating methods.
private final class RateCountsReference {
    private var counts: RateCounts

    init(capacity: Int) { counts = RateCounts(capacity: capacity) }

    var size: Int { counts.size }
    func admits(_ window: RateWindow, below limit: Int) -> Bool { counts.admits(window, below: limit) }
    func add(to window: RateWindow) { counts.add(to: window) }
    func subtract(from window: RateWindow) { counts.subtract(from: window) }
    func drainDeltas(atMost limit: Int, at now: Instant) -> [RateDelta] { counts.drainDeltas(atMost: limit, at: now) }
    func apply(_ totals: [RateWindow: Int64], of deltas: [RateDelta]) { counts.apply(totals, of: deltas) }
    func restore(_ deltas: [RateDelta]) { counts.restore(deltas) }

    /// Adds to `window` until `limit` is reached, and returns the number of additions.
    func fill(_ window: RateWindow, upTo limit: Int) -> Int {
        var additions = 0
        while admits(window, below: limit) {
            add(to: window)
            additions += 1
        }
        return additions
    }
}

@Suite("Rate counts")
struct RateCountsTests {
    /// The start of a window, because windows begin at multiples of their length.
    private let start = Instant(seconds: 1_800_000_000)

    private func window(_ name: String, at now: Instant? = nil) -> RateWindow {
        RateWindow(of: Array(name.utf8), lasting: .seconds(600), at: now ?? start)
    }

    @Test("Each key is admitted up to its limit in each window")
    func limit() {
        let counts = RateCountsReference(capacity: 10)
        #expect(counts.fill(window("a"), upTo: 3) == 3)
        #expect(counts.fill(window("b"), upTo: 3) == 3)
        #expect(counts.fill(window("a"), upTo: 5) == 2, "a higher limit")
        #expect(counts.fill(window("a", at: start + .seconds(599)), upTo: 3) == 0)
        #expect(counts.fill(window("a", at: start + .seconds(600)), upTo: 3) == 3)
    }

    @Test("A count can be decreased, but not below zero")
    func decreasing() {
        let counts = RateCountsReference(capacity: 10)
        counts.add(to: window("a"))
        counts.subtract(from: window("a"))
        counts.subtract(from: window("a"))
        #expect(counts.fill(window("a"), upTo: 3) == 3)
    }

    @Test("The counts of other replicas are applied to the windows that this replica has counted or queried")
    func otherReplicas() {
        let counts = RateCountsReference(capacity: 10)
        counts.add(to: window("counted"))
        #expect(counts.admits(window("queried"), below: 10))
        let deltas = counts.drainDeltas(atMost: 10, at: start)
        #expect(
            Set(deltas) == [
                RateDelta(window: window("counted"), count: 1), RateDelta(window: window("queried"), count: 0),
            ])
        counts.add(to: window("counted"))
        counts.apply([window("counted"): 7, window("queried"): 9], of: deltas)
        #expect(counts.fill(window("counted"), upTo: 10) == 2, "the total is seven, and one was added since")
        #expect(counts.fill(window("queried"), upTo: 10) == 1)
        #expect(!counts.drainDeltas(atMost: 10, at: start).isEmpty)
        #expect(counts.drainDeltas(atMost: 10, at: start).isEmpty, "everything has been sent")
    }

    @Test("A window at its limit is not queried again, and a window without events is removed")
    func queries() {
        let counts = RateCountsReference(capacity: 10)
        #expect(counts.admits(window("queried"), below: 10))
        counts.apply([:], of: counts.drainDeltas(atMost: 10, at: start))
        #expect(counts.size == 0)
        counts.add(to: window("full"))
        counts.apply([window("full"): 10], of: counts.drainDeltas(atMost: 10, at: start))
        #expect(!counts.admits(window("full"), below: 10))
        #expect(counts.drainDeltas(atMost: 10, at: start).isEmpty)
    }

    @Test("Counts continue locally if they cannot be sent, and are sent later")
    func outage() {
        let counts = RateCountsReference(capacity: 10)
        counts.add(to: window("a"))
        counts.restore(counts.drainDeltas(atMost: 10, at: start))
        counts.add(to: window("a"))
        #expect(counts.fill(window("a"), upTo: 3) == 1)
        // Two by `add`, of which one was restored, and one by `fill`.
        #expect(counts.drainDeltas(atMost: 10, at: start) == [RateDelta(window: window("a"), count: 3)])
    }

    @Test("A window that has ended is removed")
    func ended() {
        let counts = RateCountsReference(capacity: 10)
        counts.add(to: window("a"))
        #expect(counts.drainDeltas(atMost: 10, at: start + .seconds(600)).isEmpty)
        #expect(counts.size == 0)
    }

    @Test("A bounded number of windows is kept, including a window that is queried often")
    func bounded() {
        let counts = RateCountsReference(capacity: 1000)
        for _ in 1...5 { counts.add(to: window("attacked")) }
        for number in 0..<100_000 {
            counts.add(to: window("\(number)"))
            if number.isMultiple(of: 100) { #expect(!counts.admits(window("attacked"), below: 5)) }
            if counts.size > 1000 { Issue.record("\(counts.size) windows are kept, expected at most 1000") }
        }
    }

    @Test("Counts are sent in batches of at most the requested size")
    func batches() {
        let counts = RateCountsReference(capacity: 10)
        for name in ["a", "b", "c"] { counts.add(to: window(name)) }
        let first = counts.drainDeltas(atMost: 2, at: start)
        let second = counts.drainDeltas(atMost: 2, at: start)
        #expect([first.count, second.count] == [2, 1])
        #expect(Set((first + second).map(\.window)).count == 3)
    }
}
