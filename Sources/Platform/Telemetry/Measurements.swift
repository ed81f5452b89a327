internal import Synchronization

/// A value that only increases.
public struct Counter: Sendable {
    let family: RecordedFamily<AtomicNumber>

    init(_ family: RecordedFamily<AtomicNumber>) { self.family = family }

    /// - Parameter values: one per label, in the order of registration.
    public func increment(by amount: UInt = 1, _ values: String...) {
        family[values].update { $0 + Double(amount) }
    }
}

/// A value that increases and decreases.
public struct Gauge: Sendable {
    let family: RecordedFamily<AtomicNumber>

    init(_ family: RecordedFamily<AtomicNumber>) { self.family = family }

    /// - Parameter values: one per label, in the order of registration.
    public func set(_ value: Double, _ values: String...) {
        family[values].update { _ in value }
    }

    /// - Parameter values: one per label, in the order of registration.
    public func add(_ amount: Double, _ values: String...) {
        family[values].update { $0 + amount }
    }
}

/// Counts observations in buckets.
public struct Histogram: Sendable {
    let family: RecordedFamily<Distribution>

    init(_ family: RecordedFamily<Distribution>) { self.family = family }

    /// - Parameter values: one per label, in the order of registration.
    public func observe(_ value: Double, _ values: String...) {
        family[values].observe(value)
    }

    /// Observes a duration in seconds.
    ///
    /// - Parameter values: one per label, in the order of registration.
    public func observe(_ duration: Duration, _ values: String...) {
        let (seconds, attoseconds) = duration.components
        family[values].observe(Double(seconds) + Double(attoseconds) * 1e-18)
    }
}

/// A number that several threads may change. Integers are exact up to 2^53.
final class AtomicNumber: Measurement {
    private let bits = Atomic<UInt64>(0)

    var isInitial: Bool { bits.load(ordering: .relaxed) == 0 }

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

/// The counts and the sum of a histogram.
final class Distribution: Measurement {
    private struct State {
        /// The number of observations in each bucket, not cumulative. The last bucket has no upper bound.
        var counts: [UInt64]
        var sum = 0.0
    }

    private let bounds: [Double]
    // One lock, so that the counts and the sum are consistent.
    private let state: Mutex<State>

    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    var isInitial: Bool { state.withLock { $0.counts.allSatisfy { $0 == 0 } } }

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

/// A label with all its values. Any other value is counted as `other`.
public struct MetricLabel: Sendable {
    let name: String
    let values: [String]

    public init(_ name: String, _ values: [String]) {
        precondition(Exposition.isLabelName(name), "\(name) is not a valid label name")
        self.name = name
        self.values = values
    }
}

enum MetricKind: String {
    case counter, gauge, histogram
}

/// All series of a metric.
protocol MetricFamily: Sendable {
    var name: String { get }
    var help: String { get }
    var kind: MetricKind { get }
    /// Lines without line ends.
    func samples() -> [String]
}

/// The value of one series.
protocol Measurement: Sendable {
    /// Whether the value is the same as before the first event.
    var isInitial: Bool { get }
    /// - Parameter labels: comma-separated, without braces.
    func samples(name: String, labels: String) -> [String]
}

/// The recorded values of a metric, one for each combination of label values. All are created with the metric, so that
/// no lock is needed to find a value.
final class RecordedFamily<Value: Measurement>: MetricFamily {
    private struct Dimension {
        let name: String
        /// The last value is `other`.
        let values: [String]
        let positions: [String: Int]
    }

    let name: String
    let help: String
    let kind: MetricKind
    private let dimensions: [Dimension]
    private let measurements: [Value]

    init(name: String, help: String, kind: MetricKind, labels: [MetricLabel], _ make: () -> Value) {
        self.name = name
        self.help = help
        self.kind = kind
        dimensions = labels.map { label in
            let positions = Dictionary(
                label.values.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
            return Dimension(name: label.name, values: label.values + ["other"], positions: positions)
        }
        measurements = (0..<dimensions.reduce(1) { $0 * $1.values.count }).map { _ in make() }
    }

    subscript(values: [String]) -> Value {
        precondition(values.count == dimensions.count, "\(name) has \(dimensions.count) labels")
        var index = 0
        for (dimension, value) in zip(dimensions, values) {
            index = index * dimension.values.count + (dimension.positions[value] ?? dimension.values.count - 1)
        }
        return measurements[index]
    }

    /// Returns samples of all combinations of declared label values, even before the first event of a combination.
    /// Otherwise a rate that Prometheus computes would miss the first event. A combination with `other`, and a
    /// histogram, which has many lines, are included only if the value is no longer initial.
    func samples() -> [String] {
        measurements.indices.flatMap { index -> [String] in
            var remainder = index
            var labels: [(String, String)] = []
            var isDeclared = true
            for dimension in dimensions.reversed() {
                let position = remainder % dimension.values.count
                remainder /= dimension.values.count
                isDeclared = isDeclared && position < dimension.values.count - 1
                labels.append((dimension.name, dimension.values[position]))
            }
            guard (isDeclared && kind != .histogram) || !measurements[index].isInitial else { return [] }
            return measurements[index].samples(name: name, labels: Exposition.labels(labels.reversed()))
        }
    }
}

/// Values that are computed when the metrics are rendered.
struct ComputedFamily: MetricFamily {
    let name: String
    let help: String
    let kind: MetricKind
    let read: @Sendable () -> [(labels: String, value: Double)]

    init(
        name: String, help: String, kind: MetricKind, read: @escaping @Sendable () -> [(labels: String, value: Double)]
    ) {
        self.name = name
        self.help = help
        self.kind = kind
        self.read = read
    }

    func samples() -> [String] { read().map { Exposition.sample(name, $0.labels, $0.value) } }
}
