internal import Telemetry

/// What the gateway counts. One for the whole process, whatever the number of loops.
public struct GatewayMetrics: Sendable {
    private let metrics = Metrics()

    public init() {}

    func note(_ exchange: Exchange, took duration: Duration) {
    }

    /// Prometheus text format 0.0.4.
    func render() -> String { metrics.render() }
}
