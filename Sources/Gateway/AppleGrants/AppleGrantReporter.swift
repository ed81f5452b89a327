internal import Identity
internal import Telemetry

/// Logs and counts the work on Apple grants (stored codes and tokens of Sign in with Apple). The log contains IDs and
/// errors, but neither subjects nor tokens.
struct AppleGrantReporter: Sendable {
    private let log: Log
    private let attempts: Counter
    private let checks: Counter
    private let grants: Gauge
    private let stopped: Gauge
    private let stoppedWarning = ThrottledWarning()
    private let count: @Sendable (CountedEvent, ID<Realm>) -> Void

    init(log: Log, metrics: Metrics, count: @escaping @Sendable (CountedEvent, ID<Realm>) -> Void) {
        self.log = log
        self.count = count
        attempts = metrics.counter(
            "sekisho_apple_attempts_total", help: "Attempts to redeem Apple's codes and to revoke tokens.",
            labels: [
                MetricLabel("purpose", AppleGrant.Purpose.allCases.map(\.rawValue)),
                MetricLabel("outcome", ["done", "postponed", "given_up", "interrupted"]),
            ])
        checks = metrics.counter(
            "sekisho_apple_checks_total", help: "Daily checks of Apple's refresh tokens.",
            labels: [MetricLabel("result", ["authorized", "revoked", "failed"])])
        grants = metrics.gauge(
            "sekisho_apple_grants", help: "Apple tokens by state, counted every hour.",
            labels: [MetricLabel("state", AppleGrant.State.allCases.map { $0.rawValue.lowercased() })])
        stopped = metrics.gauge(
            "sekisho_apple_checks_stopped",
            help: "Client IDs whose tokens are not checked, because too many checks failed.")
    }

    func report(_ grant: AppleGrant, _ outcome: AppleGrantAttempts.Outcome) {
        let purpose = grant.purpose.rawValue
        var fields: LogFields = [
            "grantId": .string(grant.id.rawValue), "realm": .string(grant.realm.rawValue),
            "clientId": .string(grant.clientID), "purpose": .string(purpose), "attempts": .int(grant.attempts),
        ]
        switch outcome {
        case .redeemed, .revoked:
            attempts.increment(purpose, "done")
            count(.appleToken(outcome == .redeemed ? .stored : .revoked), grant.realm)
            log.info("apple token \(grant.purpose == .redeem ? "stored" : "revoked")", fields)
        case .postponed(let due, let reason):
            attempts.increment(purpose, "postponed")
            fields.add("reason", .string(reason))
            fields.add("due", .string(due.iso8601))
            log.warning("apple token postponed", fields)
        case .givenUp(let reason):
            attempts.increment(purpose, "given_up")
            count(.appleToken(.failed), grant.realm)
            fields.add("reason", .string(reason))
            log.error("apple token given up", fields)
        case .interrupted(let cause):
            attempts.increment(purpose, "interrupted")
            fields.add("cause", .string(cause))
            log.warning("apple token interrupted by a database error or a shutdown: it is retried soon", fields)
        }
    }

    func report(_ report: AppleGrantChecks.Report) {
        for (result, count) in [
            ("authorized", report.authorized), ("revoked", report.revoked), ("failed", report.failed),
        ] { checks.increment(by: UInt(count), result) }
        for (realm, events) in report.events { for event in events { count(.appleToken(event), realm) } }
        for state in AppleGrant.State.allCases {
            grants.set(Double(report.grantCounts[state] ?? 0), state.rawValue.lowercased())
        }
        stopped.set(Double(report.stopped.count))
        if let cause = report.interruptions.first {
            log.warning(
                "apple checks interrupted: they continue in a minute",
                ["cause": .string(cause), "count": .int(report.interruptions.count)])
        }
        guard !report.stopped.isEmpty, stoppedWarning.mayWriteNow() else { return }
        for client in report.stopped {
            log.error(
                "apple checks stopped: more than 5 % failed within an hour",
                ["realm": .string(client.realm.rawValue), "clientId": .string(client.clientID)])
        }
    }
}
