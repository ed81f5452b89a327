internal import Email
internal import Identity
internal import Telemetry

/// Logs and counts attempts to send emails. The log contains IDs, kinds and errors, but no addresses.
struct EmailDeliveryReporter: Sendable {
    private let log: Log
    private let attempts: Counter

    init(log: Log, metrics: Metrics) {
        self.log = log
        attempts = metrics.counter(
            "sekisho_email_total", help: "Attempts to send an email.",
            labels: [
                MetricLabel("outcome", ["sent", "dropped", "postponed", "given_up", "interrupted"]),
                MetricLabel("kind", OutgoingEmail.Kind.allCases.map(\.rawValue)),
            ])
    }

    func report(_ queued: QueuedEmail, _ outcome: DeliveryOutcome) {
        let kind = queued.email.kind.rawValue
        var fields: LogFields = [
            "emailId": .string(queued.email.id.rawValue), "kind": .string(kind),
            "project": .string(queued.realm.rawValue), "attempts": .int(queued.attempts),
        ]
        switch outcome {
        case .sent:
            attempts.increment("sent", kind)
            log.info("email sent", fields)
        case .dropped:
            attempts.increment("dropped", kind)
            log.info("email dropped", fields)
        case .postponed(let due, let failure):
            attempts.increment("postponed", kind)
            fields.add("failure", .string("\(failure)"))
            fields.add("due", .string(due.iso8601))
            log.warning("email postponed", fields)
        case .givenUp(let failure):
            attempts.increment("given_up", kind)
            fields.add("failure", .string("\(failure)"))
            log.error("email given up", fields)
        case .interrupted:
            attempts.increment("interrupted", kind)
            log.warning("email interrupted", fields)
        }
    }
}
