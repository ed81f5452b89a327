internal import Identity
internal import Telemetry

/// Counts the events of sign-ins in a browser.
struct AuthorizationFlowRecord: Sendable {
    private let flows: Counter

    init(metrics: Metrics) {
        flows = metrics.counter(
            "sekisho_authorization_flows_total", help: "Sign-ins with a provider in a browser.",
            labels: [MetricLabel("event", AuthorizationFlows.Event.allCases.map(\.rawValue))])
    }

    func note(_ event: AuthorizationFlows.Event) { flows.increment(event.rawValue) }
}
