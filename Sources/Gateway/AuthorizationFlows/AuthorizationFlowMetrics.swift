internal import Identity
internal import Telemetry

/// Counts the events of sign-ins in a browser.
struct AuthorizationFlowMetrics: Sendable {
    private let flows: Counter

    init(metrics: Metrics) {
        flows = metrics.counter(
            "sekisho_authorization_flows_total", help: "Sign-ins with a provider in a browser.",
            labels: [MetricLabel("event", AuthorizationFlows.Event.allCases.map(\.rawValue))])
    }

    func count(_ event: AuthorizationFlows.Event) { flows.increment(event.rawValue) }
}
