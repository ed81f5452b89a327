internal import Identity
internal import Telemetry

/// Counts codes for telephone numbers.
struct PhoneCodeMetrics: Sendable {
    private let events: Counter

    init(metrics: Metrics) {
        events = metrics.counter(
            "sekisho_phone_codes_total",
            help: "Codes for telephone numbers that were issued, rejected by a limit, confirmed or wrong.",
            labels: [MetricLabel("event", PhoneCodeEvent.allCases.map(\.rawValue))])
    }

    func count(_ event: PhoneCodeEvent) { events.increment(event.rawValue) }
}
