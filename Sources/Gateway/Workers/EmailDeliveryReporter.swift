internal import Email
internal import Identity
internal import Telemetry

/// Logs and counts the outcome of each attempt to deliver an email, and logs failures to claim emails. The log contains
/// IDs, kinds and errors, but no addresses.
struct EmailDeliveryReporter: Sendable {
    private let log: Log
    private let outcomes: Counter
    private let count: @Sendable (CountedEvent, ID<Realm>) -> Void

    init(log: Log, metrics: Metrics, count: @escaping @Sendable (CountedEvent, ID<Realm>) -> Void) {
        self.log = log
        self.count = count
        outcomes = metrics.counter(
            "sekisho_email_total",
            help: "Outcomes of the delivery of emails. An email is counted again when it is retried.",
            labels: [
                MetricLabel("outcome", ["sent", "dropped", "postponed", "given_up", "interrupted"]),
                MetricLabel("kind", OutgoingEmail.Kind.allCases.map(\.rawValue)),
            ])
    }

    func report(_ queued: QueuedEmail, _ outcome: DeliveryOutcome) {
        let kind = queued.email.kind.rawValue
        var fields: LogFields = [
            "emailId": .string(queued.email.id.rawValue), "kind": .string(kind),
            "realm": .string(queued.realm.rawValue), "attempts": .int(queued.attempts),
        ]
        switch outcome {
        case .sent:
            outcomes.increment("sent", kind)
            count(.email(.sent), queued.realm)
            log.info("email sent", fields)
        case .dropped:
            outcomes.increment("dropped", kind)
            count(.email(.dropped), queued.realm)
            log.info("email not needed: its code is no longer valid, or no account has the address", fields)
        case .postponed(let due, let failure):
            outcomes.increment("postponed", kind)
            fields.add("failure", .string("\(failure)"))
            fields.add("due", .string(due.iso8601))
            log.warning("email postponed", fields)
        case .givenUp(let failure):
            outcomes.increment("given_up", kind)
            count(.email(.givenUp), queued.realm)
            fields.add("failure", .string("\(failure)"))
            log.error("email given up", fields)
        case .interrupted(let cause):
            outcomes.increment("interrupted", kind)
            fields.add("cause", .string(cause))
            log.warning("email interrupted: it is retried within minutes", fields)
        }
    }

    func reportClaimFailure(_ error: any Error) {
        log.warning("emails cannot be claimed: the worker tries again every second", ["cause": .string("\(error)")])
    }
}
