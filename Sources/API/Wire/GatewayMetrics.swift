internal import HTTP
public import Telemetry

/// Request metrics of the process, shared by all event loops.
public struct GatewayMetrics: Sendable {
    /// Also holds the metrics of other parts of the process. `/metrics` renders all of them.
    public let registry: Metrics
    private let requests: Counter
    private let seconds: Histogram

    public init(registry: Metrics = Metrics()) {
        self.registry = registry
        let operation = MetricLabel("operation", Endpoint.all.map(\.operationID))
        let status = MetricLabel(
            "status", ["200", "204", "303", "400", "401", "403", "404", "405", "429", "500", "501", "503"])
        requests = registry.counter(
            "sekisho_requests_total", help: "Requests answered.", labels: [operation, status])
        seconds = registry.histogram(
            "sekisho_request_seconds", help: "From the whole request to its answer.", labels: [operation])
    }

    /// Counts a request without an operation under `other`.
    func note(_ outcome: RequestOutcome, took duration: Duration) {
        let operation = outcome.operationID ?? ""
        requests.increment(operation, String(outcome.response.status))
        seconds.observe(duration, operation)
    }
}
