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

/// All series of one metric.
protocol MetricFamily: Sendable {
    var name: String { get }
    var help: String { get }
    var kind: MetricKind { get }
    /// Lines without line ends.
    func samples() -> [String]
}

/// The value of one series.
protocol Measurement: Sendable {
    var isUntouched: Bool { get }
    /// - Parameter labels: comma-separated, without braces.
    func samples(name: String, labels: String) -> [String]
}

/// One measurement per combination of label values, created at start-up and found without a lock.
final class Series<Held: Measurement>: MetricFamily {
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
    private let held: [Held]

    init(name: String, help: String, kind: MetricKind, labels: [MetricLabel], _ make: () -> Held) {
        self.name = name
        self.help = help
        self.kind = kind
        dimensions = labels.map { label in
            let positions = Dictionary(
                label.values.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
            return Dimension(name: label.name, values: label.values + ["other"], positions: positions)
        }
        held = (0..<dimensions.reduce(1) { $0 * $1.values.count }).map { _ in make() }
    }

    subscript(values: [String]) -> Held {
        precondition(values.count == dimensions.count, "\(name) has \(dimensions.count) labels")
        var index = 0
        for (dimension, value) in zip(dimensions, values) {
            index = index * dimension.values.count + (dimension.positions[value] ?? dimension.values.count - 1)
        }
        return held[index]
    }

    /// Declared combinations exist from the start, so that a rate does not miss their first event. Those with `other`
    /// appear with their first event.
    func samples() -> [String] {
        held.indices.flatMap { index -> [String] in
            var rest = index
            var labels: [(String, String)] = []
            var isDeclared = true
            for dimension in dimensions.reversed() {
                let position = rest % dimension.values.count
                rest /= dimension.values.count
                isDeclared = isDeclared && position < dimension.values.count - 1
                labels.append((dimension.name, dimension.values[position]))
            }
            guard isDeclared || !held[index].isUntouched else { return [] }
            return held[index].samples(name: name, labels: Exposition.labels(labels.reversed()))
        }
    }
}

/// Values that are read when the metrics are rendered.
struct ReadFamily: MetricFamily {
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
