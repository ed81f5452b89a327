internal import Synchronization

/// A value that only increases.
public struct Counter: Sendable {
    let series: Series<Cell>

    init(_ series: Series<Cell>) { self.series = series }

    /// - Parameter values: one per label, in the order of registration.
    public func increment(by amount: UInt = 1, _ values: String...) {
        series[values].update { $0 + Double(amount) }
    }
}

/// A value that increases and decreases.
public struct Gauge: Sendable {
    let series: Series<Cell>

    init(_ series: Series<Cell>) { self.series = series }

    /// - Parameter values: one per label, in the order of registration.
    public func set(_ value: Double, _ values: String...) {
        series[values].update { _ in value }
    }

    /// - Parameter values: one per label, in the order of registration.
    public func add(_ amount: Double, _ values: String...) {
        series[values].update { $0 + amount }
    }
}

/// Counts observations in buckets.
public struct Histogram: Sendable {
    let series: Series<Distribution>

    init(_ series: Series<Distribution>) { self.series = series }

    /// - Parameter values: one per label, in the order of registration.
    public func observe(_ value: Double, _ values: String...) {
        series[values].observe(value)
    }

    /// Observes a duration in seconds.
    ///
    /// - Parameter values: one per label, in the order of registration.
    public func observe(_ duration: Duration, _ values: String...) {
        let (seconds, attoseconds) = duration.components
        series[values].observe(Double(seconds) + Double(attoseconds) * 1e-18)
    }
}

/// A number that several threads change; exact up to 2^53.
final class Cell: Measurement {
    private let bits = Atomic<UInt64>(0)

    var isUntouched: Bool { bits.load(ordering: .relaxed) == 0 }

    func update(_ change: (Double) -> Double) {
        var seen = bits.load(ordering: .relaxed)
        while true {
            let (isDone, current) = bits.weakCompareExchange(
                expected: seen, desired: change(Double(bitPattern: seen)).bitPattern, ordering: .relaxed)
            if isDone { return }
            seen = current
        }
    }

    func samples(name: String, labels: String) -> [String] {
        [Exposition.sample(name, labels, Double(bitPattern: bits.load(ordering: .relaxed)))]
    }
}

final class Distribution: Measurement {
    private struct State {
        /// Not cumulative; one more than `bounds`.
        var counts: [UInt64]
        var sum = 0.0
    }

    private let bounds: [Double]
    // Keeps counts and sum consistent.
    private let state: Mutex<State>

    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    var isUntouched: Bool { state.withLock { $0.counts.allSatisfy { $0 == 0 } } }

    func observe(_ value: Double) {
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += value
        }
    }

    func samples(name: String, labels: String) -> [String] {
        let state = state.withLock { $0 }
        var total = 0.0
        var lines: [String] = []
        for (bound, count) in zip(bounds + [.infinity], state.counts) {
            total += Double(count)
            let bucket = Exposition.labels([("le", Exposition.number(bound))])
            lines.append(Exposition.sample(name + "_bucket", labels.isEmpty ? bucket : labels + "," + bucket, total))
        }
        return lines + [
            Exposition.sample(name + "_sum", labels, state.sum), Exposition.sample(name + "_count", labels, total),
        ]
    }
}
