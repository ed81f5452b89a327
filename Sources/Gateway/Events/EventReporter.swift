internal import Identity
internal import Storage
internal import Synchronization
internal import Telemetry

/// Logs and counts the delivery of events. The log contains IDs and the kinds of failures, but no URLs and no contents.
struct EventReporter: Sendable {
    private let log: Log
    private let numbered: Counter
    private let attempts: Counter
    private let oldest: Gauge
    private let disabled: Gauge
    private let behind: Gauge
    private let endpoints: EndpointFigures

    /// Figures by endpoint, of the projects whose events this process delivers.
    private final class EndpointFigures: Sendable {
        struct Figures: Sendable {
            var lag: Double = 0
            var isDisabled = false
            var delivered: Double = 0
            var failures: Double = 0
        }

        let byName = Mutex<[String: Figures]>([:])

        func values(_ figure: @escaping @Sendable (Figures) -> Double) -> [String: Double] {
            byName.withLock { $0.mapValues(figure) }
        }
    }

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
        let endpoints = EndpointFigures()
        self.endpoints = endpoints
        metrics.gauge(
            "sekisho_event_endpoint_lag_seconds", help: "Age of the oldest event that was not sent to the endpoint.",
            label: "endpoint"
        ) { endpoints.values(\.lag) }
        metrics.gauge("sekisho_event_endpoint_disabled", help: "1 if the endpoint is disabled.", label: "endpoint") {
            endpoints.values { $0.isDisabled ? 1 : 0 }
        }
        metrics.counter(
            "sekisho_event_endpoint_delivered_total", help: "Events that the endpoint accepted.", label: "endpoint"
        ) { endpoints.values(\.delivered) }
        metrics.counter(
            "sekisho_event_endpoint_failures_total", help: "Attempts that failed.", label: "endpoint"
        ) { endpoints.values(\.failures) }
    }

    func countNumbered(_ count: Int) { numbered.increment(by: UInt(count)) }

    func count(_ outcome: EventDeliveryOutcome, of key: EventDispatchStore.Key) {
        switch outcome {
        case .delivered: attempts.increment("delivered")
        case .failed(let failure): attempts.increment(failure.name)
        }
        endpoints.byName.withLock {
            if outcome.isDelivered {
                $0[key.name, default: .init()].delivered += 1
            } else {
                $0[key.name, default: .init()].failures += 1
            }
        }
    }

    /// - Parameter states: the endpoints of the projects whose events this process delivers.
    func report(_ states: [EventDispatchStore.EndpointState]) {
        endpoints.byName.withLock { figures in
            let former = figures
            figures = [:]
            for state in states {
                var figure = former[state.key.name] ?? .init()
                figure.lag = state.lag / .seconds(1)
                figure.isDisabled = state.isDisabled
                figures[state.key.name] = figure
            }
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

extension EventDispatchStore.Key {
    /// The value of the label `endpoint`.
    fileprivate var name: String { "\(project)/\(endpoint)" }
}
