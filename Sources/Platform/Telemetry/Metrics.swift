internal import Synchronization

/// The metrics of a process. Each is registered at the start. A metric that records values is registered with all
/// values of its labels, so that requests cannot add series.
public final class Metrics: Sendable {
    /// Bucket bounds for latencies in seconds: from the duration of a signature to that of a slow mail server.
    public static let latencyBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    // Protects the list of metrics in the order of registration. Measurements do not take this lock.
    private let families = Mutex<[any MetricFamily]>([])

    public init() {}

    public func counter(_ name: String, help: String, labels: [MetricLabel] = []) -> Counter {
        let counter = Counter(
            RecordedFamily(name: name, help: help, kind: .counter, labels: labels) { AtomicNumber() })
        register(counter.family)
        return counter
    }

    public func gauge(_ name: String, help: String, labels: [MetricLabel] = []) -> Gauge {
        let gauge = Gauge(RecordedFamily(name: name, help: help, kind: .gauge, labels: labels) { AtomicNumber() })
        register(gauge.family)
        return gauge
    }

    /// - Parameter read: called by ``render()``, on the thread of its caller.
    public func gauge(_ name: String, help: String, read: @escaping @Sendable () -> Double) {
        register(ComputedFamily(name: name, help: help, kind: .gauge) { [(labels: "", value: read())] })
    }

    /// - Parameter read: a number that only increases; called by ``render()``, on the thread of its caller.
    public func counter(_ name: String, help: String, read: @escaping @Sendable () -> Double) {
        register(ComputedFamily(name: name, help: help, kind: .counter) { [(labels: "", value: read())] })
    }

    /// - Parameter read: numbers that only increase, by label value.
    public func counter(
        _ name: String, help: String, label: String, read: @escaping @Sendable () -> [String: Double]
    ) {
        registerLabelled(name, help: help, kind: .counter, label: label, read: read)
    }

    /// - Parameter read: numbers by label value, for example by the name of a loop.
    public func gauge(
        _ name: String, help: String, label: String, read: @escaping @Sendable () -> [String: Double]
    ) {
        registerLabelled(name, help: help, kind: .gauge, label: label, read: read)
    }

    /// - Parameter bounds: ascending upper bounds of the buckets; infinity is added.
    public func histogram(
        _ name: String, help: String, labels: [MetricLabel] = [], bounds: [Double] = latencyBounds
    ) -> Histogram {
        precondition(zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }, "bounds of \(name) do not ascend")
        let histogram = Histogram(
            RecordedFamily(name: name, help: help, kind: .histogram, labels: labels) { Distribution(bounds: bounds) })
        register(histogram.family)
        return histogram
    }

    /// Returns all metrics in the Prometheus text exposition format 0.0.4 (`text/plain; version=0.0.4`).
    public func render() -> String {
        families.withLock { $0 }.map { family in
            """
            # HELP \(family.name) \(Exposition.escaped(family.help))
            # TYPE \(family.name) \(family.kind.rawValue)

            """ + family.samples().map { $0 + "\n" }.joined()
        }.joined()
    }

    private func registerLabelled(
        _ name: String, help: String, kind: MetricKind, label: String, read: @escaping @Sendable () -> [String: Double]
    ) {
        register(
            ComputedFamily(name: name, help: help, kind: kind) {
                read().sorted { $0.key < $1.key }.map { (Exposition.labels([(label, $0.key)]), $0.value) }
            })
    }

    private func register(_ family: some MetricFamily) {
        precondition(Exposition.isMetricName(family.name), "\(family.name) is not a valid metric name")
        families.withLock { families in
            precondition(!families.contains { $0.name == family.name }, "\(family.name) is registered twice")
            families.append(family)
        }
    }
}
