internal import Identity
internal import Storage
internal import Telemetry

/// Logs and counts the delivery of events. The log contains IDs and the kinds of failures, but no URLs and no contents.
struct EventReporter: Sendable {
    private let log: Log
    private let numbered: Counter
    private let attempts: Counter
    private let oldest: Gauge
    private let disabled: Gauge
    private let behind: Gauge

    init(log: Log, metrics: Metrics) {
        self.log = log
        numbered = metrics.counter("sekisho_events_total", help: "Events that this process has numbered.")
        attempts = metrics.counter(
            "sekisho_event_deliveries_total", help: "Attempts to deliver events to endpoints.",
            labels: [MetricLabel("outcome", ["delivered"] + EventDeliveryFailure.names)])
        oldest = metrics.gauge(
            "sekisho_event_oldest_unnumbered_seconds", help: "Age of the oldest event that is not numbered.")
        disabled = metrics.gauge("sekisho_event_endpoints_disabled", help: "Event endpoints that are disabled.")
        behind = metrics.gauge(
            "sekisho_event_endpoint_lag", help: "Largest number of events that an endpoint is behind its project.")
    }

    func countNumbered(_ count: Int) { numbered.increment(by: UInt(count)) }

    func count(_ outcome: EventDeliveryOutcome) {
        switch outcome {
        case .delivered: attempts.increment("delivered")
        case .failed(let failure): attempts.increment(failure.name)
        }
    }

    func report(_ backlog: EventDispatchStore.Backlog) {
        oldest.set(backlog.oldestUnnumbered / .seconds(1))
        disabled.set(Double(backlog.disabled))
        behind.set(Double(backlog.behind))
    }

    func reportDisabled(_ key: EventDispatchStore.Key, because reason: EndpointHealth.DisabledReason) {
        log.error(
            "event endpoint disabled: enable it when its server works again",
            [
                "project": .string(key.project.rawValue), "endpoint": .string(key.endpoint.rawValue),
                "reason": .string(reason.rawValue),
            ])
    }

    func reportInterruption(of key: EventDispatchStore.Key, _ error: any Error) {
        log.warning(
            "event delivery interrupted: it continues soon",
            [
                "project": .string(key.project.rawValue), "endpoint": .string(key.endpoint.rawValue),
                "cause": .string("\(error)"),
            ])
    }
}
