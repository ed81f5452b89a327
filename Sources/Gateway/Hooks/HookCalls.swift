internal import Encoding
internal import FoundationEssentials
internal import Identity
package import Telemetry
package import Webhooks

/// Calls the blocking functions of projects, counts the calls, and logs when functions cannot be reached. The log and
/// the metrics contain neither URLs nor contents.
package struct HookCalls: Sendable {
    private let call: SignedCall
    private let circuits = HookCircuits()
    private let calls: Counter
    private let seconds: Histogram
    private let log: Log
    private let warning = ThrottledWarning()

    package init(_ call: SignedCall, log: Log, metrics: Metrics) {
        self.call = call
        self.log = log
        let event = MetricLabel("event", BlockingFunctions.Event.allCases.map(\.rawValue))
        calls = metrics.counter(
            "sekisho_hook_calls_total", help: "Calls to blocking functions.",
            labels: [event, MetricLabel("outcome", HookOutcome.allCases.map(\.rawValue))])
        seconds = metrics.histogram(
            "sekisho_hook_seconds", help: "Seconds that a blocking function took.", labels: [event])
        metrics.gauge(
            "sekisho_hooks_unreachable", help: "Blocking functions that get only one call a second, because they fail."
        ) { [circuits] in Double(circuits.openCount) }
    }

    /// - Parameters:
    ///   - isDevelopment: whether the rules for development apply; see ``HookClient/Rules``.
    ///   - sign: makes the token that proves who calls.
    func hooks(
        isDevelopment: Bool, issuer: @escaping @Sendable (ID<Project>) -> String,
        sign: @escaping @Sendable (_ payload: [UInt8], Realm, Instant) async throws -> String, clock: WallClock
    ) -> Hooks {
        HookClient(
            call, rules: isDevelopment ? .dev : .serve, issuer: issuer, sign: sign,
            newID: { UUIDText.text(UUID()) },
            report: { request, outcome, duration in
                let event = request.event
                calls.increment(event.rawValue, outcome.rawValue)
                seconds.observe(duration, event.rawValue)
                if outcome == .unavailable, warning.mayWriteNow() {
                    log.error(
                        "a blocking function is unavailable",
                        ["event": .string(event.rawValue), "realm": .string(request.realm.id.rawValue)])
                }
            }, clock: clock, circuits: circuits
        ).hooks
    }
}
