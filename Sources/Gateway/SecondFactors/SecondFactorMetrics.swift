internal import Identity
internal import Telemetry

/// Counts the steps of sign-ins with a second factor.
struct SecondFactorMetrics: Sendable {
    private let events: Counter

    init(metrics: Metrics) {
        events = metrics.counter(
            "sekisho_second_factors_total", help: "Second factors of sign-ins that were asked for, passed or wrong.",
            labels: [MetricLabel("event", SecondFactorEvent.allCases.map(\.rawValue))])
    }

    func count(_ event: SecondFactorEvent) { events.increment(event.rawValue) }
}
