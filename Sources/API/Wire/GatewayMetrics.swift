internal import HTTP
public import Telemetry

/// What the gateway counts. One for the whole process, whatever the number of loops.
public struct GatewayMetrics: Sendable {
    /// For what other parts of the process measure; `/metrics` shows all of it.
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

    /// A request that leads to no operation is counted under `other`.
    func note(_ outcome: RequestOutcome, took duration: Duration) {
        let operation = outcome.operationID ?? ""
        requests.increment(operation, String(outcome.response.status))
        seconds.observe(duration, operation)
    }
}
