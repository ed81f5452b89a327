internal import Identity
internal import Telemetry

/// Counts what happens with passkeys.
struct PasskeyMetrics: Sendable {
    private let events: Counter

    init(metrics: Metrics) {
        events = metrics.counter(
            "sekisho_passkeys_total",
            help: "Passkeys that were added or used, responses that were refused, and counters that did not increase.",
            labels: [MetricLabel("event", PasskeyEvent.allCases.map(\.rawValue))])
    }

    func count(_ event: PasskeyEvent) { events.increment(event.rawValue) }
}
